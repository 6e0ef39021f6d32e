"""One function per command; each imports what it needs when it runs, so that ``weft --help`` loads nothing heavy."""

import gc

import assistant

gc.set_threshold(*assistant.GARBAGE)
