"""PDF: the text of each page. Scripts, forms, attachments and links in it are not looked at."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any

from .blocks import Block, Contents, Unreadable, harmless, paragraphs, quiet

MOST_PAGES = 3_000
MOST_OPERATIONS = 1_000_000  # of all pages: a printed page takes some hundreds, and a million half a minute
_OF_A_PAGE = 100_000  # operations and what they are given
_UNPACKED = 4 * 1024 * 1024  # bytes of anything that is packed: what a page says takes a hundredth
_LIMITS: dict[str, Any] = {
    "zlib_maximum_output_length": _UNPACKED,
    "lzw_maximum_output_length": _UNPACKED,
    "run_length_maximum_output_length": _UNPACKED,
    "brotli_maximum_output_length": _UNPACKED,
    "array_based_stream_maximum_output_length": _UNPACKED,
    "stream_parsing_work_maximum_count": _OF_A_PAGE,
}
_DRAWS_ANOTHER, _WORTH = b"Do", 1_000  # a form inside a page is unpacked and parsed again wherever it is drawn
_HYPHENATED = re.compile(r"(?<=[a-z])[-\u00ad]\n(?=[a-z])")


def read(data: bytes) -> Contents:
    """The paragraphs of each page. Raises :class:`Unreadable` for an encrypted, broken or scanned file, and for one
    that unpacks to far more than a document says."""
    from pypdf import apply_configuration

    work = _Work()
    with quiet("pypdf"), apply_configuration(**_LIMITS):
        reader, pages = _opened(data)
        if pages > MOST_PAGES:
            raise Unreadable(f"has {pages} pages; at most {MOST_PAGES} are read, so split it")
        blocks, failed = [], []
        for number in range(1, pages + 1):
            text = _page(reader, number, work)
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


class _Work:
    """What has been drawn so far, of all pages."""

    def __init__(self) -> None:
        self._left = MOST_OPERATIONS

    def __call__(self, operator: bytes, *_: object) -> None:
        self._left -= _WORTH if operator == _DRAWS_ANOTHER else 1
        if self._left < 0:
            raise Unreadable(
                f"draws more than {MOST_OPERATIONS:,} times, which no text needs; print it anew, or split it"
            )


def _page(reader: Any, number: int, work: _Work) -> str | None:
    try:
        return reader.pages[number - 1].extract_text(visitor_operand_before=work)
    except Unreadable:
        raise
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
