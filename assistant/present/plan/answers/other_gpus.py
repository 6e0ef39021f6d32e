"""The job on other kinds of GPU: those that are named, newer ones that are let; rented or bought."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.plan import Candidate, KindOfGpu

from ... import figures
from .. import reading
from .asked import Asked, money
from .schedule import overnight
from .trials import line, same_work, why_not

_KINDS, _MOST_TOLD = 5, 3  # kinds of GPU that are tried, and told
_GPUS = "cluster.gpus"
_NO_REASON = 0.05  # of a sum: less apart is no reason to change


def other_gpus(asked: Asked) -> list[str]:
    """The job on the kinds of GPU that were named; of a service on those that cost least."""
    own = asked.plan.questionnaire["cluster"]["gpu"]
    told = [*asked.said.named("gpu"), asked.said.fields.get("cluster.gpu")]  # the second of an instance
    called = [part for part in own.split("-") if any(sign.isdigit() for sign in part)]
    beside = asked.compared if own in told or any(part in asked.text for part in called) else ()
    named = (
        [g for g in dict.fromkeys([*told, *beside]) if g and g != own][:3]
        or _sibling(asked, own)
        or _of_maker(asked, own)
    )
    now = f"Now, {asked.catalog.gpus[own].name}: {line(asked.plan, asked)}."
    if beside and asked.best is not None:
        many = f"{reading.gpus(asked.plan):,} {asked.catalog.gpus[own].name}"
        now = f"The plan takes them: {many}, {line(asked.plan, asked)}."
    barred = _unwanted(asked)
    if barred and asked.catalog.gpus[own].vendor not in barred:
        return [f"Nothing of {barred[0].upper()} is in the plan: it is on {asked.catalog.gpus[own].name}.", now]
    if not named:
        found = _kinds(asked, own)
        called = [part for part in own.split("-") if any(sign.isdigit() for sign in part)]
        if asked.best is not None and (own in told or any(part in asked.text for part in called)):
            name = asked.catalog.gpus[own].name
            taken = f"The plan takes them: {reading.gpus(asked.plan):,} {name}, {line(asked.plan, asked)}."
            return [taken, *(one for one in found if not one.startswith("Now "))]
        return found if len(found) > 1 and asked.plan.sizing is None else [now, *found]
    said = [now]
    for gpu in named:
        tried = asked.tried(on_another(asked, gpu))
        name = asked.catalog.gpus[gpu].name
        if tried is None:
            said.append(f"{name}: does not do. {why_not(asked, on_another(asked, gpu))}".strip())
        else:
            many = f"{reading.gpus(tried):,} × " if reading.gpus(tried) != reading.gpus(asked.plan) else ""
            most = ""
            if tried.sizing and len(named) == 1:
                most = f", up to {figures.significant(tried.sizing.carries_requests_per_s)} requests/s"
            said.append(f"{many}{name}: {line(tried, asked)}{most}.")
    return [*said, *_cheaper(asked, named)]


def peaks(asked: Asked) -> str | None:
    """What the chips that are compared can do: arithmetic, memory, its bandwidth."""
    own = asked.plan.questionnaire["cluster"]["gpu"]
    named = [g for g in dict.fromkeys([own, *asked.said.named("gpu")]) if g in asked.catalog.gpus]
    return chips(asked.catalog, named[:3]) if len(named) > 1 else None


def chips(catalog: Catalog, named: Sequence[str]) -> str:
    """Peak of dense BF16, memory and its bandwidth of each GPU, the unit said once."""
    short = lambda gpu: catalog.gpus[gpu].name.removeprefix("NVIDIA ").removeprefix("AMD Instinct ").split()[0]
    told = [
        f"{short(gpu)} {catalog.gpus[gpu].peak_bf16.si / 1e12:,.0f}, {catalog.gpus[gpu].memory.si / 2**30:,.0f} GiB at "
        f"{catalog.gpus[gpu].memory_bandwidth.si / 1e12:.3g} TB/s"
        for gpu in named
    ]
    return f"Peak TFLOP/s and memory: {'; '.join(told)}."


def on_another(asked: Asked, gpu: str) -> dict[str, Any]:
    """The change to another GPU; what the machines of the first one decided is open again."""
    change: dict[str, Any] = {"cluster.gpu": gpu, **same_work(asked)}
    many = asked.said.fields.get(_GPUS)
    if isinstance(many, int):
        change |= {_GPUS: many, "cluster.gpus_per_node": None}
    if reading.asked(asked.plan, "budget.quotes"):
        change["budget.quotes"] = []
    if asked.said.fabrics and reading.asked(asked.plan, "cluster.fabric"):  # "H100 with NDR" beside one that is given
        change["cluster.fabric"] = asked.said.fabrics[0]
    return change


def _sibling(asked: Asked, own: str) -> list[str]:
    """The same GPU as a card instead of a module, or the reverse, where that is asked."""
    if "pcie" not in asked.text and "sxm" not in asked.text:
        return []
    stem = own.partition("-")[0]
    form = "sxm" if "pcie" in own else "pcie"
    same = [g for g in asked.catalog.gpus if g.startswith(f"{stem}-{form}")]
    size = own.rpartition("-")[2]
    return [g for g in same if g.endswith(size)] or same[:1]


def _of_maker(asked: Asked, own: str) -> list[str]:
    """The GPUs of a maker that is named which most providers let."""
    named = {word.strip("?.,!") for word in asked.text.split()} - {asked.catalog.gpus[own].vendor}
    made = {gpu for gpu, one in asked.catalog.gpus.items() if one.vendor in named}
    return [gpu for gpu, _ in _let(asked).most_common() if gpu in made][:2]


def _unwanted(asked: Asked) -> list[str]:
    """The makers that are ruled out: "no AMD please"."""
    makers = {one.vendor for one in asked.catalog.gpus.values()}
    found = re.search(r"\b(?:no|not|without|never|avoid|except)\s+(?:any\s+|from\s+|on\s+)?([a-z]+)", asked.text)
    return [maker for maker in makers if found and maker == found[1]]


def _let(asked: Asked) -> Counter[str]:
    """By how many providers each kind of GPU is let."""
    return Counter(gpu for p in asked.catalog.providers.values() for gpu in {o.gpu for o in p.offers if o.prices})


def _kinds(asked: Asked, own: str) -> list[str]:
    found = asked.plan.sizing
    kinds = [k for k in found.kinds if k.gpu != own][:3] if found else []
    told = [
        f"{k.gpus:,} × {asked.catalog.gpus[k.gpu].name}: {figures.usd(k.usd_per_month)}{_at(asked, k)}." for k in kinds
    ]
    if found or told:
        return told or ["Name the GPU and I plan the job on it."]
    runs = rented_runs(asked)
    if not runs:
        return ["No other GPU that is let runs it as asked."]
    return [_newer(asked, runs), *(text for _, text in runs[:2])]


def _newer(asked: Asked, runs: list[tuple[float, str]]) -> str:
    """Whether the cheapest of other GPUs is worth leaving one's own for."""
    best = asked.best
    if best is None or best.cost_usd is None:
        return "Whether these cost less than yours to run you have to say."
    less = best.median_cost - runs[0][0]
    if asked.plan.purchase is None and not reading.is_owned(asked.plan):
        now = f"Now {money(best)}, done in {figures.hours(best.run_hours)}"
        return f"{now}; {f'another kind saves up to {figures.usd(less)}' if less > 0 else 'no other kind is cheaper'}."
    mine = f"What is there does it in {figures.hours(best.run_hours)} for {money(best)}"
    if abs(less) <= _NO_REASON * best.median_cost:
        return f"{mine}; newer ones rented cost about the same: change only for the time."
    if less < 0:
        return f"{mine}; newer ones rented cost {figures.usd(-less)} more or worse: keep it."
    return f"{mine}; renting newer ones saves {figures.usd(less)}: put no more money into it."


def _at(asked: Asked, kind: KindOfGpu) -> str:
    """Where it is let for that."""
    found = asked.catalog.providers.get(kind.provider)
    return f" a month at {found.name if found else kind.provider}" if kind.provider else " a month"


def rented_instead(asked: Asked) -> list[str]:
    """A run on rented machines, the cheapest kinds first; nothing for a service."""
    return [] if reading.serves(asked.plan) else [text for _, text in rented_runs(asked)]


def rented_runs(asked: Asked) -> list[tuple[float, str]]:
    """The run on as many of each kind of GPU that most providers let, with its cost in US dollars, the cheapest first;
    nothing where none does it."""
    own = asked.plan.questionnaire["cluster"]["gpu"]
    told: list[tuple[float, str]] = []
    for gpu in [gpu for gpu, _ in _let(asked).most_common(_KINDS + 1) if gpu != own][:_KINDS]:
        tried = asked.tried(on_another(asked, gpu) | {"budget.mode": "rent"} | _no_machines_of_ones_own(asked))
        one = reading.chosen(tried) if tried else None
        if tried is not None and one is not None and one.cost_usd is not None:
            offer = tried.taken
            where = f" at {offer.provider_name or offer.provider}" if offer else ""
            name = f"{reading.gpus(tried):,} {asked.catalog.gpus[gpu].name}"
            told.append((one.median_cost, f"{name}{where}: {line(tried, asked)}."))
    return sorted(told)[:_MOST_TOLD]


def _no_machines_of_ones_own(asked: Asked) -> dict[str, Any]:
    """What is open again where other machines are rented: the network that is there, and GPUs per node."""
    given = ("cluster.fabric", "cluster.gpus_per_node")
    return {field: None for field in given if reading.asked(asked.plan, field)}


def _quicker(asked: Asked, able: list[tuple[str, Candidate]]) -> str:
    """Where another kind is dearer and yet much quicker, so."""
    best = asked.best
    if best is None or not best.step_time_s or not able:
        return ""
    _, quick = min(able, key=lambda one: one[1].median_step)
    if quick.median_step * _MUCH > best.median_step:
        return ""
    of = "a token" if reading.serves(asked.plan) else "a step"
    return f", but it takes {figures.seconds(quick.median_step)} {of} instead of {figures.seconds(best.median_step)}"


_MUCH = 2.0  # times as quick


def _cheaper(asked: Asked, named: list[str]) -> list[str]:
    best = asked.best
    found = [(asked.catalog.gpus[g].name, asked.tried(on_another(asked, g))) for g in named]
    costs = [(name, reading.chosen(plan)) for name, plan in found if plan]
    able = [(name, c) for name, c in costs if c is not None and c.cost_usd is not None]
    if best is None:
        return []
    if not costs:
        return ["So stay with what the plan has."]
    if best.cost_usd is None or not able:
        return ["Without a price of both it cannot be said which costs less: ask for a quote."]
    name, least = min(able, key=lambda one: one[1].median_cost)
    less = best.median_cost - least.median_cost
    if less <= 0.01 * best.median_cost:
        more = figures.usd(max(0.0, -less))
        if asked.says("possible"):
            return [f"So yes, {name} is possible, at {more} more by list prices."]
        return [f"So no: {name} saves nothing{_quicker(asked, able)}."]
    return [f"So yes, {name} saves {figures.usd(less)} if you can have it; say it and I plan with it."]


def overnight_on(asked: Asked) -> str | None:
    """Whether a kind of GPU that is named does the run in a night, where a night is spoken of, and whether it fits."""
    gpu = next((g for g in asked.said.named("gpu") if g != asked.plan.questionnaire["cluster"]["gpu"]), None)
    if gpu is None or not asked.says("night"):
        return None
    name, room = asked.catalog.gpus[gpu].name, asked.catalog.gpus[gpu].memory.si / 2**30
    made = asked.tried(on_another(asked, gpu))
    best = reading.chosen(made) if made is not None else None
    if made is None or best is None:
        return f"No: it does not do on {name}. {why_not(asked, on_another(asked, gpu))}".strip()
    done = overnight(asked.instead(on_another(asked, gpu), made)) or ""
    fits = f" It fits: {reading.gib(best):.3g} of {room:,.0f} GiB." if best.memory_gb_per_gpu else ""
    cost = f" {money(best)} there, {money(asked.best)} on {_own(asked)}." if asked.best and best.cost_usd else ""
    return f"{done}{fits}{cost}"


def _own(asked: Asked) -> str:
    return asked.catalog.gpus[asked.plan.questionnaire["cluster"]["gpu"]].name
