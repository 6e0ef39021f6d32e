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
from .run_terms import Part, Told, told

_DIGITS = 6  # characters of a length in days that nobody minds: 23.125
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
        if not all(run.days > 0 and run.hourly > 0 and run.gpus > 0 for run in found):  # nothing to compare by
            return None
        return _told(case, of, found, counted=bool(of.one("gpus") or gpus))
    less, extra = of.one("less"), of.one("on_top")
    if less is None or extra is None or not (less.value > 0 and extra.value > 0):
        return None
    return _premium_for_days(case, of, less.value, extra.value)


def _told(case: Case, of: Told, found: Sequence[Run], *, counted: bool) -> Computed:
    costs = [run_cost(24 * run.days, run.gpus, run.usd, run.premium) for run in found]
    shared = len({run.gpus for run in found}) == 1
    beside, lines = [], []
    for run, cost in zip(found, costs, strict=True):
        many = "" if shared else f"{_gpus(run)} for "
        line = f"{many}{_length(run)} at {_price(run)}"
        formula = f"{_time(run)} × {_gpus(run)} × {_price(run, brackets=True)}"
        case.figure(f"{_called(run)}{line}", round(cost, 2), "USD in all", formula)
        lines.append(f"{_called(run)}{line} cost {cents(cost)}")
        beside += in_sources(case, "run_cost", days=run.days, gpus=run.gpus, gpu_usd_per_hour=run.hourly)
    opening = f"{_gpus(found[0])}: " if counted else "For each GPU: "
    text = f"{opening if shared else ''}{'; '.join(lines)}. {_apart(case, found, costs)}"
    if len(costs) == 2:
        beside += in_sources(case, "difference", value=round(max(costs), 2), less=round(min(costs), 2))
    case.told = {}
    notes = [RENT, *([_CANCELS] if len({run.days for run in found}) > 1 < len({run.hourly for run in found}) else [])]
    caveat = " ".join([*notes, *_left(of), *dict.fromkeys(beside)])
    gpus, days = [run.gpus for run in found], [run.days for run in found]
    return case.answer(text, caveat, gpus=gpus, days=days, usd_per_gpu_hour=[run.hourly for run in found])


def _apart(case: Case, found: Sequence[Run], costs: Sequence[float]) -> str:
    """The difference of two, and where it turns; of more what each costs beyond the cheapest."""
    if len(found) > 2:
        least = min(range(len(found)), key=lambda at: costs[at])
        more = (
            f"{_name(found, at, opens=False)} {cents(costs[at] - costs[least])}"
            for at in range(len(found))
            if at != least
        )
        return f"{_name(found, least)} costs least; more than that cost: {', '.join(more)}."
    (first, second), (one, other) = found, costs
    between = other - one
    case.figure("difference", round(abs(between), 2), "USD in all", f"{cents(max(costs))} − {cents(min(costs))}")
    text = f"{_name(found, 1)} costs {cents(abs(between))} {_more(between)} ({100 * between / one:+.1f} %)"
    if first.days == second.days:
        return f"{text}."
    later = second.days - first.days
    text += f" and takes {_days(abs(later))} {_more(later)}."
    fast, slow = (0, 1) if later > 0 else (1, 0)
    even = costs[slow] / (24 * found[fast].days * found[fast].gpus)
    formula = f"{cents(costs[slow])} ÷ ({_time(found[fast])} × {_gpus(found[fast])})"
    case.figure("price of the shorter run at which both cost the same", even, "USD/GPU-h", formula)
    premium = even - found[slow].hourly
    on_top = f", a premium of ${premium:.3f} on the other's price" if premium > 0 else ""
    text += f" Both cost the same where {_name(found, fast, opens=False)} is ${even:.3f} per GPU-hour{on_top}."
    if costs[fast] > costs[slow]:
        saved = (costs[fast] - costs[slow]) / abs(later)
        case.figure("each day saved", round(saved, 2), "USD in all", f"{cents(abs(between))} ÷ {abs(later):.6g} days")
        text += f" Every day saved costs {cents(saved)}."
    return text


def _premium_for_days(case: Case, of: Told, saved: float, premium: float) -> Computed:
    """From where on a premium pays for days that it saves, where the price or the length of the run is not told."""
    gpus, price = of.one("gpus") or case.fields.get("cluster.gpus"), of.one("usd")
    lengths = [run.days for run in runs(case, of)]
    many: float | None = gpus.value if isinstance(gpus, Part) else gpus
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
        said = (
            f"where the run with it takes less than {turns:.3g} days for each dollar that a GPU-hour costs without it"
        )
        asks = "Say the price of a GPU-hour and how long the run takes for both sums."
    text = f"${premium:.2f} more per GPU-hour for {saved:g} days saved pays {said}."
    if many:
        daily = run_cost(24, many, premium)
        case.figure("premium of a day", round(daily, 2), "USD in all", f"24 h × {many:,g} GPUs × ${premium:.2f}")
        text += f" For {many:,g} GPUs it is {cents(daily)} for every day of the run."
    case.told = {}
    caveat = f"{asks} A deadline, storage, failures and people are not counted."
    return case.answer(
        text, " ".join([caveat, *_left(of)]), gpus=many, days_saved=saved, premium_usd_per_gpu_hour=premium
    )


def _left(of: Told) -> list[str]:
    """What was taken for what, and the numbers that no sum takes."""
    return [*of.notes, *([f"Not used: {'; '.join(of.left)}."] if of.left else [])]


def _price(run: Run, *, brackets: bool = False) -> str:
    if not run.premium:
        return hourly_price(run.usd)
    both = f"{hourly_price(run.usd)} + {hourly_price(run.premium)}"
    return f"({both})" if brackets else both


def _called(run: Run) -> str:
    return f"{_name([run], 0)}: " if run.name else ""


def _name(found: Sequence[Run], at: int, *, opens: bool = True) -> str:
    """What a run is called in a sentence that it ``opens``, or not."""
    name = found[at].name or ("the first", "the second", "the third", "the fourth")[at]
    name = f"the run {name}" if name.lower().startswith("with") else name
    return f"{name[0].upper()}{name[1:]}" if opens else name


def _length(run: Run) -> str:
    """``12 days``; ``200 hours`` where that is what was said."""
    return f"{_plain(run.days)} day{_s(run.days)}" if _in_days(run) else f"{_plain(24 * run.days)} hours"


def _time(run: Run) -> str:
    return f"{_plain(run.days)} day{_s(run.days)} × 24 h" if _in_days(run) else f"{_plain(24 * run.days)} h"


def _in_days(run: Run) -> bool:
    """Whether a length has few digits in days, or just as many in hours."""
    return len(_plain(run.days)) <= _DIGITS or len(_plain(run.days)) <= len(_plain(24 * run.days))


def _plain(number: float) -> str:
    return f"{number:.9g}"


def _s(number: float) -> str:
    return "" if round(number, 9) == 1 else "s"


def _days(days: float) -> str:
    return f"{significant(days)} day{_s(days)}"


def _gpus(run: Run) -> str:
    return f"{run.gpus:,g} GPU{_s(run.gpus)}"


def _more(difference: float) -> str:
    return "more" if difference > 0 else "less"
