"""Yes or no to what a question asks of a network, from the length of a step over that network and over the others."""

from __future__ import annotations

from dataclasses import dataclass

from assistant.present.figures import percent, seconds
from assistant.vocabulary.catalog import Fabric
from assistant.vocabulary.plan import Prediction
from assistant.vocabulary.quantities import compared

from .case import Case

NOTICED = 0.05  # of the step: less than the model's own error, and less than any surcharge for a faster network
_SAME = 1.005
Made = list[tuple[Fabric, Prediction]]


@dataclass(frozen=True)
class Compared:
    """One job over several networks; ``made`` runs from the slowest to the fastest that it fits on."""

    made: Made

    @property
    def best(self) -> Prediction:
        return self.made[-1][1]

    def over(self, fabric: Fabric) -> Prediction:
        """The job over one of the networks."""
        return next(one for at, one in self.made if at.id == fabric.id)

    def factor(self, fabric: Fabric) -> float:
        """Length of a step over that of the fastest."""
        return self.over(fabric).step_time_s / self.best.step_time_s

    def enough(self, fabric: Fabric) -> bool:
        """Whether the job fits and a step is hardly longer than on the fastest."""
        return self.factor(fabric) <= 1 + NOTICED and self.over(fabric).fits

    @property
    def fabrics(self) -> list[Fabric]:
        """The networks, in the same order."""
        return [fabric for fabric, _ in self.made]

    @property
    def plain(self) -> Fabric:
        """The fastest network without RDMA."""
        return next(fabric for fabric in reversed(self.fabrics) if fabric.technology == "tcp")

    def instead_of(self, fabric: Fabric) -> Fabric | None:
        """What does as well and is no dearer kind: plain TCP, then another kind than ``fabric`` and than InfiniBand."""
        alike = (fabric.technology, "infiniband")
        others = [one for one in self.fabrics if one.technology not in alike and self.enough(one)]
        return min(others, key=lambda one: one.technology != "tcp", default=None)


def longer(factor: float) -> str:
    """``the same``, ``12 % longer`` or ``3 times as long``."""
    return "the same" if factor < _SAME else compared(factor, "longer")


def verdict(case: Case, about: list[Fabric], found: Compared) -> str:
    """The answer to what was asked of the networks it is ``about``; where a yes could be read either way, which
    networks are enough, without yes or no."""
    if not any(one.fits for _, one in found.made):
        return "Whatever the network, the job does not fit in the memory of these GPUs."
    stance = case.utterance.roles["stance"]
    if stance == "left-out":
        return _without(case.utterance.roles.get("left_out"), found)
    if case.says("rdma") and not case.names_network:
        return _rdma(stance, found)
    if len(about) != 1 or stance == "unclear":
        return _each(about or found.fabrics, found)
    return _of_one(stance, about[0], found)


def _of_one(stance: str, fabric: Fabric, found: Compared) -> str:
    enough, name, other = found.enough(fabric), fabric.name, found.instead_of(fabric)
    if stance == "too-little":
        return f"No: {name} is enough." if enough else f"Yes: {_not_enough(fabric, found)}"
    if stance == "enough":
        return f"Yes, {name} is enough." if enough else f"No, {_not_enough(fabric, found)}"
    if fabric.technology == "tcp":  # nothing plainer is compared that could do in its place
        return _each([fabric], found)
    if not enough:
        return f"No: {_not_enough(fabric, found)}"
    if other is not None and other.technology == "tcp":
        return f"No: even {other.name} costs hardly any time here."
    if other is not None:
        return f"No: RDMA is needed, {_kind(fabric)} is not; {other.name} does as well."
    return _worth(fabric, found) if stance == "worth" else _needed(fabric, found)


def _needed(fabric: Fabric, found: Compared) -> str:
    alike = [one for one, _ in found.made if one.technology not in (fabric.technology, "tcp") and found.enough(one)]
    if alike:
        return f"Yes, or another network with RDMA: over {_lags(found.plain, found)}."
    return "Yes: every other network here makes the step noticeably longer."


def _worth(fabric: Fabric, found: Compared) -> str:
    """What a faster network saves is GPU time: it is worth a surcharge up to the share by which the step would be
    longer."""
    others = [one for one, _ in found.made if one.technology not in (fabric.technology, "infiniband")]
    over = min(others, key=found.factor)
    gain = found.factor(over) / found.factor(fabric)
    return (
        f"Yes, up to a premium of {percent(100 * (gain - 1))} of the price of a GPU-hour: that much longer a step "
        f"takes over {over.name}."
    )


def _rdma(stance: str, found: Compared) -> str:
    plain = found.plain
    if stance not in ("needed", "worth"):
        return _each(found.fabrics, found)
    if found.enough(plain):
        return f"No: even {plain.name} costs hardly any time here."
    return f"Yes: without RDMA, over {plain.name}, the job waits for the network."


def _without(technology: str | None, found: Compared) -> str:
    if technology is None:
        return _each(found.fabrics, found)
    rest = [one for one in found.fabrics if one.technology == "tcp" or technology not in ("rdma", one.technology)]
    able = [fabric for fabric in rest if found.enough(fabric)]
    if able:
        return f"Yes: {min(able, key=lambda one: one.technology != 'tcp').name} is enough."
    return f"No: over {_lags(min(rest, key=found.factor), found)}."


def _each(fabrics: list[Fabric], found: Compared) -> str:
    """One sentence per network, the fastest first."""
    told = [
        f"{fabric.name} is enough." if found.enough(fabric) else _not_enough(fabric, found)
        for fabric in sorted(fabrics, key=found.factor)
    ]
    return " ".join(told)


def _not_enough(fabric: Fabric, found: Compared) -> str:
    able = [one for one in found.fabrics if one.technology != "infiniband" and found.enough(one)] or found.fabrics[-1:]
    return f"{fabric.name} is not enough ({longer(found.factor(fabric))}); {able[0].name} is."


def _lags(fabric: Fabric, found: Compared) -> str:
    step = seconds(found.factor(fabric) * found.best.step_time_s)
    return f"{fabric.name} a step takes {step}, {longer(found.factor(fabric))}"


def _kind(fabric: Fabric) -> str:
    return "InfiniBand" if fabric.technology == "infiniband" else fabric.name
