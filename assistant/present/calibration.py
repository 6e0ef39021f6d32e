"""What a calibration came to: the factors in words, the errors before and after, row by row."""

from assistant.vocabulary.profile import Profile, ProfileRun

from . import figures
from .blocks import Block, Bullets, Heading, Paragraph, Table
from .text import lines_of


def calibration_lines(profile: Profile, width: int = 80) -> list[str]:
    """The whole result as lines."""
    errors, count = profile.errors, len(profile.runs)
    said = (
        f"{count} measured run{'s' * (count != 1)}: mean error {figures.percent(errors.before_percent)} before, "
        f"{figures.percent(errors.after_percent)} after"
    )
    if errors.left_out_percent is not None:
        said += f", {figures.percent(errors.left_out_percent)} when each is predicted from the others alone."
    else:
        said += ". With fewer than three runs none can be left out to check the fit, so the factors keep close to 1."
    factors: list[Block] = [Heading("Factors on time"), Bullets(_factors(profile))]
    return lines_of([Paragraph(said), *factors, Heading("Seconds per step"), _runs(profile.runs)], width)


def _factors(profile: Profile) -> list[str]:
    compute, network = profile.compute, profile.network
    lines = [f"compute {compute.factor:.3g}: what a GPU does by itself, on {', '.join(compute.gpus)}"]
    if network is None:
        lines.append("network: not fitted, no run crosses nodes")
    else:
        lines.append(
            f"network {network.factor:.3g}: what crosses nodes, on {', '.join(network.fabrics)}; "
            f"{network.others:.3g} on every other fabric, which shares half of it"
        )
    left_out = profile.errors.left_out_percent
    if left_out is not None and left_out >= profile.errors.before_percent:
        lines.append(
            "Predicting each run from the others is no better than not calibrating: the runs disagree, so the profile "
            "leaves everything as it is."
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
