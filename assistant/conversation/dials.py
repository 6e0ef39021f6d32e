"""The dials of a plan: GPUs, batch or load, price, months. What the planner would choose at each value; nothing of it
is taken until somebody takes it."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping
from itertools import pairwise
from math import ceil, floor, log2, log10
from typing import TYPE_CHECKING, Any

from assistant.library import Library
from assistant.present.dials import held
from assistant.present.fields import field_name, field_text
from assistant.present.plan.quantities import given
from assistant.vocabulary.dial import Dial
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.plan import Plan
from assistant.vocabulary.sweep import Point

from .draft import QUOTES, Draft
from .scaling import LARGEST

if TYPE_CHECKING:
    from assistant.planning import Decision, Pipeline

FARTHEST = 8  # times as much, and as little: farther away it is another job
# Preferred numbers of a decade, rounded (ISO 3, series R20): a twelfth between two neighbours.
_DECADE = (10, 11, 12, 14, 16, 18, 20, 22, 25, 28, 32, 36, 40, 45, 50, 56, 63, 71, 80, 90)
_PRICES_AROUND = 1 / 2.5, 2.5  # times the price as it is
_CENT_TENTH = 0.001
# Lengths of time as people name them: days, weeks, months, quarters, years.
_DAYS = (1, 2, 3, 5, 7, 10, 14, 21, 30, 45, 60, 90, 120, 150, 180, 240, 300, 365, 455, 545, 730, 1095, 1460, 1825, 3650)
_AROUND_THE_RUN = 1 / 4, 2.0  # deadlines worth trying, times the length of the run
_WRITE_OFF_MONTHS = (12, 18, 24, 30, 36, 42, 48, 60, 72, 84)
_PRICE, _ELECTRICITY, _MONTHS = "budget.gpu_hour_usd", "budget.electricity_usd_per_kwh", "budget.amortization_months"
_DEADLINE, _LENGTH = "constraints.deadline_days", "training.days"
_AMOUNTS = ("rl.prompts_per_step", "training.global_batch", "inference.requests_per_s", "inference.concurrency")


class Dials:
    """What can be turned on a plan, and the answer at each value: from the planner, with what it has worked out so far.

    May be asked from several threads. ``today`` dates the prices.
    """

    def __init__(self, library: Library, today: datetime.date | None = None) -> None:
        self._library, self._today = library, today

    def of(self, draft: Draft, plan: Plan) -> dict[str, Dial]:
        """The dials that this job has, by what they are: ``gpus``, ``amount`` (batch or load), ``price``, ``time``."""
        node = draft.per_node(self._library.catalog) or _of_the_plan(plan, self._library)
        made = {"gpus": _gpus(plan, node), "amount": _amount(draft, plan)}
        made |= {"price": _price(draft, plan), "time": _time(draft, plan)}
        return {name: dial for name, some in made.items() for dial in some}

    def all_of(self, draft: Draft, dial: Dial) -> dict[float | None, Point]:
        """The answers at all values, and at those between that tell where the answer turns."""
        known: dict[float | None, Point] = {}
        while (value := next_value(dial, known, dial.now)) not in known:
            known[value] = self.at(draft, dial, value)
        return known

    def at(self, draft: Draft, dial: Dial, value: float | None) -> Point:
        """The answer with the dial at a value; of a job that cannot be, the sentence that says why."""
        from assistant.planning import pipeline_of
        from assistant.sweeps.run import answered

        pipeline, values = pipeline_of(self._library, self._today), {dial.path: value}
        try:
            return answered(values, self._decided(draft, dial, value, pipeline), pipeline)
        except InputError as error:
            where = f"{field_name(error.place.field)}: " if error.place.field else ""
            return Point(values=values, error=f"{where}{error.message}.")
        except Exception as error:  # one value at which the model fails takes none of the others with it
            return Point(values=values, error=f"This could not be worked out ({type(error).__name__}: {error}).")

    def _decided(self, draft: Draft, dial: Dial, value: float | None, pipeline: Pipeline) -> Decision:
        from assistant.planning.flips import Charging, provider_of

        catalog, provider = self._library.catalog, provider_of(dial.path)
        if value == dial.now:
            return pipeline.decide(draft.questionnaire(catalog))
        if provider is not None and value is not None and dial.now is not None:
            asked_today = Charging(provider, dial.now, value, pipeline.today or datetime.date.today())
            return pipeline.decide(draft.questionnaire(catalog), charging=asked_today)
        there = draft.trial({dial.path: _plain(value)}, catalog).draft
        return pipeline.decide(there.questionnaire(catalog))


def next_value(dial: Dial, known: Mapping[float | None, Point], at: float | None) -> float | None:
    """The value to be worked out next: where the dial stands, its neighbours, then what lies between two answers that
    differ; the value it stands at where nothing is left to work out."""
    stops = dial.stops
    here = stops.index(at) if at in stops else 0
    for far in range(len(stops)):
        for place in (here - far, here + far):
            if 0 <= place < len(stops) and stops[place] not in known:
                return stops[place]
    return next(_between(dial, known), at)


def _between(dial: Dial, known: Mapping[float | None, Point]) -> Iterator[float]:
    """Values in the middle of two at which different networks are recommended, as near as they are worth a search."""
    if dial.grain is None:
        return
    values = sorted(v for v, point in known.items() if v is not None and (v in dial.values or not point.error))
    for low, high in pairwise(values):
        middle = round(round((low + high) / 2 / dial.grain) * dial.grain, 6)
        if low < middle < high and middle not in known and not held(known[low], known[high]):
            yield middle


def words(dial: Dial, value: float | None, library: Library) -> str:
    """What taking a value says: ``GPUs: 96``; of a list price whose offer it is too."""
    fields = fields_taken(dial, value)
    said = (
        f"no {field_name(name)}" if v is None else field_text(name, v, library.catalog) for name, v in fields.items()
    )
    return "; ".join(said)


def fields_taken(dial: Dial, value: float | None) -> dict[str, Any]:
    """The fields that taking a value sets."""
    listed = dial.path.split(".")
    if listed[0] == "providers":
        return {"cluster.provider": listed[1], _PRICE: value}
    return {dial.path: _plain(value)}


def not_taken(dial: Dial, point: Point, library: Library) -> str | None:
    """Why a value cannot be taken: nothing can be there, or at that list price the answer is another's offer."""
    if point.error:
        return point.error
    listed = dial.path.split(".")
    if listed[0] != "providers" or point.provider == listed[1]:
        return None
    elsewhere = f"rented at {library.catalog.providers[point.provider].name}" if point.provider else "another offer"
    return f"At that price it would be {elsewhere}, at its own price: there is nothing to take."


def _plain(value: float | None) -> float | int | None:
    return int(value) if value is not None and value == int(value) else value


# The dials


def _of_the_plan(plan: Plan, library: Library) -> int:
    gpu = library.catalog.gpus.get(plan.questionnaire["cluster"].get("gpu") or "")
    return gpu.gpus_per_node if gpu else 1


def _gpus(plan: Plan, node: int) -> Iterator[Dial]:
    """Parts of a node, then whole nodes: powers of two and the halves between them, of the sizes that the planner
    tries."""
    from assistant.planning.grid import round_sizes

    now = plan.questionnaire["cluster"]["gpus"]
    most = min(FARTHEST * max(now, node), max(LARGEST, now))
    sizes: set[float] = {now}
    for size in round_sizes(max(1, now / FARTHEST), node):
        if size > most:
            break
        if size < node or _power_or_half(size / node):
            sizes.add(size)
    yield Dial(path="cluster.gpus", values=tuple(sorted(sizes)), now=now, grain=node)


def _power_or_half(times: float) -> bool:
    """1, 2, 3, 4, 6, 8, 12, 16 …"""
    return times == int(times) and int(times) / 2 ** floor(log2(times)) in (1.0, 1.5)


def _amount(draft: Draft, plan: Plan) -> Iterator[Dial]:
    """What a step takes, by powers of two and halves; of a service its load, by preferred numbers."""
    serves = draft.serves
    for path in _AMOUNTS:
        now = given(plan, path)[0] if path.startswith("inference.") == serves else None
        if isinstance(now, (int, float)) and now > 0:
            halves = [now * factor * 2.0**power for power in range(-3, 4) for factor in (1.0, 1.5)]
            values = _preferred(now / FARTHEST, now * FARTHEST)[::2] if path.endswith("per_s") else halves
            values = {v for v in values if v <= FARTHEST * now and (v == int(v) or path.endswith("per_s"))}
            yield Dial(path=path, values=tuple(sorted({*values, float(now)})), now=float(now))
            return


def _price(draft: Draft, plan: Plan) -> Iterator[Dial]:
    """The price that was said; where none was, that on the list of the offer that is recommended; of machines that are
    bought that of their power."""
    if draft.fields.get(QUOTES):
        return
    path, now = _ELECTRICITY, given(plan, _ELECTRICITY)[0]
    if plan.questionnaire["budget"]["mode"] == "rent":
        path, now = _PRICE, draft.fields.get(_PRICE)
        offer = plan.taken
        if now is None and offer is not None:
            path, now = f"providers.{offer.provider}.gpu_hour_usd", offer.usd_per_gpu_hour
    if isinstance(now, (int, float)) and now > 0:
        values = _preferred(now * _PRICES_AROUND[0], now * _PRICES_AROUND[1])
        grain = None if path == _ELECTRICITY else _CENT_TENTH
        yield Dial(path=path, values=tuple(sorted({*values, float(now)})), now=float(now), grain=grain)


def _preferred(low: float, high: float) -> list[float]:
    """Preferred numbers from ``low`` to ``high``."""
    decades = range(floor(log10(low)) - 1, ceil(log10(high)))
    return [v for power in decades for n in _DECADE if low <= (v := round(n * 10.0**power, 6)) <= high]


def _time(draft: Draft, plan: Plan) -> Iterator[Dial]:
    """Months: of the write-off, of the run where its length was said, else those until it must be done."""
    if plan.questionnaire["budget"]["mode"] == "buy":
        now = given(plan, _MONTHS)[0]
        if isinstance(now, (int, float)):
            yield Dial(path=_MONTHS, values=tuple(sorted({*map(float, _WRITE_OFF_MONTHS), float(now)})), now=float(now))
        return
    said = next((path for path in (_DEADLINE, _LENGTH) if draft.fields.get(path)), None)
    run = _days_of_the_run(plan)
    if draft.serves or (run is None and said is None):
        return
    now = float(draft.fields[said]) if said else None
    middle = now or run or 1.0
    times = (1 / FARTHEST, FARTHEST) if said == _LENGTH else _AROUND_THE_RUN
    values = {float(d) for d in _DAYS if middle * times[0] <= d <= middle * times[1]} | ({now} if now else set())
    if values:
        yield Dial(path=said or _DEADLINE, values=tuple(sorted(values)), now=now, grain=1.0)


def _days_of_the_run(plan: Plan) -> float | None:
    hours = next((c.run_hours for c in plan.candidates if c.fabric == plan.recommendation.fabric), None)
    return hours / 24 if hours else None
