"""Standard input, output and errors as they are given: closed, full, or of a code page that lacks most signs."""

from __future__ import annotations

import codecs
import io
import json
import os
import sys
import unicodedata
from typing import TextIO, cast

# Signs of ours that are more than a letter with a mark, for a terminal that has only ASCII.
_SIGNS = {
    "×": "x", "–": "-", "—": "-", "−": "-", "…": "...", "→": "->", "←": "<-", "↔": "<->", "≥": ">=", "≤": "<=",
    "≈": "~", "·": "-", "•": "-", "✓": "+", "✗": "x", "’": "'", "‘": "'", "“": '"', "”": '"', "µ": "u", "μ": "u",
    "€": "EUR", "£": "GBP", "¥": "JPY", "°": " deg", "│": "|", "┃": "|", "─": "-", "━": "-", "▏": "|",
    "�": "?",
}  # fmt: skip
_HANDLER = "weft-signs"


def prepare() -> None:
    """Make the streams usable: a closed one reads or writes nothing, what a code page lacks is written otherwise."""
    codecs.register_error(_HANDLER, _otherwise)
    while (opened := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass  # a closed one gets its number back, so that no file of ours is written to as if it were the screen
    os.close(opened)
    sys.stdin = sys.stdin or _nothing("r")
    sys.stdout, sys.stderr = sys.stdout or _nothing("w"), sys.stderr or _nothing("w")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_HANDLER)


def finish() -> None:
    """Write what is left. Raises :class:`OSError` when it cannot be written."""
    if sys.stdout is not None:
        sys.stdout.flush()


def _nothing(mode: str) -> TextIO:
    return cast(TextIO, open(os.devnull, mode, encoding="utf-8"))


def _otherwise(error: UnicodeError) -> tuple[str, int]:
    """What stands for characters that a stream cannot write: in JSON their escapes, else the nearest of ASCII."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    if error.object[:1] in ("{", "[") and error.object.endswith(("}\n", "]\n")):
        return json.dumps(lacking)[1:-1], error.end
    return "".join(_SIGNS.get(sign) or _plain(sign) for sign in lacking), error.end


def _plain(sign: str) -> str:
    if "\u2500" <= sign <= "\u257f":  # of boxes: corners and where lines cross
        return "+"
    if "\u2580" <= sign <= "\u25ff":  # of bars and pictures
        return "#"
    return unicodedata.normalize("NFKD", sign).encode("ascii", "ignore").decode() or "?"
