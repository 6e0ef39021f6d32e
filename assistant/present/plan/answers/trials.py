"""The same job planned with something else, in a line each: other sizes, GPUs, sellers, one site, twice the load."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import ceil
from typing import Any

from assistant.vocabulary.added import added
from assistant.vocabulary.plan import Candidate, Plan, ServingFigures
from assistant.vocabulary.quantities import days_said

from ... import figures
from .. import reading
from ..offers import spot_left
from .asked import Asked, money
from .parts_of_a_step import expert_parallel_named

_SIZES = (0.5, 2.0)
_MOST = 64  # times as many GPUs: what is more is no number of GPUs
_GPUS = "cluster.gpus"
WORTH_THE_TIME = 0.02  # of a sum: for less more than that a run that is done sooner is the better one


def line(plan: Plan, asked: Asked) -> str:
    """Cost and time of a plan in a few words."""
    best = reading.chosen(plan)
    if best is None or best.step_time_s is None:
        return plan.recommendation.headline.rstrip(".")
    if not reading.ends(plan):
        return f"{money(best)} a month, {figures.seconds(best.step_time_s.p50)} per token"
    network = "" if best.fabric == asked.plan.recommendation.fabric else f" on {asked.name(best.fabric)}"
    if plan.purchase is not None and plan.purchase.capital_usd:
        return f"{figures.usd(plan.purchase.capital_usd)} to buy, done in {figures.hours(best.run_hours)}{network}"
    return f"{money(best)}, done in {figures.hours(best.run_hours)}{network}"


def same_work(asked: Asked) -> dict[str, Any]:
    """What keeps the work as it is where only its length was said."""
    tokens = next((a.value for a in asked.plan.assumptions if a.field == "training.tokens"), None)
    days = reading.asked(asked.plan, "training.days")
    return {"training.tokens": tokens, "training.days": None} if days and tokens else {}


def sizes(asked: Asked) -> list[str]:
    """The job on other numbers of GPUs: those that were named, else half and twice as many."""
    gpus = reading.gpus(asked.plan)
    how = "are the plan already" if asked.said.fields.get(_GPUS) == gpus else "now"
    now = f"{figures.counted(gpus, 'GPU', 'GPUs')} {how}: {line(asked.plan, asked)}."
    if asked.best is None:
        return [_sized(asked, size) for size in _asked_sizes(asked, gpus)]
    return [now, *(_sized(asked, size) for size in _asked_sizes(asked, gpus))]


def sizes_deadline(asked: Asked) -> str | None:
    """Whether the numbers of GPUs that are looked at keep the deadline, the slow tenth of cases too."""
    days = reading.asked(asked.plan, "constraints.deadline_days")
    if asked.best is None or not days or any(a.kind in ("date", "time") for a in asked.said.amounts):
        return None
    told = []
    for size in _asked_sizes(asked, reading.gpus(asked.plan))[:2]:
        made = asked.tried({_GPUS: size, **same_work(asked)})
        one = reading.chosen(made) if made else None
        if one is None or one.run_hours is None:
            continue
        slow = reading.run_band(one)[1]
        told.append(
            f"{size:,} {'keep' if slow <= 24 * days else 'likely keep' if one.run_hours <= 24 * days else 'miss'} it"
        )
    return f"Of the {days_said(days)}: {', '.join(told)}." if told else None


def _asked_sizes(asked: Asked, gpus: int) -> list[int]:
    said = asked.said.fields.get(_GPUS)
    if isinstance(said, int) and said != gpus:
        return [said, *(_next_that_fits(asked, said, gpus) if 2 * said < gpus and asked.best is not None else [])]
    if asked.says("halved"):
        return [max(1, gpus // 2)]
    named = []
    text = asked.said.text
    per = reading.asked(asked.plan, "cluster.gpus_per_node") or 8
    in_nodes = [per * int(many) for many in _NODES.findall(asked.text)]
    if in_nodes:
        more = [per * int(many) for many in _OR_MORE.findall(asked.text)]
        return [n for n in dict.fromkeys([*in_nodes, *more]) if n != gpus and n <= _MOST * gpus][:2] or [gpus + per]
    alone = [a for a in asked.said.amounts if a.kind == "number" and not text[: a.start][-1:].isalpha()]  # not of "fp8"
    alone = [a for a in alone if not _of_something_else(asked, a.start, a.end)]
    days = reading.asked(asked.plan, "constraints.deadline_days")
    alone = [a for a in alone if not days or a.value != days]  # "10 days, not 14"
    factors = {float(one) for one in _TIMES.findall(asked.text)}  # "2x longer" names no size
    named += [int(a.value) for a in alone if 1 <= a.value <= _MOST * gpus and a.value not in factors]
    if per < gpus and any(f"one {what}" in asked.text for what in ("box", "node", "machine", "server")):
        return [per]
    others = [n for n in dict.fromkeys(named) if n != gpus]
    if len(others) == 1 and 2 * others[0] < gpus and asked.best is not None:
        return [others[0], *_next_that_fits(asked, others[0], gpus)]
    if not others and asked.says("so-many") and gpus > 1 and asked.best is not None:
        return list(dict.fromkeys(max(1, gpus // part) for part in (2, 4 if gpus > per else 8)))
    return others[:2] or [max(1, int(gpus * factor)) for factor in _SIZES]


def _of_something_else(asked: Asked, start: int, end: int) -> bool:
    """Whether a number counts no GPUs: people or turns, by the word behind it, or what the figure before it has a unit
    of ("is 100 gig what we get, or more like 60")."""
    behind = re.match(r" ([a-z]+s)\b", asked.text[end:])
    if behind and not any(behind.group(1).startswith(one) for one in asked.words["counts_gpus"]):
        return True
    before = [a for a in asked.said.amounts if a.end <= start and a.kind == "rate"]
    return bool(before) and behind is None and not re.search(r"[?.;]", asked.text[before[-1].end : start])


def _next_that_fits(asked: Asked, size: int, gpus: int) -> list[int]:
    """Where so few do not hold the job, the next doubling that does."""
    if asked.tried({_GPUS: size, **same_work(asked)}) is not None:
        return []
    sizes = (size * 2**n for n in range(1, 4))
    return [n for n in sizes if n < gpus and asked.tried({_GPUS: n, **same_work(asked)}) is not None][:1]


_TIMES = re.compile(r"\b(\d+(?:\.\d+)?)(?:x| times| fold)\b")
_NODES = re.compile(r"\b(\d{1,4}) (?:x |of (?:the |our |those |these |my )?)?(?:nodes?|boxes|box|machines?|servers?)\b")
_OR_MORE = re.compile(r"\b(?:or|and|need|to|take|with) (\d{1,4})\b(?! ?(?:gpu|card|h100|h200|a100|b200|%))")


def sizes_day(asked: Asked) -> str | None:
    """Whether the day that was said is kept on the number of GPUs that is named."""
    named = asked.meant("constraints.deadline_days")  # "10 days, not 14"
    days, gpus = named or reading.asked(asked.plan, "constraints.deadline_days"), reading.gpus(asked.plan)
    if asked.best is None or not days or not any(a.kind in ("date", "time") for a in asked.said.amounts):
        return None
    size = next(iter(_asked_sizes(asked, gpus)))
    made = asked.tried({_GPUS: size, **same_work(asked)})
    one = reading.chosen(made) if made else None
    if one is None or one.run_hours is None:
        return f"No: {size:,} GPUs do not do it by then."
    slow = reading.run_band(one)[1]
    kept = "Yes" if slow <= 24 * days else "Likely" if one.run_hours <= 24 * days else "No"
    takes = f"{figures.hours(one.run_hours)} (up to {figures.hours(slow)})"
    return f"{kept}: with {size:,} it takes {takes} of {days_said(days)}."


def _sized(asked: Asked, size: int) -> str:
    tried = asked.tried({_GPUS: size, **same_work(asked)})
    if tried is not None and reading.gpus(tried) != size:  # fewer are planned where the others bring nothing
        return f"{size:,} bring no more than {reading.gpus(tried):,}: {line(tried, asked)}."
    if tried is None:
        without = asked.tried({_GPUS: size, **same_work(asked), "budget.usd": None, "budget.usd_per_month": None})
        if without is not None and asked.best is not None:
            bought = reading.to_buy(without)
            sums = f"{figures.usd(bought.capital_usd)} to buy, " if bought is not None else ""
            network = f" on {asked.name(without.recommendation.fabric)}"
            told = line(without, asked)
            return f"{size:,}, beyond your budget: {sums}{told}{'' if network in told else network}."
        change = why_not(asked, {_GPUS: size, **same_work(asked)})
        return f"{size:,}: does not do. {change}".strip()
    return f"{size:,}: {line(tried, asked)}."


def why_not(asked: Asked, fields: Mapping[str, Any]) -> str:
    """Why nothing works with them."""
    from assistant.vocabulary.errors import InputError

    try:
        made = asked.planned(fields)
    except InputError as error:
        return f"{error.message}."
    return (made.recommendation.smallest_change or made.recommendation.headline) if made else ""


def sizes_verdict(asked: Asked) -> str | None:
    """Which size is the better one."""
    gpus, best = reading.gpus(asked.plan), asked.best
    if best is None or best.run_hours is None:
        return None
    if best.cost_usd is None:
        return _soonest(asked, gpus, best)
    found = [(gpus, best.median_cost, best.run_hours)]
    for size in _asked_sizes(asked, gpus):
        tried = asked.tried({_GPUS: size, **same_work(asked)})
        one = reading.chosen(tried) if tried else None
        if one is not None and one.cost_usd is not None and one.run_hours is not None:
            found += [(size, one.median_cost, one.run_hours)] if tried and reading.gpus(tried) == size else []
    if len(found) == 1:
        return f"So stay with {gpus:,}."
    if asked.plan.purchase is not None and not asked.plan.purchase.capital_usd and reading.ends(asked.plan):
        size, _, hours = min(found, key=lambda one: one[2])  # what is there costs nothing, so time decides
        waits = figures.percent(best.exposed_communication_percent)
        even = f"; {waits} of a step waits for {asked.name(best.fabric)}" if best.fabric != "none" else ""
        return f"{size:,} is done soonest, in {figures.hours(hours)}, and nothing has to be bought{even}."
    days = reading.asked(asked.plan, "constraints.deadline_days") or reading.asked(asked.plan, "training.days")
    cheap = min(found, key=lambda one: (round(one[1] / found[0][1], 2), one[2]))
    late = [one for one in found if days and one[2] > 24 * days * 1.005]
    if cheap in late:
        in_time = [one for one in found if one not in late]
        pick = min(in_time, key=lambda one: one[1], default=found[0])
        return f"{cheap[0]:,} costs least but takes longer than {days_said(days)}: take {pick[0]:,}."
    quick = min(found, key=lambda one: one[2])
    if cheap[0] == quick[0] or not reading.ends(asked.plan):
        if cheap[0] == gpus:
            fewer = next((size for size, _, _ in found[1:] if size < gpus), None)
            also = (
                f": {fewer:,} would do too, at no less in all and later" if fewer and reading.ends(asked.plan) else ""
            )
            return f"So stay with {gpus:,}{also}."
        same = cheap[1] > (1 - reading.APART) * found[0][1]  # sums that are told alike
        if not reading.ends(asked.plan):
            return f"So stay with {gpus:,}." if same else f"So {cheap[0]:,}: cheaper."
        return f"So {cheap[0]:,}: {'no dearer, and sooner done' if same else 'cheaper and no slower'}."
    if quick[1] < (1 + WORTH_THE_TIME) * cheap[1] and quick[2] * 1.25 < cheap[2]:
        more = figures.usd(quick[1] - cheap[1])
        return f"So {quick[0]:,}: {more} more than {cheap[0]:,}, done in {100 * quick[2] / cheap[2]:.0f} % of the time."
    return f"{cheap[0]:,} costs least, {quick[0]:,} is done soonest: take {cheap[0]:,} if you can wait."


def _soonest(asked: Asked, gpus: int, best: Candidate) -> str | None:
    """Which size is done soonest, where no price is known, and what it waits for."""
    found = [(best.run_hours or 0.0, gpus)]
    for size in _asked_sizes(asked, gpus):
        made = asked.tried({_GPUS: size, **same_work(asked)})
        one = reading.chosen(made) if made is not None else None
        found += [(one.run_hours, size)] if one is not None and one.run_hours else []
    if len(found) == 1 or not reading.ends(asked.plan):
        return None
    hours, size = min(found)
    waits = figures.percent(best.exposed_communication_percent)
    of_it = f", though {waits} of a step waits for {asked.name(best.fabric)}" if best.fabric != "none" else ""
    return f"{size:,} is done soonest, in {figures.hours(hours)}{of_it if size == gpus else ''}."


def precision(asked: Asked) -> list[str]:
    """The job in another number format: the one that is named, else 8 bits."""
    serves = reading.serves(asked.plan)
    field = "inference.precision" if serves else "training.precision"
    named = [one for one in _PRECISION.findall(asked.text) if serves or one not in _SERVED_IN]
    wanted = named[0] if named else "fp8"
    own = reading.asked(asked.plan, field) or next((a.value for a in asked.plan.assumptions if a.field == field), None)
    if wanted == own:
        wanted = "bf16" if own != "bf16" else "fp8"
    tried = asked.tried({field: wanted, **same_work(asked)})
    now = f"Now{f', {str(own).upper()}' if own else ''}: {line(asked.plan, asked)}."
    if tried is None:
        return [f"{wanted.upper()} does not do here. {why_not(asked, {field: wanted})}".strip(), now]
    here, there = asked.best, reading.chosen(tried)
    verdict = ""
    if here is not None and there is not None and here.cost_usd and there.cost_usd:
        less = here.median_cost - there.median_cost
        felt = abs(less) > reading.APART * here.median_cost
        verdict = f"{'saves' if less > 0 else 'costs'} {figures.usd(abs(less))}" if felt else "makes no difference"
    many = f"{reading.gpus(tried):,} GPUs, " if reading.gpus(tried) != reading.gpus(asked.plan) else ""
    sums = f" {verdict}" if verdict else ""
    return [f"{wanted.upper()}{sums}: {many}{line(tried, asked)}.", now, *_same_choice(asked, tried)]


def _same_choice(asked: Asked, tried: Plan) -> list[str]:
    """Whether the network and the offer stay, and what waits then."""
    here, there = asked.best, reading.chosen(tried)
    if here is None or there is None or reading.serves(asked.plan):
        return []
    before, now = asked.plan.recommendation.offer, tried.recommendation.offer
    seller = lambda plan, number: None if number is None else plan.offers[number].provider
    same = here.fabric == there.fabric and seller(asked.plan, before) == seller(tried, now)
    waits = (
        f"{figures.percent(there.exposed_communication_percent)} of a step waits then, not "
        f"{figures.percent(here.exposed_communication_percent)}"
    )
    return [f"{'The choice stays' if same else f'The choice changes to {asked.name(there.fabric)}'}: {waits}."]


_SERVED_IN = ("int8", "int4", "fp4")  # what no training runs in
_PRECISION = re.compile(r"\b(bf16|fp16|fp32|fp8|fp4|int8|int4)\b")


def precision_risk(asked: Asked) -> str | None:
    """What is to be looked at before."""
    if reading.serves(asked.plan):
        return "Check the answers first: most models lose little in 8 bits, more in 4; the plan does not count quality."
    return "Check that the loss goes on as before: few bits can cost quality, and some of the work stays in 16 bits."


_AS_FAST = 1.1  # times the duration: what takes no longer is as fast


def one_site(asked: Asked) -> list[str]:
    """All at one place with its share of the GPUs, beside both."""
    sites, gpus = reading.asked(asked.plan, "cluster.sites") or 1, reading.gpus(asked.plan)
    if sites < 2:
        return ["It stands at one site already."]
    alone, all_there = asked.tried({"cluster.sites": 1, _GPUS: gpus // sites}), asked.tried({"cluster.sites": 1})
    said = [f"Both sites, {gpus:,} GPUs: {line(asked.plan, asked)}."]
    said += [f"One site, {gpus // sites:,} GPUs: {line(alone, asked)}."] if alone else []
    said += [f"All {gpus:,} at one site: {line(all_there, asked)}."] if all_there else []
    return [*_either_way(asked, all_there), *said]


def _either_way(asked: Asked, all_there: Plan | None) -> list[str]:
    """Whether two sites are right, by what the same GPUs do at one."""
    here, there = asked.best, reading.chosen(all_there) if all_there else None
    if here is None or there is None or not here.run_hours or not there.run_hours:
        return []
    if there.run_hours <= _AS_FAST * here.run_hours:
        return ["If one site can hold all of them, take one; if not, two sites do as well here."]
    return ["Two sites, as long as the exchange is rare: one would be slower here."]


def one_site_risk(asked: Asked) -> str | None:
    if (reading.asked(asked.plan, "cluster.sites") or 1) < 2:
        return None
    return "One site is simpler: no line that can be cut, and no change to the training that exchanges rarely."


def twice_the_load(asked: Asked) -> list[str]:
    """The service at twice its load."""
    load = reading.asked(asked.plan, "inference.requests_per_s")
    if not reading.serves(asked.plan) or (not load and reading.asked(asked.plan, "inference.concurrency")):
        return []
    if not load and (at_once := reading.asked(asked.plan, "inference.concurrency")):
        return _more_at_once(asked, at_once)
    if not load:
        more = ceil((asked.times or 2.0) * reading.gpus(asked.plan))
        return [
            f"Nobody said the load in requests per second, so by GPUs: {_sized(asked, more)}",
            f"Now: {reading.gpus(asked.plan):,}, {line(asked.plan, asked)}. With the load said I count what it takes.",
        ]
    found, gpus = asked.plan.sizing, reading.gpus(asked.plan)
    able = found.could_be_had or gpus if found else gpus
    spare = f" {able:,} carry up to {figures.significant(found.carries_requests_per_s)}." if found else ""
    said = asked.said.fields.get("inference.requests_per_s")
    named = [said] if isinstance(said, int | float) and said > load else []
    named += [rate for rate in asked.amounts("number") if asked.times is None and load < rate <= _MOST * load]
    times = named[0] / load if named else asked.times or 2.0
    tried = asked.tried({"inference.requests_per_s": times * load})
    if tried is None:
        return [f"At {times * load:g} requests per second these GPUs miss the targets.{spare}", *carried(asked, times)]
    best = reading.chosen(tried)
    meets = best.serving.meets_targets if best and best.serving else None
    held = "" if meets is None else "; the targets hold" if meets else "; the targets do not hold"
    more = reading.gpus(tried)
    return [
        f"At {times * load:g} requests per second it takes {more:,} GPUs, {line(tried, asked)}{held}.{spare}",
        f"Now: {gpus:,} GPUs, {line(asked.plan, asked)}.",
        *stays(asked, tried),
    ]


def stays(asked: Asked, tried: Plan) -> list[str]:
    """Whether another load is carried by the same machines of the same seller, and in proportion."""
    kinds = [plan.questionnaire["cluster"]["gpu"] for plan in (asked.plan, tried)]
    here, there = asked.best, reading.chosen(tried)
    offers = [plan.offers[n] if (n := plan.recommendation.offer) is not None else None for plan in (asked.plan, tried)]
    if here is None or there is None or not here.cost_usd or not there.cost_usd:
        return []
    sellers = [(o.provider_name or o.provider) if o else "" for o in offers]
    where = f" at {sellers[1]}" if sellers[1] else ""
    same = kinds[0] == kinds[1] and sellers[0] == sellers[1] and here.fabric == there.fabric
    what = f"{asked.catalog.gpus[kinds[1]].name}{where}, {asked.name(there.fabric)}"
    times = there.median_cost / here.median_cost
    return [f"{'The choice stays' if same else 'The choice changes'}: {what}; the bill is {times:.2g} times as large."]


def _more_at_once(asked: Asked, now: int) -> list[str]:
    """The service with more users at the same time: on the planned GPUs, and on as many as keep it as quick."""
    named = asked.meant("inference.concurrency")
    named = named if isinstance(named, int) and named != now else None
    many, gpus, best = named or ceil(now * (asked.times or 2.0)), reading.gpus(asked.plan), asked.best
    if best is None or best.serving is None:
        return []
    change = {"inference.concurrency": many, "cluster.gpu": asked.plan.questionnaire["cluster"]["gpu"]}
    same = asked.tried({**change, _GPUS: gpus})
    one = reading.chosen(same) if same else None
    here = _at_speed(one.serving) if one is not None and one.serving is not None else "not within targets and memory"
    quick = {"inference.concurrency": many, "inference.tpot_ms": ceil(1e3 * best.serving.tpot_s)}
    own = reading.asked(asked.plan, _GPUS)
    sizes = [*(() if own else (None,)), *(ceil(times * gpus * many / now) for times in MARGINS)]
    more = next((plan for size in sizes if (plan := asked.tried({**quick, _GPUS: size})) is not None), None)
    said = [f"With {many:,} users at once on these {figures.counted(gpus, 'GPU', 'GPUs')}: {here}."]
    if more is not None:
        name = asked.catalog.gpus[more.questionnaire["cluster"]["gpu"]].name
        said.append(f"As quick as now on {reading.gpus(more):,} {name}: {line(more, asked)}.")
    return [*said, f"Now {now:,} on {gpus:,}: {money(best)} a month, {_at_speed(best.serving)}."]


def _at_speed(served: ServingFigures) -> str:
    """What one user gets."""
    rate = figures.significant(1 / served.tpot_s)
    return f"{rate} tokens a second for each, the first after {figures.seconds(served.ttft_s)}"


def carried(asked: Asked, times: float) -> list[str]:
    """The fewest GPUs that were found to carry a load that is so many times as large, beside those planned."""
    made = enough_for(asked, times)
    if made is None:
        return []
    now = f", now {line(asked.plan, asked)}" if asked.best is not None else ""
    month, best = reading.asked(asked.plan, "budget.usd_per_month"), reading.chosen(made)
    over = f", over the {figures.usd(month)} a month" if month and best and (best.usd_per_month or 0) > month else ""
    return [f"About {reading.gpus(made):,} GPUs would: {line(made, asked)}{over}{now}."]


def enough_for(asked: Asked, times: float) -> Plan | None:
    """The plan with the fewest GPUs that were found to carry a load that is so many times as large."""
    load = times * (reading.asked(asked.plan, "inference.requests_per_s") or 0.0)
    if not load:
        return None
    found, gpus = asked.plan.sizing, reading.gpus(asked.plan)
    per = reading.asked(asked.plan, "cluster.gpus_per_node") or 8
    least = gpus * load / found.carries_requests_per_s if found and found.carries_requests_per_s else times * gpus
    for margin in MARGINS:
        size = ceil(margin * least / per) * per
        lifted = dict.fromkeys(("budget.usd", "budget.usd_per_month"))  # what it costs is told beside
        made = asked.tried({"cluster.gpus": size, "inference.requests_per_s": load, **lifted})
        if made is not None:
            return made
    return None


MARGINS = (1.0, 1.1, 1.25, 1.5, 2.0)  # times the GPUs that would do if the load grew with them


def spot(asked: Asked) -> list[str]:
    """The job on spot machines, or on reserved ones, of the provider that is named."""
    named = asked.said.fields.get("cluster.provider") or next(iter(asked.sellers), None)
    where_named = {"cluster.provider": named} if named else {}
    if asked.buys:
        return _spot_beside_ones_own(asked, where_named)
    if named and (told := _spot_not_there(asked, str(named))):
        return told
    tried = asked.tried({"budget.spot": True, **where_named})
    here, there = asked.best, reading.chosen(tried) if tried else None
    if reading.asked(asked.plan, "budget.spot") and not named:
        return [spot_left(asked.plan) or "It is planned with spot machines allowed already."]
    at = f" at {asked.catalog.names[named]}" if named else ""
    none = f"No spot machines{at} with a known price run this job."
    if here is None or there is None or tried is None or there.cost_usd is None or here.cost_usd is None:
        return [none]
    less, what = here.median_cost - there.median_cost, reading.bill(asked.plan)
    offer = tried.taken
    tier = offer.tier if offer else "spot"
    if left := spot_left(tried):
        return [left]
    if tier != "spot" and not any(o.tier == "spot" and o.run_cost_usd for o in tried.offers):
        return [none]
    if tier != "spot" or less <= 0.01 * here.median_cost:
        return [f"No: the cheapest spot machines save nothing here ({money(there)} against {money(here)} for {what})."]
    where = f" at {offer.provider_name or offer.provider}" if offer else ""
    return [f"Spot{where}: {line(tried, asked)}, {figures.usd(less)} less than {money(here)}."]


def _spot_not_there(asked: Asked, provider: str) -> list[str]:
    """That a provider lets no spot machines at a price that was read, what it lets, and who does; nothing where it
    lets them."""
    there = asked.tried({"budget.spot": True, "cluster.provider": provider})
    let = there.offers if there is not None else ()
    if any(o.tier == "spot" and o.run_cost_usd and o.provider == provider for o in let):
        return []
    name, one = asked.catalog.names[provider], reading.chosen(there) if there else None
    said = [f"Of {name} no spot price for this job was read, so that cannot be held against it: ask it for one."]
    if one is not None and one.cost_usd and there is not None and there.taken is not None:
        tier = there.taken.tier.replace("-", " ")
        said.append(f"{name} {tier}: {line(there, asked)}; planned {money(asked.best) if asked.best else 'nothing'}.")
    anywhere = asked.tried({"budget.spot": True, "cluster.provider": None})
    offer = anywhere.taken if anywhere else None
    if anywhere is not None and offer is not None and offer.tier == "spot":
        said.append(f"Spot elsewhere: {line(anywhere, asked)} at {offer.provider_name or offer.provider}.")
    return said


def _spot_beside_ones_own(asked: Asked, where_named: Mapping[str, object]) -> list[str]:
    """Spot machines let for the work of a plan that buys or has its own: in the middle, and with their interruptions
    on average."""
    rented = {"budget.mode": "rent", "budget.owned": None, "cluster.fabric": None, "budget.gpu_hour_usd": None}
    tried = asked.tried({**rented, "budget.spot": True, **where_named})
    here, what = asked.best, reading.bill(asked.plan)
    able = [o for o in tried.offers if o.tier == "spot" and o.run_cost_usd and o.meets_limits] if tried else []
    found = min(able, key=lambda o: o.ranked_usd, default=None)
    if here is None or here.cost_usd is None or found is None or found.run_cost_usd is None:
        at = f" at {asked.catalog.names[str(one)]}" if (one := where_named.get("cluster.provider")) else ""
        return [f"No spot machines{at} with a known price run this job."]
    let, own = found.ranked_usd, here.median_cost
    verdict = "Yes, rented on spot it costs less" if let < own else "No, rented on spot it costs more"
    average = "" if let <= 1.01 * found.run_cost_usd.p50 else f", {figures.usd(let)} with interruptions on average"
    price = f"{found.provider_name or found.provider} at {figures.usd(found.usd_per_gpu_hour)} per GPU-hour"
    capital = reading.to_buy(asked.plan)
    of_it = f", its share of {figures.usd(capital.capital_usd)} to buy and of what keeps it" if capital else ""
    there = asked.plan.purchase is not None and asked.plan.purchase.gpus_there
    mine = "on the machines that are there" if there else "on machines of your own"
    return [
        f"{verdict}: {price} is {figures.usd(found.run_cost_usd.p50)} for {what}{average}; {mine} "
        f"{figures.usd(own)}{of_it}.",
        "What is bought cannot be had on spot; the share holds in full use only." if capital else "",
    ]


def spot_risk(asked: Asked) -> str | None:
    """What an interruption costs."""
    if reading.serves(asked.plan):
        bulk = "In bulk little is lost when machines go: only the requests in flight are done again"
        live = "Requests of a copy that is taken away go to the others until it has loaded again: keep spare copies"
        return f"{bulk if reading.ends(asked.plan) else live}. Have a fallback on demand for the last days."
    limit, best = reading.asked(asked.plan, "constraints.deadline_days"), asked.best
    spare = 24 * limit - best.run_hours if limit and best and best.run_hours else None
    when = "never on spot against a deadline"
    if spare is not None and best is not None and spare > (best.run_hours or 0.0):
        when = f"with {figures.hours(spare)} to spare that is no danger to your deadline"
    return (
        f"When one is taken all {reading.gpus(asked.plan):,} GPUs stop and go on from the last checkpoint: save often, "
        f"restart automatically; {when}. Ask whether so many can be had at once."
    )


def experts_inside(asked: Asked) -> list[str]:
    """The experts kept within a node."""
    best = asked.best
    if best is None or best.breakdown_s is None:
        return []
    if not asked.mixture:
        return ["This model has no experts: nothing goes all-to-all."]
    domain = asked.catalog.gpus[asked.plan.questionnaire["cluster"]["gpu"]].scale_up_domain
    if len(named := expert_parallel_named(asked)) > 1:
        return named[1:]
    now = best.parallelism.get("ep") or 1
    whole = added(best.breakdown_s.model_dump().values()) or 1.0
    others = 100 * (best.breakdown_s.dp + best.breakdown_s.pp_p2p) / whole
    tail = f"gradients still cross nodes, {others:.1f} % of a step, so the network goes on to matter a little"
    if now <= domain:
        kept = f"EP {now} within {domain} GPUs" if now > 1 else "no expert parallelism at all"
        return [f"They are inside a node already ({kept}): that is the fastest split. The {tail}."]
    tried = asked.tried({"parallelism.ep": domain})
    if tried is None:
        return [f"With EP {domain} it does not fit or cannot be split; now EP {now} crosses nodes."]
    one = reading.chosen(tried)
    stays = one is not None and one.fabric == best.fabric
    network = (
        f"the network stays {asked.name(best.fabric)}" if stays or one is None else f"then {asked.name(one.fabric)}"
    )
    waits = f"; {figures.percent(one.exposed_communication_percent)} of a step waits instead of " if one else ""
    waits += figures.percent(best.exposed_communication_percent) if one else ""
    return [
        f"EP {domain} inside the node: {line(tried, asked)}, now EP {now}: {line(asked.plan, asked)}.",
        f"{network[:1].upper()}{network[1:]}{waits}: the experts' traffic leaves it, gradients stay.",
    ]


def sizes_network(asked: Asked) -> str | None:
    """The network of a larger size that was asked about, where it is another or has another shape."""
    best, gpus = asked.best, reading.gpus(asked.plan)
    if best is None or best.fabric == "none":
        return None
    size = max(_asked_sizes(asked, gpus))
    tried = asked.tried({_GPUS: size, **same_work(asked)}) if size > gpus else None
    one = reading.chosen(tried) if tried else None
    if tried is None or one is None:
        return None
    waits = f"{figures.percent(one.exposed_communication_percent)} of a step waits"
    now = figures.percent(best.exposed_communication_percent)
    other = "the same network" if one.fabric == best.fabric else f"{asked.name(one.fabric)} instead"
    return f"At {size:,} {other}{_switches(tried, asked.plan)}; {waits}, now {now}."


def _switches(then: Plan, now: Plan) -> str:
    """How many switches it takes instead."""
    made, here = then.fabric_design, now.fabric_design
    if not made or not here:
        return ""
    count = lambda one: figures.counted(one["switches"], "switch", "switches")
    tiers = lambda one: f"{count(one)} in {figures.counted(one['tiers'], 'tier', 'tiers')}"
    return f", {tiers(made)} instead of {tiers(here)}" if tiers(made) != tiers(here) else f", {tiers(made)} as now"
