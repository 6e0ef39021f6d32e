"""How the figures of a plan are to be read: whose split, which middle, the probability of what."""

import datetime
from typing import Any

from assistant.vocabulary.added import added
from assistant.vocabulary.plan import CLOSE_PERCENT, QUOTE_WARNINGS, Candidate, Plan, Purchase, RentalOffer
from assistant.vocabulary.quantities import DAYS_PER_MONTH, days_said
from assistant.vocabulary.questionnaire import latest_days

from .. import figures
from ..limits import SPLITS

_SHAPE = ("strategy", "tp", "pp", "cp", "ep")
# Two figures for a step that are closer than this look the same to a reader.
SAME = 0.005
EQUAL = 0.0005  # of a cost: a smaller difference is none
_SUREST = 0.99  # a few hundred drawn worlds show no more
APART = 0.01  # of a cost or a time: a smaller difference cannot be told from the model's error


def candidate(plan: Plan, fabric: str | None) -> Candidate | None:
    """A network of the plan by its id."""
    return next((c for c in plan.candidates if c.fabric == fabric), None)


def chosen(plan: Plan) -> Candidate | None:
    """The recommended candidate."""
    return candidate(plan, plan.recommendation.fabric)


def asked(plan: Plan, field: str) -> Any:
    """A field of the questionnaire as it was said, by its dotted path; ``None`` where nobody said it."""
    value: Any = plan.questionnaire
    for part in field.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def unread(plan: Plan) -> str:
    """The prices that were told with the quotes and are in none of them, as they were typed."""
    told = (quote.get("unread") for quote in asked(plan, "budget.quotes") or [])
    return ", ".join(f'"{text}"' for text in dict.fromkeys(told) if text)


def asks_of_quotes(plan: Plan) -> bool:
    """Whether a warning asks something of a quote."""
    return any(one.code in QUOTE_WARNINGS for one in plan.warnings)


def network_said(plan: Plan) -> str | None:
    """The network that was said to be there or to be taken, by its id."""
    return asked(plan, "cluster.fabric") or None


def gpus(plan: Plan) -> int:
    """The size of the cluster."""
    return plan.questionnaire["cluster"]["gpus"]


def day(date: str) -> str:
    """``2026-11-23`` → ``23 November 2026``; what is no day stays as it is."""
    try:
        found = datetime.date.fromisoformat(date)
    except ValueError:
        return date
    return f"{found.day} {found:%B %Y}"


def name(plan: Plan, fabric: str) -> str:
    """A network as people call it."""
    return plan.names.get(fabric, fabric)


def serves(plan: Plan) -> bool:
    """Whether the job answers requests."""
    return "inference" in str(plan.questionnaire.get("workload", ""))


def unit_of_work(plan: Plan) -> str:
    """What is timed: an optimizer step, or one output token when serving."""
    return "One output token" if serves(plan) else "One step"


def lengths(plan: Plan) -> tuple[int, int]:
    """Tokens of a prompt and of an answer, as said or as usual."""
    prompt, answer = (asked(plan, f"inference.{name}_tokens") for name in ("prompt", "output"))
    return prompt or 2000, answer or 500


def ends(plan: Plan) -> bool:
    """Whether the job is done some day: training is, and requests in bulk whose number was said."""
    return not serves(plan) or bool(asked(plan, "inference.tokens") or asked(plan, "inference.requests"))


def bill(plan: Plan) -> str:
    """What a cost is that of: the run, the job in bulk, or a month of a service, which has no end; where networks write
    unlike many tokens in a month, what the fastest writes in one."""
    if ends(plan):
        return "the run" if not serves(plan) else "the job"
    hours = [c.run_hours for c in plan.candidates if c.run_hours is not None and c.fits is not False]
    return "a month's work" if hours and max(hours) > (1 + APART) * min(hours) else "a month"


def waited(plan: Plan, found: Candidate) -> float | None:
    """Percent of the time in which the network is waited for; of a service, of a whole request."""
    if found.fabric == "none":  # what nothing hides is within the nodes
        return None if found.exposed_communication_percent is None else 0.0
    if not serves(plan) or found.step_time_s is None:
        return found.exposed_communication_percent
    over = plan.crossing.networks if plan.crossing else []
    return next((one.network_wait_percent for one in over if one.fabric == found.fabric), 0.0)


def usd_per_million_tokens(plan: Plan, found: Candidate) -> float | None:
    """US dollars per million tokens trained, or written by a service."""
    hours = found.run_hours or 0.0
    tokens = asked(plan, "training.tokens") or 3600 * hours * gpus(plan) * (found.tokens_per_s_per_gpu or 0.0)
    return found.cost_usd.p50 / tokens * 1e6 if found.cost_usd and tokens else None


def seller(plan: Plan, provider: str) -> str:
    """A provider's name by its id, where it has an offer in the plan."""
    return next((o.provider_name for o in plan.offers if o.provider == provider and o.provider_name), provider)


def is_owned(plan: Plan) -> bool:
    """Whether the network that is there was said."""
    return bool(asked(plan, "cluster.fabric"))


def adds_to_what_is_there(plan: Plan) -> bool:
    """Whether machines are there already, so that what each network costs to buy decides."""
    there = asked(plan, "budget.owned") not in (None, "nothing")
    return there and any(c.usd_to_buy for c in plan.candidates)


def is_given(plan: Plan) -> bool:
    """Whether the network was given, not chosen."""
    return asked(plan, "cluster.fabric") == plan.recommendation.fabric


def verdict(found: Candidate, plan: Plan) -> str:
    """The verdict in a word; a network that was given is not recommended."""
    return "given" if found.verdict == "recommended" and is_given(plan) else found.standing


def chance(plan: Plan) -> str:
    """The probability behind the word for how certain it is, and of what; told where it is asked why, and nowhere else.
    Nothing where nothing works."""
    sure, left = _chance(plan), left_out(plan)
    return f"{sure} That is among {among(plan)}; {left}." if sure and left else sure


def unadvised(plan: Plan) -> list[Candidate]:
    """What costs less than the choice and is advised against: no draw counts it among what may be the cheapest, or just
    those in which its price is one that keeps the budget."""
    best = chosen(plan)
    if best is None or best.cost_usd is None:
        return []
    avoided = [c for c in plan.candidates if c.verdict == "avoid" and c.fits is not False]
    left = [c for c in avoided if c.limits_missed or not c.probability_best]
    return [c for c in left if c.cost_usd and c.cost_usd.p50 < best.cost_usd.p50]


def uncounted(plan: Plan) -> list[Candidate]:
    """What costs less than the choice and is advised against, and what does not keep every limit and costs no more, or
    hardly (:data:`CLOSE_PERCENT`): no draw counts it among what may be the cheapest."""
    best, cheaper = chosen(plan), unadvised(plan)
    if best is None or best.cost_usd is None:
        return []
    missing = [c for c in plan.candidates if c.limits_missed and c.verdict == "avoid" and c.fits is not False]
    over = [c for c in missing if not c.probability_best]
    most = (1 + CLOSE_PERCENT / 100) * best.cost_usd.p50
    return cheaper + [c for c in over if c not in cheaper and c.cost_usd and c.cost_usd.p50 <= most]


def left_out(plan: Plan) -> str:
    """The same with its sum; of a purchase its share and what it is to buy, beside the share of the choice. Nothing
    where there is none."""
    cheaper, said, best = unadvised(plan), dict[str, list[str]](), chosen(plan)
    for c in sorted(uncounted(plan), key=lambda c: (c not in cheaper, not c.limits_missed)):
        how, limits = "cheaper" if c in cheaper else "about as dear", " or ".join(c.limits_missed)
        why = f"{how}, but without keeping {limits}" if limits else f"{how} but not advised"
        sum_ = f"{name(plan, c.fabric)}, {figures.usd(c.cost_usd and c.cost_usd.p50)}"
        if c.usd_to_buy:
            sum_ += f" for {bill(plan)} and {figures.usd(c.usd_to_buy)} to buy"
        said.setdefault(why, []).append(sum_)
    left = [f"{why}: {', '.join(named)}" for why, named in said.items()]
    if left and best is not None and best.usd_to_buy:  # its line of the card tells what it is to buy alone
        left.append(f"{name(plan, best.fabric)} comes to {figures.usd(best.median_cost)} for {bill(plan)}")
    return "; ".join(left)


def among(plan: Plan) -> str:
    """Among which networks the choice is the cheapest, where something else costs no more, or hardly; nothing where
    nothing does."""
    some = uncounted(plan)
    if not some:
        return ""
    return "those that keep the limits" if any(c.limits_missed for c in some) else "those advised"


def _chance(plan: Plan) -> str:
    if plan.recommendation.verdict == "infeasible":
        return ""
    value, best = plan.recommendation.confidence, chosen(plan)
    if best is not None and best.run_hours is not None and best.cost_usd is None:
        return ""  # without a price nothing is the cheapest
    share = f"{value:.0%}" if value <= _SUREST else f"over {_SUREST:.0%}"
    if is_given(plan):
        return f"Chance that it is the cheapest as well: {share}."
    whose = ", not this offer of it," if plan.taken else ""
    what = "it" if plan.recommendation.fabric == "none" else f"this network{whose}"
    return f"Chance that {what} is the cheapest, or within a percent, if what was assumed holds: {share}."


def waiting(found: Candidate, where: str = "") -> str:
    """The share of the time that nothing but communication takes."""
    share = figures.percent(found.exposed_communication_percent)
    return f"{share} of the time{where} is communication that nothing hides, inside nodes too"


def step_band(found: Candidate) -> str:
    """The time of a step with its tenth and ninetieth percentile."""
    band, text = found.step_time_s, figures.seconds
    return figures.UNKNOWN if band is None else f"{text(band.p50)} ({text(band.p10)}–{text(band.p90)})"


def gib(found: Candidate) -> float:
    """GiB on the fullest GPU, nothing where it was not computed."""
    return (found.memory_gb_per_gpu or 0.0) * 1e9 / 2**30


def crowded(plan: Plan) -> bool:
    """Whether the split that was given may run out of memory."""
    return any(warning.code == "memory-full" for warning in plan.warnings)


def with_upkeep(plan: Plan) -> str:
    """What a price per GPU-hour has in it beside the write-off, of what is bought."""
    return ", with its power and upkeep" if plan.purchase is not None else ""


def to_buy(plan: Plan) -> Purchase | None:
    """The purchase, where anything has to be bought: what is there already is kept and run."""
    return plan.purchase if plan.purchase and plan.purchase.capital_usd else None


def limits_kept(plan: Plan) -> str | None:
    """How all that was said to be a limit is kept."""
    return " ".join(each_limit(plan)) or None


def limits_in_short(plan: Plan) -> str | None:
    """Whether what was said to be a limit is kept at the median, in a clause: "within the 14 days, 2.1 to spare"."""
    best = chosen(plan)
    if best is None or best.run_hours is None or best.cost_usd is None:
        return None
    days, usd, monthly = (asked(plan, f) for f in ("constraints.deadline_days", "budget.usd", "budget.usd_per_month"))
    bought, wait = to_buy(plan), 24 * (best.delivery_days or 0.0)
    cost = bought.capital_usd if bought is not None else best.cost_usd.p50
    found: list[tuple[str, float, float, str, str]] = []
    if days and ends(plan):
        hours = wait + best.run_hours
        found.append((f"the {days_said(days)}", hours, 24.0 * days, figures.hours(abs(24.0 * days - hours)), "late"))
    if usd and (bought is not None or asked(plan, "budget.mode") != "buy"):
        found.append((f"the {figures.usd(usd)}", cost, usd, figures.usd(abs(usd - cost)), "too much"))
    if monthly and best.usd_per_month is not None:
        over = figures.usd(abs(monthly - best.usd_per_month))
        found.append((f"the {figures.usd(monthly)} a month", best.usd_per_month, monthly, over, "too much"))
    told = [
        f"within {limit} ({apart} to spare)" if value <= most else f"outside {limit} ({apart} {how})"
        for limit, value, most, apart, how in found
    ]
    over = (_average_over(plan, usd) if usd else "") or (_average_over(plan, monthly, month=True) if monthly else "")
    return f"{' and '.join(told)}{over}." if told else None


def each_limit(plan: Plan) -> list[str]:
    """How deadline, budget and power that were said are kept, each in a sentence, at the median and in the band."""
    best, days, usd = chosen(plan), asked(plan, "constraints.deadline_days"), asked(plan, "budget.usd")
    if best is None or best.step_time_s is None or best.run_hours is None or best.cost_usd is None:
        return list(filter(None, [power_kept(plan)]))
    said, hours, cost, slow = [], best.run_hours, best.cost_usd, run_band(best)[1]
    if days and ends(plan):
        wait = 24 * (best.delivery_days or 0.0)
        kept = _kept(wait + hours, wait + slow, 24 * latest_days(days, asked(plan, "training.days")))
        after = f" after {figures.hours(wait)} of delivery" if wait else ""
        said.append(
            f"Deadline of {days_said(days)}: {kept}, {figures.hours(hours)} (up to {figures.hours(slow)}){after}."
        )
    bought, limit = to_buy(plan), figures.usd_limit(usd or 0.0)
    if usd and bought is not None:
        kept = _kept(bought.capital_usd, bought.capital_usd_high, usd)
        said.append(f"Budget of {limit} for the purchase: {kept}, {figures.usd_against(bought.capital_usd, usd)}.")
    elif usd and best.usd_to_buy is not None:  # what is bought is not listed where nothing keeps what was asked
        kept = _kept(best.usd_to_buy, best.usd_to_buy, usd)
        said.append(f"Budget of {limit} for the purchase: {kept}, {figures.usd_against(best.usd_to_buy, usd)}.")
    elif usd and asked(plan, "budget.mode") != "buy":
        kept = _kept(cost.p50, cost.p90, usd)
        said.append(f"Budget of {limit}: {kept}, {figures.usd_band(cost, usd)}{_average_over(plan, usd)}.")
    monthly, month = asked(plan, "budget.usd_per_month"), best.usd_per_month
    if monthly and month is not None:
        over = _average_over(plan, monthly, month=True)
        kept = f"kept{' in the median' if over else ''}" if month <= monthly else "not kept"
        paid = max((o.gpus_paid or 0 for o in plan.offers if o.fabric == best.fabric and _costs(o, best)), default=0)
        whole = f" for the {paid:,} GPUs of whole machines" if paid > gpus(plan) else ""
        a_month = figures.usd_against(month, monthly)
        said.append(f"Budget of {figures.usd_limit(monthly)} a month: {kept}, {a_month}{whole}{over}.")
    reserved = asked(plan, "budget.reserved_days")
    if reserved and asked(plan, "budget.mode") != "buy":
        whole = hours <= 24 * reserved
        paid = "all of it is paid for" if whole else "the rest is paid for by the hour"
        run = f"the run takes {figures.hours(hours)}, {paid}"
        if not ends(plan):
            run = f"it is paid by the month, {figures.usd(reserved / DAYS_PER_MONTH * cost.p50)} in all"
        said.append(f"Reserved for {figures.hours(24 * reserved)}: {run}.")
    share = asked(plan, "budget.network_share_percent")
    if share:
        said.append(_network_share(plan, best, share))
    return [*said, *filter(None, [power_kept(plan)])]


def power_kept(plan: Plan, limit: float | None = None) -> str | None:
    """How a limit of power is kept, the one that was said or another, kW: machines and network are measured by it;
    cooling comes on top, and is told for who has to feed it too."""
    drawn, limit = plan.power, limit or asked(plan, "constraints.max_power_kw")
    if drawn is None or not limit:
        return None
    kw = lambda value: f"{figures.significant(value)} kW"
    left = f"{kw(abs(limit - drawn.it_kw))} {'to spare' if drawn.it_kw <= limit else 'too many'}"
    kept = "kept" if drawn.it_kw <= limit else "not kept"
    beyond = drawn.it_kw <= limit < drawn.site_kw
    whole = f"; a limit that is to feed the cooling too is not kept: {kw(drawn.site_kw)}" if beyond else ""
    cooled = "" if beyond else f"; {kw(drawn.site_kw)} with cooling"
    return f"Power limit of {limit:g} kW: {kept}, {kw(drawn.it_kw)} for machines and network, {left}{whole}{cooled}."


def _costs(offer: RentalOffer, best: Candidate) -> bool:
    """Whether a candidate has the price of the offer."""
    if offer.run_cost_usd is None or best.cost_usd is None:
        return False
    return abs(offer.run_cost_usd.p50 / best.cost_usd.p50 - 1) < EQUAL


def _network_share(plan: Plan, best: Candidate, limit: float) -> str:
    """How the network's share of the money is kept: of a purchase, else of what a GPU-hour costs."""
    network, machines = best.fabric_usd_per_gpu_hour or 0.0, best.gpu_usd_per_hour or 0.0
    percent = plan.purchase.network_percent if plan.purchase else 100 * network / (network + machines or 1.0)
    if not network or percent is None:
        return (
            f"At most {limit:g} % for the network: its price is within that of the machines, so its share is not known."
        )
    kept = "kept" if percent <= limit else "not kept"
    return f"At most {limit:g} % for the network: {kept}, {figures.percent(percent)}."


def _average_over(plan: Plan, limit: float, *, month: bool = False) -> str:
    """What the offer that is taken costs on average, a whole run or a ``month`` of it, where that is over a limit."""
    taken = plan.taken
    mean = taken.expected_cost_usd if taken else None
    if taken and mean and month and taken.usd_per_month is not None:
        mean = min(mean, taken.usd_per_month)
    return f", and over it on average, {figures.usd(mean)}" if mean and mean > limit else ""


def _kept(median: float, worst: float, limit: float) -> str:
    if median > limit:
        return "not kept"
    return "kept" if worst <= limit else "kept in the median, not in the worst tenth of cases"


def run_band(found: Candidate) -> tuple[float, float]:
    """Hours of the run at the tenth and ninetieth percentile: of its step and of what interrupts it."""
    band, hours = found.run_hours_band, found.run_hours or 0.0
    return (hours, hours) if band is None else (band.p10, band.p90)


def splits(candidates: list[Candidate]) -> str | None:
    """Who runs on which split, where networks that fit do not share one; the recommended one's first."""
    by_shape: dict[tuple[object, ...], list[Candidate]] = {}
    for found in candidates:
        if found.fits is not False and found.parallelism:
            by_shape.setdefault(tuple(found.parallelism.get(key) or 1 for key in _SHAPE), []).append(found)
    if len(by_shape) < 2:
        return None
    told = [f"{', '.join(c.fabric for c in same)}: {_shape(same[0])}" for same in by_shape.values()]
    more = f"; {len(told) - SPLITS} more" if len(told) > SPLITS else ""
    return f"Each network at its own best split. {'; '.join(told[:SPLITS])}{more}."


def _shape(found: Candidate) -> str:
    return figures.layout({key: found.parallelism.get(key) for key in (*_SHAPE, "dp")})


def middle(plan: Plan) -> str | None:
    """The step with every estimate at its middle, where that is not the median of the error band."""
    best = chosen(plan)
    if best is None or best.breakdown_s is None or best.step_time_s is None or serves(plan):
        return None
    step = added(best.breakdown_s.model_dump().values())
    if abs(step / best.step_time_s.p50 - 1) < SAME:
        return None
    return (
        "Times and costs are medians of their error bands; weft predict and weft ask give the step with every "
        f"estimate at its middle, {figures.seconds(step)} on {best.fabric}."
    )
