"""``weft calibrate``: two factors on time from measured runs."""

from pathlib import Path
from typing import Annotated

import typer

from .options import CatalogFile
from .terminal import path, progress_bar, save, table_width, write_lines


def calibrate(
    runs: Annotated[
        Path, typer.Argument(metavar="RUNS.csv", help="Measured runs, one a row.", show_default=False, parser=path)
    ],
    out: Annotated[
        Path, typer.Option(help="The profile, which plan, predict and sweep take with --profile.", parser=path)
    ],
    catalog: CatalogFile = None,
) -> None:
    """Two factors on time, for compute and for the network, from your own measured runs; a few rows are enough.

    Columns (names in the first line, any order): gpu, gpus, global_batch, sequence_length, step_time_s are required;
    either model (a catalog id) or layers, hidden, heads, kv_heads, ffn, vocab; what applies of id, gpus_per_node,
    fabric, nics_per_node, precision, strategy, tp, pp, cp, ep, interleave, sequence_parallel (0 or 1), micro_batch,
    recompute, attention, framework. See weft handbook calibrate.
    """
    from assistant.calibration import calibrate as fitted
    from assistant.calibration import profile_text
    from assistant.library import load
    from assistant.present.calibration import calibration_lines

    with progress_bar("predicting the runs") as advance:
        profile = fitted(runs, load(user_catalog=catalog).catalog, done=advance)
    save(out, profile_text(profile))
    write_lines(calibration_lines(profile, table_width()))
