"""Why something is slow: the cause where a log holds it, else what may be behind it and what tells these apart."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from assistant.vocabulary.answers import DiagnosisFinding

from .debug_lines import DebugLog
from .signatures import general, judgements, read, symptoms

_SHOWN = 3
_SLOW = ("low-bandwidth", "half-of-the-adapters")  # the worst table is enough where a cause is named
# What is wrong and makes nothing slow, or is no word of what does, or the same in other words.
_BESIDE = (
    "unknown-warning", "wrong-results", "table-inconsistent", "table-of-another-run", "bandwidth-collapses",
    "few-adapters-used", "adapters-left-out",
)  # fmt: skip

_GUESSED = "adapters-filtered"  # what may be the cause where nothing else says why


class Suspect(BaseModel):
    """What may make a network slow, and the command that tells. ``gpudirect``: only where it is not known to be used,
    or only where it is; ``nodes``: the least; ``listed``: only where no list of adapters was printed; ``above``: the
    share of what is expected below which it would be something else."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    suspect: str
    tell: str
    networks: tuple[str, ...]
    gpudirect: Literal["unknown", "used"] | None = None
    nodes: int = 2
    listed: bool | None = None
    above: float = 0.0

    def may_be(self, transport: str, log: DebugLog, nodes: int | None, share: float) -> bool:
        """Whether a log leaves it open."""
        known = {None: True, "unknown": log.gpudirect is None, "used": log.gpudirect is True}[self.gpudirect]
        listed = self.listed is None or self.listed == bool(log.device_list)
        return transport in self.networks and known and listed and (nodes or 0) >= self.nodes and share > self.above


def told(
    found: list[DiagnosisFinding], transport: str, log: DebugLog, nodes: int | None, share: float
) -> list[DiagnosisFinding]:
    """The findings, with a reason or a short list of them where a job is slow; ``share``: of what is expected."""
    alarms = {each.code for each in found if each.severity != "info"}
    if alarms - symptoms() - general():
        found = [each for each in found if each.code != _GUESSED]
    if alarms - symptoms() - {*_BESIDE}:
        follows = {"bandwidth-collapses"} & {"path-collisions" in alarms and "bandwidth-collapses"}
        kept = [e for e in found if e.code not in follows and (e.code, e.severity) != ("half-of-the-adapters", "info")]
        slow = next((each for each in kept if each.code in _SLOW and each.severity != "info"), None)
        return [
            _with_cause(e) if e is slow else e for e in kept if e is slow or e.code not in _SLOW or e.severity == "info"
        ]
    if alarms - symptoms():
        return found
    return [
        _with_suspects(each, transport, log, nodes, share) if each.code == "low-bandwidth" else each for each in found
    ]


def unexplained(found: list[DiagnosisFinding], *, ran: bool) -> bool:
    """Whether a job failed or is slow and no cause of that was found; of one that never ``ran``, whether nothing
    was."""
    alarms = {each.code for each in found if each.severity != "info"}
    return alarms <= symptoms() if alarms else not ran


def _with_cause(each: DiagnosisFinding) -> DiagnosisFinding:
    return each.model_copy(update={"code": "low-bandwidth", "message": each.message.partition(": ")[0], "rests": "",
                                   "fix": judgements()["cause-named"].fix})  # fmt: skip


def _with_suspects(
    each: DiagnosisFinding, transport: str, log: DebugLog, nodes: int | None, share: float
) -> DiagnosisFinding:
    suspects = [
        one for one in map(Suspect.model_validate, read("suspects")) if one.may_be(transport, log, nodes, share)
    ]
    shown = "; ".join(f"{one.suspect}: {one.tell}" for one in suspects[:_SHOWN])
    if not shown:
        return each
    _, also, hint = each.fix.partition("; ")
    before = f"{hint}. " if also and log.lines else "" if log.lines else f"{each.fix}. "
    return each.model_copy(update={"fix": f"{before}It may be {shown}"})
