"""How each event of the conversation looks: paragraphs, and Rich renderables for tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from assistant.present.limits import PASSAGES, REASONS_ON_SCREEN

from .flow import BLANK, Line, cleaned, parts, said

if TYPE_CHECKING:
    from rich.console import RenderableType

    from assistant.conversation import events

Drawn = Line | Any  # a paragraph, or a Rich renderable
_HARDLY = 0.2  # of the draws: a network that was given and is less often the cheapest costs more than another
VERDICT_SIGNS = {"recommended": "✓", "no-network-needed": "✓", "infeasible": "✗"}
_ESCAPED = re.compile(r"\\([\\`*_\[\]<>|~#])")
REASON_LABELS = {
    "rule": ("rule: ", "$weft"),
    "fact": ("fact: ", "$quiet"),
    "claim": ("source: ", "$good"),
    "figure": ("figure: ", "$quiet"),
}


def drawn(event: events.Event) -> list[Drawn]:
    """The event as paragraphs and renderables; nothing for an open question, which has its own place."""
    draw: Callable[[Any], list[Drawn]] | None = _DRAWINGS.get(event.kind)
    return draw(event) if draw else []


def exchange(said_by_user: str | None, answer: Iterable[events.Event], question: events.Question | None) -> list[Drawn]:
    """What the user said and what came back; above it the question that was open, when this answered it."""
    answer = list(answer)
    pieces: list[Drawn] = []
    if said_by_user is not None:
        settled = question is not None and question.answered_by(answer)
        pieces += [said(question.text, "$quiet", lead="? ", lead_style="$quiet")] if question and settled else []
        pieces.append(said(said_by_user, "bold", lead="› ", lead_style="$accent bold"))
    return [*pieces, *(piece for event in answer for piece in drawn(event))]


def question_after(answer: Iterable[events.Event], question: events.Question | None) -> events.Question | None:
    """The question that is open after an answer, when ``question`` was open before it."""
    for event in answer:
        question = event if event.kind == "question" else None if event.kind == "finished" else question
    return question


def headline_sign(plan: events.Plan) -> tuple[str, str]:
    """Sign and style of a plan's verdict: amber for a network that is there and costs more than another would."""
    from assistant.present.plan.reading import is_given

    answer = plan.recommendation
    if answer.verdict == "infeasible":
        return VERDICT_SIGNS[answer.verdict], "$bad bold"
    if is_given(plan) and answer.confidence < _HARDLY:
        return "!", "$doubt bold"
    return VERDICT_SIGNS[answer.verdict], "$good bold"


def verdict_sign(verdict: str) -> tuple[str, str]:
    """Sign and style of how well a statement stands: confirmed, unproven, or doubtful."""
    from assistant.vocabulary.knowledge import DOUBTFUL

    if verdict in DOUBTFUL or verdict == "disputed":
        return "!", "$doubt"
    return ("✓", "$good") if verdict in ("confirmed", "current", "consistent") else ("·", "$quiet")


def _understood(event: events.Understood) -> list[Drawn]:
    lines: list[Drawn] = []
    if event.fields:
        pieces: list[str | tuple[str, str]] = [("Understood: ", "$quiet")]
        for number, field in enumerate(event.fields):
            pieces += [(" · ", "$quiet")] if number else []
            pieces += [field.text, *([(f" (was {field.before})", "$quiet")] if field.before else [])]
        lines.append(parts(*pieces, lead="  "))
    lines += [said(text, "$quiet", lead="  ~ ", lead_style="$quiet") for text in event.assumed]
    if event.rest:
        lines.append(parts(("Not understood: ", "$doubt"), event.rest, lead="! ", lead_style="$doubt"))
    return lines


def _plan(event: events.PlanShown | events.VariationShown) -> list[Drawn]:
    sign, style = headline_sign(event.plan)
    from assistant.present.plan import card

    if event.kind == "variation" and event.card:
        from assistant.present.blocks import Paragraph

        first, *lines = event.card
        return [
            *variation_notice(event),
            *_blocks([Paragraph(first, strong=True)], f"{sign} ", style),
            *_bullets(lines),
        ]
    notice = variation_notice(event) if event.kind == "variation" else []
    told = card.section(event.plan) if event.kind == "plan" and event.turned else card.section(event.plan)[:1]
    return [*notice, *_blocks(told, f"{sign} ", style), *_bullets(event.changes)]


def variation_notice(event: events.VariationShown) -> list[Line]:
    """What is tried, and how to take it or leave it."""
    varied = " · ".join(field.text for field in event.fields) or event.what_if
    how = ("keep it", (" to go on from here, ", "$quiet"), "drop it", (" to return to the plan.", "$quiet"))
    return [
        parts(("Only tried, not taken: ", "$weft"), varied, lead="◇ ", lead_style="$weft"),
        parts(("Say ", "$quiet"), *how, indent=2),
    ]


def _elsewhere(what: str, key: str) -> Callable[[Any], list[Drawn]]:
    """What has a panel of its own is named with the key of that panel."""
    return lambda event: [parts((what, "$quiet"), (key, "$accent"), lead="  ")]


def _answer(event: events.Answer) -> list[Drawn]:
    from assistant.present.answers import answer_blocks

    lines: list[Drawn] = [said(event.note, "$quiet", lead="  ")] if event.note else []
    if event.answer is None:
        return lines
    answered, passages = event.answer.answered, event.answer.passages
    if answered:
        lines += _blocks(answer_blocks(event.answer))
    else:
        nearest = "The knowledge base has no answer to this. What comes nearest:"
        lines.append(said(nearest, lead="! ", lead_style="$doubt"))
    for number, passage in enumerate(passages[:PASSAGES], start=1):
        lines += [*([BLANK] if number > 1 or answered else []), *_passage(number, passage)]
    return [*lines, *([parts(("Open a source: ", "$quiet"), ("F4", "$accent"), indent=2)] if passages else [])]


def _blocks(blocks: Iterable[Any], lead: str = "  ", style: str = "") -> list[Drawn]:
    """Paragraphs and lists; the first paragraph has a sign where the event has one."""
    lines: list[Drawn] = []
    for block in blocks:
        if hasattr(block, "items"):
            lines += _bullets(block.items)
        elif hasattr(block, "lines"):
            lines += [said(line, lead="  ") for line in block.lines]
        else:
            first = lead if not lines else "  "
            lines.append(said(block.text, "bold" if block.strong else "", lead=first, lead_style=style))
    return lines


def _exported(event: events.Exported) -> list[Drawn]:
    from assistant.conversation.wording import whereabouts

    return _worded("✓ ", "$good")(event.model_copy(update={"path": whereabouts(event.path)}))


def _copied(event: events.Copied) -> list[Drawn]:
    there = f"{event.what} is on the clipboard, if this terminal allows it"
    return [
        parts(there, ("; else ", "$quiet"), "save as md", (" writes a file.", "$quiet"), lead="✓ ", lead_style="$good")
    ]


def _recalled(event: events.Recalled) -> list[Drawn]:
    """Markdown as it was kept, with what is left of its signs taken away."""
    lines: list[Drawn] = []
    for line in filter(str.strip, event.text.splitlines()):
        told = _ESCAPED.sub(r"\1", line.replace("**", ""))
        if told.startswith("|"):
            cells = [cell.strip() for cell in told.strip("|").split("|")]
            told = "" if all(set(cell) <= set("-: ") for cell in cells) else " · ".join(filter(None, cells))
        bullet = told.startswith("- ")
        style = "bold" if line.startswith("**") and line.endswith("**") else ""
        if len(told) > 1 and told[0] == told[-1] == "*":  # choices of a question that was asked
            told, style = told[1:-1], "$quiet"
        lines += [said(told.removeprefix("- "), style, lead="  · " if bullet else "  ")] if told else []
    return lines


def _worded(lead: str = "  ", style: str = "") -> Callable[[Any], list[Drawn]]:
    """What is said in the same words as in the line mode, under a sign."""

    def draw(event: Any) -> list[Drawn]:
        from assistant.conversation.wording import blocks

        return _blocks(blocks(event), lead, style)

    return draw


def _passage(number: int, passage: Any) -> Iterable[Line]:
    sign, style = verdict_sign(passage.status)
    yield said(passage.text, lead=f"{number} ", lead_style="$quiet")
    yield parts((f"{sign} {passage.status}", style), (f" · {passage.source} · {passage.section}", "$quiet"), indent=2)
    if passage.correction:
        yield parts(("What holds: ", "$doubt"), passage.correction, indent=2)


def _explanation(event: events.Explanation) -> list[Drawn]:
    lines = [
        parts(reason.text, (_resting_on(reason), "$quiet"), lead="· ", lead_style="$quiet", indent=2)
        for reason in event.tree.children[:REASONS_ON_SCREEN]
    ]
    more = max(0, len(event.tree.children) - REASONS_ON_SCREEN)
    hint = f"{f'{more} more, and the' if more else 'The'} whole proof with its facts and sources: "
    return [said(event.tree.text, "bold", lead="  "), *lines, parts((hint, "$quiet"), ("F3", "$accent"), indent=2)]


def _resting_on(reason: events.Reason) -> str:
    """The sources right under a reason, for the short form."""
    sources = dict.fromkeys(child.source for child in reason.children if child.source)
    return f"  ({', '.join(sources)})" if sources else ""


def reason_label(reason: events.Reason) -> tuple[str, str]:
    """The word in front of a node of the proof, and its style."""
    return REASON_LABELS.get(reason.kind, ("", ""))


def reason_origin(reason: events.Reason) -> list[tuple[str, str]]:
    """Where a node of the proof comes from: rule id, source and grade."""
    by = reason.source or (reason.id if reason.kind == "rule" else None)
    origin = " · ".join(part for part in (by, reason.grade) if part)
    return [(f"  ({origin})", "$quiet")] if origin else []


def _comparison(event: events.Comparison) -> list[Drawn]:
    return [said(event.summary, "bold", lead="  "), comparison_table(event)]


def comparison_table(event: events.Comparison) -> RenderableType:
    """Two fabrics point by point; ✓ marks the better side."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 1, 0, 0))
    left, right = event.heads or (event.left, event.right)
    for number, title in enumerate(("", "", left, "", right)):
        # What the sides are called is never cut: the words on the left wrap instead.
        table.add_column(Text(title), min_width=len(title) if number else None)
    for row in event.rows:
        sides = (*_side(row.left, row.better == "left"), *_side(row.right, row.better == "right"))
        table.add_row(Text(cleaned(row.what), style="dim"), *sides)
    return table


def _side(value: str, better: bool) -> tuple[RenderableType, RenderableType]:
    from rich.text import Text

    style = "green" if better else ""
    return Text("✓" if better else " ", style=style), Text(cleaned(value), style=style)


def _bullets(items: Iterable[str]) -> list[Line]:
    return [said(item, lead="  · ", lead_style="$quiet") for item in items]


class FittedView:
    """A Rich renderable that is made for the width it is drawn at, once: it is measured and drawn, and both take their
    time."""

    def __init__(self, make: Callable[[int], RenderableType]) -> None:
        self._make = make
        self._made: tuple[int, list[Any]] | None = None

    def __rich_console__(self, console: Any, options: Any) -> Iterable[RenderableType]:
        width = options.max_width
        if self._made is None or self._made[0] != width:
            self._made = (width, list(console.render(self._make(width), options.update(height=None))))
        yield from self._made[1]


_DRAWINGS: dict[str, Callable[[Any], list[Drawn]]] = {
    "understood": _understood,
    "plan": _plan,
    "variation": _plan,
    "details": _elsewhere("The whole plan stands in the plan panel: ", "F2"),
    "plots": _elsewhere("The plots stand in their panel: ", "F6"),
    "dial": _elsewhere("The dials stand above the plan: ", "Ctrl+D"),
    "answer": _answer,
    "explanation": _explanation,
    "comparison": _comparison,
    "note": _worded(),
    "exported": _exported,
    "copied": _copied,
    "recalled": _recalled,
    "failure": _worded("! ", "$doubt bold"),
    "finished": _worded("· ", "$quiet"),
}
