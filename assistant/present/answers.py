"""An answer to a question: what was computed or what claims say, where sources disagree, then the passages."""

import textwrap

from assistant.vocabulary.answers import Answer, AnswerConflict, Computed, Figure, FoundPassage
from assistant.vocabulary.knowledge import DOUBTFUL
from assistant.vocabulary.plan import Assumption

from .blocks import Block, Bullets, Chart, Paragraph
from .fields import assumed_text, field_name
from .figures import bytes_text, seconds, significant, usd
from .limits import PASSAGES_NEAR
from .text import block_lines, safe

NO_ANSWER = "The knowledge base does not answer this."


def answer_lines(answer: Answer, width: int = 80) -> list[str]:
    """The direct answer, a rule, then the passages with their sources; a doubtful one is never shown without its
    correction."""
    lines: list[str] = []
    for number, block in enumerate(answer_blocks(answer)):
        lines += [*([""] if isinstance(block, Paragraph) and number else []), *block_lines(block, width)]
    if answer.answered:
        shown = answer.passages
        lines += ["", "─" * min(width, 80)] if lines and shown else []
    else:
        shown = answer.passages[:PASSAGES_NEAR]
        lines += ["", "Nearest:"] if shown else []
    for number, passage in enumerate(shown, start=1):
        lines += [*([""] if number > 1 else []), *_passage_lines(number, passage, width)]
    return [safe(line) for line in lines]


def answer_blocks(answer: Answer) -> list[Block]:
    """What stands above the passages, the same on every surface."""
    note = [Paragraph(answer.note)] if answer.note else []
    if not answer.answered:
        return [*note, Paragraph(NO_ANSWER)]
    told: list[Block] = [Bullets([line.text for line in answer.direct])] if answer.direct else []
    direct = _computed(answer.computed) if answer.computed else told
    return [*note, *direct, *(block for conflict in answer.conflicts for block in _conflict(conflict, answer.computed))]


def _computed(computed: Computed) -> list[Block]:
    sold = computed.kind == "offers"
    figures = [
        f"{one.name}: {value_text(one.value, one.unit)}{' ' if _listed(one, computed) else ' = '}{one.formula}"
        for one in computed.figures
        if one.unit != "offers"
    ]
    copied: list[Block] = [Chart(tuple(computed.lines), whole=True)] if computed.lines else []
    how: list[Block] = [Paragraph(computed.text, strong=True), *copied, *([] if sold else [Paragraph("How:")])]
    how += [Bullets(figures)] if figures else []
    if computed.assumptions:
        how += [Paragraph("Assumed:"), Bullets([_assumed(one) for one in computed.assumptions])]
    return [*how, *_caveat(computed.caveat)]


def _caveat(text: str) -> list[Block]:
    """A command in it stands on a line of its own, whole."""
    return [Chart((line,), whole=True) if line.startswith("weft ") else Paragraph(line) for line in text.splitlines()]


def _listed(one: Figure, computed: Computed) -> bool:
    """Whether a figure stands in a list and is no sum: what follows it tells of it."""
    return computed.kind == "offers" and one.unit != "USD in all"


def value_text(value: float, unit: str) -> str:
    """A figure in the unit a reader wants."""
    if unit == "s":
        return seconds(value)
    if unit == "bytes":
        return bytes_text(value)
    if unit == "USD/GPU-h":
        return usd(value) if round(value, 2) == value else f"${value:.3f}"
    if unit in ("USD in all", "USD per month"):
        return f"${value:,.2f}"
    if unit == "USD":
        return f"${significant(value)}"
    if unit in ("parameters", "FLOP"):
        return f"{value:.4g} {unit}"
    return f"{significant(value)} {unit}"


def _assumed(one: Assumption) -> str:
    if one.field == "question":
        return one.why
    return f"{field_name(one.field) if one.value is None else assumed_text(one)} – {one.why}"


def _conflict(conflict: AnswerConflict, computed: Computed | None) -> list[Block]:
    """Each side in one line with what we think of it, beside a crossover what this job would take there; then what
    holds."""
    there = {number.claim: number for number in computed.crossover.sources} if computed and computed.crossover else {}
    sides = []
    for side in conflict.sides:
        here = there.get(side.claim)
        beside = f" Here, on {here.gpus} GPUs: {_taken(here.fabric)}." if here else ""
        sign, said = "! " if side.verdict in DOUBTFUL else "", side.says.rstrip(".")
        sides.append(f"{sign}{said} ({side.source}, {side.date or 'undated'}, {side.verdict}).{beside}")
    topic, holds = f"Sources disagree: {conflict.topic}", f"What holds: {conflict.resolution}"
    return [Paragraph(topic), Bullets(sides), Paragraph(holds)]


def _taken(fabric: str | None) -> str:
    if fabric == "none":
        return "no network is crossed"
    return f"{fabric} is cheapest" if fabric else "the job cannot run"


def _passage_lines(number: int, passage: FoundPassage, width: int) -> list[str]:
    known = f"{passage.date or 'no date'}; {_standing(passage)}; match {passage.score:.2f}"
    head = f"[{number}] {passage.source}, “{passage.section}” ({known})"
    lines = textwrap.wrap(head, width, subsequent_indent="    ")
    if passage.place:
        lines += _wrapped(f"Yours: {passage.place}", width)
    lines += _wrapped(passage.text, width)
    if passage.correction:
        lines += _wrapped(f"{passage.status.upper()}. What holds: {passage.correction}", width)
    return lines


def _standing(passage: FoundPassage) -> str:
    """The verdicts of the claims a passage rests on, each once, the doubtful first; else its status."""
    said = dict.fromkeys(claim["verdict"] for claim in passage.claims)
    verdicts = sorted(said, key=lambda verdict: verdict not in DOUBTFUL)
    return "/".join(verdicts) or ("yours, unchecked" if passage.status == "yours" else "no claim checked")


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, initial_indent="    ", subsequent_indent="    ")
