"""The network as it was measured: how far off it is, what that costs, and what to do about it."""

from assistant.vocabulary.plan import MeasuredNetwork, MeasuredRun, Plan

from .. import figures
from ..blocks import Block, Bullets, Paragraph, Table, titled

_TWO = (
    "Expected is what weft nccl diagnose expects of the network in the log at large messages: what such machines "
    "reached elsewhere, else what their adapters carry. Planned is the same for this message on so many of the plan's "
    "own nodes (of two nodes no more than a ring gives, as trees count some of it twice); the log is held against that."
)
_ALIKE = 0.005  # of a step: what two printed digits hardly show


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
            f"{figures.about(run.diagnosed_gb_per_s)} GB/s" if run.diagnosed_gb_per_s else "not known",
            f"{figures.significant(run.expected_gb_per_s)} GB/s",
        ]
        for run in found.runs
    ]
    wrong = [f"{message} (weft nccl diagnose {run.file})" for run in found.runs for message in run.findings]
    return titled(
        "The network as measured",
        Paragraph(" ".join(sentences(found))),
        Table(["test", "message", "measured", "expected", "planned"], rows),
        *([Paragraph(_TWO)] if any(run.diagnosed_gb_per_s for run in found.runs) else []),
        *([Bullets(wrong)] if wrong else []),
    )


def sentences(found: MeasuredNetwork) -> list[str]:
    """How slow, what it costs a month, and the advice."""
    usd, slow = figures.usd, found.step_time_s / found.step_time_as_it_should_be_s
    times = f"{figures.significant(found.slower)} times" if found.slower >= 1.005 else "no longer than"
    told = [f"{run.file}: {run.differs}." for run in found.runs if run.differs]
    told += [f"What crosses {found.fabric_name} takes {times} what the catalog has{_usual(found)}."]
    told += [_below(run) for run in found.runs if run.busbw_gb_per_s < run.alarm_gb_per_s]
    step = f"{figures.seconds(found.step_time_as_it_should_be_s)} to {figures.seconds(found.step_time_s)}"
    wasted = found.wasted_usd_per_month or 0.0
    if slow < 1 - _ALIKE:
        kept = ": accept it as it is" if found.advice == "accept" else ""
        told.append(f"The step is faster than it was planned to be (from {step}){kept}.")
    elif found.advice == "accept" or slow < 1 + _ALIKE:
        paid = f", which costs {usd(wasted)} {_spell(found)}" if wasted > 0 else ""
        kept = ": accept it as it is" if found.advice == "accept" else ""
        told.append(f"The step hardly notices (from {step}{paid}){kept}.")
    else:
        told.append(f"The step goes from {step} ({figures.percent(100 * (slow - 1))} longer).")
        told += _worth(found, wasted)
    return [*told, *_instead(found, slow)]


def _below(run: MeasuredRun) -> str:
    """That a log is an alarm, whatever the job notices of it."""
    reached, alarm = figures.significant(run.busbw_gb_per_s), figures.significant(run.alarm_gb_per_s)
    return f"{run.file}: {reached} GB/s, where all but one in a hundred healthy networks give {alarm} GB/s and more."


def _worth(found: MeasuredNetwork, wasted: float) -> list[str]:
    """What the waiting costs."""
    if found.usd_per_month is None or not wasted:
        return []
    month, paid = figures.usd(found.usd_per_month), figures.usd(wasted)
    if found.usd_per_month == found.cost_usd:  # a run that ends within the month
        return [f"Of {month} for the run {paid} pay for that waiting: what a repair is worth."]
    return [f"Of {month} a month {paid} pay for that waiting: what a repair is worth each month."]


def _instead(found: MeasuredNetwork, slow: float) -> list[str]:
    """Whether to have it repaired, or which network to take in place of it."""
    usd, other, paid = figures.usd, figures.usd(found.instead_cost_usd), figures.usd(found.cost_usd)
    if found.advice == "switch" and found.instead_cost_usd is not None and found.cost_usd is not None:
        repaired = f" and {usd(found.cost_as_it_should_be_usd)} repaired" if slow > 1 + _ALIKE else ""
        saved = usd(found.cost_usd - found.instead_cost_usd)
        against = f"against {paid} as it is{repaired}"
        told = [f"{found.instead_name} does the job for {other}, {against}: switch, which saves {saved}."]
        if found.usd_per_month != found.cost_usd:
            month, now = usd(found.instead_usd_per_month), usd(found.usd_per_month)
            told.append(f"While it runs that is {month} a month in place of {now}.")
        return told
    if found.instead_work_usd is not None and found.usd_per_month is not None:
        repaired = ["Have it repaired."] if found.advice == "repair" else []
        work, now = usd(found.instead_work_usd), usd(found.usd_per_month)
        bought = f"{found.instead_name} in its place costs {usd(found.instead_capital_usd)} to buy"
        kept = f"switch where such work goes on for the {found.instead_months:g} months of its write-off"
        return [*repaired, f"{bought}; what this one does in a month for {now} costs {work} on it, all in: {kept}."]
    if found.advice != "repair":
        return []
    if found.instead:
        return [f"Have it repaired; until then {found.instead_name} would do the job for {other}, against {paid}."]
    return ["Have it repaired."]


def _spell(found: MeasuredNetwork) -> str:
    return "in the run" if found.usd_per_month == found.cost_usd else "a month"


def _usual(found: MeasuredNetwork) -> str:
    return ", as far off as healthy networks are" if found.usual and abs(found.slower - 1) >= 0.005 else ""
