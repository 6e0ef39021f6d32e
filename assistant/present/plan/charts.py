"""The charts of a report: what the job costs on each network, where the time of a step goes, what moves the cost."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.vocabulary.added import added
from assistant.vocabulary.plan import Assumption, Band, Candidate, Mover, Plan, RentalOffer

from .. import figures
from ..blocks import Block, Bullets, Chart, Heading, Paragraph, titled
from ..chart_svg import BandRow, Chosen, Kind, Part, StackRow, bands_svg, is_logarithmic, stacks_svg
from ..fields import assumed_text
from ..plots import PARTS, cost_view, plain, step_view, told_apart
from . import reading
from .card import costs_more

WIDTH = 72  # columns of a chart in signs, beside the picture
MOST_ROWS = 6
_ALIKE = 4.0  # times as long as the shortest: bars beyond are shares of their own time
_KINDS: dict[str, Kind] = {"work": "work", "wait": "wait", "network": "network"}
_LEGEND: tuple[tuple[Kind, str], ...] = (
    ("work", "GPUs compute"),
    ("wait", "GPUs wait for each other"),
    ("network", "GPUs wait for the network"),
)
_LEAST = 0.005  # of a step: shorter parts are not named


def cost(plan: Plan) -> list[Block]:
    """What it costs on each network, or of each offer where the networks have one cost: the tenth, fiftieth and
    ninetieth percentile."""
    rows = _offered(plan) if len(_priced(plan)) < 2 else _networks(plan)
    if not rows:
        return []
    title = f"What {reading.bill(plan)} costs"
    told = [f"{row.name}: {row.figure}, {row.more.strip('()')}." for row in rows]
    svg = bands_svg(title, told, rows, marks=_limits(plan))
    lines = tuple(plain(cost_view(plan, WIDTH))[1:]) if len(_priced(plan)) > 1 else tuple(told)
    left = max(0, len(_priced(plan)) - MOST_ROWS)
    more = f" {left} more networks cost more." if left else ""
    axis = " Each step of the axis multiplies the sum." if is_logarithmic(rows, _limits(plan)) else ""
    against = " !: not advised." if any(row.name.startswith("! ") for row in rows) else ""
    share = " The run's share of the purchase, with power and support." if reading.to_buy(plan) else ""
    about = "The line is the middle estimate; in eight of ten cases the cost lies within the bar."
    about = f"{about}{share}{axis}{against}{more}"
    return [Heading(title), Chart(lines, tuple(told), svg), Paragraph(about)]


def _priced(plan: Plan) -> list[Candidate]:
    able = [c for c in plan.candidates if c.cost_usd and c.fits is not False and c.verdict != "impossible"]
    needed = [c for c in able if plan.recommendation.fabric != "none" or c.fabric == "none"] or able
    return sorted(needed, key=lambda c: c.median_cost)


def _networks(plan: Plan) -> list[BandRow]:
    """What is recommended, then the others by cost."""
    shown = sorted(_priced(plan), key=lambda c: c.verdict != "recommended")[:MOST_ROWS]
    works = plan.recommendation.verdict != "infeasible"
    name = lambda c: f"{'! ' if works and c.verdict == 'avoid' else ''}{_with_seller(plan, c)}"
    chosen = _chosen(plan)
    return [_row(name(c), c.cost_usd, chosen if c.verdict == "recommended" else None) for c in shown if c.cost_usd]


def _chosen(plan: Plan) -> Chosen:
    return "doubt" if costs_more(plan) else "good"


def _with_seller(plan: Plan, found: Candidate) -> str:
    """``InfiniBand NDR, Voltage Park``: a network's cost is that of the offer that costs least with it."""
    name, offer = reading.name(plan, found.fabric), found.offer
    sold = plan.offers[offer] if offer is not None and offer < len(plan.offers) else None
    return f"{name}, {_seller(plan, sold)}" if sold else name


def _seller(plan: Plan, offer: RentalOffer) -> str:
    return offer.provider_name or plan.names.get(offer.provider, offer.provider)


def _offered(plan: Plan) -> list[BandRow]:
    """The offers that cost least, each seller once."""
    best = {o.provider: o for o in reversed(plan.offers) if o.run_cost_usd and not o.unfinished_percent}
    shown = sorted(best.values(), key=lambda o: o.ranked_usd)[:MOST_ROWS]
    taken = plan.recommendation.offer
    chosen = plan.offers[taken] if taken is not None else None
    tier = lambda o: "" if o.tier == "on-demand" else f", {o.tier}"
    named = [(f"{_seller(plan, o)}{tier(o)}", o.run_cost_usd, o is chosen) for o in shown]
    alone = reading.chosen(plan)
    if not named and alone and alone.cost_usd:
        named = [(reading.name(plan, alone.fabric), alone.cost_usd, True)]
    return [_row(name, band, _chosen(plan) if taken else None) for name, band, taken in named if band]


def _row(name: str, band: Band, chosen: Chosen) -> BandRow:
    low, high = figures.sum_usd(band.p10), figures.sum_usd(band.p90)
    more = f"({low} to {high})" if low != high else "(fixed)"
    return BandRow(name, (band.p10, band.p50, band.p90), figures.sum_usd(band.p50), more, chosen)


def _limits(plan: Plan) -> list[tuple[float, str]]:
    """The budget that the costs are held against, where one was given."""
    usd = reading.asked(plan, "budget.usd" if reading.ends(plan) else "budget.usd_per_month")
    return [] if not usd or _is_bought(plan) else [(float(usd), f"budget {figures.sum_usd(usd)}")]


def _is_bought(plan: Plan) -> bool:
    return reading.asked(plan, "budget.mode") == "buy"


def step(plan: Plan) -> list[Block]:
    """Where the time of a step goes on the recommended network, the runner-up and the slowest."""
    shown = told_apart(plan)
    if not shown:
        return []
    what = "one token" if reading.serves(plan) else "one step"
    title, first, best = f"Where the time of {what} goes", shown[0][0], min(c.median_step for c, _ in shown)
    longest = max(c.median_step for c, _ in shown)
    to_scale = longest <= _ALIKE * best
    rows = [_bar(plan, c, role, c.median_step / longest if to_scale else 1.0, best) for c, role in shown]
    kinds = {part.kind for row in rows for part in _named_parts(row.parts)}
    legend: list[tuple[Kind, str]] = [(kind, text) for kind, text in _LEGEND if kind in kinds]
    told = [f"{row.name}, {row.figure}: {_in_words(row.parts)}." for row in rows]
    svg = stacks_svg(title, told, rows, legend)
    scale = "Bars are as long as the times." if to_scale else "Each bar is the whole of its own time."
    where = "Without a network" if first.fabric == "none" else f"On {reading.name(plan, first.fabric)}"
    named = f"{where}: {_in_words(rows[0].parts)}."
    scaled = f" {scale}" if len(rows) > 1 else ""
    chart = Chart(tuple(plain(step_view(plan, WIDTH))[1:]), tuple(told), svg)
    return [Heading(title), chart, Paragraph(f"{named}{scaled}")]


def _bar(plan: Plan, found: Candidate, role: str, length: float, best: float) -> StackRow:
    seconds = found.breakdown_s.model_dump() if found.breakdown_s else {}
    whole = added(seconds.values()) or 1.0
    parts = [
        Part(name, seconds[field], _KINDS[style], figures.percent(100 * seconds[field] / whole))
        for field, name, _, style in PARTS
        if seconds.get(field, 0.0) > 0
    ]
    parts.sort(key=lambda part: [kind for kind, _ in _LEGEND].index(part.kind))
    times = found.median_step / best
    slower = f", {figures.slowdown(100 * (times - 1))}" if times > 1 + reading.APART else ""
    taken = role == "recommended"
    name = f"{reading.name(plan, found.fabric)}, {reading.verdict(found, plan) if taken else role}"
    figure = f"{figures.seconds(found.median_step)}{slower}"
    return StackRow(name, parts, figure, length, _chosen(plan) if taken else None)


def _in_words(parts: Sequence[Part]) -> str:
    """``compute 84 %, tensor parallel 9.1 %``, the longest first."""
    told = sorted(_named_parts(parts), key=lambda part: -part.size)
    return ", ".join(f"{part.name} {part.figure}" for part in told)


def _named_parts(parts: Sequence[Part]) -> list[Part]:
    whole = added(part.size for part in parts)
    return [part for part in parts if part.size > _LEAST * whole]


MOVERS = {
    "price": "the price that is agreed",
    "purchase-price": "the price of the machines",
    "step": "how fast the job runs",
    "interruptions": "failures and restarts",
    "network-price": "the price of the network",
}


def movers(plan: Plan) -> list[Block]:
    """What moves the cost, each alone, and by how much."""
    best = reading.chosen(plan)
    if best is None or best.cost_usd is None or not plan.movers:
        return []
    rows = [_moved(one, best.cost_usd.p50) for one in plan.movers]
    told = [f"{row.name}: {row.figure}." for row in rows]
    title = "What moves the sum"
    svg = bands_svg(title, told, rows, marks=[(best.cost_usd.p50, figures.sum_usd(best.cost_usd.p50))],
                    from_zero=False)  # fmt: skip
    about = "The cost if that alone turns out as in one case of ten, on either side, and all else in the middle."
    return [Heading(title), Chart(tuple(told), tuple(told), svg), Paragraph(about)]


def _moved(one: Mover, middle: float) -> BandRow:
    name = MOVERS[one.what]
    figure = f"{figures.sum_usd(one.low_usd)} to {figures.sum_usd(one.high_usd)}"
    return BandRow(f"{name[0].upper()}{name[1:]}", (one.low_usd, middle, one.high_usd), figure)


def rests_on(plan: Plan, most: int = 6) -> list[Block]:
    """The assumptions that the sum rests on, prices first; how many more there are."""
    known = [a for a in plan.assumptions if a.value is not None and a.field not in _NO_SUM]
    of_money = [a for a in known if a.field.startswith(_OF_MONEY)]
    of_work = [a for a in known if a.field.startswith(_OF_WORK)]
    shown = [*of_money, *of_work][:most]
    items = [f"{_assumed(plan, a)}." for a in shown]
    left = len(plan.assumptions) - len(shown)
    more = [f"{left} more, with every reason, under “Assumed, because nobody said”."] if left and items else []
    return titled("What the sum rests on", Bullets([*items, *more]))


def _assumed(plan: Plan, one: Assumption) -> str:
    """With whose list a price is of, where it is one's; what a provider's price has in it is no price of its own."""
    taken = plan.recommendation.offer
    offer = plan.offers[taken] if taken is not None else None
    if offer and one.field == "budget.gpu_hour_usd" and offer.date:
        return f"{assumed_text(one)}, the list of {_seller(plan, offer)} of {reading.day(offer.date)}"
    if offer and one.field.startswith("fabrics.") and not one.value:
        return f"the network is in the price of {_seller(plan, offer)}"
    return assumed_text(one)


_OF_MONEY = ("budget.", "fabrics.", "catalog.", "providers.")
_OF_WORK = ("training.", "inference.", "rl.", "model.practice", "profile.")
_NO_SUM = ("budget.mode", "budget.spot", "training.attention", "training.framework", "inference.engine", "rl.critic")
