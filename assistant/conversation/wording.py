"""Events as text: the same blocks become lines (plain mode) and Markdown (transcripts)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from assistant.present import limits
from assistant.present.answers import answer_blocks
from assistant.present.blocks import Block, Bullets, Chart, Choices, Compared, Heading, Paragraph, Tree, told
from assistant.present.markdown import blocks_markdown
from assistant.present.plan import comparison, flips, opening
from assistant.present.plan.names import named
from assistant.present.plan.report import report
from assistant.present.plots import plot_lines
from assistant.present.text import block_lines, lines_of, safe
from assistant.vocabulary.answers import FoundPassage

from . import events as e

_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def keys(question: e.Question) -> list[str]:
    """The key of each choice: digits, or letters where a label is itself a number that could be typed; 0 for what
    decides nothing."""
    numbers = any(choice.label[:1].isdigit() for choice in question.choices)
    names = iter(_LETTERS if numbers else "123456789")
    return [next(names) if choice.value or not question.not_sure else "0" for choice in question.choices[:9]]


def offers(question: e.Question) -> list[tuple[str, str]]:
    """Every offered answer with its key, "not sure" last."""
    offered = list(zip(keys(question), (choice.label for choice in question.choices), strict=False))
    if question.offers_unsure:
        offered.append(("0", f"Not sure: {question.if_not_sure}" if question.if_not_sure else "Not sure"))
    return offered


def lines(event: e.Event, width: int = 80) -> list[str]:
    """An event as plain lines of at most ``width`` characters: no markup, no boxes, no colour."""
    if isinstance(event, e.PlanDetails):
        return lines_of(_undrawn(report(event.plan)), width)
    if isinstance(event, e.Plots):
        return plot_lines(event.plan, event.scale, width)
    if isinstance(event, e.Exported):
        event = event.model_copy(update={"path": whereabouts(event.path)})
    if isinstance(event, e.Copied):
        return [f"{event.what}, to be copied from here:", "", *map(safe, event.text.splitlines())]
    return [safe(line) for block in _undrawn(blocks(event)) for line in block_lines(block, width)]


def whereabouts(path: str) -> str:
    """A file that is there by its whole path, the home folder shortened; what only the browser has as it is called."""
    there = Path(path).expanduser().absolute()
    if not there.is_file():
        return path
    return str(Path("~") / there.relative_to(Path.home())) if there.is_relative_to(Path.home()) else str(there)


def _undrawn(blocks: list[Block]) -> list[Block]:
    """With sentences in the place of drawings that have some."""
    return [Bullets(list(b.told)) if isinstance(b, Chart) and b.told else b for b in blocks]


def markdown(event: e.Event) -> str:
    """An event as Markdown, blocks separated by an empty line."""
    if isinstance(event, e.Recalled):
        return event.text
    return blocks_markdown(blocks(event))


def blocks(event: e.Event) -> list[Block]:
    """What an event says, in order."""
    match event:
        case e.Question():
            return _question(event)
        case e.Understood():
            return _understood(event)
        case e.PlanShown():
            return named([*(opening.in_talk(event.plan) if event.turned else []), *_list_of(event.changes)], event.plan)
        case e.VariationShown():
            return named(_variation(event), event.plan)
        case e.PlanDetails():
            return [Paragraph(b.text, strong=True) if isinstance(b, Heading) else b for b in report(event.plan)]
        case e.Plots():
            return [Chart(tuple(plot_lines(event.plan, event.scale)))]
        case e.Dialled():
            return [Paragraph(f"The dial of {event.name}:", strong=True), Chart(event.lines)]
        case e.Answer():
            return _answer(event)
        case e.Explanation():
            return _explanation(event)
        case e.Comparison():
            compared = Compared(event.left, event.right, event.rows, event.summary)
            return comparison.blocks(compared, event.heads)
        case e.Note():
            return told(event.text, *event.items)
        case e.Copied() | e.Exported():
            return told(_handed_over(event))
        case e.Failure() | e.Recalled():
            return told(event.text)
        case e.Finished():
            return told(event.text + (f" Assumed: {'; '.join(event.assumed)}." if event.assumed else ""))


def _handed_over(event: e.Copied | e.Exported) -> str:
    if isinstance(event, e.Copied):
        return f"{event.what} was put on the clipboard."
    return f"The {'questionnaire' if event.format == 'yaml' else event.what} is in {event.path}."


def _question(event: e.Question) -> list[Block]:
    asked = Paragraph(event.text, strong=True)
    if event.again:
        return [asked, *([Paragraph(in_short(event))] if event.choices else [])]
    chosen = any(choice.value for choice in event.choices)
    example = f" Say it as in: {event.placeholder}." if event.placeholder and not chosen else ""
    before = f'Your answer was: {event.previous}. Say another, or go on with "not sure".' if event.previous else None
    offered = tuple(offers(event))
    said = [Paragraph(text) for text in (event.why_asked + example, event.word, before) if text]
    return [asked, *said, *([Choices(offered)] if offered else [])]


def in_short(question: e.Question) -> str:
    """Every offered answer in a line or two: ``1 AWS · 2 Google Cloud · 0 Not sure``."""
    labels = ((key, label.partition(":")[0].partition(" (")[0]) for key, label in offers(question))
    return " · ".join(f"{key} {label}" for key, label in labels)


def _understood(event: e.Understood) -> list[Block]:
    said = "; ".join(f.text + (f" (was {f.before})" if f.before else "") for f in event.fields)
    return [
        *([Paragraph(f"Understood: {said}.")] if said else []),
        *_list_of([text[:1].upper() + text[1:] + "." for text in event.assumed]),
        *([Paragraph(f'Not understood, so not used: "{event.rest}".')] if event.rest else []),
    ]


def _list_of(items: Sequence[str]) -> list[Block]:
    """A list, one item alone as a sentence."""
    return [Bullets(list(items)) if len(items) > 1 else Paragraph(items[0])] if items else []


def _variation(event: e.VariationShown) -> list[Block]:
    """The lines of the card that change, and why where nothing works; "more" has the rest."""
    varied = "; ".join(f.text + (f" instead of {f.before}" if f.before else "") for f in event.fields)
    works = event.plan.recommendation.verdict != "infeasible"
    return [
        Paragraph(f"What if {varied}:"),
        *_list_of([*event.card, *([] if works else flips.ways_out(event.plan))]),
        Paragraph('The plan stays as it is: "keep it" takes this, "more" tells the rest.'),
    ]


def _answer(event: e.Answer) -> list[Block]:
    found = event.answer
    if found is None or not found.answered:
        return told(event.note or "The knowledge base has no answer to that.")
    passages = enumerate(found.passages[: limits.PASSAGES], start=1)
    return [*answer_blocks(found), Bullets([_passage(number, passage) for number, passage in passages])]


def _passage(number: int, passage: FoundPassage) -> str:
    date, doubtful = f", {passage.date}" if passage.date else "", passage.status != "current" and passage.correction
    status = f" This is {passage.status}: {passage.correction}" if doubtful else ""
    return f"[{number}] {passage.text}{status} ({passage.source}, {passage.section}{date})"


def _explanation(event: e.Explanation) -> list[Block]:
    """Figures first, then the findings that weigh most; the rest is counted."""
    first = [child for child in event.tree.children if child.kind == "figure"]
    findings = [child for child in event.tree.children if child.kind != "figure"]
    shown, more = findings[: limits.REASONS_IN_TALK], findings[limits.REASONS_IN_TALK :]
    lines = tuple(line for child in (*first, *shown) for line in _reason(child))
    rest = f'Not shown: {", ".join(str(r.id) for r in more)}. Say "why" and one of these, or "show the plan".'
    headline = Paragraph(event.tree.text, strong=True)
    return [headline, *([Tree(lines)] if lines else []), *([Paragraph(rest)] if more else [])]


def _reason(reason: e.Reason) -> Iterator[tuple[int, str]]:
    """A reason, its facts on one line, the finding it used and its best sources beneath."""
    by_kind = {kind: [c for c in reason.children if c.kind == kind] for kind in ("fact", "rule", "claim")}
    yield 0, reason.text + (f" ({reason.id})" if reason.kind == "rule" else "")
    if by_kind["fact"]:
        yield 1, f"Facts: {'; '.join(c.text for c in by_kind['fact'])}."
    yield from ((1, f"From: {c.text} ({c.id})") for c in by_kind["rule"])
    yield from ((1, f"{c.source} ({c.grade}): {c.text}") for c in by_kind["claim"][: limits.CLAIMS_IN_TALK])
