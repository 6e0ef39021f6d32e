"""Text that cannot command a terminal: the one place where what was typed, or a file says, is made safe to print."""

from __future__ import annotations

import re
import unicodedata

# Control and format characters, surrogates, private use, separators of lines and paragraphs.
_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})

# What is not seen itself, and commands a terminal or can change the order in which the signs beside it are seen; JSON
# itself has only those below the space escaped.
_HIDDEN = re.compile("[\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]")


def printable(text: str, *, spaces: str = "\n\r\t", kept: str = "", pictures: bool = True) -> str:
    """Text in which ``spaces`` are spaces, ``kept`` characters stay, and every other unsafe one is ``�``; those of
    ASCII are shown as their signs (an escape is ``␛``) with ``pictures``."""
    signs = {chr(code): chr(0x2400 + code) for code in range(32)} if pictures else {}  # the block "Control Pictures"
    signs |= dict.fromkeys(spaces, " ") | {character: character for character in kept}
    return "".join(signs.get(c) or ("�" if unicodedata.category(c) in _UNSAFE else c) for c in text)


def one_line(text: str) -> str:
    """Text that stays on the line where it is put, of a script or of YAML: every space and line break is a plain space,
    what cannot be printed is ``�``."""
    return "".join(c if c.isprintable() else " " if c.isspace() else "�" for c in text)


def in_json(text: str) -> str:
    """JSON in which no sign hides, commands a terminal or turns the order of others: such ones are written as their
    escapes, which read as the same text."""
    return _HIDDEN.sub(lambda hidden: f"\\u{ord(hidden[0]):04x}", text)
