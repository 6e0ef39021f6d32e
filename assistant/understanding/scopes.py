"""Which parts of a message state nothing of the job as it is planned: denied, hedged, of others, of the past, supposed,
quoted."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .templates import Compiler, Hit, Matcher, Source
from .text import ENDS, Token, ends_sentence

_BREAKS = frozenset({"but", "whereas", "while", "however", "although", "though", "because"})
_JOINS = frozenset("and so then we i now which they it our the they're that's this it's rather make".split())
_INTERJECTIONS = frozenset("no nope nah not yes well ok sorry".split())  # "no, InfiniBand" denies nothing
_ASKED_FOR = frozenset({"please", "pls", "plz"})  # "no spot please, last year it cost us a run"
_GOES_ON = frozenset("wait sorry actually hold it's its we i we're they the".split())  # "no wait, the nodes are 8"
_BY = frozenset({"by", "with", "for", "to", ">", "take", "use", "go"})  # what comes after it takes the place
_WISHES = frozenset({"want", "need", "have", "take", "use", "meant", "prefer"})
_THINKS = frozenset(
    {"think", "believe", "say", "know", "guess", "suppose", "mean", "see", "feel", "that", "which", "what"}
)
_SUBJECT = 3  # tokens behind "does" that are what is asked about
_DENIAL_REACH = 4  # tokens between the denying word and what it denies
_FROM, _ARTICLES = frozenset({"from", "with", "for", "to"}), frozenset({"the", "a", "another", "some", "our"})
_TERM = 4  # tokens in quotation marks that are a term and quote nobody: "HDR InfiniBand"
_LISTS = frozenset({",", "or", "nor", "and", "/", "&", "any", "no", "not"})
_OURS_AGAIN = {
    "others": frozenset("we we're our ours i i'm mine me can".split()),
    "past": frozenset("new now today currently meanwhile it's its we're nowadays this how starting we'll here".split()),
    "present": frozenset("proposal offer planned future next then boss what plan proposal".split()),
    "supposition": frozenset(),
    "uncertain": frozenset("we we're our ours i i'm i've mine me the now today it's this how we'll here".split()),
}
SENTENCE_WIDE = frozenset({"others", "past", "present", "supposition", "uncertain"})


@dataclass(frozen=True)
class Reach:
    """``kind`` holds for the tokens ``start:end``; its words are the tokens ``cue``."""

    kind: str
    start: int
    end: int
    cue: frozenset[int]


class ScopeReader:
    """Finds scopes by the cues of ``scopes.yaml``."""

    def __init__(self, data: Mapping[str, Any], compiler: Compiler) -> None:
        self._cues = Matcher(compiler, [(kind, t) for kind, cues in data.items() for t in cues.get("cue", ())])
        self._before = Matcher(compiler, [(kind, t) for kind, cues in data.items() for t in cues.get("before", ())])

    def read(self, source: Source) -> list[Reach]:
        """Every scope of a message."""
        clauses = list(_clauses(source.tokens))
        cues = self._cues.hits(source)
        found = [_opened(hit, source.tokens, clauses) for hit in cues]
        found += [_closed(hit, source.tokens, clauses) for hit in self._before.hits(source)]
        ours = [scope.start for scope in found if scope.kind == "ours"]
        given = {scope.start for scope in found if scope.kind == "given"}
        found = [s for s in found if not (s.kind == "supposition" and s.start in given)]
        lasting = {at for scope in found if scope.kind == "lasting" for at in scope.cue}
        found = [s for s in found if not (s.kind == "past" and s.cue & lasting)]
        found = [s for s in found if not (s.kind == "others" and _is_ours_now(s, ours, source.tokens))]
        relayed = {hit.end for hit in cues if hit.key == "relayed"}  # what our own people wrote
        adopted = any(hit.key == "adopted" for hit in cues)
        if any(scope.kind == "handed" for scope in found):
            found = [scope for scope in found if scope.kind != "others"]
        return found + ([] if adopted else list(_quotations(source.tokens, relayed)))


def _is_ours_now(scope: Reach, ours: Sequence[int], tokens: Sequence[Token]) -> bool:
    """Whether others are spoken of for whom we plan, or from whom we have what is said: "2 nodes borrowed from the
    group next door"."""
    first = min(scope.cue)
    led = next((tokens[at].text for at in range(first - 1, -1, -1) if tokens[at].text not in _ARTICLES), "")
    return led in _FROM or any(start <= first for start in ours)


def _clauses(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Parts of sentences between full stops, "but" and commas that begin something new."""
    start = 0
    for at, token in enumerate(tokens):
        following = tokens[at + 1].text if at + 1 < len(tokens) else ""
        if ends_sentence(tokens, at):
            yield start, at + 1
            start = at + 1
        elif (
            token.text in _BREAKS
            or (token.text == "," and at > start and tokens[at - 1].text in _ASKED_FOR)
            or (token.text == "," and 0 < at - start <= 2 and tokens[at - 1].text in _INTERJECTIONS)
            or (at == start + 1 and tokens[start].text == "no" and token.text in _GOES_ON)
            or (token.text in (",", ":", "-") and not token.glued and following in _JOINS)
            or (token.text == "," and following in _JOINS)
        ):
            yield start, at
            start = at
    yield start, len(tokens)


def _sentence(at: int, tokens: Sequence[Token]) -> int:
    return next((n for n in range(at, len(tokens)) if ends_sentence(tokens, n)), len(tokens))


def _clause_of(at: int, clauses: Sequence[tuple[int, int]]) -> tuple[int, int]:
    return next(((start, end) for start, end in clauses if start <= at < end), clauses[-1])


def _opened(hit: Hit, tokens: Sequence[Token], clauses: Sequence[tuple[int, int]]) -> Reach:
    if hit.key == "replaced":
        end = next((n for n in range(hit.end, len(tokens)) if tokens[n].text in _BY), len(tokens))
        return Reach(hit.key, hit.start, min(end, _clause_of(hit.end - 1, clauses)[1]), frozenset(hit.own))
    if hit.key in SENTENCE_WIDE:
        end = next(
            (n for n in range(hit.end, _sentence(hit.start, tokens)) if _turns(hit.key, tokens, n)),
            _sentence(hit.start, tokens),
        )
    else:
        end = _clause_of(hit.end - 1, clauses)[1]
    if hit.key == "uncertain":  # "24 GPUs were for the sweeps": what stands before it too
        return Reach(hit.key, _clause_of(hit.start, clauses)[0], end, frozenset(hit.own))
    if hit.key == "subject":  # "does LoRA need …": its subject
        end = min(end, hit.end + _SUBJECT)
    if hit.key == "denied":  # "not AWS, Azure" denies the first: what goes on with a list is told by `lists_on`
        end = next((n for n in range(hit.end, end) if _pauses(tokens, n) or _anew(tokens, n)), end)
    return Reach(hit.key, hit.start, end, frozenset(hit.own))


def _pauses(tokens: Sequence[Token], at: int) -> bool:
    word, apart = tokens[at].text, at + 1 == len(tokens) or not tokens[at + 1].glued  # the mark of "4:1" pauses nothing
    return word == "," or (word == ":" and apart) or (word == "-" and not tokens[at].glued)


def _anew(tokens: Sequence[Token], at: int) -> bool:
    """ "I don't want InfiniBand I want RoCE": spoken without a comma, a sentence of its own begins."""
    verb = tokens[at + 1].text if at + 1 < len(tokens) else ""
    return tokens[at].text in ("i", "we") and verb in _WISHES and tokens[at - 1].text not in _THINKS


def _turns(kind: str, tokens: Sequence[Token], at: int) -> bool:
    """Whether a sentence goes over from others or from the past to what is ours and now."""
    word, before = tokens[at].text, tokens[at - 1].text
    return word in _OURS_AGAIN[kind] and (
        before in (",", "-", ":", "and", "but", "so", "can", "does") or word in ("now", "ours", "nowadays", "new")
    )


def _closed(hit: Hit, tokens: Sequence[Token], clauses: Sequence[tuple[int, int]]) -> Reach:
    start, _ = _clause_of(hit.start, clauses)
    last = hit.end >= len(tokens) or any(t.text in (*ENDS, ",") for t in tokens[hit.end - 1 : hit.end + 1])
    first = start + (hit.start > start and tokens[start].text in _BREAKS | {","})
    if first == hit.start and last:  # "InfiniBand? No thanks.", but "…; we do not have anything"
        start, _ = _clause_of(max(0, start - 1), clauses)
    if hit.key == "owned":
        ends = [n for n in range(hit.start) if ends_sentence(tokens, n)]
        start = ends[-1] + 1 if ends else 0
    elif hit.key == "denied":  # "64 H100, the network is not there yet" denies the network alone
        comma = next((at + 1 for at in range(hit.start - 2, start - 1, -1) if tokens[at].text == ","), start)
        start = start if all(t.text in _JOINS | {"that", "is"} for t in tokens[comma : hit.start]) else comma
    return Reach(hit.key, start, hit.end, frozenset(hit.own))


def _quotations(tokens: Sequence[Token], relayed: Collection[int]) -> Iterator[Reach]:
    for mark in ('"', "'"):
        marks = [at for at, token in enumerate(tokens) if token.text == mark]
        for first, last in zip(marks[::2], marks[1::2], strict=False):
            if last - first > _TERM and first not in relayed and (first == 0 or not tokens[first].glued):
                yield Reach("quoted", first, last + 1, frozenset({first, last}))


def kinds_at(scopes: Sequence[Reach], start: int, end: int) -> set[str]:
    """The kinds of scope, denials aside, in which the tokens ``start:end`` lie."""
    return {s.kind for s in scopes if s.kind != "denied" and s.start <= start and end <= s.end}


def denial_of(scopes: Sequence[Reach], start: int, end: int, claimed: frozenset[int]) -> Reach | None:
    """The denial that governs the tokens ``start:end``, unless its words belong to what is said there."""
    if any(s.kind == "kept" and s.start <= start < s.end for s in scopes):
        return None
    for scope in scopes:
        if scope.kind != "denied" or scope.cue & claimed:
            continue
        last = max(scope.cue)
        if last < start and scope.end >= end and start - last <= _DENIAL_REACH:
            return scope
        if min(scope.cue) >= end and scope.start <= start and min(scope.cue) - end <= _DENIAL_REACH:
            return scope
    return None


def lists_on(tokens: Sequence[Token], previous_end: int, start: int, *, corrects: bool) -> bool:
    """Whether what begins at ``start`` goes on with a list: "no A, B or C"; in a correction "not A, B" puts B in its
    place."""
    between = tokens[previous_end:start]
    if corrects and not any(t.text in ("or", "nor") for t in between):
        return False
    if [t.text for t in between[-2:]] in (["as", "is"], ["so", "is"], ["as", "are"]):
        return True  # "InfiniBand is off limits, as is Spectrum-X"
    return (
        0 < len(between) <= 3
        and all(t.text in _LISTS for t in between)
        and any(t.text in ("or", "nor", "and", "/", "&", ",") for t in between)
    )


def fragment(tokens: Sequence[Token], start: int, end: int) -> tuple[int, int]:
    """The item of a list in which the tokens ``start:end`` stand: between commas, full stops and "and"."""
    ends = (*ENDS, *_BREAKS, ",", "and", "plus", "+", "&", "|", "(", ")")
    first = next((at + 1 for at in range(start - 1, -1, -1) if tokens[at].text in ends), 0)
    last = next((at for at in range(end, len(tokens)) if tokens[at].text in ends), len(tokens))
    return first, last
