"""What a service's load takes: how many GPUs, in which copies, at what price per token; on every kind of GPU that is
let."""

from assistant.vocabulary.plan import KindOfGpu, Plan, Sizing

from .. import figures, limits
from ..blocks import Block, Heading, Paragraph, Table
from . import reading

TITLE = "GPUs for this load"
_ON_TOP = "Averages: peaks above the load and copies in reserve come on top."


def section(plan: Plan) -> list[Block]:
    """The load, what carries it, and the same on every kind of GPU."""
    return _told(plan, None)


def in_short(plan: Plan) -> list[Block]:
    """The same with the first kinds, which cost least; the plan's own is no row that is left out."""
    return _told(plan, limits.KINDS_IN_SHORT)


def in_talk(plan: Plan) -> list[Block]:
    """The load and what carries it, without the other kinds."""
    return [Paragraph(" ".join(_sentences(plan, plan.sizing)))] if plan.sizing else []


def _told(plan: Plan, most: int | None) -> list[Block]:
    found = plan.sizing
    if found is None:
        return []
    sized = _is_sized(plan, found)
    said = [Heading(TITLE if sized else "What the GPUs carry"), Paragraph(" ".join(_sentences(plan, found)))]
    if not found.kinds:
        return said
    own = plan.questionnaire["cluster"]["gpu"]
    shown = [k for n, k in enumerate(found.kinds) if most is None or n < most or k.gpu == own]
    gone = len(found.kinds) - len(shown)
    more = f" {gone} more kinds cost more." if gone > 1 else " One more kind costs more." if gone else ""
    in_bulk = "the fewest GPUs that end it in time, by the month" if _in_bulk(plan) else "the fewest GPUs that carry it"
    what = in_bulk if sized else "one copy of the model, always busy"
    note = f"On each kind of GPU that is let: {what}, at the offer that costs least for them.{more}"
    return [*said, _table(shown, own), Paragraph(note)]


def _is_loaded(found: Sizing) -> bool:
    return found.requests_per_s is not None or found.concurrency is not None


def _in_bulk(plan: Plan) -> bool:
    """Whether it is a job that ends."""
    return reading.ends(plan)


def _is_sized(plan: Plan, found: Sizing) -> bool:
    """Whether what was said asks for a number of GPUs: a load, or a job that must end in time."""
    return _is_loaded(found) or (_in_bulk(plan) and bool(reading.asked(plan, "constraints.deadline_days")))


def _sentences(plan: Plan, found: Sizing) -> list[str]:
    best = reading.chosen(plan)
    each = best.serving.gpus_per_copy if best and best.serving else max(1, found.gpus // found.copies)
    many = f"{found.copies:,} {'copy' if found.copies == 1 else 'copies'} of {each} GPU{'s' if each > 1 else ''}"
    if best and best.serving and best.serving.prefill_workers:
        many = figures.layout(best.parallelism or {})
    asked, carried = _asked(plan, found), figures.significant(found.carries_requests_per_s)
    within = " within these times" if found.ttft_ms or found.tpot_ms else ""
    verb = "carries" if found.gpus == 1 else "carry"
    gpus = f"{found.gpus:,} {plan.questionnaire['cluster']['gpu']}"
    if not found.carries_requests_per_s:
        carry = f"No layout of a copy on {gpus} answers as fast as that, however few requests there are."
    elif found.could_be_had:
        enough = "is enough" if found.gpus == 1 else "are enough"
        carry = f"Of the {found.could_be_had:,} GPUs that could be had {gpus} {enough}, {many}; all of them"
        carry += f" would carry up to {carried} requests per second{within}."
    else:
        carry = f"{gpus}, {many}, {verb} up to {carried} requests per second{within}."
    return [
        text for text in (asked, carry, _price(plan, found), _ON_TOP if found.carries_requests_per_s else "") if text
    ]


def _asked(plan: Plan, found: Sizing) -> str:
    """``10 requests per second of 2,000 and 500 tokens; the first token within 500 ms, each further within 20 ms.``"""
    prompt, answer = (reading.asked(plan, f"inference.{name}_tokens") or usual for name, usual in _LENGTHS)
    lengths = f"prompts of {prompt:,} and answers of {answer:,} tokens"
    load = [
        f"{figures.significant(found.requests_per_s)} requests per second" if found.requests_per_s else "",
        f"{found.concurrency:,} requests in flight" if found.concurrency else "",
    ]
    named = " and ".join(text for text in load if text)
    targets = [
        f"the first token within {figures.seconds(found.ttft_ms / 1e3)}" if found.ttft_ms else "",
        f"each further {'one' if found.ttft_ms else 'token'} within {figures.seconds(found.tpot_ms / 1e3)}"
        if found.tpot_ms
        else "",
    ]
    within = ", ".join(text for text in targets if text)
    start = f"{named}, {lengths}" if named else f"{lengths[0].upper()}{lengths[1:]}"
    return f"{start}{f'; {within}' if within else ''}."


_LENGTHS = (("prompt", 2000), ("output", 500))


def _price(plan: Plan, found: Sizing) -> str:
    sum_ = found.usd_of_job if _in_bulk(plan) else found.usd_per_month
    if sum_ is None or found.usd_per_million_output_tokens is None:
        return ""
    output, every = map(figures.usd, (found.usd_per_million_output_tokens, found.usd_per_million_tokens))
    if _in_bulk(plan):
        job = f"The job costs {figures.usd(sum_)}"
        return f"{job}, {output} per million output tokens ({every} per million with the prompts')."
    busy = "" if _is_loaded(found) else " if they are always busy"
    return (
        f"A month costs {figures.usd(sum_)}, {output} per million output tokens{busy} ({every} per "
        "million with the prompts')."
    )


def _table(kinds: list[KindOfGpu], own: str) -> Table:
    header = ["", "kind", "GPUs", "copies", "split", "first token", "per token", "a month", "per M output", "network"]
    header += ["at"]
    rows = [
        [
            "✓" if k.gpu == own else "·",
            k.gpu,
            f"{k.gpus:,}" if k.gpus_paid == k.gpus else f"{k.gpus:,} ({k.gpus_paid:,} paid)",
            f"{k.copies:,}",
            figures.layout({**k.parallelism, "replicas": 1}),
            figures.seconds(k.ttft_s),
            figures.seconds(k.tpot_s),
            figures.usd(k.usd_per_month),
            figures.usd(k.usd_per_million_output_tokens),
            k.network,
            _at(k),
        ]
        for k in kinds
    ]
    won = next((n for n, k in enumerate(kinds) if k.gpu == own), None)
    return Table(
        header, rows, frozenset({2, 3, 5, 6, 7, 8}), won, (9, 4, 5, 6, 10), {10: ["at", *(k.provider for k in kinds)]}
    )


def _at(kind: KindOfGpu) -> str:
    tier = "" if kind.tier == "on-demand" else f" {kind.tier}"
    tier += f" for {kind.months:g} months" if kind.months else ""
    listed = "from " if kind.paid_over_listed > 1 else ""
    return f"{kind.provider}, {listed}${kind.usd_per_gpu_hour:.2f}{tier}"
