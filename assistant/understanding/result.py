"""A message that has been read, as the :class:`Utterance` that others work with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

from assistant.vocabulary.language import Language
from assistant.vocabulary.questionnaire import FIELDS
from assistant.vocabulary.utterance import Amount, Doubt, Entity, Scope, Utterance

from .decisive import Decisive
from .reading import NAMES, SILENT_ACTS, Reading
from .scopes import denial_of
from .text import ENGLISH, Token
from .topics import Question

_ORDER = {path: place for place, path in enumerate(FIELDS)}  # facts are told in the order of the questionnaire


class Results:
    """The last stage: what was understood, and what was not in the person's own words."""

    def __init__(self, language: Language, filler: Set[str]) -> None:
        self.language, self._filler = language, filler
        self._decisive = Decisive(language["words"]["decisive"])
        self._of_comparing = filler | set(language["words"]["comparing"].split())

    def utterance(self, reading: Reading, question: Question) -> Utterance:
        """What was understood; ``question`` is what is asked."""
        places = reading.text.tokens
        lost = self._decisive.lost(reading)
        rest = "" if reading.act in SILENT_ACTS else self._rest(reading, lost)
        said = any(c.isdecimal() for c in rest) and any(c.isalpha() for c in rest)  # what may be a fact
        if reading.text.language != ENGLISH and rest and (reading.withheld or said):
            reading.doubts.append(self._in_english_please(reading.text.language, rest))
        return Utterance(
            text=reading.text.original,
            act=reading.act,
            topic=question.topic,
            of_plan=question.of_plan,
            roles=question.roles,
            slips=reading.text.slips,
            entities=tuple(_entities(reading)),
            amounts=tuple(
                Amount(q.kind, q.value, q.unit, places[q.start].start, places[q.end - 1].end, q.currency)
                for q in reading.quantities
                if q.kind not in NAMES and q.kind not in ("unknown-gpu", "instance", "generation")
            ),
            scopes=tuple(
                Scope(s.kind, places[s.start].start, places[s.end - 1].end)  # type: ignore[arg-type]
                for s in reading.scopes
                if s.end > s.start
            ),
            fields={path: reading.fields[path] for path in sorted(reading.fields, key=_ORDER.__getitem__)},
            fabrics=tuple(reading.fabrics),
            excluded=tuple(reading.excluded),
            unset=tuple(dict.fromkeys(p for p in reading.unset if p not in reading.fields)),
            nodes=reading.nodes,
            offers=tuple(reading.offers),
            doubts=tuple(reading.doubts),
            assumed=tuple(dict.fromkeys(reading.assumed)),
            rest=rest,
            decisive=" … ".join(places[at].text for at in sorted(lost)),
            language=reading.text.language,
        )

    def _in_english_please(self, name: str, rest: str) -> Doubt:
        """The sentence that asks for English, in that language too."""
        other = self.language.others.get(name)
        if other is None or not other.words:
            return Doubt(None, f'"{rest}" is in a language that is not read here: please say it in English')
        return Doubt(
            None, f'{other.name} is read in part only, please say in English what "{rest}" means ({other.please})'
        )

    def _rest(self, reading: Reading, lost: Set[int]) -> str:
        """What was not understood, in the person's own spelling; filler words alone are nothing."""
        cues = {at for scope in reading.scopes for at in scope.cue}
        filler = self._of_comparing if reading.act == "compare" else self._filler
        parts: list[str] = []
        run: list[int] = []
        for at, token in enumerate((*reading.text.tokens, None)):
            known = token is None or (at in reading.taken | cues and at not in reading.denied | lost)
            if not known:
                run.append(at)
                continue
            while run and run[0] not in reading.denied | lost and reading.says_nothing(run[0], filler):
                run.pop(0)
            while run and run[-1] not in lost and reading.says_nothing(run[-1], filler):
                run.pop()
            if run:
                first, last = _with_brackets(reading.text.tokens, run[0], run[-1] + 1)
                parts.append(" ".join(reading.text.typed(first, last).split()).strip(" ,;:.!?()"))
            run = []
        return " … ".join(part for part in parts if part)


def _with_brackets(tokens: Sequence[Token], first: int, last: int) -> tuple[int, int]:
    """The brackets of "[bold red]" and "<script>" stay with the word that they enclose."""
    first -= first > 0 and tokens[first].glued and tokens[first - 1].text in "[<{"
    last += last < len(tokens) and tokens[last].glued and tokens[last].text in "]>}%"
    return first, last


def _entities(reading: Reading) -> Iterable[Entity]:
    tokens = reading.text.tokens
    for q in reading.named:
        if q.kind in ("gpu", "model", "provider", "instance"):
            id = q.value if isinstance(q.value, str) else q.value[1].name
            denied = denial_of(reading.scopes, q.start, q.end, frozenset()) is not None
            yield Entity(q.kind, id, tokens[q.start].start, tokens[q.end - 1].end, denied)
    for mention, fabric in zip(reading.mentions, reading.fabrics, strict=False):
        yield Entity("fabric", fabric, tokens[mention.start].start, tokens[mention.end - 1].end)
