"""HTML: the text a reader of the page would see, under its headings. Scripts, styles and hidden parts are left out."""

from __future__ import annotations

import re
from typing import Any

from .blocks import Block, Contents, Outline, Unreadable, harmless, quiet

_UNSEEN = frozenset("script style template noscript iframe object embed svg canvas select head title".split())
MOST_MARKUP = 8_000_000  # characters beside scripts, styles and comments: parsed, each takes fifty bytes and more
# Comments, scripts, styles and declarations, each to its end or to that of the page, as a browser reads them.
_NEVER_SEEN = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style)\b.*?(?:</\1\s*>|\Z)|<[!?][^>]*>?", re.DOTALL | re.IGNORECASE
)
_NO_TAG = re.compile(r"<(?![^<>]{0,4096}>)")
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_INLINE = frozenset(
    """a abbr acronym b bdi bdo big br cite code data del dfn em font i img ins kbd label mark q s samp small span
    strike strong sub sup time tt u var wbr""".split()
)


def read(data: bytes | str) -> Contents:
    """The blocks of a page; the encoding is what the page declares."""
    from bs4 import BeautifulSoup

    text, problems = (data, []) if isinstance(data, str) else _decoded(data)
    page = BeautifulSoup(_marked_up(text), "html.parser")
    title = harmless(page.title.get_text()) if page.title else None
    for tag in page.find_all(_unseen):
        tag.decompose()
    blocks, outline, headline = [], Outline(), None
    for container, text in _runs(page):
        if re.fullmatch("h[1-6]", container.name):
            outline.enter(int(container.name[1]), text)
            headline = headline or text
        else:
            blocks.append(Block(text, outline.headings, container.sourceline or 1))
    return Contents(title or headline, blocks, problems)


def _decoded(data: bytes) -> tuple[str, list[str]]:
    """The text of a page, and whether some of it is in another encoding than the page says."""
    from bs4.dammit import UnicodeDammit

    with quiet("bs4.dammit"):
        found = UnicodeDammit(data, is_html=True)
    lost = "some characters are in another encoding than the page says; � stands for each"
    return found.unicode_markup or "", [lost] if found.contains_replacement_characters else []


def _marked_up(text: str) -> str:
    """A page with its lines and without what no reader sees. A ``<`` whose tag does not end is a character: the parser
    would look for each end through the rest of the page."""
    seen = _NEVER_SEEN.sub(lambda part: "\n" * part[0].count("\n"), text)
    if len(seen) > MOST_MARKUP:
        raise Unreadable(f"holds {len(seen):,} characters of HTML; at most {MOST_MARKUP:,} are read, so split it")
    return _NO_TAG.sub("&lt;", seen)


def _unseen(tag: Any) -> bool:
    return tag.name in _UNSEEN or tag.has_attr("hidden") or bool(_HIDDEN.search(str(tag.get("style", ""))))


def _runs(page: Any) -> list[tuple[Any, str]]:
    """Runs of text with the element that holds them as a block; the cells of a table row are one run."""
    from bs4.element import NavigableString

    containers: dict[int, Any] = {}
    runs: list[tuple[Any, list[str]]] = []
    for node in page.descendants:
        if type(node) is NavigableString:  # its subclasses are comments, declarations and the like
            container = _container(node.parent, containers)
            if not runs or runs[-1][0] is not container:
                runs.append((container, []))
            runs[-1][1].append(str(node))
        elif node.name in ("br", "td", "th") and runs:
            runs[-1][1].append(" | " if node.name != "br" and runs[-1][0] is _container(node, containers) else " ")
    written = ((container, harmless("".join(parts)).strip("| ")) for container, parts in runs)
    return [(container, text) for container, text in written if text]


def _container(tag: Any, known: dict[int, Any]) -> Any:
    """The nearest element around a place that begins a block; ``known`` keeps what was found, by element."""
    passed = []
    while id(tag) not in known and tag.parent is not None and (tag.name in _INLINE or tag.name in ("td", "th")):
        passed.append(tag)
        tag = tag.parent
    found = known.get(id(tag), tag)
    known.update((id(inner), found) for inner in passed)
    return found
