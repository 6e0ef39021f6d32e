"""What a calibration came to: the factors in words, the errors before and after, row by row."""

from assistant.vocabulary.counted import counted
from assistant.vocabulary.profile import Blame, Profile, ProfileRun

from . import figures
from .blocks import Block, Bullets, Heading, Paragraph, Table
from .text import lines_of


def calibration_lines(profile: Profile, width: int = 80) -> list[str]:
    """The whole result as lines."""
    errors, count = profile.errors, len(profile.runs)
    said = (
        f"{counted(count, 'measured run')}: mean error {figures.percent(errors.before_percent)} before, "
        f"{figures.percent(errors.after_percent)} after"
    )
    if errors.left_out_percent is not None:
        said += f", {figures.percent(errors.left_out_percent)} when each is predicted from the others alone."
    else:
        said += ". With fewer than three runs none can be left out to check the fit, so the factors keep close to 1."
    factors: list[Block] = [Heading("Factors on time"), Bullets(_factors(profile))]
    blamed: list[Block] = [Heading("What it is"), Bullets(_blame(profile.blame, profile))] if profile.blame else []
    return lines_of([Paragraph(said), *blamed, *factors, Heading("Seconds per step"), _runs(profile.runs)], width)


_SAID = {
    "network": "The network is to blame: {what}. weft nccl diagnose reads the logs that say why.",
    "compute": "The GPUs are to blame: what they do by themselves takes {compute:.3g} times as long as it should. Look "
    "at clocks, power limits and kernels; another network will not help.",
    "both": "Both are to blame: the GPUs take {compute:.3g} times as long as they should, and {what}.",
    "unexplained": "Neither the GPUs nor the network explain it: look for GPUs that wait for a slow one, for data, or "
    "for checkpoints.",
    "neither": "Steps take what was predicted, as nearly as runs repeat.",
}


def _blame(blame: Blame, profile: Profile) -> list[str]:
    """Who is to blame, and how many seconds of the step each takes."""
    network = profile.network
    each = [f"{network.of(one):.3g} times as long on {one}" for one in network.fabrics] if network else []
    what = f"what crosses nodes takes {', '.join(each)} as it should"
    lines = [_SAID[blame.verdict].format(what=what, compute=profile.compute.factor)]
    if blame.verdict != "neither":
        lines.append(
            f"A step on {'several nodes' if blame.nodes == 'several' else 'one node'} takes {blame.measured_s:.3g} s, "
            f"predicted were {blame.predicted_s:.3g} s: {_more(blame.compute_s)} from the GPUs, "
            f"{_more(blame.network_s)} from the network, {_more(blame.unexplained_s)} from neither."
        )
    if blame.nodes == "several" and not blame.single_node_runs:
        lines.append(
            "No run on one node: one such row would tell slow GPUs from a slow network for certain; so far they are "
            "told apart by how much each run sends."
        )
    return lines


def _more(seconds: float) -> str:
    return f"{seconds:+.2g} s" if abs(seconds) >= 5e-4 else "nothing"


def _factors(profile: Profile) -> list[str]:
    compute, network = profile.compute, profile.network
    lines = [f"compute {compute.factor:.3g}: what a GPU does by itself, on {', '.join(compute.gpus)}"]
    if network is None:
        lines.append("network: not fitted, no run crosses nodes")
    else:
        lines += [f"network {network.of(one):.3g}: what crosses nodes on {one}" for one in network.fabrics]
        lines.append(f"network {network.others:.3g} on every other fabric: half of what the model itself may get wrong")
    left_out = profile.errors.left_out_percent
    if left_out is not None and left_out >= profile.errors.before_percent:
        # half a percent is told as nothing
        why = "nothing is to be corrected" if profile.errors.before_percent < 0.5 else "the runs disagree"
        lines.append(
            f"Predicting each run from the others is no better than not calibrating: {why}, so the profile leaves "
            "everything as it is."
        )
    return lines


def _runs(rows: list[ProfileRun]) -> Table:
    header = ["run", "GPU", "GPUs", "fabric", "measured", "before", "after", "left out"]
    return Table(header, [_cells(row) for row in rows], frozenset({2, 4, 5, 6, 7}))


def _cells(row: ProfileRun) -> list[str]:
    predicted = (_with_error(row, seconds) for seconds in (row.before_s, row.after_s, row.left_out_s))
    return [row.id, row.gpu, f"{row.gpus:,}", row.fabric, f"{row.measured_s:.4g}", *predicted]


def _with_error(row: ProfileRun, seconds: float | None) -> str:
    return figures.UNKNOWN if seconds is None else f"{seconds:.4g} ({100 * (seconds / row.measured_s - 1):+.0f} %)"
