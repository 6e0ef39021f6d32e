"""What the columns of a table of GPUs, adapters or hosts mean, by the words of their names. The words are
``knowledge/nccl/columns.yaml``; a name with a word that is not there says nothing."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from pydantic import BaseModel, ConfigDict

from .signatures import Pattern, read

_NAME = re.compile(r"[A-Za-z#][\w#%°/()\[\]<>=≥≤+-]{0,39}\Z")  # of a column, where spaces stand between them
_SPACED = re.compile(r"[A-Za-z#][\w#%°/()\[\] <>=≥≤.+-]{0,39}\Z")  # and where something else does
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z][a-z])")
# A name in words, in the first way that says something: fp16 and h2d are words, and gpu0 is a word and a number.
_WORDS = (re.compile(r"[a-z]+\d+[a-z]*|[a-z]+|\d+[a-z]*"), re.compile(r"[a-z]+|\d+[a-z]*"))
_LEAST, _MOST, _LONGEST = 3, 64, 600  # names of a headline, and its characters
_GAP = re.compile(r"\s{2,}|\t")
_LIMIT = re.compile(rb"(?:[<>]=?|=|\xe2\x89[\xa4\xa5]) 0(?: |$)")  # "GB/s >= 360"
_DRAWN = ("|", ",", ";")  # what may stand between two cells
NAMES = ("host", "gpu", "adapter", "part")  # what columns are that name the part of which a row is
NAMING = (*NAMES, "model", "check")  # and what say what it is: "node count" names no node
Judged = Literal["none", "least", "fewer", "low", "far", "xid"]
Verdict = Literal["passed", "failed", "untold"]
Split = Literal["space", "gap", "|", ",", ";"]


class Meaning(BaseModel):
    """What a column is, and how its values are judged: see ``knowledge/nccl/columns.yaml``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    what: str
    needs: tuple[tuple[str, ...], ...]
    may: tuple[str, ...]
    judged: Judged | None = None
    least: float = 1.0
    beside: str = ""
    absolute: bool = False
    once: bool = False
    finding: str = ""
    because: str = ""

    def is_named(self, words: list[str]) -> bool:
        """Whether the words of a name say it, and nothing else."""
        wanted = {word for each in self.needs for word in each}
        known = wanted | {*self.may, *(() if self.what in NAMING else _known().anywhere)}
        return all(any(word in words for word in each) for each in self.needs) and all(
            word in known or _known().window.fullmatch(word) for word in words
        )


class _Known(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    anywhere: tuple[str, ...]
    window: Pattern
    columns: tuple[Meaning, ...]
    planned: frozenset[str]
    states: frozenset[str]
    summary: frozenset[str]
    passed: tuple[str, ...]
    failed: tuple[str, ...]
    untold: frozenset[str]
    yes: frozenset[str]
    no: frozenset[str]
    adapters: Pattern
    gpus: Pattern


@lru_cache(maxsize=1)
def _known() -> _Known:
    return _Known.model_validate(read("columns"))


@lru_cache(maxsize=4096)
def meaning_of(name: str) -> Meaning | None:
    """What a column is by its name; ``None`` for one that is not known, or that names nvidia-smi's field with dots."""
    small = _CAMEL.sub(" ", name).lower()
    ways = [] if "." in name else [form.findall(small) for form in _WORDS]
    return next((each for words in ways if words for each in _known().columns if each.is_named(words)), None)


@lru_cache(maxsize=1)
def _naming() -> tuple[bytes, ...]:
    """In small letters: one stands in every headline that is read here."""
    naming = (*NAMES, "time", "check")
    return tuple({word.encode() for each in _known().columns if each.what in naming for word in each.needs[0]})


def may_head(kind: bytes) -> bool:
    """Whether lines of a kind (:mod:`.kinds`) may be headlines, which have no numbers between their names."""
    kind = _LIMIT.sub(b" ", kind) if b"=" in kind or b" 0" in kind else kind
    if len(kind) > _LONGEST or kind[:2] == b"0 " or b" 0 " in kind or b"0:0" in kind or b"nccl info" in kind:
        return False
    return any(word in kind for word in _naming())


def is_planned(cell: str) -> bool:
    """Whether a cell says that its row is of a part that is out of work as meant, in whatever column it stands."""
    return cell.strip("*~#$+()").lower() in _known().planned


def is_out_of_work(cell: str) -> bool:
    """Whether a cell of a column of states says that its row is of a part that does no work."""
    return cell.strip("*~#$+()").lower() in _known().states


def is_summary(cell: str) -> bool:
    """Whether a cell that should name a part says that its row sums up others."""
    return cell.strip("*:()").lower() in _known().summary


def is_adapter(name: str) -> bool:
    """Whether the name of a device is one of an adapter."""
    return _known().adapters.match(name.lower()) is not None


def is_one_gpu(name: str) -> bool:
    """Whether the name of a GPU is one of a single one, and not of a model."""
    return _known().gpus.match(name) is not None


def verdict_in(cell: str) -> Verdict | None:
    """What a cell says of a check, whatever column it stands in; ``None`` for one that holds no verdict."""
    said = _VERDICT_ENDS.sub("", cell.lower())
    if said in _known().untold:
        return "untold"
    found = _verdicts().match(said)
    return found and ("failed" if found["failed"] else "passed")


@lru_cache(maxsize=1)
def _verdicts() -> re.Pattern[str]:
    failed, passed = ("|".join(map(re.escape, words)) for words in (_known().failed, _known().passed))
    return re.compile(rf"(?:(?P<failed>{failed})|{passed})(?: ?[(:,;-].*)?\Z")


_VERDICT_ENDS = re.compile(r"^[\W_]+|[\W_]+$")
_VALUE = re.compile(r"[x<>~≈]?(\d{1,12}(?:\.\d{1,6})?)\s?([A-Za-z%°µ/]{0,8})\Z")
_OF = re.compile(r"(\d{1,6})/(\d{1,6})\Z")


def number_in(cell: str, what: str) -> float | None:
    """The value of a cell: a number with its unit, yes and no as 1 and 0; of links (``18/18``) how many are there.
    ``None`` for anything else."""
    if found := _VALUE.match(cell):
        return float(found[1])
    if found := _OF.match(cell):
        return float(found[1]) if what == "links" else None
    small = cell.lower()
    return 1.0 if small in _known().yes else 0.0 if small in _known().no else None


@dataclass(frozen=True)
class Headline:
    """The names of the columns of a table as they stand, and what stands between two of them."""

    names: tuple[str, ...]
    split: Split

    @property
    def meanings(self) -> list[Meaning | None]:
        """What each column is."""
        return [meaning_of(name) for name in self.names]


def cells_of(line: str, split: Split) -> list[str]:
    """The cells of a line, without the sign of a remark before them."""
    line = line.strip().removeprefix("# ")
    if split == "space":
        return line.split()
    if split == "gap":
        return _GAP.split(line.strip())
    return [cell.strip() for cell in line.strip().strip("|" if split == "|" else "").split(split)]


def headlines_in(line: str) -> list[Headline]:
    """A line as a headline, in each way in which it may be one: of three names at least, of which two are known and one
    says of which part, check or time a row is; or that and a verdict."""
    drawn: list[Split] = [each for each in _DRAWN if line.strip("|").count(each) >= _LEAST - 2]
    ways: list[Split] = drawn[:1] or ["space", "gap"]
    found = list[Headline]()
    for split in ways:
        names = cells_of(line, split)
        form = _NAME if split == "space" else _SPACED
        if _LEAST - 1 <= len(names) <= _MOST and all(map(form.match, names)):
            told = [each.what if each else "" for each in map(meaning_of, names)]
            named = told[0] == "time" or any(each in (*NAMES, "check") for each in told)
            enough = len(names) >= _LEAST or told[1] == "state"
            if named and enough and sum(map(bool, told)) > 1 and len(names) == len({*names}):
                found.append(Headline(tuple(names), split))
    return found


@lru_cache(maxsize=1)
def _places() -> dict[Meaning, int]:
    return {each: at for at, each in enumerate(_known().columns)}


def order_of(meaning: Meaning) -> int:
    """The place of a meaning in the file: what comes first there is told first."""
    return _places()[meaning]
