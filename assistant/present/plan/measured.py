"""The network as it was measured: how far off it is, what that costs, and what to do about it."""

from assistant.vocabulary.plan import MeasuredNetwork, Plan

from .. import figures
from ..blocks import Block, Bullets, Paragraph, Table, titled


def section(plan: Plan) -> list[Block]:
    """What was measured against what is expected, and what follows; nothing where nothing was measured."""
    found = plan.measured
    if found is None:
        return []
    rows = [
        [
            f"{run.collective}, {run.ranks} ranks on {run.nodes} nodes",
            figures.bytes_text(run.message_bytes),
            f"{figures.significant(run.busbw_gb_per_s)} GB/s",
            f"{figures.significant(run.expected_gb_per_s)} GB/s",
        ]
        for run in found.runs
    ]
    wrong = [f"{message} (weft nccl diagnose {run.file})" for run in found.runs for message in run.findings]
    return titled(
        "The network as measured",
        Paragraph(" ".join(sentences(found))),
        Table(["test", "message", "measured", "expected"], rows),
        *([Bullets(wrong)] if wrong else []),
    )


def sentences(found: MeasuredNetwork) -> list[str]:
    """How slow, what it costs a month, and the advice."""
    usd, slow = figures.usd, found.step_time_s / found.step_time_as_it_should_be_s
    times = f"{figures.significant(found.slower)} times" if found.slower >= 1.005 else "no longer than"
    told = [f"What crosses {found.fabric_name} takes {times} what the catalog has{_usual(found)}."]
    step = f"{figures.seconds(found.step_time_as_it_should_be_s)} to {figures.seconds(found.step_time_s)}"
    if found.advice == "accept":
        wasted = found.wasted_usd_per_month or 0.0
        paid = f", which costs {usd(wasted)} {_spell(found)}" if wasted > 0 else ""
        return [*told, f"The step hardly notices (from {step}{paid}): accept it as it is."]
    told.append(f"The step goes from {step} ({figures.percent(100 * (slow - 1))} longer).")
    if found.usd_per_month is not None and found.wasted_usd_per_month is not None:
        month, wasted = usd(found.usd_per_month), usd(found.wasted_usd_per_month)
        if found.usd_per_month == found.cost_usd:  # a run that ends within the month
            told.append(f"Of {month} for the run {wasted} pay for that waiting: what a repair is worth.")
        else:
            told.append(f"Of {month} a month {wasted} pay for that waiting: what a repair is worth each month.")
    other, paid = usd(found.instead_cost_usd), usd(found.cost_usd)
    if found.advice == "switch" and found.instead:
        repaired = usd(found.cost_as_it_should_be_usd)
        told.append(
            f"{found.instead_name} does the job for {other}, against {paid} as it is and {repaired} repaired: switch."
        )
    elif found.instead:
        told.append(f"Have it repaired; until then {found.instead_name} would do the job for {other}, against {paid}.")
    else:
        told.append("Have it repaired.")
    return told


def _spell(found: MeasuredNetwork) -> str:
    return "in the run" if found.usd_per_month == found.cost_usd else "a month"


def _usual(found: MeasuredNetwork) -> str:
    return ", as far off as healthy networks are" if found.usual and abs(found.slower - 1) >= 0.005 else ""
