"""Reads ``rules/`` and ``knowledge/`` into the vocabulary; each part when it is first asked for."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import TypeVar

from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.interview import Interview
from assistant.vocabulary.knowledge import Knowledge
from assistant.vocabulary.language import Language
from assistant.vocabulary.naming import naming
from assistant.vocabulary.rules import Rule

from . import paths
from .files import content_of

T = TypeVar("T")


@dataclass(frozen=True)
class Library:
    """What the planner knows: catalog, knowledge, rules. ``user_catalog`` overrides facts and prices of ours,
    ``profile`` lays factors from a user's own measured runs over its constants; ``measured``: the same of networks that
    nccl-tests measured, (fabric id, time ÷ the catalog's, file) each. ``figures``: those of an earlier plan, as its
    ``made_with`` has them, in place of the catalog's. ``as_read``: a hash of what stood in the user's own files, so
    that a library with other content in a file of the same name is another library."""

    rules_folder: Path
    knowledge_folder: Path
    user_catalog: Path | None = None
    profile: Path | None = None
    measured: tuple[tuple[str, float, str], ...] = ()
    figures: tuple[tuple[str, str], ...] = ()
    as_read: tuple[str, ...] = ()

    @cached_property
    def catalog(self) -> Catalog:
        """GPUs, models, fabrics, providers, devices and constants, each value with unit, source and date."""
        from . import catalog

        read = catalog.read(paths.whole(self.knowledge_folder) / "catalog", self.user_catalog)
        if self.profile is None and not (self.measured or self.figures):
            return read
        from . import figures, profiles

        known = profiles.laid_over(read, self.profile) if self.profile else read
        return figures.laid_over(profiles.as_measured(known, self.measured), dict(self.figures))

    @cached_property
    def naming(self) -> Callable[[str], str]:
        """Puts the names of the catalog in the place of its ids in a text."""
        return naming(self.catalog.names)

    @cached_property
    def knowledge(self) -> Knowledge:
        """Sources, claims, passages, conflicts and terms."""
        from . import knowledge

        return knowledge.read(self.knowledge_folder)

    @cached_property
    def language(self) -> Language:
        """Wordings: how fields, units, names and questions are said."""
        from . import language

        return language.read(self.knowledge_folder / "language")

    @cached_property
    def rules(self) -> dict[str, Rule]:
        """Every rule by its id."""
        from . import rules

        return {rule.id: rule for rule in rules.read_rules(paths.whole(self.rules_folder))}

    @cached_property
    def interview(self) -> Interview:
        """The questions a person may be asked, in their order, and what may be said to any of them."""
        from . import interview

        return interview.read(self.knowledge_folder)

    @cached_property
    def examples(self) -> dict[str, Path]:
        """Questionnaires worth starting from, by name."""
        return {path.stem: path for path in sorted((self.knowledge_folder / "examples").glob("*.yaml"))}

    @cached_property
    def example_files(self) -> dict[str, Path]:
        """Made-up files of what else the commands read, by name: a log, measured runs, a list of prices."""
        return {path.name: path for path in sorted((self.knowledge_folder / "examples").glob("files/*"))}

    @cached_property
    def handbook(self) -> dict[str, Path]:
        """Pages of the documentation, by topic."""
        return {path.stem: path for path in sorted((self.knowledge_folder / "handbook").glob("*.md"))}

    def handbook_template(self, name: str) -> str:
        """The prose of a page that is made from data, with the places that are filled in."""
        return (self.knowledge_folder / "handbook" / "templates" / f"{name}.md").read_text(encoding="utf-8")

    def mcp_text(self, name: str) -> str:
        """What a client of the Model Context Protocol, and the model behind it, are told."""
        return (self.knowledge_folder / "mcp" / f"{name}.md").read_text(encoding="utf-8")

    @cached_property
    def digests(self) -> dict[str, str]:
        """Content hashes of the rules, the knowledge (all of it that an answer can hang on, beside the catalog), the
        catalog and its prices: what an answer was made with."""
        from .shipped import digest, folder_digest

        names = paths.answering(self.knowledge_folder, but=("catalog", "examples"))
        knowledge = digest({name: (self.knowledge_folder / name).read_bytes() for name in names})
        figures = [self.knowledge_folder / "catalog", *(path for path in (self.user_catalog, self.profile) if path)]
        prices = [*figures[0].glob("providers*"), *figures[1:]]
        told = {name: folder_digest(*folders) for name, folders in (("catalog", figures), ("prices", prices))}
        return {"rules": folder_digest(self.rules_folder), "knowledge": knowledge, **told}

    def listener(self, build: Callable[[], T]) -> T:
        """What ``build`` makes of the wordings and the names of the catalog for who listens: of shipped data it is kept
        from one start to the next."""
        if self.user_catalog or self.profile or self.measured:
            return build()
        from .kept import kept
        from .shipped import digest

        files = (path for path in (self.knowledge_folder / "language").rglob("*") if path.is_file())
        wordings = digest({path.as_posix(): path.read_bytes() for path in files})
        there = {"language": self.language, "catalog": self.catalog}
        return kept("listener", "understanding", (wordings, self.digests["catalog"]), there, build)


def load(*, user_catalog: Path | str | None = None, profile: Path | None = None) -> Library:
    """The shipped library; with ``user_catalog`` (or the file ``catalog.yaml`` in the user's data folder) laid over
    it. The same one as long as nothing else stands in these files: who writes one and plans again has it read again."""
    chosen = Path(user_catalog) if user_catalog else paths.data_dir() / "catalog.yaml"
    own = chosen if user_catalog or os.path.lexists(chosen) else None  # a link that leads nowhere is said
    return _load(own, profile, tuple(_hash(path) for path in (own, profile) if path))


@lru_cache(maxsize=4)
def _load(user_catalog: Path | None, profile: Path | None, as_read: tuple[str, ...]) -> Library:
    return Library(paths.shipped("rules"), paths.shipped("knowledge"), user_catalog, profile, as_read=as_read)


def _hash(path: Path) -> str:
    """Of what is in a user's file now. Whether it can be read at all is said where it is read."""
    try:
        return blake2b(content_of(path), digest_size=16).hexdigest()
    except InputError:
        return "unread"
