"""What adapters and ports lost or repeated since they started, by counters of other tools, against their siblings."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from statistics import median

from assistant.vocabulary.answers import DiagnosisFinding

from .columns import meaning_of
from .signatures import as_information, finding
from .slow import far_above
from .tools import of_the_front

_FEW, _SIBLINGS = 0.25, 3  # the share of the places that may stand out, and how many places are compared at least
_NAMED = 8  # places, and counters, that are told
_Place = tuple[str, str]  # host and device
Counters = Mapping[str, Mapping[_Place, tuple[float, int]]]  # by name and place: how many, and the line


def findings(counters: Counters, *, fast: bool) -> Iterator[DiagnosisFinding]:
    """Adapters or ports that lost or repeated far more than their siblings: the same one on other hosts or, where a
    name is on few, the others; those of the network in front lose packets for reasons of its own. ``fast``: tables of
    nccl-tests are as fast as they should be, and it did no harm."""
    far = defaultdict[tuple[_Place, str], list[tuple[str, int]]](list)
    for name, its in counters.items():
        meaning = meaning_of(name)
        for places in _siblings(its) if meaning else ():
            values = {place: its[place][0] for place in places}
            above = far_above(values, meaning.least if meaning else 0.0)
            if 0 < len(above) <= max(1, _FEW * len(values)):
                usual = f"{median(values.values()):,.6g}"
                for place in above:
                    said = f"{name} is {values[place]:,.0f} (the others: {usual})"
                    far[place, meaning.finding if meaning else ""].append((said, its[place][1]))
    for ((host, name), code), said in [*far.items()][:_NAMED]:
        who = f"{name} on {host}" if name and host else name or host
        told = finding(code, said[0][1], who=who, said=", ".join(each for each, _ in said))
        yield as_information(told) if fast else told


def alike(counters: Counters) -> bool:
    """Whether what adapters lost and repeated is known of several, and much the same on all of them."""
    return any(map(_siblings, counters.values())) and not any(findings(counters, fast=False))


def checked(counters: Counters) -> list[str]:
    """What was checked of the counters of a log."""
    return ["what adapters lost and repeated against each other"] if any(map(_siblings, counters.values())) else []


def monitoring(counters: Counters) -> DiagnosisFinding | None:
    """A note of what kind of text it is, where it has counters."""
    lines = [line for its in counters.values() for _, line in its.values()]
    return finding("monitoring-data", min(lines), columns=", ".join([*counters][:_NAMED])) if lines else None


def _siblings(its: Mapping[_Place, tuple[float, int]]) -> list[list[_Place]]:
    of_name = defaultdict[str, list[_Place]](list)
    for place in its:
        of_name[place[1]].append(place)
    several = [places for places in of_name.values() if len(places) >= _SIBLINGS]
    few = [place for places in of_name.values() if len(places) < _SIBLINGS for place in places]
    others = [place for place in few if not of_the_front([place[1]])] or few
    return [*several, others] if len(others) >= _SIBLINGS else several
