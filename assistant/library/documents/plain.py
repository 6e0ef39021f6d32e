"""Plain text: paragraphs between empty lines; an underlined line is a heading."""

from __future__ import annotations

import re

from .blocks import Block, Contents, NotADocument, Outline, harmless, paragraphs

_UNDERLINE = re.compile(r"([=\-~^\"'*+#])\1{2,}\s*$")  # as in reStructuredText and in many a README
_MOST_CONTROL = 0.1  # of all characters; text with terminal colours stays below


def decoded(data: bytes) -> str:
    """The text of a file: UTF-8, UTF-16 with a byte order mark, else Windows-1252. Raises :class:`NotADocument`."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        text = data.decode("utf-16", errors="replace")
    elif b"\0" in data:
        raise NotADocument("is not text")
    else:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = data.decode("cp1252", errors="replace")
    if sum(character < " " and character not in "\n\r\t\f" for character in text) > _MOST_CONTROL * len(text):
        raise NotADocument("is not text")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read(data: bytes) -> Contents:
    """The paragraphs of a text file."""
    return read_text(decoded(data))


def read_text(text: str) -> Contents:
    """The paragraphs of a text, under the underlined headings above them."""
    outline, marks, blocks, title = Outline(), [], [], None
    for line, lines in paragraphs(text):
        found = _UNDERLINE.match(lines[1]) if len(lines) > 1 else None
        if found and len(lines[1].strip()) >= len(lines[0].strip()):
            mark, heading = found.group(1), harmless(lines[0])
            marks += [] if mark in marks else [mark]
            outline.enter(marks.index(mark), heading)
            title = title or heading
            line, lines = line + 2, lines[2:]
        if written := harmless("\n".join(lines)):
            blocks.append(Block(written, outline.headings, line))
    return Contents(title, blocks)
