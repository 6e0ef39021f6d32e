"""What a word of the field means: a question for a definition is opened by the glossary, with the sources it rests
on."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.library import Library
from assistant.understanding.text import cut
from assistant.vocabulary.answers import DirectLine
from assistant.vocabulary.knowledge import Term
from assistant.vocabulary.utterance import Utterance

_KIND_OF_THING = frozenset(
    "network networks networking topology fabric link links traffic method protocol switch switches".split()
)


def defined(utterance: Utterance, library: Library) -> Term | None:
    """The glossary term a question asks the meaning of; ``None`` for every other question."""
    asked = utterance.roles.get("term")
    if not asked:
        return None
    names, words = _names(library.knowledge.terms), cut(asked)
    whole = _key(asked)
    kind_aside = _key(asked[: words[-1].start]) if words[-1].text in _KIND_OF_THING else whole
    return names.get(whole) or names.get(kind_aside)


def definition_line(term: Term, library: Library) -> DirectLine:
    """The glossary's words, with the statements they rest on."""
    claims = library.knowledge.claims
    sources = dict.fromkeys(claims[claim].source for claim in term.see if claim in claims)
    rests = f", after {', '.join(sources)}" if sources else ", our own words"
    text = f"{term.term}: {term.says} Glossary{rests}."
    return DirectLine(text=text, claims=list(term.see), source=next(iter(sources), "glossary"))


def _names(terms: Sequence[Term]) -> dict[tuple[str, ...], Term]:
    """Terms by all their names; a name of two terms stays with the one whose own name it is."""
    found = {_key(name): term for term in terms for name in term.aliases}
    return found | {_key(term.term): term for term in terms}


def _key(name: str) -> tuple[str, ...]:
    """A name however it is spelled: case, hyphens, inflection and British spelling do not count."""
    plain = name.replace("optimis", "optimiz")
    return tuple(token.stem for token in cut(plain) if token.is_word or token.is_number)
