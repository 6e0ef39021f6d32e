"""Events as text: the same blocks become lines (plain mode) and Markdown (transcripts)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from assistant.present import limits
from assistant.present.answers import answer_blocks
from assistant.present.blocks import Block, Bullets, Chart, Choices, Heading, Paragraph, Table, Tree
from assistant.present.markdown import blocks_markdown
from assistant.present.plan import opening
from assistant.present.plan.formats import plan_lines
from assistant.present.plan.report import report
from assistant.present.plots import plot_lines
from assistant.present.text import block_lines, safe

from . import events as e

_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def keys(question: e.Question) -> list[str]:
    """The key of each choice: digits, or letters where a label is itself a number that could be typed."""
    numbers = any(choice.label[:1].isdigit() for choice in question.choices)
    return list(_LETTERS if numbers else "123456789")[: len(question.choices)]


def lines(event: e.Event, width: int = 80) -> list[str]:
    """An event as plain lines of at most ``width`` characters: no markup, no boxes, no colour."""
    if isinstance(event, e.PlanDetails):
        return plan_lines(event.plan, width)
    if isinstance(event, e.Plots):
        return plot_lines(event.plan, event.scale, width)
    return [safe(line) for block in blocks(event) for line in block_lines(block, width)]


def markdown(event: e.Event) -> str:
    """An event as Markdown, blocks separated by an empty line."""
    return blocks_markdown(blocks(event))


def blocks(event: e.Event) -> list[Block]:
    """What an event says, in order."""
    render: Callable[[Any], Iterator[Block]] = _RENDERERS[event.kind]
    return list(render(event))


def _question(event: e.Question) -> Iterator[Block]:
    yield Paragraph(event.text, strong=True)
    if event.again:
        return
    yield Paragraph(
        event.why_asked + (f" Say it as in: {event.placeholder}." if event.placeholder and not event.choices else "")
    )
    if event.previous:
        yield Paragraph(f'Your answer was: {event.previous}. Say another, or go on with "not sure".')
    offers = list(zip(keys(event), (c.label for c in event.choices), strict=True))
    if event.not_sure:
        offers.append(("0", f"Not sure ({event.if_not_sure})" if event.if_not_sure else "Not sure"))
    if offers:
        yield Choices(tuple(offers))


def _understood(event: e.Understood) -> Iterator[Block]:
    said = [f.text + (f" (was {f.before})" if f.before else "") for f in event.fields]
    if said:
        yield Paragraph("Understood: " + "; ".join(said) + ".")
    yield from _list_of([text[:1].upper() + text[1:] + "." for text in event.assumed])
    if event.rest:
        yield Paragraph(f'Not understood, so not used: "{event.rest}".')


def _plan(event: e.PlanShown) -> Iterator[Block]:
    if event.first or any("recommendation is" in text or "works" in text for text in event.changes):
        yield from opening.in_talk(event.plan)
    yield from _listed(event.changes)


def _listed(changes: tuple[str, ...]) -> Iterator[Block]:
    """Changes as a list, one alone as a sentence; of many new warnings the first few."""
    warnings = [text for text in changes if text.startswith("New warning")]
    shown = [text for text in changes if text not in warnings[limits.WARNINGS_IN_TALK :]]
    more = len(warnings) - limits.WARNINGS_IN_TALK
    if more > 0:
        shown.append(
            f'{more} more new warning{"s" * (more > 1)}; say "warnings" to read {"them" if more > 1 else "it"}.'
        )
    yield from _list_of(shown)


def _list_of(items: Sequence[str]) -> list[Block]:
    """A list, one item alone as a sentence."""
    return [Bullets(list(items)) if len(items) > 1 else Paragraph(items[0])] if items else []


def _variation(event: e.VariationShown) -> Iterator[Block]:
    yield Paragraph(
        "What if " + "; ".join(f.text + (f" instead of {f.before}" if f.before else "") for f in event.fields) + ":"
    )
    yield Paragraph(event.headline, strong=True)
    if event.plan.recommendation.smallest_change:
        yield Paragraph(event.plan.recommendation.smallest_change)
    yield from _listed(event.changes)
    yield Paragraph('Say "keep it" to go on with this; the plan stays as it is otherwise.')


def _details(event: e.PlanDetails) -> Iterator[Block]:
    for block in report(event.plan):
        yield Paragraph(block.text, strong=True) if isinstance(block, Heading) else block


def _plots(event: e.Plots) -> Iterator[Block]:
    yield Chart(tuple(plot_lines(event.plan, event.scale)))


def _answer(event: e.Answer) -> Iterator[Block]:
    if event.answer is None or not event.answer.answered:
        yield Paragraph(event.note or "The knowledge base has no answer to that.")
        return
    yield from answer_blocks(event.answer)
    yield Bullets(
        [_passage(number, passage) for number, passage in enumerate(event.answer.passages[: limits.PASSAGES], start=1)]
    )


def _passage(number: int, passage: Any) -> str:
    date = f", {passage.date}" if passage.date else ""
    status = (
        f" This is {passage.status}: {passage.correction}" if passage.status != "current" and passage.correction else ""
    )
    return f"[{number}] {passage.text}{status} ({passage.source}, {passage.section}{date})"


def _explanation(event: e.Explanation) -> Iterator[Block]:
    """Figures first, then the findings that weigh most; the rest is counted."""
    yield Paragraph(event.tree.text, strong=True)
    figures_first = [child for child in event.tree.children if child.kind == "figure"]
    findings = [child for child in event.tree.children if child.kind != "figure"]
    lines = [line for child in [*figures_first, *findings[: limits.REASONS_IN_TALK]] for line in _reason(child, 0)]
    if lines:
        yield Tree(tuple(lines))
    more = findings[limits.REASONS_IN_TALK :]
    if more:
        yield Paragraph(
            f'Not shown: {", ".join(str(reason.id) for reason in more)}. Say "why" and one of these, or "show '
            f'the plan".'
        )


def _reason(reason: e.Reason, depth: int) -> Iterator[tuple[int, str]]:
    """A reason, its facts on one line, the finding it used and its best sources beneath."""
    yield depth, reason.text + (f" ({reason.id})" if reason.kind == "rule" else "")
    facts = [child.text for child in reason.children if child.kind == "fact"]
    if facts:
        yield depth + 1, "Facts: " + "; ".join(facts) + "."
    for child in reason.children:
        if child.kind == "rule" and depth < 2:
            yield depth + 1, f"From: {child.text} ({child.id})"
    for child in [child for child in reason.children if child.kind == "claim"][: limits.CLAIMS_IN_TALK]:
        yield depth + 1, f"{child.source} ({child.grade}): {child.text}"


def _comparison(event: e.Comparison) -> Iterator[Block]:
    rows = [
        [
            row.what,
            row.left + (" ✓" if row.better == "left" else ""),
            row.right + (" ✓" if row.better == "right" else ""),
        ]
        for row in event.rows
    ]
    yield Paragraph(event.summary, strong=True)
    yield Table(["", event.left, event.right], rows, each_named=True)
    yield Paragraph("✓ marks the better side.")


def _note(event: e.Note) -> Iterator[Block]:
    yield Paragraph(event.text)
    if event.items:
        yield Bullets(list(event.items))


def _exported(event: e.Exported) -> Iterator[Block]:
    what = "The questionnaire" if event.format == "yaml" else f"The {event.what}"
    yield Paragraph(f"{what} is in {event.path}.")


def _failure(event: e.Failure) -> Iterator[Block]:
    yield Paragraph(event.text)


def _finished(event: e.Finished) -> Iterator[Block]:
    yield Paragraph(event.text + (f" Left open: {', '.join(event.left_open)}." if event.left_open else ""))


_RENDERERS: dict[str, Callable[[Any], Iterator[Block]]] = {
    "question": _question,
    "understood": _understood,
    "plan": _plan,
    "variation": _variation,
    "details": _details,
    "plots": _plots,
    "answer": _answer,
    "explanation": _explanation,
    "comparison": _comparison,
    "note": _note,
    "exported": _exported,
    "failure": _failure,
    "finished": _finished,
}
