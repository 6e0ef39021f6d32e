"""What speaks for the recommended network, and what against each of the others."""

import re

from assistant.vocabulary.plan import Candidate, Finding, Plan

from .. import figures
from ..blocks import Block, Bullets, titled, told
from . import findings, reading, sources

# A figure by itself, with its dollar sign; not the digits of a name, of a mark of a source or of a day.
_FIGURE = re.compile(r"(?<![\w.$\[-])\$?\d+(?:,\d{3})*(?:\.\d+)?(?![\w\]-]|[.,]\d)")


def why(plan: Plan) -> list[Block]:
    """What the job asks of a network, and what speaks for the one that is recommended."""
    other = plan.recommendation.not_the_likeliest
    return titled("Why", _sentences(findings.told_for(plan), plan)) + told(reading.chance(plan), other)


def why_in_short(plan: Plan) -> list[Block]:
    """What spoke for the choice, then what the job asks for."""
    return titled("Why", _sentences(findings.told_in_short(plan), plan))


def why_not(plan: Plan) -> list[Block]:
    """One line per reason; of fabrics that stand together because only a figure differs it is told from the least to
    the most."""
    items = []
    for found in _grouped(plan):
        names, said = [c.fabric for c in found], [_reason(c, plan) for c in found]
        text = (
            said[0]
            if len(names) == 1
            else _together([_without(text, reading.name(plan, name)) for text, name in zip(said, names, strict=True)])
        )
        items.append(f"{', '.join('no network' if name == 'none' else name for name in names)}: {text}")
    return titled("Why not the others", Bullets(items))


def _sentences(said: list[Finding], plan: Plan) -> Bullets:
    return Bullets([sources.cited_sentence(finding, plan) for finding in said])


def _grouped(plan: Plan) -> list[list[Candidate]]:
    """The networks not recommended; those of which a rule says the same but for a figure stand together."""
    groups: dict[str, list[Candidate]] = {}
    for found in plan.candidates:
        if found.verdict != "recommended":
            said = _without(_reason(found, plan), reading.name(plan, found.fabric))
            ruled = findings.against(found, plan) is not None
            groups.setdefault(_FIGURE.sub("#", said) if ruled else said, []).append(found)
    return list(groups.values())


def _reason(found: Candidate, plan: Plan) -> str:
    against = findings.against(found, plan)
    return sources.cited_sentence(against, plan) if against else _cost_reason(found, plan)


def _without(said: str, name: str) -> str:
    return said.replace(name, "it")


def _together(said: list[str]) -> str:
    """Sentences that differ in their figures alone as one: ``A month on it costs $93 to $530.``"""
    figures_of = zip(*(_FIGURE.findall(one) for one in said), strict=True)
    ranges = (_range(some) for some in figures_of)
    return _FIGURE.sub(lambda _: next(ranges), said[0])


def _range(some: tuple[str, ...]) -> str:
    ordered = sorted(some, key=lambda one: float(one.strip("$").replace(",", "")))
    least, most = ordered[0], ordered[-1]
    return least if least == most else f"{least} to {most}"


def _cost_reason(found: Candidate, plan: Plan) -> str:
    best = next((c for c in plan.candidates if c.verdict == "recommended"), None)
    if found.cost_usd is None:
        return "nothing was computed for it."
    if best is None or best.cost_usd is None:
        return "the job does not run on it as asked either."
    more = found.cost_usd.p50 - best.cost_usd.p50
    share, usd = more / best.cost_usd.p50, figures.usd
    percent = figures.percent(100 * abs(share))
    if abs(share) < reading.EQUAL:
        return "it costs the same."
    if more > 0:
        return f"{reading.bill(plan)} costs {usd(more)} more ({percent}){_at_another_price(found, best)}."
    if reading.is_owned(plan):
        return f"{reading.bill(plan)} would cost {usd(-more)} less ({percent}), but the network is already there."
    return f"its cost cannot be told apart from the choice ({usd(-more)} less in the median)."


def _at_another_price(found: Candidate, best: Candidate) -> str:
    """A fabric that comes with one cloud's machines has that cloud's price."""
    here, there = best.gpu_usd_per_hour, found.gpu_usd_per_hour
    return "" if here is None or there is None or here == there else f", at {figures.usd(there)} per GPU-hour there"
