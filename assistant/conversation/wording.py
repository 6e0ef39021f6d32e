"""Events as text: the same blocks become lines (plain mode) and Markdown (transcripts)."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from assistant.present import figures, reading, report
from assistant.present.answers import answer_blocks
from assistant.present.markdown import block_markdown, escaped
from assistant.present.plots import plot_lines
from assistant.present.report import SIGNS, Bullets, Paragraph, Table
from assistant.present.text import block_lines, safe
from assistant.vocabulary.plan import Candidate, Plan

from . import events as e

MOST_CANDIDATES = 4
MOST_PASSAGES = 3
MOST_REASONS = 5
MOST_WARNINGS = 2
MOST_CLAIMS = 2
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True)
class Tree:
    """Indented lines: (depth, text)."""

    lines: tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class Choices:
    """What can be answered: (key, label)."""

    offers: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Drawing:
    """Lines that stand as they are."""

    lines: tuple[str, ...]


Block = Paragraph | Bullets | Table | Tree | Choices | Drawing


def keys(question: e.Question) -> list[str]:
    """The key of each choice: digits, or letters where a label is itself a number that could be typed."""
    numbers = any(choice.label[:1].isdigit() for choice in question.choices)
    return list(_LETTERS if numbers else "123456789")[: len(question.choices)]


def lines(event: e.Event, width: int = 80) -> list[str]:
    """An event as plain lines of at most ``width`` characters: no markup, no boxes, no colour."""
    if isinstance(event, e.PlanDetails):
        from assistant.present.text import plan_lines

        return plan_lines(event.plan, width)
    if isinstance(event, e.Plots):
        return plot_lines(event.plan, event.scale, width)
    return [safe(line) for block in blocks(event) for line in _lines(block, width)]


def markdown(event: e.Event) -> str:
    """An event as Markdown, blocks separated by an empty line."""
    return "\n\n".join(_markdown(block) for block in blocks(event))


def _lines(block: Block, width: int) -> list[str]:
    if isinstance(block, Tree):
        return [
            line
            for depth, text in block.lines
            for line in textwrap.wrap(
                text, width, initial_indent="  " * depth + "- ", subsequent_indent="  " * depth + "  "
            )
        ]
    if isinstance(block, Choices):
        return [
            line
            for key, label in block.offers
            for line in textwrap.wrap(label, width, initial_indent=f"  {key}. ", subsequent_indent="     ")
        ]
    return list(block.lines) if isinstance(block, Drawing) else block_lines(block, width)


def _markdown(block: Block) -> str:
    if isinstance(block, Tree):
        return "\n".join("  " * depth + f"- {escaped(text)}" for depth, text in block.lines)
    if isinstance(block, Choices):
        return "*" + escaped(" · ".join(label for _, label in block.offers)) + "*"
    if isinstance(block, Drawing):
        return "\n".join(["```text", *block.lines, "```"])
    return block_markdown(block)


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
    if event.assumed:
        notes = [text[:1].upper() + text[1:] + "." for text in event.assumed]
        yield Bullets(notes) if len(notes) > 1 else Paragraph(notes[0])
    if event.rest:
        yield Paragraph(f'Not understood, so not used: "{event.rest}".')


def _plan(event: e.PlanShown) -> Iterator[Block]:
    if event.first or any("recommendation is" in text or "works" in text for text in event.changes):
        yield from _summary(event.plan, event.headline)
    yield from _listed(event.changes)


def _listed(changes: tuple[str, ...]) -> Iterator[Block]:
    """Changes as a list, one alone as a sentence; of many new warnings the first few."""
    warnings = [text for text in changes if text.startswith("New warning")]
    shown = [text for text in changes if text not in warnings[MOST_WARNINGS:]]
    if len(warnings) > MOST_WARNINGS:
        more = len(warnings) - MOST_WARNINGS
        shown.append(
            f'{more} more new warning{"s" if more > 1 else ""}; say "warnings" to read {"them" if more > 1 else "it"}.'
        )
    if shown:
        yield Bullets(shown) if len(shown) > 1 else Paragraph(shown[0])


def _summary(plan: Plan, headline: str) -> Iterator[Block]:
    yield Paragraph(headline, strong=True)
    answer = plan.recommendation
    if answer.verdict == "no-network-needed":
        return
    if answer.verdict == "recommended":
        yield Paragraph(reading.confidence(plan) + (f" Runner-up: {answer.runner_up}." if answer.runner_up else ""))
    for text in (answer.not_the_likeliest, answer.smallest_change):
        if text:
            yield Paragraph(text)
    table = _candidates(plan)
    if len(table.rows) > 1:
        yield table
        splits = reading.splits(_shown(plan))
        if splits:
            yield Paragraph(splits)


def _candidates(plan: Plan) -> Table:
    """The recommended fabric and the cheapest others, in words and signs."""
    rows = [
        [
            f"{SIGNS[c.verdict]} {c.fabric}",
            reading.verdict(c, plan),
            figures.seconds(c.step_time_s.p50),
            figures.percent(c.exposed_communication_percent),
            figures.usd(c.cost_usd.p50) if c.cost_usd else figures.UNKNOWN,
        ]
        for c in _shown(plan)
    ]
    step = "per token" if "inference" in str(plan.questionnaire.get("workload", "")) else "step"
    return Table(["network", "verdict", step, "waiting", "cost of the run"], rows, frozenset({2, 3, 4}))


def _shown(plan: Plan) -> list[Candidate]:
    computed = [c for c in plan.candidates if c.step_time_s is not None and c.verdict != "impossible"]
    return sorted(computed, key=lambda c: (c.verdict != "recommended", c.cost_usd.p50 if c.cost_usd else float("inf")))[
        :MOST_CANDIDATES
    ]


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
    for section in report.report(event.plan):
        if section.title:
            yield Paragraph(section.title, strong=True)
        yield from section.blocks


def _plots(event: e.Plots) -> Iterator[Block]:
    yield Drawing(tuple(plot_lines(event.plan, event.scale)))


def _answer(event: e.Answer) -> Iterator[Block]:
    if event.answer is None or not event.answer.answered:
        yield Paragraph(event.note or "The knowledge base has no answer to that.")
        return
    yield from answer_blocks(event.answer)
    yield Bullets(
        [_passage(number, passage) for number, passage in enumerate(event.answer.passages[:MOST_PASSAGES], start=1)]
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
    lines = [line for child in [*figures_first, *findings[:MOST_REASONS]] for line in _reason(child, 0)]
    if lines:
        yield Tree(tuple(lines))
    more = findings[MOST_REASONS:]
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
    for child in [child for child in reason.children if child.kind == "claim"][:MOST_CLAIMS]:
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
