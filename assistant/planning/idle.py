"""GPUs of a job that are had and do nothing: the copies of a service do not divide them, or a rack has no room for one
instance more."""

from __future__ import annotations

from assistant.vocabulary.plan import Warning_

from .entry import Entry
from .resolve import Resolved


def idle_gpus(entry: Entry, job: Resolved) -> int:
    """How many do no work at all; of reinforcement learning how many do none while answers are written."""
    served, layout = entry.estimate.serving, entry.estimate.parallelism
    if served is not None:
        return max(0, job.gpus - served.gpus_at_work)
    copies = layout.get("rollout_copies")
    if not copies:
        return 0
    return max(0, (layout.get("rollout_gpus") or job.gpus) - copies * layout["rollout_tensor_parallel"])


def told_in_short(entry: Entry, job: Resolved) -> str:
    """``8 of the 80 GPUs stand idle``; nothing where all work."""
    idle = idle_gpus(entry, job)
    if not idle:
        return ""
    when = " while answers are written" if entry.estimate.serving is None else ""
    return f"{idle:,} of the {job.gpus:,} GPUs {'stands' if idle == 1 else 'stand'} idle{when}"


def warnings(chosen: Entry | None, job: Resolved) -> list[Warning_]:
    """That GPUs stand idle, whether they are paid for, and with how many fewer all is the same."""
    short = told_in_short(chosen, job) if chosen else ""
    if chosen is None or not short:
        return []
    served = chosen.estimate.serving
    paid = "" if job.questionnaire.budget.machines_there else ", and are paid for like the others"
    why = "an engine's copies do not divide them: give another size of a copy (rl.rollout_tensor_parallel)"
    if served is not None:
        work = served.gpus_at_work
        whole = work % job.gpus_per_node == 0
        why = f"{served.instances}, {work:,} in all{f'; with {work:,} alone it serves as much' if whole else ''}"
    return [Warning_(code="gpus-stand-idle", message=f"{short}{paid}: {why}.")]
