"""The job in a sentence, as it was said: what a report answers."""

from assistant.vocabulary.plan import Plan

from ..blocks import Block, Paragraph
from ..fields import field_text
from . import reading
from .names import namer

_DOES = {
    "pretraining": "Pretrain",
    "finetuning": "Fine-tune",
    "rlhf": "Train by reinforcement learning",
    "inference": "Serve",
    "disaggregated-inference": "Serve, with prompts and answers on GPUs of their own,",
    "batch-inference": "Run through in bulk",
}
# What decides, in the order in which one would say it; of these only what was said is told.
_UNSAID = (None, False, "nothing")
_TOLD = (
    *("training.method", "training.tokens", "training.days", "training.sequence_length"),
    *("rl.algorithm", "rl.prompts_per_step", "rl.samples_per_prompt", "rl.rollout_gpus"),
    *("inference.requests", "inference.tokens", "inference.requests_per_s", "inference.tokens_per_s"),
    *("inference.concurrency", "inference.prompt_tokens", "inference.output_tokens"),
    *("inference.ttft_ms", "inference.tpot_ms"),
    *("cluster.provider", "cluster.fabric", "cluster.wan_gbps", "budget.owned", "budget.owned_gpus"),
    *("constraints.deadline_days", "constraints.max_slowdown_percent", "constraints.max_power_kw"),
    *("budget.usd", "budget.usd_per_month", "budget.reserved_days", "budget.gpu_hour_usd", "budget.spot"),
    *("constraints.vendor_neutral",),
)


def restated(plan: Plan) -> list[Block]:
    """The job, what was said of it, and the day of the plan."""
    said = [field_text(path, value) for path in _TOLD if (value := reading.asked(plan, path)) not in _UNSAID]
    about = namer(plan)(f"{'; '.join([_job(plan), *said])}.")
    return [Paragraph(f"{about} {_made(plan.date)}" if plan.date else about)]


def title(plan: Plan) -> str:
    """What the person calls the job, or what it is."""
    said = str(plan.questionnaire.get("name") or namer(plan)(_job(plan)))
    return said[:1].upper() + said[1:] if " " in said else said  # a label of one word as it is written


def _job(plan: Plan) -> str:
    said, model = plan.questionnaire, plan.questionnaire.get("model")
    does = _DOES.get(str(said.get("workload")), str(said.get("workload")))
    what = model if isinstance(model, str) else "a model of one's own"
    cluster, sites = said["cluster"], reading.asked(plan, "cluster.sites") or 1
    where = f" at {sites} sites" if sites > 1 else ""
    mode = reading.asked(plan, "budget.mode")
    ours = mode == "buy" and reading.asked(plan, "budget.owned") not in (None, "nothing")
    how = "owned" if ours and not reading.asked(plan, "budget.owned_gpus") else "bought" if mode == "buy" else "rented"
    return f"{does} {what} on {cluster['gpus']:,} {how} {cluster['gpu']}{where}"


def _made(date: str) -> str:
    return f"As of {reading.day(date)}."
