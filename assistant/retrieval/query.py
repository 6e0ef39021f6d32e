"""A question as it is searched: its spelling corrected, written out, in the field's words, and without the field's
names."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from .documents import Content
from .embedder import Embedder
from .lexical import Spelling
from .notation import called_by_name, without_names, written_out
from .tokens import forms


@dataclass(frozen=True)
class Reading:
    """One question. ``texts``: as asked, and with everyday words replaced by the field's; ``vectors``: of the two, in
    rows.

    ``nameless``: the vector of the question without the field's names. ``names``: what it calls by name. ``words``:
    vectors of its words that no passage holds, by token.
    """

    texts: tuple[str, str]
    vectors: np.ndarray
    nameless: np.ndarray
    names: tuple[str, ...] = ()
    words: Mapping[str, np.ndarray] = field(default_factory=dict)

    @classmethod
    def of_known(cls, text: str, vector: np.ndarray) -> Reading:
        """A query of the rules: in the field's words already."""
        return cls((text, text), np.stack((vector, vector)), vector)


def read(
    questions: Sequence[str], content: Content, spelling: Spelling, embedder: Embedder, held: Container[str] = ()
) -> list[Reading]:
    """All questions, embedded at once with those of their words that are not among the tokens ``held``."""
    plain = [spelling.corrected_text(written_out(question)) for question in questions]
    full = [written_out(text, content.initialisms) for text in plain]
    said = [content.everyday.replaced(text) for text in full]
    nameless = [without_names(text, content.names) for text in plain]
    new = [_new_words(one, other, held) for one, other in zip(full, said, strict=True)]
    texts = list(dict.fromkeys([*full, *said, *nameless, *(form for found in new for form in found.values())]))
    vector = dict(zip(texts, embedder.embed(texts), strict=True))
    return [
        Reading(
            (one, other),
            np.stack((vector[one], vector[other])),
            vector[bare],
            tuple(called_by_name(text)),
            {token: vector[form] for token, form in found.items()},
        )
        for text, one, other, bare, found in zip(plain, full, said, nameless, new, strict=True)
    ]


def _new_words(one: str, other: str, held: Container[str]) -> dict[str, str]:
    """Words of both readings that are not held, by token."""
    return {token: form for token, form in {**forms(one), **forms(other)}.items() if token not in held}
