"""How many GPUs a load takes, on each kind that is let: what a plan for serving computes where nobody said it, and
pays for where more could be had."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

from assistant.library import checks
from assistant.market import Offered, candidate_prices, machine_of, monthly
from assistant.model import Network, Serving
from assistant.model.sizing import Sizing as Layout
from assistant.model.sizing import SizingApart, asks_for_network
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.counted import instances_told
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.plan import Assumption, KindOfGpu, ServingFigures, Sizing
from assistant.vocabulary.quantities import HOURS_PER_MONTH
from assistant.vocabulary.questionnaire import Budget, Questionnaire, Quote

from .candidates import considered, on_the_market
from .estimate import machine, networks
from .predictor import Predictor
from .quotes import provider_of
from .resolve import Resolved, resolve
from .serving import serving

JOINED = 64  # GPUs of the cluster on which a copy over several domains is tried
DAY = 86_400.0


@dataclass(frozen=True)
class Sized:
    """One kind of GPU with the layout that carries the load on fewest: ``gpus`` of whole nodes beyond one."""

    job: Resolved
    layout: Layout | SizingApart
    gpus: int
    network: str = "none"

    @property
    def apart(self) -> bool:
        """Whether other GPUs read prompts than write answers."""
        return "decode_workers" in self.parallelism

    @property
    def copies(self) -> int:
        """Of the model; with prompts and answers apart instances of both sides."""
        shown = self.parallelism
        return int(shown.get("prefill_workers", 0)) + int(shown.get("decode_workers", 0)) or int(shown["dp"])

    @property
    def gpus_per_copy(self) -> int:
        """Of an instance that writes answers where both are apart."""
        return int(self.parallelism.get("decode_gpus", self.layout.unit))

    @property
    def instances(self) -> str:
        """``3 copies of 8 GPUs``, or what both sides have."""
        return instances_told(self.parallelism, self.copies, self.gpus_per_copy)

    @property
    def carries(self) -> float:
        """Requests per second of all these GPUs at most."""
        return self.layout.with_gpus(self.gpus)

    @property
    def parallelism(self) -> dict[str, Any]:
        return self.layout.parallelism(self.gpus)


def filled(questionnaire: Questionnaire, predictor: Predictor) -> tuple[Questionnaire, list[Assumption]]:
    """A job that serves with the GPUs that nobody said: as many as the load takes, of the kind on which it costs least.

    Raises :class:`InputError` where no GPU serves the model.
    """
    left = questionnaire.sized_by_load
    if not left:
        return questionnaire, []
    taken, asked = [], questionnaire
    if "gpu" in left:
        found = _cheapest(questionnaire, predictor)
        where = "written off, with power and support, of those with a known price to buy"
        where = where if questionnaire.budget.mode == "buy" else "at the catalog's offers"
        why = f"not said: the kind on which this costs least per token {where}"
        taken.append(Assumption(field="cluster.gpu", value=found.job.gpu.id, why=why))
        asked = _on(questionnaire, found.job.gpu.id, predictor.catalog, questionnaire.cluster.gpus)
    else:
        found = sized(questionnaire, questionnaire.cluster.gpu, predictor) or _untargeted(questionnaire, predictor)
    if "gpus" in left:
        gpus, why = _gpus(found, questionnaire.budget)
        taken.append(Assumption(field="cluster.gpus", value=gpus, why=f"not said: {why}"))
        asked = _counted(asked, gpus)
    asked = asked.model_copy().with_gpus_said()
    checks.check_shape(asked, predictor.catalog)
    return asked, taken


def needed(questionnaire: Questionnaire, predictor: Predictor) -> tuple[Questionnaire, list[Assumption]]:
    """A service on as many of its GPUs as its load takes, where it takes fewer than could be had. What is paid in one
    sum is that of all of them: where nothing is offered by the hour, all are used."""
    load, said = questionnaire.inference, questionnaire.cluster.gpus
    quotes = [quote for quote in questionnaire.budget.quotes if _counts(quote, predictor.catalog)]
    if quotes and all(quote.usd is not None for quote in quotes):
        return questionnaire, []
    if questionnaire.workload != "inference" or load is None or not load.sizes or questionnaire.cluster.sites > 1:
        return questionnaire, []
    found = sized(questionnaire, questionnaire.cluster.gpu, predictor)
    if found is None or found.gpus >= said:
        return questionnaire, []
    told = f"of the {said:,} that could be had the load takes {found.gpus:,}: {_why(found)}"
    told += f"; a quoted sum is that of all {said:,} and counts whole" if any(one.usd for one in quotes) else ""
    return _counted(questionnaire, found.gpus), [Assumption(field="cluster.gpus", value=found.gpus, why=told)]


def _counts(quote: Quote, catalog: Catalog) -> bool:
    """Whether it can be taken: its network is told, or the provider's."""
    return quote.fabric is not None or provider_of(quote, catalog) is not None


def _gpus(found: Sized, budget: Budget) -> tuple[int, str]:
    """As many GPUs as a quoted sum is for, else as the load takes, and why."""
    if budget.quoted_gpus is not None:
        return budget.quoted_gpus, f"as many as a sum is quoted for; the load takes {found.gpus:,}: {_why(found)}"
    sums = any(quote.usd is not None for quote in budget.quotes)
    taken = "; a quoted sum that does not say for how many GPUs is taken for these" if sums else ""
    return found.gpus, _why(found) + taken


def _why(found: Sized) -> str:
    return f"{found.instances}, up to {found.carries:.3g} requests per second within what was asked"


def _counted(questionnaire: Questionnaire, gpus: int) -> Questionnaire:
    return questionnaire.model_copy(update={"cluster": questionnaire.cluster.model_copy(update={"gpus": gpus})})


def _on(questionnaire: Questionnaire, gpu: str, catalog: Catalog, gpus: int | None = None) -> Questionnaire:
    """The job on another kind of GPU, so many of them or about :data:`JOINED`, in its usual nodes."""
    there, own = catalog.gpus[gpu], questionnaire.cluster.gpu == gpu
    domain = max(there.scale_up_domain, there.gpus_per_node, (own and questionnaire.cluster.gpus_per_node) or 1)
    change = {"gpu": gpu, "gpus": gpus or domain * ceil(JOINED / domain)}
    change |= {} if own else {"gpus_per_node": None, "nics_per_node": None}
    return questionnaire.model_copy(update={"cluster": questionnaire.cluster.model_copy(update=change)})


def sized(questionnaire: Questionnaire, gpu: str, predictor: Predictor, gpus: int | None = None) -> Sized | None:
    """The fewest GPUs of a kind that carry the load, or so many with the layout that carries most on them; ``None``
    where no layout keeps the targets, or the job cannot be on it."""
    catalog = predictor.catalog
    try:
        asked = _at_published_offers(_on(questionnaire, gpu, catalog), questionnaire)
        checks.check_shape(asked, catalog)
        job = resolve(asked, catalog)
    except InputError:
        return None
    load = load_of(job)
    joined = _joined(job, predictor) if asks_for_network(load, machine(job, catalog)) else None
    found = [
        Sized(job, one, _whole(one.gpus, job), joined[0] if joined and one.crosses else "none")
        for one in predictor.layouts(job, load, joined[1] if joined else None)
    ]
    if gpus is not None:
        found = [replace(one, gpus=gpus) for one in found if one.layout.gpus <= gpus]
    if not load.loaded:  # always busy: what a token costs
        return min(found, key=lambda one: (one.gpus / one.carries, one.gpus), default=None)
    least = min((one.gpus for one in found), default=0)
    return min((one for one in found if one.gpus == least), key=lambda one: one.layout.latency(least), default=None)


def _at_published_offers(there: Questionnaire, asked: Questionnaire) -> Questionnaire:
    """A job on another kind of GPU than was asked about without its quotes, which price that one alone, and without
    machines that are there: these are of that one."""
    named = "gpu" not in asked.sized_by_load
    if (named and there.cluster.gpu == asked.cluster.gpu) or (
        asked.budget.owned == "nothing" and not asked.budget.quotes
    ):
        return there
    of_that_one = {"quotes": [], "owned": "nothing", "owned_gpus": None}
    return there.model_copy(update={"budget": there.budget.model_copy(update=of_that_one)})


def load_of(job: Resolved) -> Serving:
    """What is asked of the copies: a rate, requests in flight, or in bulk the rate at which the job ends in time."""
    asked, days = serving(job), job.questionnaire.latest_days
    whole = job.served.job_tokens
    if whole is None or days is None:
        return asked
    return replace(asked, requests_per_s=whole / asked.output_tokens / (days * DAY), concurrency=None)


def _whole(gpus: int, job: Resolved) -> int:
    """Within a node any number, beyond it whole ones; prompts and answers apart take two nodes at least."""
    apart = job.questionnaire.workload == "disaggregated-inference"
    nodes = max(ceil(gpus / job.gpus_per_node), 2 if apart else 1)
    return gpus if nodes == 1 else nodes * job.gpus_per_node


def _joined(job: Resolved, predictor: Predictor) -> tuple[str, Network] | None:
    """The network that a copy over several nodes is tried on: the one that was decided, else the fastest that is let
    with these GPUs, else that exists for them."""
    able = [c for c in considered(job, predictor.catalog, predictor.today) if c.exists and c.fabric.transport == "rdma"]
    wanted = [c for c in able if c.owned] or [c for c in able if c.sold] or able
    if not wanted:
        return None
    gpus = machine(job, predictor.catalog)
    found = zip((c.fabric.id for c in wanted), networks(wanted, gpus, job, predictor.catalog), strict=True)
    return max(found, key=lambda one: one[1].nic_rate)


def _untargeted(questionnaire: Questionnaire, predictor: Predictor) -> Sized:
    """Where nothing keeps the targets the GPUs that the load takes without them: the plan says what can be kept."""
    free = sized(_without_targets(questionnaire), questionnaire.cluster.gpu, predictor)
    if free is not None:
        return free
    gpu = predictor.catalog.gpus[questionnaire.cluster.gpu].name
    raise InputError(f"expected a model that {gpu} can serve: no number of them holds a copy of this one")


def _without_targets(questionnaire: Questionnaire) -> Questionnaire:
    if questionnaire.inference is None:
        return questionnaire
    free = questionnaire.inference.model_copy(update={"ttft_ms": None, "tpot_ms": None})
    return questionnaire.model_copy(update={"inference": free})


def _cheapest(questionnaire: Questionnaire, predictor: Predictor) -> Sized:
    """The kind of GPU on which the load costs least a month; without a load, per request that is carried."""
    for asked in (questionnaire, _without_targets(questionnaire)):
        found = on_each_kind(asked, predictor)
        if found:
            return found[0][0]
    raise InputError("expected a model that some GPU of the catalog's offers can serve, found none: name cluster.gpu")


def on_each_kind(questionnaire: Questionnaire, predictor: Predictor) -> list[tuple[Sized, KindOfGpu]]:
    """Every kind of GPU that carries the load, and is let or has a known purchase price, as money is spent; with what
    it costs, least per token first."""
    catalog, buys = predictor.catalog, questionnaire.budget.mode == "buy"
    let = {o.gpu for provider in catalog.providers.values() for o in provider.offers if o.prices}
    found = []
    for gpu in catalog.gpus:
        one = sized(questionnaire, gpu, predictor) if buys or gpu in let else None
        kind = with_price(one, predictor) if one else None
        if one is None or kind is None:
            continue
        more = sized(questionnaire, gpu, predictor, kind.gpus_paid) if kind.gpus_paid > one.gpus else None
        on_all = with_price(more, predictor) if more else None  # what is paid for is used
        found.append((more, on_all) if more and on_all else (one, kind))
    return sorted(found, key=lambda pair: pair[1].usd_per_million_output_tokens)


def _offer(found: Sized, catalog: Catalog, today: datetime.date | None) -> Offered | None:
    """The offer by the hour, or for a month at most, or the quote of any term, that lets these GPUs for least; with the
    network of a copy that needs one."""
    there = replace(found.job, gpus=found.gpus, gpus_per_node=min(found.gpus, found.job.gpus_per_node))
    able = (
        o
        for o in on_the_market(there, catalog, today)
        if o.price is not None
        and (o.quote is not None or o.least_hours <= HOURS_PER_MONTH)
        and (found.network == "none" or _has_rdma(o, catalog))
    )
    return min(able, key=lambda o: _month(found, o), default=None)


def _has_rdma(offered: Offered, catalog: Catalog) -> bool:
    return any(catalog.fabrics[fabric].transport == "rdma" for fabric in offered.offer.fabrics)


def _month(found: Sized, offered: Offered) -> float:
    """US dollars of a month of all machines that are paid for, at what is paid where a list tells a cheapest host."""
    return monthly(offered.usd_per_gpu_hour or 0.0, offered.paid(found.gpus))


def sizing_of(
    asked: Questionnaire,
    job: Resolved,
    served: ServingFigures | None,
    usd_per_month: float | None,
    usd_of_job: float | None,
    predictor: Predictor,
) -> Sizing | None:
    """What the plan tells of the load and the GPUs that carry it. ``asked``: as it was said, ``job``: as it is planned;
    ``served``: what is predicted of the recommendation, or of what comes nearest; the sums are of the recommendation,
    ``usd_of_job`` of a job that ends."""
    if served is None or job.sites > 1:
        return None
    had = asked.cluster.gpus if not asked.sized_by_load and asked.cluster.gpus != job.gpus else None
    load, whole = job.served, job.served.job_tokens
    busy = job.questionnaire.workload == "batch-inference" or not load_of(job).loaded
    rate = served.carries_requests_per_s if busy else load.rate or served.requests_per_s
    per_million = _of_tokens(job, rate, usd_per_month)
    if whole is not None and usd_of_job is not None:
        each = usd_of_job / (whole / 1e6)
        per_million = each, each * load.output_tokens / (load.output_tokens + load.prompt_tokens)
    carried = served.carries_requests_per_s
    return Sizing(
        requests_per_s=load.rate,
        concurrency=load.concurrency,
        ttft_ms=load.ttft_ms,
        tpot_ms=load.tpot_ms,
        gpus=job.gpus,
        copies=served.copies,
        could_be_had=had,
        carries_requests_per_s=carried / served.copies * (had // served.gpus_per_copy) if had else carried,
        usd_per_month=usd_per_month,
        usd_of_job=usd_of_job,
        usd_per_million_output_tokens=per_million[0],
        usd_per_million_tokens=per_million[1],
        kinds=[kind for _, kind in on_each_kind(job.questionnaire, predictor)],
    )


def with_price(found: Sized, predictor: Predictor) -> KindOfGpu | None:
    """GPUs that carry a load, with the offer that lets them for least, or bought, as money is spent; ``None`` where
    nobody lets them at a price, and where no purchase price is known."""
    if found.job.questionnaire.budget.mode == "buy":
        return _bought(found, predictor)
    offered = _offer(found, predictor.catalog, predictor.today)
    if offered is None:
        return None
    price = offered.price
    return _kind(found, _month(found, offered)).model_copy(
        update={
            "gpus_paid": offered.paid(found.gpus),
            "provider": offered.provider,
            "instance": offered.offer.name,
            "tier": offered.tier,
            "usd_per_gpu_hour": price.si if price else 0.0,
            "paid_over_listed": offered.markup,
            "date": price.date.isoformat() if price else None,
            "months": offered.quote.months if offered.quote else None,
        }
    )


def _bought(found: Sized, predictor: Predictor) -> KindOfGpu | None:
    """Written off, with power and support; a price that is only derived from another GPU's is none."""
    job, catalog = found.job, predictor.catalog
    machine_ = machine_of(job.gpu, catalog)
    whole = machine_.gpus if machine_.rack_scale else 1 if job.gpu.nodes_vary else job.gpus_per_node
    paid = whole * ceil(found.gpus / whole)
    asked, network = _counted(job.questionnaire, paid), catalog.fabrics[found.network]
    price = candidate_prices(asked, job.gpu, network, [], catalog, today=predictor.today)
    if price.gpu_usd_per_hour.origin not in ("catalog", "quoted", "none"):  # none: they are there already
        return None
    hourly, dated = price.gpu_total + price.fabric_total, price.gpu_usd_per_hour.date
    return _kind(found, monthly(hourly, paid)).model_copy(
        update={
            "gpus_paid": paid,
            "usd_per_gpu_hour": hourly,
            "usd_to_buy": price.capital_usd,
            "date": dated.isoformat() if dated else None,
        }
    )


def _kind(found: Sized, usd_per_month: float) -> KindOfGpu:
    served = found.layout.at_load(found.gpus)
    output, every = _of_tokens(found.job, _requests(found), usd_per_month)
    return KindOfGpu(
        gpu=found.job.gpu.id,
        gpus=found.gpus,
        gpus_paid=found.gpus,
        copies=found.copies,
        gpus_per_copy=found.gpus_per_copy,
        parallelism=found.parallelism,
        requests_per_s=found.carries,
        ttft_s=served.ttft,
        tpot_s=served.tpot,
        network=found.network,
        provider="",
        instance="",
        tier=None,
        usd_per_gpu_hour=0.0,
        usd_per_month=usd_per_month,
        usd_per_million_output_tokens=output or 0.0,
        usd_per_million_tokens=every or 0.0,
        date=None,
    )


def _of_tokens(job: Resolved, requests_per_s: float, usd_per_month: float | None) -> tuple[float | None, float | None]:
    """US dollars per million output tokens, and per million with those of the prompts, at so many requests answered."""
    if usd_per_month is None or not requests_per_s:
        return None, None
    served, millions = job.served, requests_per_s * HOURS_PER_MONTH * 3600 / 1e6
    return (
        usd_per_month / (millions * served.output_tokens),
        usd_per_month / (millions * (served.output_tokens + served.prompt_tokens)),
    )


def _requests(found: Sized) -> float:
    """Requests per second that are answered on average: of GPUs that are always busy in bulk and without a load."""
    busy = found.job.questionnaire.workload == "batch-inference" or not load_of(found.job).loaded
    return found.carries if busy else found.layout.requests_per_s
