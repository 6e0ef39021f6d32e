"""Runs that stand side by side. What is said once is of all of them; what is said for each belongs to the name
that stands nearest, else to the run in whose place it stands."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

from .case import Case
from .run_terms import MOST, Part, Span, Told, overlap

_BESIDE = 3  # words: a length is told of the name that it stands so near to
_SLOWER_FIRST = 3  # words: what it counts against a reading that the slower network has the shorter run
_RANKS = {"infiniband": 2, "roce": 1, "plain": 0}  # of networks, which is told to be the faster one
_SAME_PRICE = 0.005  # US dollars
# What makes of a length that of the run it is told of: times so much, and so many days more.
_CHANGES = {
    "less": lambda days: (1.0, -days),
    "longer": lambda days: (1.0, days),
    "slower": lambda share: (1.0 + share, 0.0),
    "saved": lambda share: (1.0 - share, 0.0),
}


@dataclass(frozen=True)
class Run:
    """``days``, US dollars of a GPU-hour and of one on top of it; ``nan`` what is not told."""

    name: str = ""
    days: float = math.nan
    usd: float = math.nan
    gpus: float = math.nan
    premium: float = 0.0

    @property
    def hourly(self) -> float:
        """US dollars of a GPU-hour with what is on top."""
        return self.usd + self.premium


@dataclass(frozen=True)
class _Label:
    """What a run is called, wherever it stands; ``rank``: of a network, how fast."""

    name: str
    said: tuple[Span, ...]
    rank: int | None = None


def runs(case: Case, of: Told) -> list[Run]:
    """The runs that the question puts side by side, in the order in which they stand; none where it does not."""
    if len(of.of("gpus")) == 1 and "cluster.gpus" in case.fields.keys() - case.told.keys():
        of.parts["gpus"] = []  # "12 nodes of 8 H100": the job's fields have all of them
    many = [len(of.of(kind)) for kind in ("days", "usd", "gpus")]
    relative = [kind for kind in _CHANGES if of.one(kind)]
    sides = max(*many, 2 if relative and many[0] else 0)
    if not 2 <= sides <= MOST or not set(many) <= {0, 1, sides} or (relative and sides > 2) or not many[0]:
        return []
    labels = _labels(case, sides)
    if not labels and _is_open(case, of, _only_label(case)):
        return []
    made = [Run(label.name) for label in labels] if labels else [Run() for _ in range(sides)]
    for kind in ("days", "usd", "gpus"):
        parts = of.of(kind)
        placed = _placed(case, parts, labels, shorter=kind == "days") if len(parts) == sides else parts * sides
        made = [replace(run, **{kind: part.value}) for run, part in zip(made, placed, strict=False)] if parts else made
    only = None if labels else _only_label(case)
    made = _by_time(case, of, made, labels, only, relative)
    made = _by_price(case, of, made, labels)
    return _named(made, only)


def _is_open(case: Case, of: Told, only: _Label | None) -> bool:
    """Whether of two prices and two lengths one pair alone is said as this instead of that, and one network is named:
    which length is whose is not said then ("we pay 2.60; with InfiniBand 3.05 but 11 days rather than 12.5")."""
    days, usd = of.of("days"), of.of("usd")
    if only is None or not len(days) == len(usd) == 2:
        return False
    order = sorted([(part.said[0], "days") for part in days] + [(part.said[0], "usd") for part in usd])
    side_by_side = order[0][1] != order[1][1]  # "17 days at $2.05 instead of 13 at $2.95"
    said = case.utterance.roles["places"].get("in_place_of", ())
    replaced = lambda pair: any(pair[0].said[0][1] <= start and end <= pair[1].said[0][0] for start, end in said)
    return not side_by_side and replaced(days) != replaced(usd)


# -- whose they are ----------------------------------------------------------------------------------------


def _labels(case: Case, sides: int) -> list[_Label]:
    """The names by which so many runs are told apart: networks, letters, providers, GPUs, "with it" and "without"."""
    places, said = case.utterance.roles["places"], case.utterance.text
    cues = {sign: places.get(sign, ()) for sign in ("plain_side", "faster_side")}
    plain = cues["plain_side"]
    cues["faster_side"] = tuple(s for s in cues["faster_side"] if not any(overlap(s, other) for other in plain))
    by_cue = [_Label(said[spans[0][0] : spans[0][1]], spans) for spans in cues.values() if spans]
    networks = _networks(case, [*plain, *cues["faster_side"]])
    letters: dict[str, tuple[Span, ...]] = {}
    for start, end in places.get("lettered", ()):
        letters[said[start:end].lower()] = (*letters.get(said[start:end].lower(), ()), (start, end))
    lettered = [_Label(said[slice(*spans[0])], spans) for spans in letters.values()]
    families = [networks, lettered, *(_entities(case, kind) for kind in ("provider", "gpu", "fabric")), by_cue]
    if len(networks) == 1 and plain:
        families.append([*networks, by_cue[0]])
    found = next((family for family in families if len(family) == sides), [])
    return sorted(found, key=lambda label: label.said[0])


def _only_label(case: Case) -> _Label | None:
    """The network that is named alone: what is told of it is told against the run without it."""
    networks = _networks(case)
    return networks[0] if len(networks) == 1 else None


def _networks(case: Case, hidden: Sequence[Span] = ()) -> list[_Label]:
    """The technologies that are named, each wherever it is; of "RoCE over Ethernet" the one."""
    found, taken = [], [*hidden]
    for technology, rank in _RANKS.items():
        said = case.utterance.roles["places"].get(f"network_of={technology}", ())
        spans = tuple(span for span in said if not any(overlap(span, other) for other in taken))
        taken += spans
        found += [_Label(case.utterance.text[slice(*spans[0])], spans, rank)] if spans else []
    return found


def _entities(case: Case, kind: str) -> list[_Label]:
    found: dict[str, tuple[Span, ...]] = {}
    for one in case.utterance.entities:
        if one.kind == kind:
            found[one.id] = (*found.get(one.id, ()), (one.start, one.end))
    return [_Label(case.utterance.text[slice(*spans[0])], spans) for spans in found.values()]


def _placed(case: Case, parts: Sequence[Part], labels: Sequence[_Label], *, shorter: bool) -> Sequence[Part]:
    """The amounts, one for each label: so that all of them together stand nearest to their own."""
    if not labels:
        return parts
    changed = shorter and case.says("becomes") and len({label.rank for label in labels}) > 1

    def apart(order: Sequence[Part]) -> tuple[int, int]:
        """How many words, and what counts against it: a faster network whose run is the longer one."""
        ranked = [(label.rank or 0, -part.value) for label, part in zip(labels, order, strict=True)]
        upside_down = shorter and [d for _, d in sorted(ranked)] != sorted(d for _, d in ranked)
        words = sum(_words(case, part.said, label.said) for label, part in zip(labels, order, strict=True))
        return (int(upside_down and changed), words + _SLOWER_FIRST * upside_down)

    return min(permutations(parts), key=apart)


def _words(case: Case, one: Iterable[Span], other: Iterable[Span]) -> int:
    """The fewest words between two things that are said, the end of a sentence counting as some."""
    return min(_between(case.utterance.text, *sorted((a, b))) for a in one for b in other)


def _between(text: str, first: Span, second: Span) -> int:
    gap = text[first[1] : second[0]]
    return len(gap.split()) + _BESIDE * sum(gap.count(mark) for mark in (". ", ";", "? ", ": "))


def _nearest(case: Case, part: Part, labels: Sequence[_Label]) -> int | None:
    """The place of the label that an amount stands nearest to."""
    return min(range(len(labels)), key=lambda at: _words(case, part.said, labels[at].said)) if labels else None


# -- what is told of one run against the other -------------------------------------------------------------


def _by_time(
    case: Case, of: Told, made: list[Run], labels: Sequence[_Label], only: _Label | None, relative: Sequence[str]
) -> list[Run]:
    """The lengths of two runs where one of them is told by what it takes less or longer; the run that is changed has
    the second place where nothing names it."""
    if not relative:
        return made
    [kind, *more] = relative
    part, days = of.of(kind)[0], of.of("days")
    of.left += [f"{one.value:g}" for name in more for one in of.of(name)]
    if len(days) == 2:
        _compare_told(of, kind, part, days)
        return made
    base = days[0]
    factor, shift = _CHANGES[kind](part.value)
    changed = _nearest(case, part, labels)
    changed = 1 if changed is None else changed
    name = labels[changed] if labels else only
    beside = name is not None and _stands_by(case, base, name)
    ours = base.value if beside else base.value * factor + shift
    other = (base.value - shift) / factor if beside else base.value
    if not beside and not (labels and _stands_by(case, base, labels[1 - changed])):
        of.notes.append(f"The {base.value:g} days are taken as those of the run that is changed.")
    return [replace(run, days=ours if at == changed else other) for at, run in enumerate(made)]


def _stands_by(case: Case, length: Part, name: _Label) -> bool:
    """Whether a length is told of a name, which stands close behind it: "20 days on Ethernet"."""
    gaps = ((case.utterance.text, a, b) for a in length.said for b in name.said if a < b)
    return any(_between(*gap) <= _BESIDE for gap in gaps)


def _compare_told(of: Told, kind: str, part: Part, days: Sequence[Part]) -> None:
    """Where both lengths are told, what one takes less is nothing new, unless it contradicts them."""
    short, long = sorted(one.value for one in days)
    follows = {"less": long - short, "longer": long - short, "slower": long / short - 1, "saved": 1 - short / long}
    if abs(follows[kind] - part.value) > 0.01 * part.value:
        said = f"{part.value:g} days" if kind in ("less", "longer") else f"{100 * part.value:g} %"
        of.left.append(f"{said}, which {short:g} and {long:g} days do not make")


def _by_price(case: Case, of: Told, made: list[Run], labels: Sequence[_Label]) -> list[Run]:
    """What one run costs on top, or dearer by a share: the one that it stands by, else the shorter one."""
    extras, dearer = of.of("on_top"), of.one("dearer")
    shorter = min(range(len(made)), key=lambda at: made[at].days)
    prices = of.of("usd")
    if len(extras) == len(made):
        placed = _placed(case, extras, labels, shorter=False)
        return [replace(run, premium=part.value) for run, part in zip(made, placed, strict=True)]
    if len(extras) == 1:
        [extra] = extras
        if len(prices) == 2 and abs(abs(prices[0].value - prices[1].value) - extra.value) < _SAME_PRICE:
            return made  # it is the difference of both prices
        whose = _nearest(case, extra, labels)
        whose = shorter if whose is None else whose
        return [replace(run, premium=extra.value) if at == whose else run for at, run in enumerate(made)]
    of.left += [f"${part.value:g}" for part in extras]
    if dearer and len(prices) == 1:
        whose = _nearest(case, dearer, labels)
        whose = shorter if whose is None else whose
        more = prices[0].value * dearer.value
        return [replace(run, premium=more) if at == whose else run for at, run in enumerate(made)]
    of.left += [f"{100 * dearer.value:g} %"] if dearer else []
    return made


def _named(made: list[Run], only: _Label | None) -> list[Run]:
    """Of two runs that nothing names the one with the premium, or of which something is told, is the network's."""
    with_it = [at for at, run in enumerate(made) if run.premium]
    if only is None or len(with_it) != 1 or len(made) != 2 or any(run.name for run in made):
        return made
    return [replace(run, name=only.name if at in with_it else "without it") for at, run in enumerate(made)]
