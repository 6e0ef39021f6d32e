"""What two or more runs cost that a question puts side by side, with its own numbers; what of them is missing is asked
for, and what no sum takes is named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assistant.market import run_cost
from assistant.present.figures import significant
from assistant.vocabulary.answers import Computed

from .case import Case
from .plain_sums import RENT, cents, hourly_price, in_sources
from .run_sides import Run, runs
from .run_terms import Told, told

_CANCELS = "How long the runs are cancels out: only how much longer one is counts, and how much dearer the other."


def compared(case: Case) -> Computed | None:
    """Every run, its cost and the difference; of a premium for time that is saved without all of them, from where on
    it pays."""
    of = told(case)
    found = runs(case, of)
    gpus, price = case.fields.get("cluster.gpus"), case.fields.get("budget.gpu_hour_usd")
    if found and (of.one("usd") or price):
        if not of.one("usd"):
            found = [replace(run, usd=price) for run in found]
        if not of.one("gpus"):
            found = [replace(run, gpus=gpus or 1) for run in found]
        return _told(case, of, found, counted=bool(of.one("gpus") or gpus))
    less, extra = of.one("less"), of.one("on_top")
    return _premium_for_days(case, of, less.value, extra.value) if less and extra else None


def _told(case: Case, of: Told, found: Sequence[Run], *, counted: bool) -> Computed:
    costs = [run_cost(24 * run.days, run.gpus, run.usd, run.premium) for run in found]
    shared = len({run.gpus for run in found}) == 1
    beside, lines = [], []
    for run, cost in zip(found, costs, strict=True):
        many = "" if shared else f"{run.gpus:,g} GPUs for "
        line = f"{many}{run.days:g} days at {_price(run)}"
        formula = f"{run.days:g} days × 24 h × {run.gpus:,g} GPUs × {_price(run, brackets=True)}"
        case.figure(f"{_called(run)}{line}", round(cost, 2), "USD in all", formula)
        lines.append(f"{_called(run)}{line} cost {cents(cost)}")
        beside += in_sources(case, "run_cost", days=run.days, gpus=run.gpus, gpu_usd_per_hour=run.hourly)
    opening = f"{found[0].gpus:,g} GPUs: " if counted else "For each GPU: "
    text = f"{opening if shared else ''}{'; '.join(lines)}. {_apart(case, found, costs)}"
    case.told = {}
    notes = [RENT, *([_CANCELS] if len({run.days for run in found}) > 1 < len({run.hourly for run in found}) else [])]
    caveat = " ".join([*notes, *_left(of), *dict.fromkeys(beside)])
    inputs = {"gpus": [run.gpus for run in found], "days": [run.days for run in found]}
    return case.answer(text, caveat, **inputs, usd_per_gpu_hour=[run.hourly for run in found])


def _apart(case: Case, found: Sequence[Run], costs: Sequence[float]) -> str:
    """The difference of two, and where it turns; of more what each costs beyond the cheapest."""
    if len(found) > 2:
        least = min(range(len(found)), key=lambda at: costs[at])
        more = (f"{_name(found, at)} {cents(costs[at] - costs[least])}" for at in range(len(found)) if at != least)
        return f"{_name(found, least)} costs least; more than that cost: {', '.join(more)}."
    (first, second), (one, other) = found, costs
    between = other - one
    case.figure("difference", round(abs(between), 2), "USD in all", f"{cents(max(costs))} − {cents(min(costs))}")
    text = f"{_name(found, 1)} costs {cents(abs(between))} {_more(between)} ({100 * between / one:+.1f} %)"
    if first.days == second.days:
        return f"{text}."
    later = second.days - first.days
    text += f" and takes {significant(abs(later))} days {_more(later)}."
    fast, slow = (0, 1) if later > 0 else (1, 0)
    even = costs[slow] / (24 * found[fast].days * found[fast].gpus)
    hours = f"{found[fast].days:g} days ÷ 24 h ÷ {found[fast].gpus:,g} GPUs"
    case.figure("price of the shorter at which both cost the same", even, "USD/GPU-h", f"{cents(costs[slow])} ÷ {hours}")
    premium = even - found[slow].hourly
    on_top = f", a premium of ${premium:.3f} on the other's price" if premium > 0 else ""
    text += f" Both cost the same with the shorter at ${even:.3f} per GPU-hour{on_top}."
    if costs[fast] > costs[slow]:
        saved = (costs[fast] - costs[slow]) / abs(later)
        case.figure("each day saved", round(saved, 2), "USD in all", f"{cents(abs(between))} ÷ {abs(later):.6g} days")
        text += f" Every day saved costs {cents(saved)}."
    return text


def _premium_for_days(case: Case, of: Told, saved: float, premium: float) -> Computed:
    """From where on a premium pays for days that it saves, where the price or the length of the run is not told."""
    gpus, price = of.one("gpus") or case.fields.get("cluster.gpus"), of.one("usd")
    lengths = [run.days for run in runs(case, of)]
    many = getattr(gpus, "value", gpus)
    if lengths:
        length = min(lengths)
        turns = premium * length / saved
        case.figure("pays above a price of", turns, "USD/GPU-h", f"${premium:.2f} × {length:g} days ÷ {saved:g} days")
        said = f"where a GPU-hour costs more than ${turns:.3f} without it, as the run with it takes {length:g} days"
        asks = "Say the price of a GPU-hour for both sums."
    elif price:
        turns = saved * price.value / premium
        case.figure("pays below", turns, "days", f"{saved:g} days × ${price.value:.2f} ÷ ${premium:.2f}")
        said = f"where the run with it takes less than {turns:.3g} days"
        asks = "Say how long the run takes for both sums."
    else:
        turns = saved / premium
        case.figure("pays below, for each dollar", turns, "days per USD", f"{saved:g} days ÷ ${premium:.2f}")
        said = f"where the run with it takes less than {turns:.3g} days for each dollar that a GPU-hour costs without it"
        asks = "Say the price of a GPU-hour and how long the run takes for both sums."
    text = f"${premium:.2f} more per GPU-hour for {saved:g} days saved pays {said}."
    if many:
        daily = run_cost(24, many, premium)
        case.figure("premium of a day", round(daily, 2), "USD in all", f"24 h × {many:,g} GPUs × ${premium:.2f}")
        text += f" For {many:,g} GPUs it is {cents(daily)} for every day of the run."
    case.told = {}
    caveat = f"{asks} A deadline, storage, failures and people are not counted."
    return case.answer(text, " ".join([caveat, *_left(of)]), gpus=many, days_saved=saved, premium_usd_per_gpu_hour=premium)


def _left(of: Told) -> list[str]:
    """What was taken for what, and the numbers that no sum takes."""
    return [*of.notes, *([f"Not used: {'; '.join(of.left)}."] if of.left else [])]


def _price(run: Run, *, brackets: bool = False) -> str:
    if not run.premium:
        return hourly_price(run.usd)
    both = f"{hourly_price(run.usd)} + {hourly_price(run.premium)}"
    return f"({both})" if brackets else both


def _called(run: Run) -> str:
    return f"{run.name[0].upper()}{run.name[1:]}: " if run.name else ""


def _name(found: Sequence[Run], at: int) -> str:
    ordinal = ("the first", "the second", "the third", "the fourth")[at]
    name = found[at].name or ordinal
    return f"{name[0].upper()}{name[1:]}"


def _more(difference: float) -> str:
    return "more" if difference > 0 else "less"
