"""Figures that are counts, rates, power, memory and bandwidth."""

from __future__ import annotations

from functools import partial

from assistant.vocabulary.plan import ServingFigures
from assistant.vocabulary.quantities import HOURS_PER_MONTH

from ... import figures
from .. import reading
from .figure import Figure, Subject
from .sums import per_node
from .times import lost_time, steps

_DAY = 86_400.0
_SECONDS = 3600.0


def gpus(of: Subject) -> Figure | None:
    """Those that are paid, which are more where whole machines are let."""
    paid = next((o.gpus_paid for o in of.plan.offers[:1] if of.is_best and o.gpus_paid), None)
    served = of.found.serving
    how = [f"They are {served.instances}."] if served else []
    if paid and paid > of.gpus:
        how.append(f"Paid are {paid:,}: whole machines are let.")
    return Figure(of.gpus, "GPUs", how=tuple(how))


def machines(of: Subject) -> Figure | None:
    return Figure(max(1.0, of.gpus / per_node(of)), "machines", how=(f"{per_node(of):g} GPUs in each.",))


def designed(of: Subject, name: str, unit: str) -> Figure | None:
    """Parts of the network's design; nothing where no network is built."""
    many = of.plan.fabric_design.get(name) if of.is_best else None
    if isinstance(many, dict):
        many = sum(many.values())
    if many is None:
        return None
    design = of.plan.fabric_design
    tiers = figures.counted(design.get("tiers") or 0, "tier", "tiers")
    how = f"Of {design.get('nodes')} nodes, {tiers} of switches; spares are not counted."
    return Figure(float(many), unit, how=(how,))


def tokens_per_s(of: Subject, times: float = 1.0, unit: str = "tokens/s", *, each: bool = False) -> Figure | None:
    """Trained, or of a service written and read, by all GPUs or by each."""
    served, rate = of.found.serving, of.found.tokens_per_s_per_gpu
    if served is not None:
        band = (served.output_tokens_per_s, served.output_tokens_per_s_p10, served.output_tokens_per_s_p90)
        middle, low, high = (times * one / (of.gpus if each else 1) for one in band)
        return Figure(middle, f"output {unit}", low, high)
    if not rate:
        return None
    many = 1 if each else of.gpus
    how = () if each or times != 1 else (f"{figures.significant(rate)} per GPU on {of.gpus:,} GPUs.",)
    band = of.found.step_time_s
    ends = (rate * band.p50 / band.p90, rate * band.p50 / band.p10) if band else (rate, rate)
    return Figure(times * many * rate, unit, times * many * ends[0], times * many * ends[1], how)


def served(of: Subject, name: str, unit: str) -> Figure | None:
    """Of a service: what it carries, how many at once."""
    found = of.found.serving
    value = getattr(found, name) if found else None
    return Figure(float(value), unit, how=_load(of, found)) if value and found else None


def _load(of: Subject, found: ServingFigures) -> tuple[str, ...]:
    load = reading.asked(of.plan, "inference.requests_per_s")
    if not load or not found.carries_requests_per_s:
        return ()
    most = found.carries_requests_per_s
    share = f"The load is {load:g} requests a second: {100 * load / most:.0f} % of the {most:.3g} that they carry."
    return (share, f"At that most about {most / load * found.concurrency:,.0f} are in flight at once.")


def requests(of: Subject, seconds: float, unit: str) -> Figure | None:
    """Of a service at its load in a time."""
    load = reading.asked(of.plan, "inference.requests_per_s")
    return Figure(load * seconds, unit, how=(f"{load:g} a second, around the clock.",)) if load else None


def memory(of: Subject, what: str) -> Figure | None:
    """Of the fullest GPU: used or free."""
    gpu = of.asked.catalog.gpus[of.plan.questionnaire["cluster"]["gpu"]]
    room, used = gpu.memory.si / 2**30, reading.gib(of.found)
    if not used:
        return None
    value = used if what == "used" else room - used
    split = figures.layout(of.found.parallelism)
    fits = "It fits" if of.found.fits is not False else "It does not fit"
    return Figure(value, "GiB", how=(f"{fits}: {used:,.1f} of {room:,.0f} GiB on the fullest GPU.", f"Split: {split}."))


def power(of: Subject, name: str) -> Figure | None:
    used = of.plan.power
    if used is None or not of.is_best:
        return None
    more = f"{used.machines} machines of at most {used.machine_kw:.3g} kW and {used.network_kw:.3g} kW for the network"
    made = f"{more}, times {used.power_usage_effectiveness:g} for cooling."
    return Figure(getattr(used, name), "kWh" if name == "run_kwh" else "kW", how=(made,) if name == "site_kw" else ())


def bandwidth(of: Subject, *, reached: bool, node: bool = False) -> Figure | None:
    """Of the network per GPU or per machine: its line rate, or what of it a long message reaches."""
    fabric = of.asked.catalog.fabrics.get(of.found.fabric)
    if fabric is None or of.found.fabric == "none":
        return None
    nics = reading.asked(of.plan, "cluster.nics_per_node")
    nics = nics or next((a.value for a in of.plan.assumptions if a.field == "cluster.nics_per_node"), None)
    nics = float(nics or (1 if fabric.technology == "tcp" else per_node(of)))
    rate = 8e-9 * fabric.nic_rate * nics
    share = fabric.bandwidth_efficiency.si if reached and fabric.bandwidth_efficiency is not None else 1.0
    per = 1.0 if node else per_node(of)
    adapters = figures.counted(round(nics), "adapter", "adapters")
    how = f"{adapters} of {figures.significant(8e-9 * fabric.nic_rate)} Gb/s for {per_node(of):g} GPUs"
    got = f", {share:.0%} of it reached by long messages" if reached else ""
    gb = f"That is {figures.significant(rate * share / per / 8)} GB/s." if reached else ""
    return Figure(rate * share / per, "Gb/s", how=tuple(one for one in (f"{how}{got}.", gb) if one))


def mfu(of: Subject) -> Figure | None:
    value, band = of.found.mfu, of.found.step_time_s
    if not value or band is None:
        return None
    ends = (100 * value * band.p50 / band.p90, 100 * value * band.p50 / band.p10)
    return Figure(100 * value, "percent", *ends, how=("Computed, not assumed.",))


def effective(of: Subject) -> Figure | None:
    return Figure.of(of.found.effective_time_percent, "percent", "The rest goes to failures and checkpoints.")


def network_share(of: Subject) -> Figure | None:
    """Of the purchase, else of the price of a GPU-hour."""
    bought = of.plan.purchase
    if bought is not None and of.is_best and bought.capital_usd:
        part = figures.usd(bought.network_percent / 100 * bought.capital_usd)
        return Figure(bought.network_percent, "percent", how=(f"{part} of {figures.usd(bought.capital_usd)}.",))
    network, machine = of.found.fabric_usd_per_gpu_hour, of.found.gpu_usd_per_hour
    if not network or not machine:
        return None
    return Figure(100 * network / (network + machine), "percent", how=(f"{figures.usd(network)} of each GPU-hour.",))


def slower(of: Subject) -> Figure | None:
    """Than the fastest network that there is for the job."""
    if of.found.slowdown_percent is None:
        return None
    quick = min((c for c in of.plan.candidates if c.step_time_s and c.fits is not False), key=lambda c: c.median_step)
    best = f"{figures.seconds(quick.median_step)} on {of.asked.name(quick.fabric)}"
    how = f"{figures.seconds(of.found.median_step)} against {best}."
    return Figure(max(0.0, 100 * (of.found.median_step / quick.median_step - 1)), "percent", how=(how,))


_BATCH = "training.global_batch"


def batch_tokens(of: Subject) -> Figure | None:
    given = lambda f: reading.asked(of.plan, f) or next((a.value for a in of.plan.assumptions if a.field == f), None)
    batch, length = given(_BATCH), given("training.sequence_length")
    return Figure(batch * length, "tokens", how=(f"{batch:,} sequences of {length:,}.",)) if batch and length else None


def copies(of: Subject) -> Figure | None:
    found = of.found.serving
    return Figure(found.copies, "copies", how=(f"Of {found.gpus_per_copy} GPUs each.",)) if found else None


def gpu_hours(of: Subject) -> Figure | None:
    hours = of.found.run_hours
    how = f"{of.gpus:,} GPUs for {figures.hours(hours)}."
    return Figure(of.gpus * hours, "GPU-hours", how=(how,)) if hours else None


def lost_gpu_hours(of: Subject) -> Figure | None:
    lost = lost_time(of)
    return Figure(of.gpus * lost.value, "GPU-hours", how=lost.how) if lost else None


_LOAD = {"carried": ("carries_requests_per_s", "requests/s"), "in-flight": ("concurrency", "requests in flight")}
_PARTS = {"switches": "switches", "optics": "optics", "cables": "cables", "nics": "adapters"}
AMOUNTS = {
    "gpus": gpus,
    "machines": machines,
    "steps": steps,
    "gpu-hours": gpu_hours,
    "lost-gpu-hours": lost_gpu_hours,
    **{name: partial(designed, name=name, unit=unit) for name, unit in _PARTS.items()},
    "tokens-s": tokens_per_s,
    "tokens-s-gpu": partial(tokens_per_s, each=True, unit="tokens/s per GPU"),
    "tokens-hour": partial(tokens_per_s, times=_SECONDS, unit="tokens an hour"),
    "tokens-day": partial(tokens_per_s, times=_DAY, unit="tokens a day"),
    **{name: partial(served, name=field, unit=unit) for name, (field, unit) in _LOAD.items()},
    "requests-day": partial(requests, seconds=_DAY, unit="requests a day"),
    "requests-month": partial(requests, seconds=_SECONDS * HOURS_PER_MONTH, unit="requests a month"),
    **{f"memory-{what}": partial(memory, what=what) for what in ("used", "free")},
    "power": partial(power, name="site_kw"),
    "power-machines": partial(power, name="machines_kw"),
    "power-machine": partial(power, name="machine_kw"),
    "power-network": partial(power, name="network_kw"),
    "energy": partial(power, name="run_kwh"),
    "line-gpu": partial(bandwidth, reached=False),
    "line-node": partial(bandwidth, reached=False, node=True),
    "reached-gpu": partial(bandwidth, reached=True),
    "reached-node": partial(bandwidth, reached=True, node=True),
    "mfu-percent": mfu,
    "effective": effective,
    "network-part": network_share,
    "slower": slower,
    "batch-tokens": batch_tokens,
    "copies": copies,
}
