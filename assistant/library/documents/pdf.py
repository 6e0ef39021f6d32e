"""PDF: the text of each page. Scripts, forms, attachments and links in it are not looked at."""

from __future__ import annotations

import contextlib
import io
import logging
import re
from collections.abc import Iterator
from typing import Any

from .blocks import Block, Contents, Unreadable, harmless, paragraphs

MOST_PAGES = 3_000
_HYPHENATED = re.compile(r"(?<=[a-z])[-\u00ad]\n(?=[a-z])")


def read(data: bytes) -> Contents:
    """The paragraphs of each page. Raises :class:`Unreadable` for an encrypted, broken or scanned file."""
    with _quiet():
        reader, pages = _opened(data)
        if pages > MOST_PAGES:
            raise Unreadable(f"has {pages} pages; at most {MOST_PAGES} are read, so split it")
        blocks, failed = [], []
        for number in range(1, pages + 1):
            text = _page(reader, number)
            if text is None:
                failed.append(number)
            else:
                blocks += _blocks(text, number)
        title = _title(reader)
    if failed and not blocks:
        raise Unreadable("is broken: no page of it can be read")
    if not blocks:
        raise Unreadable("has no text in it, only pictures of pages; run text recognition (OCR) over it first")
    problems = [f"page {', '.join(map(str, failed))} cannot be read; the others were"] if failed else []
    return Contents(title, blocks, problems)


def _opened(data: bytes) -> tuple[Any, int]:
    from pypdf import PdfReader
    from pypdf.errors import DependencyError

    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise DependencyError
        return reader, len(reader.pages)
    except DependencyError:
        raise Unreadable("is encrypted; save a copy without a password and add that") from None
    except Exception:
        raise Unreadable("is broken: it cannot be opened as a PDF") from None


def _page(reader: Any, number: int) -> str | None:
    try:
        return reader.pages[number - 1].extract_text()
    except Exception:
        return None


def _title(reader: Any) -> str | None:
    try:
        return harmless(str(reader.metadata.title)) if reader.metadata and reader.metadata.title else None
    except Exception:
        return None


def _blocks(text: str, page: int) -> Iterator[Block]:
    for _, lines in paragraphs(_HYPHENATED.sub("", text)):
        if written := harmless("\n".join(lines)):
            yield Block(written, page=page)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """The library logs each oddity of a file; the one sentence about it is ours to say."""
    logger = logging.getLogger("pypdf")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)
