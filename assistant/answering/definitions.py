"""What a word of the field means: a question for a definition is opened by the glossary, with the sources it rests on."""

from __future__ import annotations

import re
from collections.abc import Sequence

from assistant.library import Library
from assistant.retrieval.words import written_out
from assistant.vocabulary.answers import DirectLine
from assistant.vocabulary.knowledge import Term

_ASKS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"what(?:'s|\s+is|\s+are|s)\s+(?:meant by\s+)?(?P<term>.+?)(?:\s+(?:in|for)\s+(?:networking|short|simple words|plain words|"
        r"ai training|training|gpu clusters|a cluster))?",
        r"what\s+(?:does|do)\s+(?P<term>.+?)\s+(?:do|mean|stand for)(?:\s+(?:in|for)\s+.{1,30})?",
        r"what\s+(?:is|are)\s+(?P<term>.+?)\s+(?:about|for|good for|used for)",
        r"(?:(?:please|can you|could you)\s+)*(?:define|explain|describe)\s+(?P<term>.+?)(?:\s+to me)?(?:\s+in\s+.{1,30})?",
        r"(?:the\s+)?(?:definition|meaning)\s+of\s+(?P<term>.+)",
        r"how\s+(?:does|do)\s+(?P<term>.+?)\s+work",
        r"tell me (?:about|what)\s+(?P<term>.+?)(?:\s+(?:is|are|means?))?",
    )
)
_ARTICLE = re.compile(r"^(?:an?|the|this|a so-called|so-called)\s+", re.IGNORECASE)
_KIND_OF_THING = re.compile(
    r"\s+(?:network|networks|networking|topology|fabric|link|links|traffic|method|protocol|switch|switches)$",
    re.IGNORECASE,
)


def defined(question: str, library: Library) -> Term | None:
    """The glossary term a question asks the meaning of; ``None`` for every other question."""
    text = " ".join(question.split()).strip(" ?!.\"'")
    names = _names(library.knowledge.terms)
    for pattern in _ASKS:
        found = pattern.fullmatch(text)
        if found is None:
            continue
        term = _ARTICLE.sub("", found["term"].strip(" \"'“”"))
        for name in (term, _KIND_OF_THING.sub("", term)):
            if _key(name) in names:
                return names[_key(name)]
    return None


def definition_line(term: Term, library: Library) -> DirectLine:
    """The glossary's words, with the statements they rest on."""
    sources = dict.fromkeys(
        library.knowledge.claims[claim].source for claim in term.see if claim in library.knowledge.claims
    )
    rests = f", after {', '.join(sources)}" if sources else ", our own words"
    return DirectLine(
        text=f"{term.term}: {term.says} Glossary{rests}.", claims=list(term.see), source=next(iter(sources), "glossary")
    )


def _names(terms: Sequence[Term]) -> dict[str, Term]:
    """Terms by all their names; a name of two terms stays with the one whose own name it is."""
    found = {_key(name): term for term in terms for name in term.aliases}
    return found | {_key(term.term): term for term in terms}


def _key(name: str) -> str:
    """A name however it is spelled: case, hyphens and the plural do not count."""
    plain = written_out(name).lower().replace("optimis", "optimiz").replace("-", " ").replace("_", " ")
    return " ".join(
        word.removesuffix("s") if len(word) > 4 and not word.endswith("ss") else word for word in plain.split()
    )
