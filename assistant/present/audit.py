"""The audit of the claims as text, JSON and a page of the handbook."""

import json
import textwrap

from assistant.vocabulary.audit import Check, Result, Tally, tally

from .markdown import table
from .text import safe

SIGNS = {"agrees": "✓", "approximately": "~", "disagrees": "✗"}
BASIS = {"stated": "with the source's inputs", "known": "with inputs known to hold", "model": "as the model predicts"}
# What must hold for the page to be the same on every machine and after every calibration of the model.
_PAGE_BASES = ("stated", "known")
_NOTHING = 1e-9  # rounding of a difference that is zero


def as_json(results: list[Result]) -> str:
    """The tally and every result."""
    content = {"tally": tally(results).model_dump(mode="json"), "results": [r.model_dump(mode="json") for r in results]}
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def as_text(results: list[Result], width: int) -> str:
    """Every recomputed claim by source, what changed, and the counts."""
    lines: list[str] = []
    source = None
    for result in (r for r in results if r.checks):
        if result.source != source:
            source = result.source
            lines += ["", source.upper()]
        lines += _claim_lines(result, width)
    lines += ["", "COUNTS", *(line for text in counts(tally(results)) for line in textwrap.wrap(text, width))]
    return "\n".join(safe(line) for line in lines).lstrip("\n") + "\n"


def _claim_lines(result: Result, width: int) -> list[str]:
    agreement = result.agreement or "agrees"
    name = result.claim.split("/", 1)[1]
    head = f"{SIGNS[agreement]} {agreement}: {result.statement} ({name}; {result.verdict})"
    lines = textwrap.wrap(head, width, subsequent_indent="  ")
    for check in result.checks:
        found = f"{computed(check)} {BASIS[check.basis]}{_gap(check)}"
        text = f"{SIGNS[check.agreement]} {stated(check)} said or needed, {found}: {called(check)}"
        lines += textwrap.wrap(text, width, initial_indent="    ", subsequent_indent="      ")
    if not result.follows:
        lines += textwrap.wrap(f"The verdict {result.verdict} does not follow from this.", width, initial_indent="    ")
    if result.verdict_before:
        lines += textwrap.wrap(_change(result), width, initial_indent="    ", subsequent_indent="      ")
    return lines


def _change(result: Result) -> str:
    return f"Was {result.verdict_before}, is {result.verdict}: {result.why_changed}."


def stated(check: Check) -> str:
    """What the claim says, or what must hold for it to be true: ``28 s``, ``20 to 25 %``, ``0 to 80 GB``."""
    if isinstance(check.stated, tuple):
        return f"{check.stated[0]:,g} to {check.stated[1]:,g} {check.unit}"
    return f"{check.stated:,g} {check.unit}"


def computed(check: Check) -> str:
    """The recomputed figure to four digits."""
    value = 0.0 if abs(check.computed) < _NOTHING else float(f"{check.computed:.4g}")
    return f"{value:,g} {check.unit}"


def _gap(check: Check) -> str:
    if not check.gap_percent:
        return ""
    return f" ({'+' if check.gap_percent > 0 else '−'}{float(f'{abs(check.gap_percent):.2g}'):g} %)"


def called(check: Check) -> str:
    """The formula with its inputs as the claim has them."""
    return f"{check.formula}({', '.join(f'{name} {_plain(value)}' for name, value in check.inputs.items())})"


def _plain(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.10g}"


def counts(found: Tally) -> list[str]:
    """The tally in sentences."""
    a, p = found.agreements, found.predictions
    out = [
        f"{found.computed} of {found.claims} claims are recomputed: {a['agrees']} agree, {a['approximately']} "
        f"approximately, {a['disagrees']} disagree. {found.figures} figures in all."
    ]
    if found.predicted:
        out.append(
            f"Beside {found.predicted} measured ones stand the model's predictions, which decide no verdict: "
            f"{p['agrees']} agree within the claim's tolerance, {p['approximately']} within a quarter, "
            f"{p['disagrees']} do not."
        )
    out.append(
        "Not computed: " + (", ".join(f"{n} {reason}" for reason, n in found.not_computed.items()) or "none") + "."
    )
    out.append(
        f"{found.changed} verdicts are no longer the first audit's; {found.not_following} do not follow from the "
        "recomputation."
    )
    return out


def handbook_page(results: list[Result], formulas: dict[str, str], template: str) -> str:
    """The page ``audit`` of the handbook. ``formulas``: what each formula does, by name; ``template``: the prose.

    Predictions are left out: they move with every calibration of the model.
    """
    found, decided = tally(results), [r for r in results if r.checks and not r.predicted]
    return template.format(
        claims=found.claims,
        computed=found.computed,
        predicted=found.predicted,
        **found.agreements,
        wrong=_table([r for r in decided if r.agreement == "disagrees"]),
        conditional=_table([r for r in decided if r.agreement == "approximately"]),
        changes="\n".join(f"- {r.claim}: {_change(r)}" for r in results if r.verdict_before),
        not_computed="\n".join(f"- {reason}: {n}" for reason, n in found.not_computed.items()),
        formulas="\n".join(f"- `{name}`: {says}" for name, says in formulas.items()),
    )


def _table(results: list[Result]) -> str:
    rows = [
        [result.claim, stated(check), computed(check), called(check), result.verdict]
        for result in results
        for check in result.checks
        if check.basis in _PAGE_BASES and check.agreement != "agrees"
    ]
    return table(["claim", "says or needs", "computed", "how", "verdict"], rows)
