"""What the machines hold and what is ordered: memory, switches, cables, the items of a purchase."""

from __future__ import annotations

from assistant.vocabulary.added import added

from ... import figures
from ...blocks import sentences
from .. import quantities, reading
from .asked import Asked


def design_counts(asked: Asked) -> str | None:
    """NICs, switches and cables of the recommended network."""
    made = asked.plan.fabric_design
    if not made:
        if asked.best is not None and asked.best.fabric == "none":
            return "None: no network between the nodes is needed; ordinary Ethernet for data and management is enough."
        return "The plan draws no network here."
    cables = made.get("cables") or {}
    links = sum(v for v in cables.values() if isinstance(v, int))
    switches = (
        f"{figures.counted(made['switches'], 'switch', 'switches')} in {made['tiers']} tier{'s' * (made['tiers'] > 1)}"
    )
    if not made["switches"]:
        per, nodes = made["nics"] // max(1, made["nodes"]), figures.counted(made["nodes"], "node", "nodes")
        network = asked.name(made["fabric"])
        return f"{made['nics']:,} NICs, {per} in each of {nodes}; the switches of {network} are the provider's."
    parts = f"{made['leaf']} leaf, {made['spine']} spine" if made["tiers"] > 1 else "no spine"
    lines = f", {links:,} cables" if links else ""
    optics = f", {made['optics']:,} optics" if made.get("optics") else ""
    return (
        f"{switches} ({parts}), {made['nics']:,} NICs{lines}{optics} for {made['nodes']} nodes on "
        f"{asked.name(made['fabric'])}."
    )


def design_money(asked: Asked) -> str | None:
    made = asked.plan.fabric_design
    capex = made.get("capex_usd") if made else None
    if not capex or not capex["mid"]:
        return None
    low, high = figures.usd(capex["low"]), figures.usd(capex["high"])
    parts = " with NICs, cables and optics" if made.get("optics") else " with NICs and cables"
    return f"About {figures.usd(capex['mid'])} to buy ({low}–{high}){parts}."


def design_next(asked: Asked) -> str | None:
    if not asked.plan.fabric_design:
        return None
    rented = "" if asked.buys else "Rented, all of it is the provider's. "
    return f"{rented}Storage, management network and spares are not in it: an integrator's drawing has them."


def order_machines(asked: Asked) -> str | None:
    """The machines of the order with their sum."""
    bought = asked.plan.purchase
    if bought is None:
        found = asked.plan.recommendation.card
        return f"It is rented, so one line: {found.do} {found.cost}" if found else None
    first = bought.items[0]
    if not first.usd:
        return f"No machines: the {bought.gpus_there:,} GPUs are there already."
    return f"{first.count:,} × {first.item}: {figures.usd(first.count * first.usd)}."


def order_network(asked: Asked) -> str | None:
    """The parts of the network with their sums."""
    bought = asked.plan.purchase
    if bought is None:
        return None
    parts = [f"{i.count:,} × {_kind(i.item)} {figures.usd(i.count * i.usd)}"
             for i in bought.items[1:]]  # fmt: skip
    name = asked.name(asked.plan.recommendation.fabric)
    if not parts:
        return "There already: nothing to order." if bought.network_there else None
    together = added(i.count * i.usd for i in bought.items[1:])
    return f"{name}: {'; '.join(parts)}. Together {figures.usd(together)}."


def _kind(item: str) -> str:
    """A part without the numbers by which it is ordered, which are in the purchase list."""
    return (item.partition(":")[2].strip() or item).partition(" (")[0].partition(", with")[0]


def order_missing(asked: Asked) -> str | None:
    bought = asked.plan.purchase
    if bought is None:
        return None
    support = "support, installation, " if "support" not in " ".join(bought.not_counted) else ""
    return f"Have quoted as well: {support}{', '.join(bought.not_counted)}."


def fits(asked: Asked) -> str | None:
    """Whether the job fits, and how full the fullest GPU is."""
    best = asked.best or next((c for c in asked.plan.candidates if c.memory_gb_per_gpu), None)
    if best is None or not best.memory_gb_per_gpu:
        return asked.plan.recommendation.smallest_change
    gpu = asked.catalog.gpus[asked.plan.questionnaire["cluster"]["gpu"]]
    room, need = gpu.memory.si / 2**30, reading.gib(best)
    if best.fits is False or asked.best is None:
        change = asked.plan.recommendation.smallest_change or ""
        return f"No: the leanest split needs {need:,.0f} GiB per GPU and {gpu.name} has {room:,.0f}. {change}".strip()
    split = figures.layout(best.parallelism)
    spare = max(0.0, room - need)
    return f"Yes: {need:,.1f} of the {room:,.0f} GiB of the fullest GPU, {spare:,.1f} GiB to spare, at {split}."


def states(asked: Asked) -> str | None:
    """What weights, gradients and optimizer take by themselves, beside the memory of all the GPUs."""
    params, method = asked.params, reading.asked(asked.plan, "training.method")
    gpu, gpus = asked.catalog.gpus[asked.plan.questionnaire["cluster"]["gpu"]], reading.gpus(asked.plan)
    if not params:
        return None
    if reading.serves(asked.plan):
        bits = _BITS.get(reading.asked(asked.plan, "inference.precision") or "bf16", 16)
        each, what = bits / 8, "weights"
    elif method in ("lora", "qlora"):
        bits = 4 if method == "qlora" else 16
        each, what = bits / 8, "frozen weights"
    else:
        each, what = _FULL_BYTES, "weights 2, gradients 2, Adam 12"
    room, takes = f"{gpus:,} × {gpu.memory.si / 2**30:.0f} GiB", figures.bytes_text(each * params)
    unit = f"{each:g} {'byte' if each == 1 else 'bytes'}"
    return f"{figures.significant(params / 1e9)} billion parameters × {unit} ({what}): {takes}; there are {room}."


_BITS = {"fp32": 32, "fp8": 8, "int8": 8, "int4": 4, "mxfp4": 4, "nvfp4": 4}
_FULL_BYTES = 16.0  # per parameter that is trained with Adam


def fits_phases(asked: Asked) -> str | None:
    """Memory of the fullest GPU by phase, where the same GPUs write answers and train."""
    best = asked.best
    loop = best.learning if best else None
    if loop is None or not loop.memory_gb:
        return None
    told = ", ".join(f"{name.replace('_', ' ')} {gb / 1.073741824:.1f} GiB" for name, gb in loop.memory_gb.items())
    turns = "The same GPUs take turns" if not loop.rollout_gpus else f"{loop.rollout_gpus:,} GPUs write answers"
    return f"{turns}: {told}. One phase's states leave the GPU for the next."


def memory_counts(asked: Asked) -> str | None:
    """What is in the figure."""
    best = asked.best
    if best is None:
        return None
    gpu = asked.catalog.gpus[asked.plan.questionnaire["cluster"]["gpu"]]
    _, *items = [text for block in quantities.memory(asked.plan, best, asked.catalog) for text in sentences(block)]
    counted = next((text for text in items if text.startswith("Counted")), "")
    lean = reading.gib(best) > 0.85 * gpu.memory.si / 2**30
    less = " Tighter still: smaller micro-batch, full recomputation or LoRA." if lean else ""
    if reading.asked(asked.plan, "training.method") in ("lora", "qlora"):
        counted = "Counted: frozen weights, adapters with gradients and optimizer states, activations, buffers, margin."
        less = ""
    return f"{counted}{less}" or None


def order_position(asked: Asked) -> str | None:
    """The line of the order that is the network, where that is asked."""
    made, best = asked.plan.fabric_design, asked.best
    if best is None or not any(word in asked.text for word in ("network", "switch", "fabric", "position")):
        return None
    if not made or best.fabric == "none":
        return "For the network: nothing but ordinary Ethernet for data and management."
    if not asked.buys:
        return f"For the network: nothing, {asked.name(best.fabric)} comes with the machines; have it in the contract."
    fabric = asked.catalog.fabrics[best.fabric]
    rate = f"{fabric.nic_rate * 8 / 1e9:g} Gb/s"
    capex = made.get("capex_usd")
    cost = (
        f", about {figures.usd(capex['mid'])} ({figures.usd(capex['low'])}–{figures.usd(capex['high'])})"
        if capex
        else ""
    )
    return (
        f'Write: "{asked.name(best.fabric)} for {made["nodes"]:,} nodes, {made["nics"]:,} adapters of {rate}, '
        f'{figures.counted(made["switches"], "switch", "switches")}, cables and optics{cost}, as by a written quote".'
    )


def split_here(asked: Asked) -> list[str]:
    """How the GPUs share the work, with the batch that goes with it."""
    best = asked.best
    if best is None or not best.parallelism:
        return []
    assumed = {a.field: a.value for a in asked.plan.assumptions}
    value = lambda field: reading.asked(asked.plan, field) or assumed.get(field)
    batch, length = value("training.global_batch"), value("training.sequence_length")
    tokens = f", {batch:,} sequences of {length:,} tokens a step" if batch and length else ""
    return [
        f"{figures.layout(best.parallelism)}{tokens}.",
        "It is the fastest split that was found for this network; another one is tried if you say it.",
    ]


def oom_here(asked: Asked) -> str | None:
    """What the plan counts on the fullest GPU."""
    best = asked.best
    if best is None or not best.memory_gb_per_gpu:
        return None
    gpu = asked.catalog.gpus[asked.plan.questionnaire["cluster"]["gpu"]]
    need, room = reading.gib(best), gpu.memory.si / 2**30
    at = reading.asked(asked.plan, "training.sequence_length")
    where = f" at {at:,} tokens" if at else ""
    return (
        f"The plan counts {need:,.0f} of {room:,.0f} GiB{where}; what needs more is set otherwise: compare the split."
    )


def oom_stops(asked: Asked) -> str | None:
    """What happens without room."""
    if asked.best is None or not asked.says("what-happens"):
        return None
    return "It stops with an out-of-memory error, mostly in the first steps; nothing is harmed."


def oom_steps(asked: Asked) -> str | None:
    """What to turn down, in order, with what the plan has turned down already left out."""
    best = asked.best
    if best is None:
        return asked.plan.recommendation.smallest_change
    split = best.parallelism
    if reading.serves(asked.plan):
        more = f", then {2 * (split.get('tp') or 1)} GPUs a copy"
        return f"In this order: fewer requests at once, a shorter longest context, a KV cache in 8 bits{more}."
    steps = []
    if (split.get("micro_batch") or 1) > 1:
        steps.append(f"micro-batch 1 instead of {split['micro_batch']} (costs least)")
    if split.get("recompute") != "full":
        steps.append("full activation recomputation (about a third more computing)")
    if split.get("strategy") in ("zero1", "zero2", "ddp"):
        steps.append("shard the weights too (FSDP or ZeRO-3)")
    method = reading.asked(asked.plan, "training.method")
    if method == "lora":
        steps.append("the frozen weights in 4 bits (QLoRA)")
    elif method == "full":
        steps.append("adapters (LoRA)")
    at = reading.asked(asked.plan, "training.sequence_length")
    steps.append(f"sequences of {at // 2:,} instead of {at:,} tokens" if at and at > 1024 else "shorter sequences")
    steps.append("twice the GPUs, or larger ones")
    return f"In this order: {'; '.join(f'{n}. {one}' for n, one in enumerate(steps, 1))}."
