"""What a plan takes of a mixture that nobody said: what hides dispatch and combine, and how tokens travel."""

from __future__ import annotations

from typing import Any

from assistant.model import Architecture
from assistant.model.job import BATCH_OVERLAP, DUALPIPE, FUSED, NO_OVERLAP, SEPARATE
from assistant.vocabulary.catalog import Gpu, Model
from assistant.vocabulary.questionnaire import ModelShape, Questionnaire, Training

from .assumptions import Assumptions

RACKLESS = 8  # GPUs that one NVLink domain joins at most where it is not a rack

_HABITS = {
    "megatron": "Megatron leaves dispatch and combine on the critical path unless --overlap-moe-expert-parallel-comm "
    "is set; say batch overlap where it is, DualPipe where the pipeline is fed from both ends",
    None: "dispatch and combine wait for nothing else; with batch overlap (Megatron, torchtitan) or DualPipe most of "
    "them hides behind another micro-batch",
}


def mixture_fields(
    questionnaire: Questionnaire,
    model: Model | ModelShape,
    architecture: Architecture,
    gpu: Gpu,
    precision: str,
    taken: Assumptions,
) -> dict[str, Any]:
    """``framework``, ``expert_overlap``, ``expert_kernels``, ``dispatch_precision`` and ``routing_nodes`` of a job,
    what is taken noted."""
    given = questionnaire.training or Training()
    found: dict[str, Any] = {
        "framework": given.framework,
        "expert_overlap": given.expert_overlap,
        "dispatch_precision": given.dispatch_precision or "bf16",
        "routing_nodes": given.routing_nodes,
        "expert_kernels": given.expert_kernels,
    }
    if questionnaire.serves or not architecture.moe_layers:
        return found
    found["expert_kernels"] = given.expert_kernels or _kernels(questionnaire, gpu, precision, taken)
    if questionnaire.cluster.gpus == 1:
        return found
    published = _published(questionnaire, model, given)
    overlap = given.expert_overlap or _overlap(published, given, taken)
    framework = given.framework
    if framework == "other" and (overlap == DUALPIPE or "expert_overlap" in published):
        framework = taken.take(
            "training.framework",
            None,
            "a stack of one's own that hides the experts' traffic so has tuned kernels: taken as the middle of the "
            "measured ones, not as eager PyTorch",
        )
    dispatch = given.dispatch_precision or _dispatch(published, precision, taken)
    _limit(architecture, given, taken)
    return found | {"framework": framework, "expert_overlap": overlap, "dispatch_precision": dispatch}


def published_precision(questionnaire: Questionnaire, model: Model | ModelShape) -> str | None:
    """The precision that a model's publisher pretrained it in, where that is not the usual one."""
    if questionnaire.workload != "pretraining" or not isinstance(model, Model):
        return None
    return (model.trained_with or {}).get("precision")


def _published(questionnaire: Questionnaire, model: Model | ModelShape, given: Training) -> dict[str, str]:
    """How its publisher pretrained the model, where the stack is not another one that is known not to do so."""
    own = given.framework in (None, "other") and questionnaire.workload == "pretraining" and isinstance(model, Model)
    return (model.trained_with or {}) if own and isinstance(model, Model) else {}


def _overlap(published: dict[str, str], given: Training, taken: Assumptions) -> str:
    known = published.get("expert_overlap")
    if known in (BATCH_OVERLAP, DUALPIPE):
        why = "not said: as its publisher trained it; say no expert overlap for a stack that waits for every token"
        return taken.take("training.expert_overlap", known, why)
    why = f"not said: {_HABITS.get(given.framework, _HABITS[None])}"
    return taken.take("training.expert_overlap", NO_OVERLAP, why)


def _kernels(questionnaire: Questionnaire, gpu: Gpu, precision: str, taken: Assumptions) -> str | None:
    """Whether the experts' kernels are fused: asked only where somebody's are, in block-scaled FP8 whose experts lie
    within one domain of NVLink."""
    within = gpu.scale_up_domain > RACKLESS or questionnaire.cluster.gpus <= gpu.scale_up_domain
    if precision not in ("fp8", "mxfp8") or gpu.vendor != "nvidia" or gpu.peak_fp4 is None or not within:
        return None
    framework = (questionnaire.training or Training()).framework
    if framework == "megatron":
        why = "not said: as NeMo's releases from 26.06 on have it; say separate expert kernels for an earlier one"
        return taken.take("training.expert_kernels", FUSED, why)
    why = "not said: one after the other; Megatron in NeMo from 26.06 on fuses them, and takes up to a third less"
    return taken.take("training.expert_kernels", SEPARATE, why)


def _dispatch(published: dict[str, str], precision: str, taken: Assumptions) -> str:
    if precision in ("fp8", "mxfp8") and published.get("dispatch_precision") == "fp8":
        why = "not said: as its publisher trained it; tokens come back in 16 bits"
        return taken.take("training.dispatch_precision", "fp8", why)
    why = "not said: tokens travel to their experts in 16 bits, as Megatron and torchtitan have it"
    return taken.take("training.dispatch_precision", "bf16", why)


def _limit(architecture: Architecture, given: Training, taken: Assumptions) -> None:
    groups, limit = architecture.expert_groups, architecture.expert_group_limit
    if given.routing_nodes is None and groups > 1:
        taken.take(
            "training.routing_nodes",
            limit,
            f"the model routes a token to at most {limit} of {groups} groups of experts, one on a node each where "
            f"experts are spread over {groups} nodes",
        )
