"""What a plan says of how its job is split, as the facts that a framework's arguments are filled with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assistant.vocabulary.catalog import Catalog, Model
from assistant.vocabulary.errors import InputError, Place
from assistant.vocabulary.plan import Candidate, Plan
from assistant.vocabulary.quantities import shown
from assistant.vocabulary.questionnaire import RARELY

_NOT_STARTED = {"async": "asynchronous updates"} | dict.fromkeys(RARELY, "sites that are synchronised rarely")
_BF16 = ("bf16", "fp8", "mxfp8", "nvfp4")  # trained in with weights and sums in bfloat16


@dataclass(frozen=True)
class Split:
    """``facts`` by the names that stand in braces in ``knowledge/launch``; ``None`` where the plan knows nothing of it.
    ``nodes`` and ``gpus_per_node`` are of what one file starts: the run, or one of ``copies`` of a service."""

    facts: dict[str, Any]
    serves: bool
    nodes: int
    gpus_per_node: int
    copies: int


def split_of(plan: Plan, catalog: Catalog) -> Split:
    """Raises :class:`InputError` for a plan that recommends nothing that one file could start."""
    answer = plan.recommendation
    chosen = next((one for one in plan.candidates if one.fabric == answer.fabric), None)
    if answer.verdict == "infeasible" or chosen is None or not chosen.parallelism:
        raise InputError("expected a plan that recommends something to start; this one finds nothing that works")
    layout = chosen.parallelism
    if "prefill_workers" in layout:
        raise InputError("expected a job that one command starts; prefill and decode on separate GPUs take a router")
    if layout.get("strategy") in _NOT_STARTED:
        raise InputError(f"expected synchronous training on one site, got {_NOT_STARTED[layout['strategy']]}")
    if plan.questionnaire["workload"] == "rlhf":
        raise InputError("expected training or serving; reinforcement learning takes several programs at once")
    return _served(plan, chosen, catalog) if chosen.serving else _trained(plan, chosen, catalog)


def known(plan: Plan, field: str) -> Any:
    """A field as it was assumed, else as it was said: nothing that was said is assumed."""
    assumed = next((one.value for one in plan.assumptions if one.field == field), None)
    value: Any = plan.questionnaire
    for part in field.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value if assumed is None else assumed


def _number(plan: Plan, field: str) -> Any:
    """A number that was said or assumed, or ``None``. Raises :class:`InputError` for what somebody made of it since."""
    value = known(plan, field)
    if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float)) or value <= 0):
        raise InputError(f"expected a number above 0, as weft plan writes it, got {shown(value)}", Place(field=field))
    return value


def _model(plan: Plan, catalog: Catalog) -> Model | None:
    name = plan.questionnaire["model"]
    return catalog.models.get(name) if isinstance(name, str) else None


def _of_model(model: Model | None) -> dict[str, Any]:
    names = ("layers", "hidden", "ffn", "heads", "kv_heads")
    facts = {name: getattr(model, name) if model else f"<{name}>" for name in names}
    for name in ("experts", "experts_per_token", "expert_ffn"):
        facts[name] = getattr(model, name) or None if model else None
    grouped = model is None or model.kv_heads < model.heads
    return facts | {"grouped": grouped, "groups": facts["kv_heads"] if grouped else None, "model_path": "<model>"}


def _trained(plan: Plan, chosen: Candidate, catalog: Catalog) -> Split:
    layout, gpus = chosen.parallelism, plan.questionnaire["cluster"]["gpus"]
    strategy, dp = layout.get("strategy", "ddp"), layout.get("dp") or 1
    per_node = min(_number(plan, "cluster.gpus_per_node") or 8, gpus)
    inside = max(1, per_node // (layout.get("tp", 1) * layout.get("cp", 1)))
    grouped = strategy == "hsdp" or layout.get("shard_within_node")
    shard = 1 if strategy == "ddp" else min(inside, dp) if grouped else dp
    model, batch, length = (
        _model(plan, catalog),
        _number(plan, "training.global_batch"),
        _number(plan, "training.sequence_length"),
    )
    tokens, interleave = _number(plan, "training.tokens"), layout.get("interleave", 1)
    pipes = layout.get("pp", 1) * interleave
    facts = {
        **{name: layout.get(name, 1) for name in ("tp", "pp", "cp", "ep")},
        **_of_model(model),
        "etp": layout.get("etp"),
        "dp": dp,
        "strategy": strategy,
        "shard": shard,
        "replicate": max(1, dp // shard),
        "shards_optimizer": strategy != "ddp",
        "shards_more": strategy in ("zero2", "fsdp", "hsdp"),
        "interleave": interleave,
        "interleaved": interleave > 1,
        "layers_per_chunk": model.layers // pipes if model and pipes > 1 and model.layers % pipes == 0 else None,
        "sequence_parallel": layout.get("sequence_parallel") or layout.get("tp", 1) > 1,
        # What torchtitan counts for a step of a rank: all micro-batches of a pipeline, else one.
        "local_batch": batch // dp if batch and layout.get("pp", 1) > 1 else layout.get("micro_batch", 1),
        "micro_batch": layout.get("micro_batch", 1),
        "recompute": layout.get("recompute", "none"),
        "precision": known(plan, "training.precision") or "bf16",
        "mixed": (known(plan, "training.precision") or "bf16") in _BF16,
        "global_batch": batch,
        "sequence_length": length,
        "steps": round(tokens / (batch * length)) if tokens and batch and length else None,
    }
    return Split(facts, False, -(-gpus // per_node), per_node, 1)


def _served(plan: Plan, chosen: Candidate, catalog: Catalog) -> Split:
    layout, found = chosen.parallelism, chosen.serving
    assert found is not None
    each, per_node = found.gpus_per_copy, _number(plan, "cluster.gpus_per_node") or 8
    prompt, output = _number(plan, "inference.prompt_tokens"), _number(plan, "inference.output_tokens")
    ep, replicas = layout.get("ep", 1) or 1, layout.get("attention_replicas") or 1
    facts = {
        **_of_model(_model(plan, catalog)),
        "tp": layout.get("tp", 1),
        "pp": layout.get("pp", 1),
        "ep": ep,
        "spreads_experts": ep > 1,
        "attention_replicas": replicas,
        "longest": round(prompt + output) if prompt and output else None,
        # As many as are in flight in one copy at the load, and as many again for those that arrive together.
        "concurrency": min(-(-2 * found.concurrency // found.copies), -(-found.max_concurrency // found.copies)),
        "precision": known(plan, "inference.precision") or "bf16",
        "kv_precision": known(plan, "inference.kv_precision") or "bf16",
        "nodes_per_copy": -(-each // per_node),
    }
    return Split(facts, True, -(-each // per_node), min(each, per_node), found.copies)
