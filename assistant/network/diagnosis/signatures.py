"""What can be found, from ``knowledge/nccl/``: lines of a log that are failures, how the work requests of an adapter
end, and what the judges find."""

import re
from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, field_validator

from assistant.library import nccl_claims, paths, shipped
from assistant.vocabulary.answers import DiagnosisFinding, LogTransport, Severity

# Of a job, by its tables against what is usual: an alarm; so little below it that it takes a cause; as it should be.
Speed = Literal["slow", "short", "fine", "unknown", "no-table"]
Pattern = Annotated[re.Pattern[str], BeforeValidator(lambda text: re.compile(text, re.IGNORECASE))]
OneOf = Annotated[re.Pattern[str], BeforeValidator(lambda each: re.compile("|".join(each), re.IGNORECASE))]
# Completion status of an RDMA work request, by number, or by its name from NCCL 2.29 on.
COMPLETION = re.compile(r"Got completion\b.{0,400}?with (?:error |status=)(?:IBV_WC_(\w+))?\(?(\d{1,6})?")


class Failure(BaseModel):
    """What is wrong and what to do about it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    code: str
    message: str
    fix: str
    severity: Severity = "error"
    rests: str = ""  # the thread or page that it was learnt from
    source: str | None = None  # of the knowledge: the entry is a claim of it
    sure: Literal["confirmed", "reported", "inferred"] = "inferred"
    follows: bool = False  # mostly from another failure, which is told before it
    explained: tuple[str, ...] = ()  # it follows from one of these, in other words: not told beside it
    # A judge's finding that may do no harm: information where the job worked after it at no lower speed than expected
    # and nothing else is wrong, or only where tables are as fast as expected.
    harmless: Literal["never", "where-it-worked", "where-fast"] = "never"
    # What is so though the job works on: hardware that is broken, what costs speed, results that are wrong. All else is
    # over where the log shows that nothing came of it.
    lasts: bool = False
    general: bool = False  # it says what happened more than why: told behind what says why
    void: bool = False  # the bandwidths of a log with it say nothing of the network

    def at(self, line: int, evidence: str = "", **said: object) -> DiagnosisFinding:
        """The finding at a line, with what stands in braces in its sentences filled in; ``evidence``: the line."""
        message, fix = self.message.format(**said).replace(" ()", ""), self.fix.format(**said)
        cited = f"; {nccl_claims.of_failure(self.source, self.code)}" if self.source else ""
        rests = f"{self.rests}; {self.sure}{cited}" if self.rests else ""
        return DiagnosisFinding(
            code=self.code, severity=self.severity, line=line, message=message, fix=fix, rests=rests, evidence=evidence
        )


class WhileStepping(BaseModel):
    """What an end of the whole job is where its steps went on until then: told as information. ``says``: of which ends
    that holds, by what the line says; ``message``: with ``{said}``, and in ``{since}`` when the last step was;
    ``unseen``: what is told instead of a log that has neither steps nor the start of a job."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    says: Pattern
    message: str
    unseen: str = ""


class Signature(Failure):
    """A failure known by a line: by one of the phrases that it ``says``, in small letters, or by a ``pattern``, which
    is read without regard to case and asked where one of the words it ``has`` is in the line. What the pattern's named
    group holds stands in ``{said}`` of its message; ``not_of``: what such a line says where it is not meant.
    ``hosts``: ``several`` counts only when the job spans hosts. ``otherwise``: only where no other entry knows the
    line. ``sign``: told to nobody, and read by judges. ``weighs``: what could do harm is information in a log that
    shows none, as the job stepped or measured after the line and no other alarm is found; what says itself that
    harm was done weighs ``always``. A line that healthy runs print too weighs only beside another finding (of those
    in ``beside``, where they are named) or where nothing shows that a job ran, only if no table is as fast as it
    should be, only if the job did not go on after it (or if it went on into one of those in ``beside``), or only
    where the machine may have RDMA; else it is information."""

    says: tuple[str, ...] = ()
    has: tuple[str, ...] = ()  # in small letters: one of them is in every line that the pattern finds
    pattern: Pattern | None = None
    not_of: OneOf | None = None
    otherwise: bool = False
    at_the_end: bool = False  # only where no step came after it
    over: tuple[str, ...] = ()  # the codes of what, told after it, says that it is over: information then
    waited: tuple[str, ...] = ()  # after one of these it is what a launcher does to end a job: information
    ends: bool = False  # it ends the whole job: what follows from a failure and is told behind it is information
    while_stepping: WhileStepping | None = None
    recurs: bool = False  # what goes by once is a fault where it comes again and again while the job works
    narrows: bool = False  # it can only take bandwidth away: weighs in a run a little below what is expected too
    else_silent: bool = False  # where it does not weigh it is not told at all: its sentence supposes that it does
    before_start: bool = False  # it keeps a job from starting: information in a log that has its steps
    sign: bool = False
    transport: LogTransport | None = None  # that a sign names
    # The network that machines have whose type a sign names: nothing tells that it was used; its ``transport`` counts
    # where a plugin carried the data that several networks have.
    offers: str = ""
    # The network that machines have of which a sign speaks: what is faster than sockets went over it.
    faster: LogTransport | None = None
    hosts: Literal["any", "several"] = "any"
    beside: tuple[str, ...] = ()  # these alone
    weighs: Literal[
        "unless-all-went-well", "always", "beside-others", "unless-fast", "unless-it-went-on", "where-rdma-may-be"
    ] = "unless-all-went-well"

    @field_validator("says", "has")
    @classmethod
    def _lettered(cls, words: tuple[str, ...]) -> tuple[str, ...]:
        """Lines are told apart by their letters: a word without one would be asked of no line that has any."""
        for word in words:
            if not re.search("[a-z]", word):
                raise ValueError(f"expected words with a small letter, by which a line is found, got {word!r}")
        return words

    @property
    def words(self) -> tuple[str, ...]:
        """One of these is in every line that tells of the failure."""
        return self.says + self.has

    def said_in(self, line: str, small: str) -> str | None:
        """What a line says of the failure, empty where it names nothing; ``None`` where it does not tell of it."""
        found = self.pattern.search(line) if self.pattern and one_in(small, self.has) else None
        if found and not (self.not_of and self.not_of.search(line)):
            return found[found.lastgroup] if found.lastgroup else ""
        return "" if one_in(small, self.says) else None


class Completion(Failure):
    """How a work request ended: its number and the name of it."""

    status: int
    name: str


class Pinned(Failure):
    """A setting that explains why work requests ended with a status, or failures ``of`` these codes. ``usual``: values
    that say nothing of the former."""

    setting: str
    usual: tuple[str, ...]
    status: int
    of: tuple[str, ...] = ()


@lru_cache(maxsize=1)
def signatures() -> list[Signature]:
    """The lines of a log that are known, in the order of the file."""
    folder = paths.shipped("knowledge") / "nccl"
    return [
        shipped.validated(Signature, {"code": code, **about}, folder / name, (code,))
        for name, part in _files().items()
        if name.startswith("failures/")
        for code, about in part.items()
    ]


def signatures_in(line: str, bits: int) -> list[tuple[Signature, str]]:
    """The known failures that a line tells of, and what it says in the pattern's named group. ``bits``: of those that
    its words may mean, by their place in the file."""
    small, every, found = line.lower(), signatures(), list[tuple[Signature, str]]()
    while bits:
        lowest = bits & -bits
        bits ^= lowest
        known = every[lowest.bit_length() - 1]
        if (said := known.said_in(line, small)) is not None:
            found.append((known, said))
    if not found:
        return found
    told = [each for each in found if not each[0].sign]
    return (
        [each for each in found if not each[0].otherwise]
        if any(not each[0].otherwise for each in told)
        else [*(each for each in found if each[0].sign), *told[:1]]
    )


@lru_cache(maxsize=128)
def xid(number: int) -> tuple[tuple[Signature, str], ...]:
    """The failures that an Xid error of NVIDIA's driver tells of, as a line of the kernel's does, and what such a line
    says of each."""
    line = f"Xid (PCI): {number}"
    bits = sum(1 << at for at, each in enumerate(signatures()) if "xid" in each.has)
    return tuple((each, said.replace(" (PCI):", "")) for each, said in signatures_in(line, bits))


@lru_cache(maxsize=1)
def places() -> dict[str, int]:
    """The known failures by code: their places in the file."""
    return {each.code: at for at, each in enumerate(signatures())}


def any_said(line: str, of: tuple[int, ...]) -> bool:
    """Whether a line tells of one of the failures at these places in the file."""
    small, every = line.lower(), signatures()
    return any(every[at].said_in(line, small) is not None for at in of)


def one_in(text: str, words: tuple[str, ...]) -> bool:
    """Whether one of some words is in a text; a plain loop, as every line of a log is asked, takes half of ``any``'s
    time."""
    for word in words:
        if word in text:
            break
    else:
        return False
    return True


def overcome(line: str) -> bool:
    """Whether a line that tells of a failure says itself that it was got over, tried again or meant."""
    return bool(_of_itself("said").search(line))


def quoted(line: str) -> bool:
    """Whether a line that has the words of a failure only names what might happen, or looks for it."""
    return bool(_of_itself("quoted").search(line))


def counted_none(line: str, *, table: bool) -> tuple[str, str]:
    """What a line says that there was none of, and what it says else; ``table``: whether it stands below a headline of
    counts."""
    none = list[str]()
    for pattern in (*_nones("none"), *(_nones("none_below") if table else ())):
        none += [found["of"] for found in pattern.finditer(line)]
        line = pattern.sub("", line)
    return "\n".join(none), line


@lru_cache(maxsize=2)
def _nones(name: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in read("overcome")[name])


@lru_cache(maxsize=2)
def _of_itself(name: str) -> re.Pattern[str]:
    return re.compile(read("overcome")[name], re.IGNORECASE)


def harmless(line: str) -> bool:
    """Whether a warning is one that healthy starts print too."""
    small = line.lower()
    return any(part in small for part in read("harmless"))


@lru_cache(maxsize=1)
def networks() -> list[dict[str, Any]]:
    """What the names of networks in NCCL's lines mean, the first that fits."""
    return read("networks")


@lru_cache(maxsize=1)
def judgements() -> dict[str, Failure]:
    """What a judge can find, by name: it rests on figures and settings and so lasts, where the entry says no other."""
    return {
        name: Failure.model_validate({"code": name, "lasts": about.get("harmless") != "where-it-worked", **about})
        for name, about in read("findings").items()
    }


def finding(name: str, line: int, **said: object) -> DiagnosisFinding:
    """A judge's finding at a line; ``said`` fills in what stands in braces in its sentences."""
    return judgements()[name].at(line, "", **said)


def as_information(found: DiagnosisFinding) -> DiagnosisFinding:
    """The same finding, told without alarm."""
    return found.model_copy(update={"severity": "info"})


@lru_cache(maxsize=1)
def pinned() -> list[Pinned]:
    """The settings that explain how work requests ended."""
    return [Pinned(code=code, **about) for code, about in read("pinned").items()]


@lru_cache(maxsize=1)
def suspects() -> dict[str, frozenset[str]]:
    """The codes of failures that weigh only beside others, with those beside which they do where not all are meant."""
    return {each.code: frozenset(each.beside) for each in signatures() if each.weighs == "beside-others"}


@lru_cache(maxsize=1)
def conditions() -> frozenset[str]:
    """The codes of what could do harm, and is information in a log that shows none."""
    told = (each.code for each in signatures() if each.weighs == "unless-all-went-well")
    return frozenset((*told, *(each.code for each in judgements().values() if each.harmless == "where-it-worked")))


@lru_cache(maxsize=1)
def of_speed() -> frozenset[str]:
    """The codes of what judges find that can only make a job slow, and is information where it is fast."""
    return frozenset(each.code for each in judgements().values() if each.harmless == "where-fast")


@lru_cache(maxsize=1)
def lasting() -> frozenset[str]:
    """The codes of what is wrong though the job works on."""
    every = [*signatures(), *judgements().values(), *completions()]
    slow = (each.code for each in signatures() if each.weighs in ("unless-fast", "where-rdma-may-be"))
    return frozenset((*slow, *(each.code for each in every if each.lasts)))


@lru_cache(maxsize=1)
def harmful() -> frozenset[str]:
    """The codes of what says itself that harm was done."""
    return frozenset(each.code for each in signatures() if each.weighs == "always")


@lru_cache(maxsize=1)
def silent() -> frozenset[str]:
    """The codes of what is told only where it weighs."""
    return frozenset(each.code for each in signatures() if each.else_silent)


@lru_cache(maxsize=1)
def narrowing() -> frozenset[str]:
    """The codes of what can only take bandwidth away."""
    return frozenset(each.code for each in signatures() if each.narrows)


@lru_cache(maxsize=1)
def explained() -> dict[str, frozenset[str]]:
    """The codes of what is not told beside others, with those."""
    every = [*signatures(), *judgements().values(), *completions()]
    return {each.code: frozenset(each.explained) for each in every if each.explained}


@lru_cache(maxsize=1)
def symptoms() -> frozenset[str]:
    """The codes of what mostly follows from another failure."""
    return frozenset(each.code for each in [*signatures(), *judgements().values(), *completions()] if each.follows)


@lru_cache(maxsize=1)
def general() -> frozenset[str]:
    """The codes of what says less of the cause than others do."""
    return frozenset(each.code for each in [*signatures(), *judgements().values(), *completions()] if each.general)


@lru_cache(maxsize=1)
def void() -> frozenset[str]:
    """The codes of what leaves the bandwidths of a log without meaning."""
    return frozenset(each.code for each in judgements().values() if each.void)


@lru_cache(maxsize=1)
def completions() -> list[Completion]:
    """The ends of work requests that are known."""
    return [Completion(status=status, **about) for status, about in read("completions").items()]


def completion(line: str) -> tuple[int, Completion | None] | None:
    """The status that a line reports, -1 for a name that is not known, and what it means."""
    found = COMPLETION.search(line) if "Got completion" in line else None
    if found is None:
        return None
    number, name = int(found[2]) if found[2] else None, found[1]
    known = next((c for c in completions() if c.status == number or (number is None and c.name == name)), None)
    return (known.status, known) if known else (-1 if number is None else number, None)


@lru_cache(maxsize=16)
def read(name: str) -> Any:
    """A file of ``knowledge/nccl/``."""
    return _files()[f"{name}.yaml"]


def _files() -> dict[str, Any]:
    return shipped.documents("nccl", paths.shipped("knowledge") / "nccl")
