"""What is new in a plan since the one before, in sentences."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from assistant.vocabulary.counted import counted
from assistant.vocabulary.plan import Candidate, Plan
from assistant.vocabulary.quantities import compared

from .. import figures
from ..limits import NAMES, WARNINGS_IN_TALK
from . import card
from .names import namer
from .purchase import term_of
from .reading import asked, bill, chosen, each_limit, ends, gib, gpus, is_given, limits_in_short, to_buy, unit_of_work

_FELT = 0.01  # of a cost or a time: less makes no difference

SAME = "The card stays as it is: the same to do, at the same cost, in the same time."


def changes(before: Plan | None, after: Plan, *, carded: bool = False) -> tuple[str, ...]:
    """Recommendation, money, time, certainty, what became impossible, new warnings; empty for a first plan.
    ``carded``: they stand below the card, which tells the certainty."""
    if before is None:
        return ()
    certainty = () if carded else (_certainty,)
    parts = (_recommendation, _way_out, _figures, *certainty, _candidates, _warnings)
    told = tuple(text for part in parts for text in part(before, after))
    kept = tuple(text for text in each_limit(after) if text not in each_limit(before))
    told = told or ((*kept, "Nothing else changes.") if kept else ("Nothing about the answer changes.",))
    return tuple(map(namer(after), told))


def of_the_card(before: Plan, after: Plan) -> tuple[str, ...]:
    """The lines of the card that are others than before, sums and days as before → now; where nothing works any more
    what would help."""
    old, new = before.recommendation.card, after.recommendation.card
    if old is None or new is None:
        return ()
    if after.recommendation.verdict == "infeasible":
        return tuple(text for text in (new.do, after.recommendation.smallest_change) if text)
    other = before.recommendation.fabric != after.recommendation.fabric or _where(before) != _where(after)
    by_load = any(one.field == "cluster.gpus" for one in after.assumptions)
    sized = by_load and gpus(before) != gpus(after)
    moved = [_to_do(before, after)] if other or sized or before.recommendation.verdict == "infeasible" else []
    moved += [f"The cost stays: {_bare(new.cost)}."] if sized and old.cost == new.cost else []
    for was, now in ((old.cost, new.cost), (old.finish, new.finish)):
        if was != now:
            moved.append(f"{_unlike(_bare(was), _bare(now))} → {_bare(now)}." if was else now)
    moved += _trains(before, after)
    if not moved:
        return (SAME, _as_before(after))
    return (*moved, *_verdict(before, after), *(_held(before, after) if not (other or sized) else ()))


def _as_before(plan: Plan) -> str:
    """Cost and end of a plan that nothing changed."""
    card = plan.recommendation.card
    lines = (card.cost, card.finish) if card else ()
    told = [_bare(text) for text in lines if any(map(str.isdigit, text))]  # else it says that nobody knows it
    return f"Still {'; '.join(told)}." if told else ""


def as_it_is(plan: Plan, fields: Mapping[str, Any], names: Sequence[str]) -> str | None:
    """That the plan has already what is supposed, with its sum and its end; ``None`` where it has not."""
    has = bool(fields) and all(
        value is not None and value == _of_the_plan(plan, path) for path, value in fields.items()
    )
    if not has or plan.recommendation.verdict == "infeasible":
        return None
    taken = any(one.field in fields for one in plan.assumptions)
    said = ", as is usual where nobody says it" if taken else ""
    return f"That is the plan already, {'; '.join(names)}{said}. {_as_before(plan)}".strip()


def _of_the_plan(plan: Plan, field: str) -> Any:
    """What a plan takes of a field, as it was said, assumed, searched or recommended."""
    best, taken = chosen(plan), plan.taken
    found = {
        "cluster.fabric": plan.recommendation.fabric,
        "cluster.gpus": gpus(plan),
        "cluster.provider": taken.provider if taken else None,
        "budget.mode": ("buy" if to_buy(plan) else None) if plan.purchase else "rent",
    }
    if field in found:
        return found[field]
    told = asked(plan, field)
    if told is not None:
        return told
    section, _, name = field.partition(".")
    if section == "parallelism" and best is not None:
        return best.parallelism.get(name)
    return next((one.value for one in plan.assumptions if one.field == field), None)


def _held(before: Plan, after: Plan) -> list[str]:
    """Of a run that trains: whether the network stays, what waits for it, and the memory it takes."""
    old, new = chosen(before), chosen(after)
    if old is None or new is None or not ends(after) or new.exposed_communication_percent is None:
        return []
    if old.exposed_communication_percent is None or _other_money(before, after):
        return []
    waits = [figures.percent(c.exposed_communication_percent) for c in (old, new)]
    stays = "The network stays" if old.fabric == new.fabric else "Another network"
    room = f"; it fits: {gib(new):,.0f} GiB on the fullest GPU, before {gib(old):,.0f}" if gib(new) and gib(old) else ""
    if old.fabric == new.fabric == "none":
        return [f"No network between the nodes is needed, then as now{room}."]
    return [f"{stays}: {waits[0]} of a step waits → {waits[1]}{room}."]


def _to_do(before: Plan, after: Plan) -> str:
    """What to do, without what its card says besides; a network that is only supposed to be there is not there to be
    kept."""
    do, more, _ = (after.recommendation.card.do if after.recommendation.card else "").partition(". ")
    do += "." if more else ""
    supposed = asked(before, "cluster.fabric") != asked(after, "cluster.fabric")
    kept = supposed and is_given(after) and asked(after, "budget.owned") == "everything"
    return f"With {do.removeprefix('Keep ')}" if kept else do


def _trains(before: Plan, after: Plan) -> list[str]:
    """What more or fewer failures make of the share of the time that trains."""
    rates = [asked(plan, "cluster.failures_per_node_day") for plan in (before, after)]
    old, new = (one and one.effective_time_percent for one in (chosen(before), chosen(after)))
    if rates[0] == rates[1] or old is None or new is None:
        return []
    return [f"{old.p50:.1f} % of the time trains → {new.p50:.1f} %; the rest are checkpoints, restarts and work lost."]


def _verdict(before: Plan, after: Plan) -> list[str]:
    """What the change comes to in a line: how much cheaper or dearer, how much sooner or later."""
    old, new = chosen(before), chosen(after)
    if old is None or new is None or not (old.cost_usd and new.cost_usd and old.run_hours and new.run_hours):
        return []
    if _other_money(before, after):
        bought, (share, rent) = (before, (old, new)) if before.purchase else (after, (new, old))
        what, usd, both = "this run", share.median_cost, bought.rent_or_buy
        if both is not None and both.term_months:  # paid whole: beside it stands the share of as many runs as fill it
            what, usd = term_of(both), both.buy_run_usd
        sums = f"its share of a purchase in full use is {figures.usd(usd)}, its rent {figures.usd(rent.median_cost)}"
        return [f"Of {what} {sums}: buying pays where other work fills the months."]
    if dearer := _by_circumstance(before, after, old, new):
        return dearer
    money, time = new.median_cost / old.median_cost - 1, new.run_hours / old.run_hours - 1
    if not ends(after):
        time = new.median_step / old.median_step - 1
    told = [
        f"{deed} {compared(1 + share, word)}"
        for share, deed, word in ((money, "costs", "more"), (time, "takes", "longer"))
        if abs(share) >= _FELT
    ]
    if not told:
        return ["So it makes no difference that counts."]
    worse, better = max(money, time) >= _FELT, min(money, time) <= -_FELT
    how = "worth it unless the other counts more" if worse and better else "worse" if worse else "better"
    kept = limits_in_short(after)
    if kept and worse:  # more work is dearer and slower in any case: what counts is whether it still fits
        return [f"So it {' and '.join(told)}; {kept}"]
    return [f"So it {' and '.join(told)}: {how}.", *([f"{kept[:1].upper()}{kept[1:]}"] if kept else [])]


def _by_circumstance(before: Plan, after: Plan, old: Candidate, new: Candidate) -> list[str]:
    """What a price that meets every network makes dearer or cheaper, apart from what another network saves under it."""
    kept = next((c for c in after.candidates if c.fabric == old.fabric and c.cost_usd and c.run_hours), None)
    met = [name for name in _CIRCUMSTANCES if asked(before, name) != asked(after, name)]
    if not met or new.fabric == old.fabric or kept is None or not new.run_hours or not kept.run_hours:
        return []
    dearer, beside = (compared(a.median_cost / b.median_cost, "more") for a, b in ((kept, old), (new, kept)))
    sooner = compared(new.run_hours / kept.run_hours, "longer")
    return [
        f"So on {old.fabric} as before {bill(after)} costs {dearer}, {figures.usd(kept.median_cost)}: the price alone.",
        f"{new.fabric} then costs {figures.usd(new.median_cost)}, {beside}, and takes {sooner}.",
    ]


_CIRCUMSTANCES = ("budget.electricity_usd_per_kwh", "budget.power_usage_effectiveness")  # of every network alike


def _other_money(before: Plan, after: Plan) -> bool:
    """Whether one rents and the other buys: a share of what is bought is no sum to compare."""
    return (before.purchase is None) is not (after.purchase is None)


def _where(plan: Plan) -> str | None:
    return plan.taken.provider if plan.taken else None


def _unlike(was: str, now: str) -> str:
    """What was, without the words at its end that what is now ends with too."""
    old, new = was.split(" "), now.split(" ")
    same = 0
    while same < min(len(old), len(new)) - 2 and old[-1 - same] == new[-1 - same]:
        same += 1
    # A sum stays whole, "$46,500 a month"; a time may lose from when on it is.
    while same and not (old[len(old) - same - 1].endswith(",") or old[len(old) - same] == "from"):
        same -= 1
    return " ".join(old[: len(old) - same]).rstrip(",") if same > 2 else was


def _bare(line: str) -> str:
    """A line of the card without what its neighbour repeats."""
    for idle in (
        " if it starts today",
        "; when that is nobody said: ask",
        ", written off with power and support",
        ", with its write-off, power and support",
        "Done ",
    ):
        line = line.replace(idle, "")
    return line.rstrip(".")


def _way_out(before: Plan, after: Plan) -> list[str]:
    """What would help now, where nothing works as nothing did before."""
    old, new = before.recommendation, after.recommendation
    if {old.verdict, new.verdict} != {"infeasible"} or old.card is None or new.card is None:
        return []
    now = {new.card.do: old.card.do, new.smallest_change: old.smallest_change}
    return [text for text, was in now.items() if text and text != was]


def turned(before: Plan | None, after: Plan) -> bool:
    """Whether the answer is new: another network, or something works that did not, or the reverse."""
    return before is None or bool(_recommendation(before, after))


def _recommendation(before: Plan, after: Plan) -> list[str]:
    old, new = before.recommendation, after.recommendation
    if new.verdict == "infeasible" and old.verdict != "infeasible":
        return ["Nothing works any more."]
    if new.verdict != "infeasible" and old.verdict == "infeasible":
        return [f"Now something works: {new.fabric}."]
    if is_given(after):
        return []  # the network was fixed by what was said: no news
    return [f"The recommendation is now {new.fabric}; it was {old.fabric}."] if new.fabric != old.fabric else []


def _figures(before: Plan, after: Plan) -> list[str]:
    old, new = chosen(before), chosen(after)
    if old is None or new is None:
        return []
    step = (old.step_time_s and old.step_time_s.p50, new.step_time_s and new.step_time_s.p50)
    cost = (old.cost_usd and old.cost_usd.p50, new.cost_usd and new.cost_usd.p50)
    length = _moved("Length of the run", old.run_hours, new.run_hours, figures.hours) if ends(after) else None
    what = f"Cost of {bill(after)}"
    cards = (before.recommendation.card, after.recommendation.card)
    if _other_money(before, after) and all(cards):
        was, now = (_bare(one.cost) for one in cards if one)
        paid = [f"Cost: {was} → {now}.", *_verdict(before, after)]
    else:
        paid = [_moved(what, *cost, figures.usd)]
    said = (_size(before, after), *paid, length, _moved(unit_of_work(after), *step, figures.seconds))
    return [text for text in said if text]


def _size(before: Plan, after: Plan) -> str | None:
    """How many GPUs of which kind a service takes, where that is another number than before, or less than was said."""
    if after.sizing is None or before.sizing is None:
        return None
    old, new = (f"{gpus(plan):,} {plan.questionnaire['cluster']['gpu']}" for plan in (before, after))
    had, many = after.sizing.could_be_had, figures.significant(after.sizing.carries_requests_per_s)
    if had and had != before.sizing.could_be_had:
        return f"Of the {had:,} GPUs {new} are enough; all of them would carry up to {many} requests per second."
    return f"GPUs: {new}, before {old}." if old != new else None


def _moved(what: str, old: float | None, new: float | None, text: Callable[[float], str]) -> str | None:
    """A figure that moved by more than rounding shows."""
    if not old or not new or abs(new - old) <= 0.005 * max(abs(old), abs(new)) or text(old) == text(new):
        return None
    return f"{what}: {text(new)}, before {text(old)}."


def _certainty(before: Plan, after: Plan) -> list[str]:
    old, new = before.recommendation, after.recommendation
    other_kind = is_given(after) != is_given(before) or old.verdict == "infeasible"
    same = new.certainty == old.certainty and new.tied == old.tied and not other_kind
    return [] if new.verdict == "infeasible" or same else card.certain(after)


def _candidates(before: Plan, after: Plan) -> list[str]:
    if after.recommendation.verdict == "infeasible":
        return []  # what is possible by itself is no news where nothing works
    was = {c.fabric for c in before.candidates}
    possible = {c.fabric for c in before.candidates if c.verdict != "impossible"}
    unsold = {c.fabric for c in after.candidates if c.barred not in (None, "impossible", "does-not-fit")}
    now = {c.fabric: c.verdict != "impossible" for c in after.candidates}
    gone = [fabric for fabric, can in now.items() if fabric in possible and not can]
    gone += [c.fabric for c in before.candidates if c.fabric in possible and c.fabric not in now]
    back = [fabric for fabric, can in now.items() if can and fabric in was and fabric not in possible]
    parted = {"possible": [f for f in gone if f not in unsold], "at a quoted price": [f for f in gone if f in unsold]}
    said = [f"No longer {what}: {_few(named)}." for what, named in parted.items() if named]
    return said + ([f"Possible again: {_few(back)}."] if back else [])


def _few(fabrics: list[str]) -> str:
    """The first few names, and how many more."""
    more = len(fabrics) - NAMES
    return ", ".join(fabrics[:NAMES]) + (f" and {more} more" if more > 0 else "")


def _warnings(before: Plan, after: Plan) -> list[str]:
    if after.recommendation.verdict == "infeasible":
        return []
    known = {w.message for w in before.warnings} | {w.code for w in before.warnings}
    new = [f"New warning: {w.message}" for w in after.warnings if w.message not in known and w.code not in known]
    more = len(new) - WARNINGS_IN_TALK
    if more <= 0:
        return new
    further = f'{counted(more, "more new warning")}; say "warnings" to read {"them" if more > 1 else "it"}.'
    return [*new[:WARNINGS_IN_TALK], further]
