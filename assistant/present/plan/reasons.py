"""What speaks for the recommended network, and what against each of the others."""

from assistant.vocabulary.plan import Candidate, Finding, Plan

from .. import figures
from ..blocks import Block, Bullets, titled
from . import findings, reading, sources


def why(plan: Plan) -> list[Block]:
    """What the job asks of a network, and what speaks for the one that is recommended."""
    return titled("Why", _sentences(findings.told_for(plan), plan))


def why_in_short(plan: Plan) -> list[Block]:
    """What spoke for the choice, then what the job asks for."""
    return titled("Why", _sentences(findings.told_in_short(plan), plan))


def why_not(plan: Plan) -> list[Block]:
    """One line per reason; fabrics that the same rule speaks against stand together."""
    items = []
    for found, against in _grouped(plan):
        names, first = [c.fabric for c in found], found[0]
        text = sources.cited_sentence(against, plan) if against else _cost_reason(first, plan)
        items.append(f"{', '.join(names)}: {text if len(names) == 1 else text.replace(names[0], 'it')}")
    return titled("Why not the others", Bullets(items))


def _sentences(said: list[Finding], plan: Plan) -> Bullets:
    return Bullets([sources.cited_sentence(finding, plan) for finding in said])


def _grouped(plan: Plan) -> list[tuple[list[Candidate], Finding | None]]:
    """The networks not recommended, with what speaks against them; those that share a rule, or a reason of cost,
    together."""
    groups: dict[str, tuple[list[Candidate], Finding | None]] = {}
    for found in plan.candidates:
        if found.verdict == "recommended":
            continue
        finding = findings.against(found, plan)
        groups.setdefault(finding.rule if finding else _cost_reason(found, plan), ([], finding))[0].append(found)
    return list(groups.values())


def _cost_reason(found: Candidate, plan: Plan) -> str:
    best = next((c for c in plan.candidates if c.verdict == "recommended"), None)
    if found.cost_usd is None:
        return "nothing was computed for it."
    if best is None or best.cost_usd is None:
        return "the job does not run on it as asked either."
    more = found.cost_usd.p50 - best.cost_usd.p50
    share, usd = more / best.cost_usd.p50, figures.usd
    if abs(share) < reading.EQUAL:
        return "it costs the same."
    if more > 0:
        return f"the run costs {usd(more)} more ({share:.1%}){_at_another_price(found, best)}."
    if reading.is_owned(plan):
        return f"the run would cost {usd(-more)} less ({-share:.1%}), but the network is already there."
    return f"its cost cannot be told apart from the choice ({usd(-more)} less in the median)."


def _at_another_price(found: Candidate, best: Candidate) -> str:
    """A fabric that comes with one cloud's machines has that cloud's price."""
    here, there = best.gpu_usd_per_hour, found.gpu_usd_per_hour
    return "" if here is None or there is None or here == there else f", at {figures.usd(there)} per GPU-hour there"
