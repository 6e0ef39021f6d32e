"""What is different between two plans, and what did it: for a terminal, and as a comment on a pull request."""

from __future__ import annotations

from collections.abc import Callable

from assistant.vocabulary.counted import counted
from assistant.vocabulary.naming import naming
from assistant.vocabulary.plan.diff import Cause, NetworkChange, OfferPrice, PlanDiff, RuleChange
from assistant.vocabulary.printing import in_json

from .. import figures
from ..blocks import Block, Bullets, Paragraph, Table, titled
from ..fields import field_name, value_text
from ..markdown import blocks_markdown, escaped
from ..text import lines_of
from .names import renamed

MARK = "<!-- weft diff -->"  # by which a comment that is written again is found
_KINDS = {"known": "what is known", "constant": "constant", "price": "price", "day": "day", "input": "input"}
_MOST = 12  # rows of a list; the rest is counted


def written(diff: PlanDiff, form: str, width: int = 100) -> str:
    """The difference as ``text``, ``json`` or ``markdown``."""
    if form == "json":
        return in_json(diff.model_dump_json(indent=2)) + "\n"
    if form == "text":
        return "\n".join(lines_of(blocks(diff), width)) + "\n"
    return f"{MARK}\n# {escaped(diff.after.name or 'Weft')}\n\n{blocks_markdown(blocks(diff))}\n"


def blocks(diff: PlanDiff) -> list[Block]:
    """The answers, what did it, then everything that is different."""
    found = [
        *_answer(diff),
        *_causes(diff),
        *_inputs(diff),
        *_prices(diff),
        *_constants(diff),
        *_rules(diff),
        *_networks(diff),
    ]
    return renamed(found, naming(diff.names))


def _answer(diff: PlanDiff) -> list[Block]:
    was, now = diff.before, diff.after
    head = f"The answer stays: {now.do}" if diff.same_answer else f"Another answer: {now.do} Before: {was.do}"
    told = [
        _moved("Cost of the run", was.cost_usd, now.cost_usd, figures.usd),
        _moved("Length of the run", was.run_hours, now.run_hours, figures.hours),
        _moved("One step", was.step_time_s, now.step_time_s, figures.seconds),
        f"Day of prices: {was.date} → {now.date}." if was.date != now.date else "",
        f"Made with other {', '.join(diff.changed_with)}." if diff.changed_with else "",
    ]
    return [Paragraph(head, strong=True, doubt=not diff.same_answer), Bullets([text for text in told if text])]


def _moved(what: str, was: float | None, now: float | None, text: Callable[[float | None], str]) -> str:
    if was is None and now is None:
        return ""
    if was and now and text(was) != text(now):
        return f"{what}: {text(was)} → {text(now)} ({100 * (now / was - 1):+.3g} %)."
    return f"{what}: {text(was)} → {text(now)}." if (was is None) != (now is None) else f"{what}: {text(now)}."


def _causes(diff: PlanDiff) -> list[Block]:
    if diff.not_computed:
        return titled("What did it", Paragraph(f"Not worked out: {diff.not_computed}."))
    if not diff.causes:
        return [] if diff.same_answer else titled("What did it", Paragraph("Nothing that could be computed again."))
    rows = [[_KINDS[one.kind], _what(one), _network(one), _cost(one)] for one in diff.causes]
    return titled("What did it", Table(["", "change", "recommended", "cost of the run"], rows, frozenset({3})))


def _what(cause: Cause) -> str:
    return ", ".join(map(field_name, cause.what.split(", "))) if cause.kind == "input" else cause.what


def _network(cause: Cause) -> str:
    was, now = cause.fabric_was or "nothing works", cause.fabric or "nothing works"
    return now if was == now else f"{was} → {now}"


def _cost(cause: Cause) -> str:
    was, now = cause.cost_was_usd, cause.cost_usd
    return f"{figures.usd(was)} → {figures.usd(now)}"


def _inputs(diff: PlanDiff) -> list[Block]:
    said = lambda field, value: "not said" if value is None else value_text(field, value)
    return titled(
        "Inputs",
        Bullets([f"{field_name(c.field)}: {said(c.field, c.was)} → {said(c.field, c.now)}." for c in diff.inputs]),
    )


def _prices(diff: PlanDiff) -> list[Block]:
    rows = [[_offer(one), figures.usd(one.was), figures.usd(one.now), _percent(one)] for one in diff.prices[:_MOST]]
    table = Table(["offer", "was", "now", ""], rows, frozenset({1, 2, 3}))
    return titled("Prices per GPU-hour", table, *_more(len(diff.prices))) if rows else []


def _offer(price: OfferPrice) -> str:
    term = f" for {price.months:g} months" if price.months else ""
    return f"{price.provider}: {price.instance}, {price.tier}{term}"


def _percent(price: OfferPrice) -> str:
    if price.was is None:
        return "new"
    return "gone" if price.now is None else f"{100 * (price.now / price.was - 1):+.3g} %"


def _constants(diff: PlanDiff) -> list[Block]:
    rows = [[one.name, one.was or "–", one.now or "–"] for one in diff.constants[:_MOST]]
    return titled("Constants", Table(["", "was", "now"], rows), *_more(len(diff.constants))) if rows else []


def _rules(diff: PlanDiff) -> list[Block]:
    """A rule that says the same of several networks is told once. Of another job rules say other things: that is no
    news unless they have changed themselves."""
    if diff.inputs and not {"rules", "knowledge"} & {*diff.changed_with}:
        return []
    groups: dict[tuple[str, str], list[RuleChange]] = {}
    for one in diff.rules:
        groups.setdefault((one.rule, one.now), []).append(one)
    told = [_rule(changes) for changes in groups.values()]
    return titled("Rules", Bullets(told[:_MOST]), *_more(len(told)))


def _rule(changes: list[RuleChange]) -> str:
    first, others = changes[0], len(changes) - 1
    about = f" of {first.fabric}" if first.fabric else ""
    more = f" and {counted(others, 'other network')}" if others else ""
    says = "now says" if first.now == "speaks" else "no longer says"
    return f"{first.rule} {says}{about}{more}: {first.because}"


def _networks(diff: PlanDiff) -> list[Block]:
    """What is out of the question in both plans is no news."""
    shown = [one for one in diff.networks if {one.verdict_was, one.verdict_now} - {"impossible", None}]
    rows = [[one.fabric, _verdict(one), _step(one)] for one in shown[:_MOST]]
    table = Table(["network", "verdict", "one step"], rows, frozenset({2}))
    return titled("Networks", table, *_more(len(shown))) if rows else []


def _verdict(one: NetworkChange) -> str:
    was, now = one.verdict_was or "not considered", one.verdict_now or "not considered"
    return now if was == now else f"{was} → {now}"


def _step(one: NetworkChange) -> str:
    was, now = figures.seconds(one.step_was), figures.seconds(one.step_now)
    return now if was == now else f"{was} → {now}"


def _more(count: int) -> list[Block]:
    return [Paragraph(f"And {count - _MOST} more.")] if count > _MOST else []
