"""Makes the generated pages and pictures anew, after rules, facts, runs, claims, kept conversations or the screen have
changed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path

from assistant.library import Library, paths
from assistant.library.files import write_whole
from assistant.vocabulary.errors import InputError

SHOWN = "70b-over-plain-tcp.md"  # the kept conversation whose beginning the README shows

Made = Iterator[tuple[Path, str | bytes]]  # files with what they should hold


def write(library: Library, names: Iterable[str] = (), done: Callable[[str], None] = lambda name: None) -> list[Path]:
    """Write the named :data:`PARTS`, or all that take seconds; the files that changed.

    Raises :class:`InputError` where there is no README beside the knowledge folder: an installed program has no
    documentation to write.
    """
    root = library.knowledge_folder.parent
    if not (root / "README.md").is_file() or not (root / "transcripts").is_dir():
        raise InputError(f"expected a clone of the repository around {library.knowledge_folder}")
    changed = []
    for name in names or (name for name in PARTS if name not in _ASKED_FOR):
        for path, text in PARTS[name](library, root):
            made = text if isinstance(text, bytes) else text.encode()
            if not path.is_file() or path.read_bytes() != made:
                path.parent.mkdir(exist_ok=True)
                write_whole(path, made)
                changed.append(path)
        done(name)
    return changed


def audit_page(library: Library, source: str | None = None) -> str:
    """The page ``audit``: every claim that can be computed, recomputed; of one source only when it is named."""
    from assistant.audit import audit, formulas
    from assistant.present.audit import handbook_page

    says = {name: found.says for name, found in formulas().items()}
    return handbook_page(audit(library, source), says, library.handbook_template("audit"))


def _readme(library: Library, root: Path) -> Made:
    """The first two turns of a kept conversation and its last."""
    turns = re.split(r"(?m)^(?=\*\*You:\*\*)", (root / "transcripts" / SHOWN).read_text(encoding="utf-8"))[1:]
    shown = "".join(turns[:2]).strip() + "\n\n…\n\n" + turns[-1].strip()
    text = (root / "README.md").read_text(encoding="utf-8")
    start, end = text.index("```text\n") + len("```text\n"), text.index("```\n\nOn the full screen")
    yield root / "README.md", text[:start] + shown + "\n" + text[end:]


def _rules(library: Library, root: Path) -> Made:
    from assistant.present.rule_book import rule_book

    yield library.handbook["rules"], rule_book(library.rules.values(), library.handbook_template("rules"))


def _asking(library: Library, root: Path) -> Made:
    """What the page about questions shows below each of its commands."""
    from assistant.answering import answer_many
    from assistant.conversation.searching import understood
    from assistant.present.answers import answer_lines
    from assistant.retrieval import ready_index

    def answered(match: re.Match[str]) -> str:
        [found] = answer_many([(None, understood(match[2], library))], library, lambda: ready_index(library), 1)
        return "\n".join([match[1], *answer_lines(found, 80)]) + "\n```"

    page = library.handbook["asking"]
    text = page.read_text(encoding="utf-8")
    yield page, re.sub(r'(?ms)^(\$ weft ask "([^"]+)" --top 1)\n.*?^```', answered, text)


def _audit(library: Library, root: Path) -> Made:
    yield library.handbook["audit"], audit_page(library)


def _designs(library: Library, root: Path) -> Made:
    from assistant.audit.designs import reproduced
    from assistant.present.designs_page import designs_page

    path = library.knowledge_folder / "handbook" / "networks.md"
    yield path, designs_page(reproduced(library.knowledge_folder), library.handbook_template("networks"))


def _mcp(library: Library, root: Path) -> Made:
    """The page about one's own assistant, with a session that is held anew."""
    from assistant.library.shipped import documents
    from assistant.mcp import play
    from assistant.present.mcp_page import mcp_page

    steps = documents("mcp", library.knowledge_folder / "mcp")["session.yaml"]
    played = play(steps)
    path = library.knowledge_folder / "handbook" / "mcp.md"
    yield path, mcp_page(library.handbook_template("mcp"), played.tools, list(zip(steps, played.answers, strict=True)))


def _accuracy(library: Library, root: Path) -> Made:
    """The page and its plot, with the errors of the sources left out as last computed."""
    from assistant.present.accuracy_page import accuracy_page, accuracy_plot
    from assistant.present.measured_page import measured_page
    from assistant.validation.shipped_runs import described

    made = described(library.knowledge_folder, library.catalog)
    page = library.handbook["accuracy"]
    yield page, accuracy_page(made, library.handbook_template("accuracy"))
    yield page.with_suffix(".svg"), accuracy_plot(made.runs)
    yield library.handbook["measured"], measured_page(made, library.handbook_template("measured"))


def _left_out(library: Library, root: Path) -> Made:
    from assistant.validation.shipped_runs import kept_at, left_out_now

    yield kept_at(library.knowledge_folder), left_out_now(library.knowledge_folder, library.catalog)


def _screen(library: Library, root: Path) -> Made:
    from assistant.tui.pictures import SITUATIONS, taken

    for name in SITUATIONS:
        yield library.knowledge_folder / "handbook" / "screen" / f"{name}.svg", taken(name, library)


def _vectors(library: Library, root: Path) -> Made:
    """What the search index of a fresh install need not embed; only when many texts are new."""
    from assistant.retrieval import ready_index, worth_shipping

    made = worth_shipping(ready_index(library), library.knowledge_folder)
    if made is not None:
        yield made


def _files(library: Library, root: Path) -> Made:
    """What has to be in the folders of rules and knowledge."""
    for folder in (library.rules_folder, library.knowledge_folder):
        yield folder / paths.FILES, paths.listing(folder)


PARTS: dict[str, Callable[[Library, Path], Made]] = {
    "rules": _rules,
    "asking": _asking,
    "audit": _audit,
    "networks": _designs,
    "accuracy": _accuracy,
    "screen": _screen,
    "readme": _readme,
    "vectors": _vectors,
    "left-out": _left_out,
    "mcp": _mcp,
    "files": _files,
}
# Written when named: one takes minutes and changes with the model's constants only, the other may lack its extra.
_ASKED_FOR = {"left-out", *({"mcp"} if find_spec("mcp") is None else ())}
