"""For a job that cannot be done: the smallest change that would make it work. What is named has been tried."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from math import prod

from assistant.model import Adapters
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.questionnaire import NARROW, Parallelism, Questionnaire

from . import savings
from .budgets import in_whole_hours, one_in_ten, usd_per_month
from .candidates import on_the_market
from .choice import NEAR
from .entry import Entry
from .headline import in_a_sentence, usd
from .missed import Missed, missed
from .predictor import Predictor
from .resolve import Resolved
from .sized import sized

GIB = 2.0**30
HARDLY_MORE = 1.03  # times the least change: networks of one speed differ by less in power
_TINY = 1e-9  # stands for a limit of zero, of which nothing is a multiple
MORE = (2, 3, 4, 6, 8, 12, 16, 32, 64)  # times the GPUs of a job that does not fit


Taken = Callable[[Questionnaire], Entry | None]  # what a plan takes; nothing where it finds nothing that works


def smallest_change(
    job: Resolved,
    entries: list[Entry],
    predictor: Predictor,
    taken: Taken | None = None,
    variants: Iterable[Entry] = (),
) -> str:
    """One sentence: what stands in the way, and the value with which it would work. ``taken``: by which a value is
    tried before it is named, with the network that is taken then; ``None`` tries nothing. ``variants``: the networks on
    all terms on which they are let, as dearer ones may keep a limit sooner."""
    computed = [e for e in entries if e.estimated is not None]
    if not computed:
        return f"Nothing in the catalog joins {job.gpu.name}: choose another GPU."
    fits = [e for e in computed if e.estimate.fits]
    if not fits:
        return _memory(job, min(computed, key=lambda e: e.estimate.memory_bytes), predictor)
    sold = [e for e in fits if e.considered.sold is not False]
    if not sold:
        return not_sold(job, fits) + _in_one_domain(job, predictor)
    allowed = [e for e in sold if e.verdict != "impossible"]
    if not allowed:
        text = f"Whatever the limits, every network that joins {job.gpus:,} {job.gpu.name} is ruled out for this job."
        return text + _in_one_domain(job, predictor)
    carrying = [e for e in allowed if e.estimate.copies_short <= 1]
    if not carrying:
        return _more_copies(job, allowed, predictor, taken)
    on_all_terms = [*carrying, *_on_other_terms(carrying, variants)]
    return (
        _loosened(job, on_all_terms, taken)
        or "No limit stands in the way: why each network was left is told beside it."
    )


def _on_other_terms(entries: list[Entry], variants: Iterable[Entry]) -> Iterator[Entry]:
    """The same networks on the terms on which they cost more, judged as they are."""
    judged = {entry.id: entry for entry in entries}
    for one in variants:
        like = judged.get(one.id)
        if like is not None and one.usable and one.costed and one.price.offered is not like.price.offered:
            yield one.again(verdict=like.verdict, power_kw=like.power_kw)


def not_sold(job: Resolved, fits: list[Entry]) -> str:
    """What to do where nobody, or not who was named, lets these GPUs with a network that the job can run on."""
    if job.questionnaire.budget.quotes:
        return f"None of the quotes has a network that {job.gpus:,} {job.gpu.name} can run this job on: ask for one."
    if job.provider is not None:
        joined = " with a network between nodes" if job.domains > 1 else ""
        return (
            f"The catalog knows no offer of {job.gpus:,} {job.gpu.name} by {job.provider.name}{joined}: leave the "
            f"provider open, or take a GPU that it offers{' with one' if joined else ''}."
        )
    what = f"{job.gpus:,} {job.gpu.name}"
    silent = dict.fromkeys(offered.provider_name for e in fits for offered in e.considered.offers)
    if silent:
        return (
            f"{' and '.join(silent)} {'let' if len(silent) > 1 else 'lets'} {what} without telling a price: ask, and "
            "give the rent that you are quoted (budget.gpu_hour_usd)."
        )
    ways = "give the rent that you were quoted (budget.gpu_hour_usd), or plan to buy"
    return f"Nobody in the catalog rents out {what} at a price that it quotes: {ways}."


def _in_one_domain(job: Resolved, predictor: Predictor) -> str:
    """That fewer of them, which need no network, would do, where somebody lets these at a price."""
    if job.domains == 1 or job.sites > 1 or not fits_on(job, job.domain, job.parallelism, predictor):
        return ""
    there = replace(job, gpus=job.domain)
    if not any(offered.price for offered in on_the_market(there, predictor.catalog)):
        return ""
    return f" With the {job.domain} of one scale-up domain, which need no network, it would work."


def _memory(job: Resolved, least: Entry, predictor: Predictor) -> str:
    need, have = least.estimate.memory_bytes / GIB, job.gpu.memory.si / GIB
    text = f"It needs {need:,.0f} GiB per GPU and {job.gpu.name} has {have:,.0f} GiB"
    if job.serves:
        text = (
            f"One copy takes {job.architecture.bytes(job.precision) / GIB:,.0f} GiB for its {job.precision} weights "
            f"alone and {job.gpus:,} {job.gpu.name} hold {job.gpus * have:,.0f} GiB"
        )
    kept, saved = _with_this_split(job, job.parallelism, predictor) if job.parallelism is not None else ("", "")
    if kept:
        return f"{text}: with this split it fits on these {job.gpus:,} GPUs {kept}."
    if job.parallelism is not None and fits_on(job, job.gpus, None, predictor):
        split = f", and with this split {saved}" if saved else ""
        return f"{text}: with parallelism auto it fits on these {job.gpus:,} GPUs{split}."
    if saved:
        return f"{text}: with this split it fits on these {job.gpus:,} GPUs {saved}."
    if job.parallelism is not None and (saving := predictor.saving(job)):
        does = "; ".join(savings.done(saving))
        return f"{text}: with parallelism auto it fits on these {job.gpus:,} GPUs where {does}."
    fewer = _adapters(job, predictor)
    for gpus in (job.gpus * factor for factor in MORE):
        for split in dict.fromkeys([job.parallelism is not None, False]):
            if fits_on(job, gpus, job.parallelism if split else None, predictor):
                auto = "" if split or job.parallelism is None else " and parallelism auto"
                return f"{text}: with {gpus:,} GPUs{_to_buy(job, gpus)}{auto} it would fit{fewer}."
    return f"{text}: take GPUs with more memory, or a smaller model{fewer}."


def _with_this_split(job: Resolved, split: Parallelism, predictor: Predictor) -> tuple[str, str]:
    """What would let the job fit at the split that was given: each thing that was said otherwise, else all of them;
    and where these do not do, what stacks do besides. Empty where nothing does."""
    if job.serves or job.loop is not None or job.rare:
        return "", ""
    changes: dict[str, dict[str, object]] = {}
    if job.recompute not in (None, "full"):
        changes["with full recompute"] = {"recompute": "full"}
    if job.micro_batch not in (None, 1):
        changes["with a micro-batch of 1"] = {"micro_batch": 1}
    wider: dict[str, object] = {}
    if split.tp > 1 and not split.sequence_parallel:
        wider["sequence_parallel"] = True
        changes["with sequence parallelism"] = {"parallelism": split.model_copy(update=wider)}
    if not job.sharding_open and split.strategy in ("ddp", "zero1", "zero2"):
        wider["strategy"] = "zero2" if split.pp > 1 else "fsdp"
        name = "ZeRO-2" if split.pp > 1 else "FSDP (ZeRO-3)"
        changes[f"with {name}"] = {"parallelism": split.model_copy(update={"strategy": wider["strategy"]})}
    every = {name: value for change in changes.values() for name, value in change.items()}
    together = every | ({"parallelism": split.model_copy(update=wider)} if wider else {})
    tried = [*changes.items(), (", ".join(changes), together)] if len(changes) > 1 else [*changes.items()]
    for said, change in tried:
        if predictor.fits(replace(job, **change)):  # type: ignore[arg-type]
            return said, ""
    saving = predictor.saving(replace(job, **together), split_kept=True)  # type: ignore[arg-type]
    return "", ", ".join([*changes, f"where {'; '.join(savings.done(saving))}"]) if saving else ""


def _adapters(job: Resolved, predictor: Predictor) -> str:
    """The way to train fewer weights that would fit where the job does not: LoRA, else QLoRA."""
    if job.serves or job.questionnaire.workload not in ("finetuning", "rlhf"):
        return ""
    usual = job.adapters or Adapters(base="bf16" if job.precision in NARROW else job.precision)
    tried = {"LoRA": None if job.adapters else usual, "QLoRA": replace(usual, base="nf4")}
    for method, adapters in tried.items():
        if adapters is not None and fits_on(replace(job, adapters=adapters), job.gpus, job.parallelism, predictor):
            return f", or with {method} on these {job.gpus:,}"
    return ""


def fits_on(job: Resolved, gpus: int, parallelism: Parallelism | None, predictor: Predictor) -> bool:
    """Whether the job fits on another number of GPUs, at one split or (``None``) at any."""
    per_node = job.gpus_per_node if gpus % job.gpus_per_node == 0 else min(job.gpu.gpus_per_node, gpus)
    batch = max(job.global_batch, 1)
    return predictor.fits(
        replace(job, gpus=gpus, gpus_per_node=per_node, sites=1, parallelism=parallelism, global_batch=batch)
    )


def _more_copies(job: Resolved, allowed: list[Entry], predictor: Predictor, taken: Taken | None) -> str:
    """The fewest GPUs that carry the load, with their own best layout; where no number keeps the times, those that can
    be kept, and where no limit is missed what stands in the way."""
    rate, carried = job.served.rate, 100 / min(e.estimate.copies_short for e in allowed)
    what = f"{job.served.concurrency or 0:,} requests in flight" if rate is None else f"{rate:g} requests per second"
    text = f"{job.gpus:,} GPUs carry {carried:.2g} % of {what}"
    found = sized(job.questionnaire, job.gpu.id, predictor)
    if found is not None:
        dear = _beyond_the_budget(job, allowed, found.gpus, taken)
        would = f"they would be carried, {dear}" if dear else "it would work"
        return f"{text}: with about {found.gpus:,} GPUs{_to_buy(job, found.gpus, taken)} {would}."
    load = job.questionnaire.inference
    free = load.model_copy(update=dict.fromkeys(load.sides)) if load and load.sides else None
    asked = job.questionnaire.model_copy(update={"inference": free})
    found = sized(asked, job.gpu.id, predictor) if free else None
    if found is not None:
        return f"{text} in the instances that were given; in others {found.gpus:,} do: {found.instances}."
    return _loosened(job, allowed, taken) or (
        f"{text}, and on no number of them a layout that was tried carries it: lower the load, or take another GPU."
    )


def _to_buy(job: Resolved, gpus: int, taken: Taken | None = None) -> str:
    """How many of so many GPUs are not there, where some are; ``taken``: by which their purchase is summed."""
    asked = job.questionnaire.changed("cluster.gpus", gpus)
    there = asked.owned_gpus
    if not 0 < there < gpus:
        return ""
    found = taken(asked) if taken else None
    for_usd = f" for {usd(found.outlay)}" if found is not None and found.costed else ""
    return f", {gpus - there:,} of them to buy{for_usd},"


def _beyond_the_budget(job: Resolved, allowed: list[Entry], gpus: int, taken: Taken | None) -> str:
    """What so many GPUs would cost a month as a plan takes them, else in proportion to the least rent of these, where
    that is more than was allowed."""
    most, priced = job.questionnaire.budget.usd_per_month, [e for e in allowed if e.costed]
    if most is None or not priced:
        return ""
    least = min(usd_per_month(e, job.questionnaire) / e.price.paid_share for e in priced) * gpus / job.gpus
    asked = job.questionnaire.changed("cluster.gpus", gpus).changed("budget.usd_per_month", None)
    found = taken(asked) if taken else None
    if found is not None and found.costed:
        least = usd_per_month(found, asked)
    return f"for about {usd(least)} a month, which is more than the budget of {usd(most)}" if least > most else ""


def _loosened(job: Resolved, allowed: list[Entry], taken: Taken | None) -> str:
    """The limits that one network does not keep, with the least values that one keeps, and hardly more where the run
    costs far less with it: of the one that was given, and what another asks for that asks for less. Empty where every
    limit is kept."""
    short = [(entry, limits) for entry in allowed if (limits := missed(entry, job.questionnaire))]
    if not short:
        return ""
    given = [one for one in short if one[0].considered.owned]
    entry, limits = _smallest(given or short)
    roomier, more = _nearest(given or short)
    found, better = _taken_with(job, entry, limits, taken), None
    if NEAR * roomier.median_cost < entry.median_cost:
        better = _taken_with(job, roomier, more, taken)
    if found is None and better is not None:
        (entry, limits), found, better = (roomier, more), better, None
    first, *others = limits
    named = f"{in_a_sentence(found or entry)}{', which was given' if (found or entry).considered.owned else ''}"
    asked = [f"{first.enough} ({named}) instead of {first.given}"]
    asked += [f"{one.enough} instead of {one.given}" for one in others]
    if found is None:
        return f"What is missing least is {' and '.join(asked)}; planned so, nothing is found either."
    text = f"It would work with {' and '.join(asked)}{'' if others else _other_size(job, entry)}."
    text += _beside_the_sum(found, limits)
    if better is not None and better.costed and found.costed and NEAR * better.median_cost < found.median_cost:
        room = " and ".join(one.enough for one in more)
        costs = f"{usd(better.median_cost)} instead of {usd(found.median_cost)}"
        spot = ", on spot machines" if better.price.spot is not None else ""
        text += f" With {room} the run costs {costs} ({in_a_sentence(better)}{spot})."
    other, less = _nearest(short)
    if not given or other.considered.owned or HARDLY_MORE * _change(less) >= _change(limits):
        return text
    instead = _taken_with(job, other, less, taken)
    if instead is None or instead.id == entry.id:
        return text
    named = instead.considered.fabric.name
    return f"{text} {named} in its place takes {' and '.join(one.enough for one in less)}."


def _beside_the_sum(found: Entry, limits: list[Missed]) -> str:
    """What the run may come to beside the least budget that it keeps."""
    budget = next((one for one in limits if one.field == "budget.usd"), None)
    if budget is None or found.price.capital_usd is not None:
        return ""
    whole, worst = in_whole_hours(found), one_in_ten(found)
    hours = f" That is to the minute; in whole hours it takes {usd(whole)}." if whole and whole > budget.least else ""
    return hours + (f" One run in ten costs {usd(worst)} or more." if worst and worst > budget.least else "")


def _taken_with(job: Resolved, entry: Entry, limits: list[Missed], taken: Taken | None) -> Entry | None:
    """What is taken where an entry's limits are loosened as far as it needs; of networks that need as much, or hardly
    more, that may be another. The entry itself where nothing is to be tried, nothing where no trial finds anything."""
    if taken is None:
        return entry
    try:
        asked = job.questionnaire
        for one in limits:
            asked = asked.changed(one.field, one.least)
        return taken(asked)
    except InputError:  # a limit beyond what may be asked for
        return None


def _smallest(short: list[tuple[Entry, list[Missed]]]) -> tuple[Entry, list[Missed]]:
    """What asks for the least change, and of what asks for the same in three digits the cheapest."""
    return min(short, key=lambda one: (round(_change(one[1], rounded=True), 9), one[0].median_cost))


def _nearest(short: list[tuple[Entry, list[Missed]]]) -> tuple[Entry, list[Missed]]:
    """What asks for the least change, and of those that ask for hardly more the cheapest; in place of that what asks
    for hardly more than it, where its run costs so much less that no rule would stand against it: a network that is
    slow, and not advised for that, is often the first to keep a limit."""
    found = _cheapest_up_to(HARDLY_MORE * min(_change(limits) for _, limits in short), short)
    better = _cheapest_up_to(HARDLY_MORE * _change(found[1]), short)
    return better if NEAR * better[0].median_cost < found[0].median_cost else found


def _cheapest_up_to(change: float, short: list[tuple[Entry, list[Missed]]]) -> tuple[Entry, list[Missed]]:
    return min((one for one in short if _change(one[1]) <= change), key=lambda one: one[0].median_cost)


def _change(limits: list[Missed], *, rounded: bool = False) -> float:
    """How many times the limits would have to be what they are, one after another; ``rounded``: in three digits."""
    return prod((one.rounded_up if rounded else one.needs) / max(one.limit, _TINY) for one in limits)


def _other_size(job: Resolved, entry: Entry) -> str:
    """Beside the one limit that is not kept: how many GPUs the power feeds, in machines and racks as they are sold."""
    limits = job.questionnaire.constraints
    if limits.max_power_kw is None or not entry.power_kw or entry.power_kw <= limits.max_power_kw:
        return ""
    rack = job.questionnaire.budget.mode == "buy" and job.gpu.scale_up_domain > job.gpu.gpus_per_node
    whole = job.gpu.scale_up_domain if rack else job.gpus_per_node
    fed = int(job.gpus * limits.max_power_kw / entry.power_kw) // whole * whole
    feeds = f"feeds {fed:,} GPUs in whole racks" if rack else f"feeds {fed:,} GPUs"
    return f"; what may be drawn {feeds}, cooling apart" if fed else ""
