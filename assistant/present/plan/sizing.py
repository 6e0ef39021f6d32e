"""What a service's load takes: how many GPUs, in which copies, at what price per token; on every kind of GPU that is
let."""

from assistant.vocabulary.counted import copies_told, counted
from assistant.vocabulary.plan import KindOfGpu, Plan, Sizing

from .. import figures, limits
from ..blocks import Block, Heading, Paragraph, Table
from . import reading

TITLE = "GPUs for this load"
_ON_TOP = "Averages: peaks above the load and copies in reserve come on top."
_AT_RANDOM = (
    "Users come at random, not all at once: where a benchmark starts so many together, each first token waits for the "
    "prompts of the others."
)


def section(plan: Plan) -> list[Block]:
    """The load, what carries it, and the same on every kind of GPU."""
    return _told(plan, None)


def in_short(plan: Plan) -> list[Block]:
    """The same with the first kinds, which cost least; the plan's own is no row that is left out."""
    return _told(plan, limits.KINDS_IN_SHORT)


def in_talk(plan: Plan) -> list[Block]:
    """The load and what carries it, without the other kinds; where no card has told the copies already."""
    return [Paragraph(" ".join(_sentences(plan, plan.sizing)))] if plan.sizing else []


def under_the_card(plan: Plan) -> list[Block]:
    """The same without what the card has."""
    return [Paragraph(" ".join(_sentences(plan, plan.sizing, alone=False)))] if plan.sizing else []


def _told(plan: Plan, most: int | None) -> list[Block]:
    found = plan.sizing
    if found is None:
        return []
    sized = _is_sized(plan, found)
    said = [
        Heading(TITLE if sized else "What the GPUs carry"),
        Paragraph(" ".join(_sentences(plan, found, alone=False))),
    ]
    if not found.kinds:
        return said
    own = plan.questionnaire["cluster"]["gpu"]
    shown = [k for n, k in enumerate(found.kinds) if most is None or n < most or k.gpu == own]
    gone = len(found.kinds) - len(shown)
    more = f" {gone} more kinds cost more." if gone > 1 else " One more kind costs more." if gone else ""
    in_bulk = "the fewest GPUs that end it in time, by the month" if _in_bulk(plan) else "the fewest GPUs that carry it"
    what = in_bulk if sized else "one copy of the model, always busy"
    every, at = "that is let", "at the offer that costs least for them"
    if any(kind.usd_to_buy is not None for kind in shown):
        every, at = "with a known price to buy", "a month being write-off, power and support"
    note = f"On each kind of GPU {every}: {what}, {at}.{more}"
    return [*said, _table(shown, _own(plan, found)), Paragraph(f"{note}{_fewer(plan, found)}")]


def _own(plan: Plan, found: Sizing) -> KindOfGpu | None:
    """The row that is what the plan recommends."""
    gpu, answer = plan.questionnaire["cluster"]["gpu"], plan.recommendation
    return next(
        (k for k in found.kinds if (k.gpu, k.gpus, k.network) == (gpu, found.gpus, answer.fabric)),
        None,
    )


def _fewer(plan: Plan, found: Sizing) -> str:
    """That fewer of the GPUs that were given would do."""
    gpu = plan.questionnaire["cluster"]["gpu"]
    least = next((k.gpus for k in found.kinds if k.gpu == gpu), found.gpus)
    if not _is_sized(plan, found) or least >= found.gpus or found.could_be_had:
        return ""
    return f" Of the {found.gpus:,} {gpu} that were given {least:,} would do."


def _is_loaded(found: Sizing) -> bool:
    return found.requests_per_s is not None or found.concurrency is not None


def _in_bulk(plan: Plan) -> bool:
    """Whether it is a job that ends."""
    return reading.ends(plan)


def _is_sized(plan: Plan, found: Sizing) -> bool:
    """Whether what was said asks for a number of GPUs: a load, or a job that must end in time."""
    return _is_loaded(found) or (_in_bulk(plan) and bool(reading.asked(plan, "constraints.deadline_days")))


def _sentences(plan: Plan, found: Sizing, *, alone: bool = True) -> list[str]:
    """``alone``: with the copies, which the card has otherwise."""
    asked, carried = _asked(plan, found), figures.significant(found.carries_requests_per_s)
    within = " within these times" if found.ttft_ms or found.tpot_ms else ""
    gpus, copies = (
        f"{found.gpus:,} {reading.name(plan, plan.questionnaire['cluster']['gpu'])}",
        _copies(plan, found) if alone else "",
    )
    if not found.carries_requests_per_s:
        return [asked, f"No layout on {gpus} answers as fast as that, however few requests there are."]
    if found.could_be_had:
        enough = "is enough" if found.gpus == 1 else "are enough"
        carry = f"Of the {found.could_be_had:,} GPUs that could be had {gpus} {enough}{f', {copies}' if alone else ''};"
        carry += f" all of them would carry up to {carried} requests per second{within}."
    else:
        verb = "carries" if found.gpus == 1 else "carry"
        carry = f"{gpus}{f', {copies},' if alone else ''} {verb} up to {carried} requests per second{within}."
    return [asked, carry, *_price(plan, found), *([] if _in_bulk(plan) else [_ON_TOP]), *_burst(found)]


def _burst(found: Sizing) -> list[str]:
    """Of users who must not wait long: that they were not counted as a benchmark has them."""
    return [_AT_RANDOM] if found.concurrency and found.ttft_ms else []


def _copies(plan: Plan, found: Sizing) -> str:
    """Of the recommendation, else as they were counted."""
    best = reading.chosen(plan)
    served = best.serving if best else None
    if served is None:
        return copies_told(found.copies, max(1, found.gpus // max(found.copies, 1)))
    if served.prefill_workers is not None:
        return served.instances
    return copies_told(found.copies, served.gpus_per_copy)


def _asked(plan: Plan, found: Sizing) -> str:
    """``10 requests per second of 2,000 and 500 tokens; the first token within 500 ms, each further within 20 ms.``"""
    prompt, answer = reading.lengths(plan)
    lengths = f"prompts of {prompt:,} and answers of {answer:,} tokens"
    load = [
        f"{found.requests_per_s:,.4g} requests per second" if found.requests_per_s else "",
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
    guessed = reading.asked(plan, "inference.accepted_percent")
    if guessed:
        many = reading.asked(plan, "inference.speculative_tokens") or 1
        lengths += f", {counted(many, 'further token')} guessed in each step and {guessed:g} % of them accepted"
    start = f"{named}, {lengths}" if named else f"{lengths[0].upper()}{lengths[1:]}"
    return f"{start}{f'; {within}' if within else ''}."


def _price(plan: Plan, found: Sizing) -> list[str]:
    """What the card has not: the price with the tokens of the prompts."""
    if found.usd_per_million_tokens is None:
        return []
    every = figures.usd(found.usd_per_million_tokens)
    busy = "" if _is_loaded(found) or _in_bulk(plan) else " Both prices hold if the GPUs are always busy."
    return [f"With the tokens of the prompts a million costs {every}.{busy}"]


def _table(kinds: list[KindOfGpu], own: KindOfGpu | None) -> Table:
    header = ["", "kind", "GPUs", "copies", "split", "first token", "per token", "a month", "per M output", "network"]
    header += ["at"]
    rows = [
        [
            "✓" if k is own else "·",
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
    won = next((n for n, k in enumerate(kinds) if k is own), None)
    shorter = {10: ["at", *(k.provider or _at(k) for k in kinds)]}
    return Table(header, rows, frozenset({2, 3, 5, 6, 7, 8}), won, (9, 4, 5, 6, 10), shorter)


def _at(kind: KindOfGpu) -> str:
    if kind.usd_to_buy is not None:
        return f"{figures.usd(kind.usd_to_buy)} to buy" if kind.usd_to_buy else "there already"
    tier = "" if kind.tier == "on-demand" else f" {kind.tier}"
    tier += f" for {kind.months:g} months" if kind.months else ""
    listed = "from " if kind.paid_over_listed > 1 else ""
    return f"{kind.provider}, {listed}${kind.usd_per_gpu_hour:.2f}{tier}"
