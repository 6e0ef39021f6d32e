"""What the labels of values by rank name: time of a step, what it does in a second, time in which a rank waits, or what
is no pace. The words are ``knowledge/nccl/ranks.yaml``."""

import re
from functools import lru_cache
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict

from .signatures import Pattern, one_in, read

_WORDS = re.compile(r"[a-z%]+")
_PLAIN = re.compile(r"[a-z%]+(?![a-z%]|[-_]?\d)")
_NUMBER = re.compile(r"\d{1,9}(?:\.\d{1,6})?")


def _whole(words: list[str]) -> re.Pattern[str]:
    """Words as they are, or in the plural; with a star, by how they begin."""
    forms = (f"{re.escape(word[:-1])}.*" if word.endswith("*") else f"{re.escape(word)}(?:e?s)?" for word in words)
    return re.compile(rf"(?:{'|'.join(forms)})\Z")


Words = Annotated[re.Pattern[str], BeforeValidator(_whole)]  # in small letters


class Extremes(BaseModel):
    """Reports of the slowest rank and of what it is compared with: see the file for what each key is."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    of: str
    against: Literal["fastest", "middle"]
    has: str
    unit: str
    slow: re.Pattern[str]
    other: re.Pattern[str]


class PaceWords(BaseModel):
    """The words of labels by rank; see the file for what each key is."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    extremes: tuple[Extremes, ...]
    paces: Words
    times: Words
    rates: Words
    waits: Words
    plain: Words
    no_pace: Words
    other_work: Words
    phrases: Pattern
    rate: Pattern
    merits: tuple[Pattern, ...]
    rank_column: Pattern
    host_column: Pattern
    headed: tuple[str, ...]
    table_of: tuple[str, ...]
    step_number: Pattern
    stages_in: tuple[str, ...]
    stages: Pattern
    one_stage: Pattern


@lru_cache(maxsize=1)
def pace_words() -> PaceWords:
    """What ``knowledge/nccl/ranks.yaml`` has."""
    return PaceWords.model_validate(read("ranks"))


def is_rate(label: str) -> bool:
    """Whether more is better of what a label names, by its form."""
    return pace_words().rate.search(label) is not None


def is_wait(label: str) -> bool:
    """Whether a label in small letters names time in which a rank waits for others."""
    return _one(pace_words().waits, _WORDS.findall(label))


def names_pace(label: str, unit: str, before: str = "") -> bool:
    """Whether a label in small letters names time of a step, a wait in it, or what it does in a second, and nothing
    between it and the last number names other work; a unit, or another word, tells that it is time. A plain word as
    "took" does where what stands ``before`` it in its line, or above its table, names a step and no other work, and
    nothing but such words between."""
    known = pace_words()
    words, before = _WORDS.findall(known.phrases.sub("", label)), known.phrases.sub("", before)
    near = _WORDS.findall(_NUMBER.split(before)[-1])
    if _one(known.other_work, [*words, *near]):
        return False
    if "/" in unit:
        return any(_one(each, [*words, *_WORDS.findall(unit.lower())]) for each in (known.rates, known.paces))
    if _one(known.no_pace, words):
        return False
    above = _WORDS.findall(before)
    if _one(known.paces, words) or _one(known.waits, words):
        return bool(unit) or _one(known.times, [*words, *above])
    plain = all(known.plain.fullmatch(word) or known.paces.match(word) for word in [*words, *near])
    return plain and _one(known.paces, above) and not _one(known.other_work, above)


def of_other_work(text: str) -> bool:
    """Whether a text in small letters names what ranks do beside their steps, or behind its last number what is no
    time; words with a number (gpu-04) are names of hosts."""
    near = _PLAIN.findall(_NUMBER.split(text)[-1])
    return _one(pace_words().other_work, _PLAIN.findall(text)) or _one(pace_words().no_pace, near)


def stages_in(line: str, small: str) -> int:
    """Of how many stages a pipeline is, as a line says; 0 where it does not."""
    known = pace_words()
    told = known.stages.search(line) if one_in(small, known.stages_in) else None
    return int(told[told.lastgroup or 0]) if told else 0


def without_stages(line: str, small: str) -> bool:
    """Whether a line names a way to share the work that has no stages: all ranks do the same."""
    known = pace_words()
    return one_in(small, known.stages_in) and known.one_stage.search(line) is not None


def _one(of: re.Pattern[str], words: list[str]) -> bool:
    return any(map(of.match, words))
