"""From conclusions to findings with evidence: the claims a rule rests on, and the passages its question finds."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

from assistant.library import Library
from assistant.reasoning import Conclusion
from assistant.vocabulary.knowledge import Claim, Conflict, Knowledge, Passage, Source
from assistant.vocabulary.plan import Evidence, Finding, PlanConflict, PlanConflictSide

if TYPE_CHECKING:
    from assistant.retrieval import Index

PASSAGES_PER_FINDING = 1
KEPT = 4096  # pieces of evidence as they are cited, and what was found: the same for every plan
MOST_CONFLICTS = 4
# A search hit of a lower cosine is about something else: chosen by reading what the rules' questions find.
LEAST_SCORE = 0.35
MOST_OF_OTHERS = 2  # claims about other providers
LEAST_TITLE = 12  # letters before a colon that name a work by themselves
LONG_NAME = 6  # letters: a first word that names a company by itself, as Google and Oracle do


def findings_and_evidence(
    conclusions: Iterable[Conclusion], library: Library, index: Index | None
) -> tuple[list[Finding], list[Evidence]]:
    """Findings in the order of the conclusions, and each piece of evidence once."""
    found: dict[str, Evidence] = {}
    findings = []
    for conclusion in conclusions:
        finding, cited = _told(conclusion, library, index)
        findings.append(finding)
        for one in cited:
            found.setdefault(one.id, one)
    return findings, list(found.values())


@lru_cache(maxsize=KEPT)
def _told(conclusion: Conclusion, library: Library, index: Index | None) -> tuple[Finding, tuple[Evidence, ...]]:
    """A conclusion as the contract has it, with what it cites: rules say the same of many jobs."""
    cited = _cited(conclusion.claims, conclusion.look_up, conclusion.facts.get("job.provider"), library, index)
    finding = Finding(
        rule=conclusion.rule,
        conclusion=conclusion.conclusion,
        because=conclusion.because,
        facts=conclusion.facts,
        evidence=[one.id for one in cited],
        fabric=conclusion.fabric,
        stage=conclusion.stage,
        from_findings=list(conclusion.from_findings),
    )
    return finding, cited


@lru_cache(maxsize=KEPT)
def _cited(
    claims: tuple[str, ...], look_up: str | None, who: str | None, library: Library, index: Index | None
) -> tuple[Evidence, ...]:
    """What a rule rests on, and what its question finds: the same whenever it speaks of the same provider."""
    found = tuple(_of_claim(ident, library) for ident in _to_the_point(claims, who, library))
    if index is None or look_up is None:
        return found
    return (*found, *_looked_up(look_up, library, index))


def _to_the_point(cited: tuple[str, ...], who: str | None, library: Library) -> tuple[str, ...]:
    """A rule's claims; where it speaks of a provider and some of them do too, those alone, and never many of others."""
    provider = library.catalog.providers.get(who or "")
    if provider is None:
        return cited
    first = provider.name.split()[0]
    names = {provider.id.replace("-", " "), provider.name, *([first] if len(first) >= LONG_NAME else [])}
    spoken = re.compile("|".join(rf"\b{re.escape(name)}\b" for name in names), re.IGNORECASE)
    claims = library.knowledge.claims
    about = (
        ident
        for ident in cited
        if spoken.search(claims[ident].statement)
        or spoken.search(library.knowledge.sources[claims[ident].source].title)
    )
    return tuple(about) or cited[:MOST_OF_OTHERS]


def _looked_up(look_up: str, library: Library, index: Index) -> tuple[Evidence, ...]:
    hits = index.for_query(look_up, PASSAGES_PER_FINDING)
    return tuple(_of_passage(hit.passage, library, hit.score) for hit in hits if hit.score >= LEAST_SCORE)


def names(
    findings: Iterable[Finding],
    found: Iterable[Evidence],
    disagreements: Iterable[PlanConflict],
    knowledge: Knowledge,
) -> dict[str, str]:
    """Every source that is cited by who published it and when: ``Spheron, March 2026``."""
    sides = (side.claim.split("/")[0] for conflict in disagreements for side in conflict.sides)
    # An id has no blank in it: each word is looked at once, however many findings have it.
    spoken = " ".join({word for finding in findings for word in finding.because.split()})
    cited = dict.fromkeys([*(one.source for one in found), *sides, *(s for s in knowledge.sources if s in spoken)])
    return {ident: _published(knowledge.sources[ident]) for ident in cited if ident in knowledge.sources}


def _published(source: Source) -> str:
    publisher = (source.publisher or "").partition(" (")[0]
    title = source.title.partition(":")[0]
    title = title if len(title) >= LEAST_TITLE else source.title
    who = publisher if publisher[:1].isupper() else title  # "personal engineering blog" is nobody's name
    return f"{who}, {source.date:%B %Y}" if source.date else who


@lru_cache(maxsize=KEPT)
def _of_claim(ident: str, library: Library) -> Evidence:
    knowledge = library.knowledge
    claim = knowledge.claims[ident]
    return Evidence(
        id=claim.id,
        source=claim.source,
        title=knowledge.sources[claim.source].title,
        section=claim.section,
        text=claim.statement,
        grade=claim.evidence_grade,
        verdict=claim.verdict,
        date=_date(claim, knowledge),
        score=1.0,
        correction=claim.correction,
    )


def _of_passage(ident: str, library: Library, score: float) -> Evidence:
    knowledge = library.knowledge
    passage = knowledge.passages[ident]
    claims = [knowledge.claims[c] for c in passage.claims]
    grade = claims[0].evidence_grade if claims else "opinion"
    return Evidence(
        id=passage.id,
        source=passage.source,
        title=knowledge.sources[passage.source].title,
        section=passage.section,
        text=passage.text,
        grade=grade,
        verdict=passage.status,
        date=_date(passage, knowledge),
        score=round(float(score), 3),
        correction=passage.correction,
    )


def _date(entry: Claim | Passage, knowledge: Knowledge) -> str:
    date = getattr(entry, "date", None) or knowledge.sources[entry.source].date
    return date.isoformat() if date else ""


def conflicts(conclusions: Iterable[Conclusion], library: Library, *, serves: bool = False) -> list[PlanConflict]:
    """Disagreements between sources that the conclusions touch: those that bear on the choice before those about
    settings.

    A rule counts once for each of its cases, however many fabrics it speaks of.
    """
    deciding: dict[str, set[tuple[str, str]]] = {}
    touched: dict[str, set[tuple[str, str]]] = {}
    for conclusion in conclusions:
        said = (conclusion.rule, conclusion.case)
        for tag in conclusion.touches:
            touched.setdefault(tag, set()).add(said)
            if conclusion.stage != "advise":
                deciding.setdefault(tag, set()).add(said)

    def rank(conflict: Conflict) -> tuple[int, int]:
        def most(by_tag: dict[str, set[tuple[str, str]]]) -> int:
            return max(len(by_tag.get(tag, ())) for tag in conflict.touches)

        return -most(deciding), -most(touched)

    about = (c for c in library.knowledge.conflicts.values() if not (serves and c.of == "training"))
    found = [c for c in about if any(tag in touched for tag in c.touches)]
    return [
        PlanConflict(
            topic=c.topic,
            resolution=c.resolution,
            sides=[PlanConflictSide(claim=s.claim, says=s.says) for s in c.sides],
        )
        for c in sorted(found, key=rank)[:MOST_CONFLICTS]
    ]
