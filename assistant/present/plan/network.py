"""The network to build: its switches, its price, and how NCCL is set on it."""

from dataclasses import replace

from assistant.vocabulary.answers import FabricDesign
from assistant.vocabulary.counted import counted
from assistant.vocabulary.plan import Plan

from .. import figures
from ..blocks import Block, Bullets, Chart, Table, titled, told
from ..design import DRAWN, ends, known, watts
from ..topology_drawing import drawing_lines, drawing_svg
from ..topology_drawing import told as drawn_in_sentences
from . import reading

_RENTED = (
    "The provider builds it, and what it costs is in the offer: this is how reference designs join such a cluster."
)


def network_of(plan: Plan) -> FabricDesign | None:
    """The network of a plan that needs switches."""
    d = plan.fabric_design
    return FabricDesign.model_validate(d) if d and d.get("switches") else None


def design(plan: Plan) -> list[Block]:
    """The topology, drawn; for who buys it what it costs, and where the prices of its parts are from."""
    built = network_of(plan)
    if built is None:
        return titled("The network", Bullets((plan.fabric_design or {}).get("notes", [])))
    d, usd, capex = built, figures.usd, built.capex_usd
    switches, tiers = counted(d.switches, "switch"), counted(d.tiers, "tier")
    sites = plan.questionnaire.get("cluster", {}).get("sites") or 1
    of_each = f"Each of the {sites} sites has its own: " if sites > 1 else ""
    size = (
        f"{of_each}{counted(d.nodes, 'node')}, {counted(d.nics, 'NIC')}, {switches} in {tiers}: {d.leaf} leaf, "
        f"{d.spine} spine, {d.core} core; "
        f"{ends(d)}; {watts(d)}."
    )
    drawing = Chart(
        tuple(drawing_lines(built, DRAWN)),
        tuple(f"{line}." for line in drawn_in_sentences(built)),
        drawing_svg(built, reading.name(plan, built.fabric)),
    )
    if plan.questionnaire.get("budget", {}).get("mode") != "buy":
        return titled("The network", Bullets([size, _RENTED]), drawing)
    bought = "to buy for each site" if sites > 1 else "to buy"
    price = (
        f"About {usd(capex.mid)} {bought} ({usd(capex.low)}–{usd(capex.high)}), {usd(d.usd_per_gpu_hour)} per GPU-hour "
        "over the amortisation."
    )
    return titled(
        "The network", Bullets([size, price]), replace(drawing, lines=(*drawing.lines, "")), Bullets(known(built))
    )


_MOST = 8  # settings in a plan; a longer list is for the file


def settings(plan: Plan) -> list[Block]:
    """What NCCL is told, and why; of a provider's long list that there is a command that writes it."""
    found = plan.nccl
    rows = [[f"{s['name']}={s['value']}", s["reason"]] for s in found.get("settings") or []]
    if not rows:
        return titled("NCCL settings")
    before = [f"First on {found['machines']}: {'; '.join(found['script'])}"] if found.get("script") else []
    before += [f"It needs {found['needs']}."] if found.get("needs") else []
    rest = len(rows) - _MOST
    if rest > 1:
        rows = rows[:_MOST]
        before.append(f"{rest} more are in the file that weft nccl env --fabric {found['fabric']} writes.")
    return titled("NCCL settings", *([Bullets(before)] if before else []), Table(["setting", "why"], rows))


def nothing(plan: Plan) -> list[Block]:
    """Where there is neither."""
    if plan.recommendation.fabric == "none":
        return told("No network joins the nodes of this plan: nothing to build, nothing to set.")
    return told("The plan has nothing to say on that.")
