"""What weighs: of what was found, what did harm in this log, and what is information in it."""

from assistant.vocabulary.answers import DiagnosisFinding

from .debug_lines import DebugLog
from .known_lines import KnownLines
from .outcome import Outcome
from .signatures import (
    Speed,
    as_information,
    conditions,
    explained,
    narrowing,
    of_speed,
    read,
    signatures,
    silent,
    suspects,
)

# What a run shows that goes another way than the one that NCCL chooses.
_OF_SETTINGS = frozenset(
    ("low-bandwidth", "like-sockets", "half-of-the-adapters", "choices-pinned", "no-gpudirect", "gpudirect-disabled")
) | {"peer-to-peer-disabled", "host-memory-inside-node", "host-memory-in-place-of-nvlink"}


def without_harm(
    found: list[DiagnosisFinding], known: KnownLines, speed: Speed, last_row: int
) -> list[DiagnosisFinding]:
    """What could do harm is information in a log that shows none: the job stepped or measured after it, or came to its
    end, at no lower speed than expected, and nothing else is wrong. What costs speed alone is so in any log of tables
    as fast as expected, wherever it stands there. ``last_row``: line of the last row of a table that moved full
    packets, 0 without one."""
    alarms = {each.code for each in found if each.severity != "info"}
    if speed in ("slow", "short") or alarms - suspects().keys() - conditions() - of_speed() - known.overcome:
        return found
    worked = max(known.worked, last_row)

    def did_none(each: DiagnosisFinding) -> bool:
        if each.code in of_speed():
            return speed == "fine"
        last = max(each.line or 0, known.seen[each.code].last if each.code in known.seen else 0)
        return known.ended_well or last < worked or (each.severity == "warning" and speed == "fine")

    could = conditions() | of_speed()
    return [as_information(each) if each.code in could and did_none(each) else each for each in found]


def as_it_came_out(found: list[DiagnosisFinding], outcome: Outcome, speed: Speed) -> list[DiagnosisFinding]:
    """What could have ended the job is information where the log shows that nothing came of any of it; where one thing
    did harm, or tables are slow, all of it may lie on the way there."""
    alarms = [each for each in found if each.severity != "info" and each.code not in suspects()]
    if not alarms or speed in ("slow", "short") or not all(map(outcome.over, alarms)):
        return found
    return [each if each.severity == "info" else as_information(each) for each in found]


def as_meant(found: list[DiagnosisFinding], log: DebugLog) -> list[DiagnosisFinding]:
    """What a setting costs is information where somebody says in the log that it is meant: there is nothing to expect
    of a way that NCCL does not choose."""
    if not log.by_comment & log.settings.keys() & {"NCCL_P2P_DISABLE", *read("choices")}:
        return found
    return [as_information(each) if each.code in _OF_SETTINGS and each.severity != "info" else each for each in found]


def of_tests(found: list[DiagnosisFinding], known: KnownLines) -> list[DiagnosisFinding]:
    """What suites of tests print in which none failed is what they test, told as information."""
    tested = known.tested
    if tested is None:
        return found
    first, last = tested

    def within(each: DiagnosisFinding) -> bool:
        ends = known.seen[each.code].last if each.code in known.seen else 0
        return first <= (each.line or 0) and max(each.line or 0, ends) <= last

    return [as_information(each) if within(each) else each for each in found]


def beside_others(
    found: list[DiagnosisFinding], speed: Speed, *, ran: bool, overcome: frozenset[str] = frozenset()
) -> list[DiagnosisFinding]:
    """What harms in some runs only, or was ``overcome`` as its lines say (by code), is information while nothing else
    is wrong in a job that ``ran``; what a job got over weighs again where what it leads to is found."""
    alarms = {each.code for each in found if each.severity != "info"} - suspects().keys() - overcome
    alone = not ran and not alarms
    if speed == "short":
        alarms |= {code for code in narrowing() if any(each.code == code for each in found)}
    beside = dict.fromkeys(overcome, frozenset[str]()) | suspects()
    weigh = {code: alone or bool(alarms & {*others, code} if others else alarms) for code, others in beside.items()}
    found = [each if weigh.get(each.code, True) else as_information(each) for each in found]
    found = [each for each in found if each.severity != "info" or each.code not in silent()]
    causes = {
        each.code: each for each in signatures() if each.weighs == "unless-it-went-on" and alarms & {*each.beside}
    }
    return [
        each.model_copy(update={"severity": causes[each.code].severity}) if each.code in causes else each
        for each in found
    ]


def unexplained(found: list[DiagnosisFinding]) -> list[DiagnosisFinding]:
    """The findings without those that say in other words, or wrongly, what another one is the cause of."""
    alarms = {each.code for each in found if each.severity != "info"}
    return [each for each in found if not alarms & explained().get(each.code, frozenset())]


def cleaned_up(found: list[DiagnosisFinding]) -> list[DiagnosisFinding]:
    """What a launcher ends after a time-out, or after the batch system or a person ended the job, is its clean-up, told
    as information: whom others wait for was ended before."""
    waited = {each.code: frozenset(each.waited) for each in signatures() if each.waited}
    no_alarm = {each.code for each in signatures() if each.severity == "info"}  # of itself, and not as it turned out
    lines = {each.code: each.line or 0 for each in found if each.severity != "info" or each.code in no_alarm}
    return [
        as_information(each)
        if any(lines.get(code, each.line or 0) < (each.line or 0) for code in waited.get(each.code, ()))
        else each
        for each in found
    ]
