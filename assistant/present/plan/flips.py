"""Where the answer turns: the nearest value of each input at which another network wins."""

from assistant.vocabulary.plan import Alternative, Flip, Plan, RivalOffer, tier_told
from assistant.vocabulary.quantities import HOURS_PER_MONTH, outward

from .. import figures
from ..blocks import Block, Bullets, Paragraph, titled, told
from ..fields import field_name, field_text, value_text
from . import card, reading
from .candidates import NOTHING_WORKS

_OF_NETWORK, _OF_GPU = "budget.fabric_premium_gpu_hour_usd", "budget.gpu_hour_usd"
_SAME = 0.015  # two prices that are closer are told as one


def section(plan: Plan) -> list[Block]:
    """The section of the report."""
    return titled("What would flip it", Bullets([*turns(plan), *_other_offer(plan)]))


def turns(plan: Plan) -> list[str]:
    """A sentence for each input that turns the answer."""
    return [turn(flip, plan.recommendation.fabric, plan) for flip in plan.recommendation.flips]


def _other_offer(plan: Plan) -> list[str]:
    """``Same network at sf-compute: cheaper below $1.99 per GPU-hour (list: $2.11).``: no turn of the network,
    so told beside those."""
    rival = plan.recommendation.rival_offer
    if rival is None:
        return []
    if rival.quote is not None:
        return [_beside_the_quote(rival, plan)]
    tier = tier_told({rival.tier})
    at = value_text("budget.gpu_hour_usd", rival.cheaper_at_usd_per_gpu_hour)
    now = _bare(value_text("budget.gpu_hour_usd", rival.usd_per_gpu_hour), at)
    at += ", asked for on the day of this plan" if rival.tier == "spot" else ""  # its age counts for dearer
    return [f"Same network at {reading.seller(plan, rival.provider)}{tier}: cheaper below {at} (list: {now})."]


def _beside_the_quote(rival: RivalOffer, plan: Plan) -> str:
    """Which price of the quote is as good as the best list."""
    now = next(q.usd_per_gpu_hour for q in plan.quotes if q.number == rival.quote) or 0.0
    at, hourly = rival.quote_even_at_usd_per_gpu_hour, "budget.gpu_hour_usd"
    dearer = at is not None and at >= now
    listed = value_text(hourly, rival.usd_per_gpu_hour)
    who = f"{reading.seller(plan, rival.provider)} ({rival.instance}, {rival.fabric}, list price {listed})"
    if at is None:
        return f"The best published offer, {who}, comes to {figures.usd(rival.cost_usd)} for this run."
    even = value_text(hourly, outward(at, up=dearer))  # as it is printed it holds too
    if dearer:
        return f"Above {even} quote {rival.quote} costs this run more than the best published offer, {who}."
    return f"The best published offer, {who}, costs this run less: quote {rival.quote} would match it at {even}."


def turn(flip: Flip, chosen: str | None, plan: Plan | None = None) -> str:
    """``GPUs: from 64 to 128, then roce-v2-400.`` ``chosen``: what is recommended as things are."""
    then = "no network" if flip.to_fabric == "none" else flip.to_fabric
    if flip.to_quote is not None:
        its_own = flip.input.startswith(f"budget.quotes.{flip.to_quote - 1}.")  # it wins by becoming cheaper itself
        then = (
            "it is taken"
            if its_own
            else f"quote {flip.to_quote}"
            if flip.to_fabric == "none"
            else f"quote {flip.to_quote} ({then})"
        )
    old, new = value_text(flip.input, flip.from_), value_text(flip.input, flip.at)
    held = flip.even is not None and abs(flip.even - flip.at) > _SAME * abs(flip.at)
    even = f" (even at {_bare(value_text(flip.input, flip.even), new)}; in between the rules decide)" if held else ""
    dated = f" as of {flip.dated} (as old as the list it would not yet)" if flip.dated else ""
    return f"{_name(flip, chosen, plan)}: from {_bare(old, new)} to {new}{dated}, then {then}{even}."


def _bare(text: str, named: str) -> str:
    """A value without the unit that ``named`` has as well: ``from $6.88 to $1.87 per GPU-hour``."""
    unit = named.partition(" ")[2]
    return text.removesuffix(f" {unit}") if unit else text


def _name(flip: Flip, chosen: str | None, plan: Plan | None) -> str:
    """A price with whose it is: a network wins by becoming cheaper itself, or where the choice becomes dearer."""
    upkeep = reading.with_upkeep(plan) if plan is not None else ""
    if flip.input == _OF_NETWORK:
        return f"price of {chosen if flip.at > flip.from_ else flip.to_fabric} on top of the GPU{upkeep}"
    if plan is not None and flip.input.startswith("providers."):
        provider = flip.input.split(".")[1]
        theirs = (o for o in plan.offers if o.provider == provider and o.usd_per_gpu_hour)
        tiers = {o.tier for o in theirs if round(o.usd_per_gpu_hour or 0.0, 3) == flip.from_}
        return f"price at {reading.seller(plan, provider)}{tier_told(tiers)}"
    if flip.input == _OF_GPU and plan is not None and plan.purchase is not None and plan.purchase.gpus_there:
        return "what an hour of a GPU is worth to you"
    return f"price of the GPU{upkeep}" if flip.input == _OF_GPU else field_name(flip.input)


def ways_out(plan: Plan) -> list[str]:
    """What would keep the limits where nothing does as asked, each with its sum and its day."""
    usd, month = reading.asked(plan, "budget.usd"), reading.asked(plan, "budget.usd_per_month")

    def budget(found: Alternative) -> float | None:  # a run that is shorter than a month is paid within one
        short = found.done_by is not None and found.run_hours <= HOURS_PER_MONTH
        return found.change.get("budget.usd", usd) or (month if short else None)

    return [_alternative(found, budget(found)) for found in plan.recommendation.what_fits]


def _alternative(found: Alternative, budget: float | None) -> str:
    network = "" if found.fabric == "none" else found.fabric
    old = f"a price {found.price_age_days} days old: ask" if found.price_age_days else ""
    where = ", ".join(text for text in (" at ".join(filter(None, (network, found.provider))), old) if text)
    to_buy = f" to buy{_what_is_bought(found)}" if found.bought else _beside(found, budget)
    sum_, hours = figures.usd(found.cost_usd), figures.hours(found.run_hours)
    if found.expected_cost_usd is not None:
        sum_ += f" in the middle, {figures.usd(found.expected_cost_usd)} on average"
    done = f", done in {hours}, by {found.done_by} if it starts today" if found.done_by else " a month"
    if found.tokens and found.tokens_as_asked:
        done += f", which trains {_tokens(found.tokens)} of the {_tokens(found.tokens_as_asked)} as asked"
    what = ", ".join(changed(path, value) for path, value in found.change.items())
    return f"{what}: {sum_}{to_buy}{done}{f' ({where})' if where else ''}."


def _tokens(value: float) -> str:
    return value_text("training.tokens", float(f"{value:.3g}"))


def _what_is_bought(found: Alternative) -> str:
    """Where some GPUs are there: how many are not, and that the sum has what joins them."""
    if found.gpus_bought is None:
        return ""
    joined = "" if found.fabric == "none" else " and what is missing of the network"
    return f" the other {found.gpus_bought:,} GPUs{joined}"


def _beside(found: Alternative, budget: float | None) -> str:
    """What the run may come to beside the sum that keeps the budget, and whether that does."""
    over = lambda usd: ", more than the budget" if budget is not None and usd > budget else ""
    whole, worst, said = found.whole_hours_usd, found.one_in_ten_usd, ""
    if whole and figures.usd(whole) != figures.usd(found.cost_usd):
        said += f" to the minute, {figures.usd(whole)} in whole hours{over(whole)}"
    return said + (f" ({figures.usd(worst)} or more in one of ten{over(worst)})" if worst else "")


def changed(path: str, value: object) -> str:
    """A change in words: "GPUs: 32", "any provider"."""
    open_ = {
        "cluster.provider": "any provider",
        "budget.quotes": "at published prices",
        "budget.spot": "on spot machines",
    }
    return open_.get(path) or field_text(path, value)


def answer(plan: Plan) -> list[Block]:
    """What would turn the answer; where nothing works, what would make something work."""
    found, change = plan.recommendation, plan.recommendation.smallest_change
    items = [*([change] if change else []), *ways_out(plan), *turns(plan)]
    if found.verdict == "infeasible":
        return told(f"{NOTHING_WORKS} This would help:" if items else NOTHING_WORKS, *items)
    sure = " ".join(card.certain(plan))
    if items:
        turning = f"The answer is {found.fabric}. {sure} Taken one at a time, this would turn it:"
        return [*told(turning, *items), *(Paragraph(text) for text in _other_offer(plan))]
    stays = f"Within the values tried, no single input turns the answer away from {found.fabric}. {sure}"
    return told(" ".join([stays, *_other_offer(plan)]))
