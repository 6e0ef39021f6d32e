"""``weft sweep``, ``weft calibrate`` and ``weft benchmark``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from assistant.progress import line_width, progress_bar
from assistant.vocabulary.errors import InputError, Place

if TYPE_CHECKING:
    from assistant.vocabulary.sweep import Sweep

_WRITERS = (".csv", ".json", ".svg")
CatalogFile = Annotated[
    Path | None, typer.Option("--catalog", help="Your own facts and prices, over the shipped catalog.")
]
ProfileFile = Annotated[
    Path | None, typer.Option("--profile", help="Factors from your own runs, as weft calibrate writes.")
]
_OUT = "A file ending in .svg, .csv or .json; give it several times for several files."
Varied = Annotated[
    list[str],
    typer.Option(
        "--vary",
        metavar="PATH=VALUES",
        help=(
            "A field and its values: 8..1024 doubles, 8..64:8 steps, a,b,c lists. Give it several times for a grid. "
            "cluster.fabric=all: each fabric in turn as the one that is already there; every fabric is computed at every point anyway."
        ),
    ),
]


def sweep(
    file: Annotated[Path, typer.Argument(help="A questionnaire to vary. See weft examples.", show_default=False)],
    vary: Varied,
    form: Annotated[str, typer.Option("--format", help="table, csv or json.")] = "table",
    plot: Annotated[bool, typer.Option("--plot", help="Draw it in the terminal, one letter per fabric.")] = False,
    metric: Annotated[str, typer.Option("--metric", help="What is drawn: cost, slowdown or step-time.")] = "cost",
    out: Annotated[list[Path] | None, typer.Option("--out", help=_OUT)] = None,
    catalog: CatalogFile = None,
    profile: ProfileFile = None,
) -> None:
    """Vary fields of a questionnaire: every fabric at every point, and the size at which InfiniBand begins to pay."""
    from assistant.library import load
    from assistant.library.questionnaires import read_one
    from assistant.sweeps import axes_of
    from assistant.sweeps import sweep as run

    _one_of("--format", form, ("table", "csv", "json"))
    _one_of("--metric", metric, ("cost", "slowdown", "step-time"))
    for path in out or []:
        if path.suffix not in _WRITERS:
            raise InputError(f"expected a file ending in {', '.join(_WRITERS)}", Place(str(path), field="--out"))
    library = load(user_catalog=catalog, profile=profile)
    axes = axes_of(
        vary, [ident for ident, fabric in library.catalog.fabrics.items() if fabric.technology not in ("none", "wan")]
    )
    questionnaire = read_one(file, library.catalog)
    with progress_bar("sweeping") as advance:
        made = run(questionnaire, axes, library, advance)
    for path in out or []:
        _save(path, _written(made, path.suffix.removeprefix("."), metric))
    if not any(path.suffix == f".{form}" for path in out or []):
        sys.stdout.write(_written(made, form, metric if plot else None))


def _written(made: Sweep, form: str, metric: str | None) -> str:
    if form == "csv":
        from assistant.present.sweep_csv import sweep_csv

        return sweep_csv(made)
    if form == "json":
        return made.model_dump_json(by_alias=True, indent=2) + "\n"
    if form == "svg":
        from assistant.present.sweep_svg import sweep_svg

        return sweep_svg(made, metric or "cost")
    from assistant.present.sweep import sweep_lines

    return "\n".join(sweep_lines(made, line_width(widest=160, otherwise=110), metric)) + "\n"


def _save(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", Place(str(path))) from None
    print(f"written: {path}", file=sys.stderr)


def _one_of(option: str, given: str, accepted: tuple[str, ...]) -> None:
    if given not in accepted:
        raise InputError(f'expected one of {", ".join(accepted)}, got "{given}"', Place(field=option))


def calibrate(
    runs: Annotated[Path, typer.Argument(metavar="RUNS.csv", help="Measured runs, one a row.", show_default=False)],
    out: Annotated[Path, typer.Option("--out", help="The profile, which plan, predict and sweep take with --profile.")],
    catalog: CatalogFile = None,
) -> None:
    """Two factors on time, for compute and for the network, from your own measured runs; a few rows are enough.

    Columns (names in the first line, any order): gpu, gpus, global_batch, sequence_length, step_time_s are required; either
    model (a catalog id) or layers, hidden, heads, kv_heads, ffn, vocab; what applies of id, gpus_per_node, fabric,
    nics_per_node, precision, strategy, tp, pp, cp, ep, interleave, sequence_parallel (0 or 1), micro_batch, recompute,
    attention, framework. See weft handbook calibrate.
    """
    from assistant.calibration import calibrate as fitted
    from assistant.calibration import profile_text
    from assistant.library import load
    from assistant.present.calibration import calibration_lines

    with progress_bar("predicting the runs") as advance:
        profile = fitted(runs, load(user_catalog=catalog).catalog, done=advance)
    _save(out, profile_text(profile))
    sys.stdout.write("\n".join(calibration_lines(profile, line_width(widest=160, otherwise=110))) + "\n")


def benchmark(
    part: Annotated[
        str | None,
        typer.Argument(help="startup, plan, search, batch, space or screen; all of them.", show_default=False),
    ] = None,
    repeat: Annotated[int, typer.Option("--repeat", min=1, max=1000, help="How often each thing is measured.")] = 5,
    form: Annotated[str, typer.Option("--format", help="text or json.")] = "text",
) -> None:
    """How fast this is on this machine, with ratios: startup, one plan, the search, many plans."""
    from assistant import retrieval
    from assistant.benchmark import PARTS
    from assistant.benchmark import benchmark as measured
    from assistant.library import load
    from assistant.present.benchmark import benchmark_lines

    _one_of("--format", form, ("text", "json"))
    if part is not None:
        _one_of("the part to measure", part, tuple(PARTS))
    library = load()
    if part not in ("search", "space", "startup", "screen"):
        retrieval.ready_index(library)
    with progress_bar("measuring") as advance:
        found = measured(library, [part] if part else list(PARTS), repeat, advance)
    lines = (
        [found.model_dump_json(by_alias=True, indent=2)]
        if form == "json"
        else benchmark_lines(found, line_width(widest=160, otherwise=110))
    )
    sys.stdout.write("\n".join(lines) + "\n")


COMMANDS: tuple[Any, ...] = (sweep, calibrate, benchmark)
