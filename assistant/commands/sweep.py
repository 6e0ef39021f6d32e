"""``weft sweep``: fields of a questionnaire varied."""

from __future__ import annotations

import math
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assistant.vocabulary.errors import InputError, Place
from assistant.vocabulary.printing import in_json

from .options import CatalogFile, EngineName, Jobs, ProfileFile, RayAddress, Today, chosen
from .terminal import format_option, one_of, path, progress_bar, save, table_width, tell, write

if TYPE_CHECKING:
    from assistant.vocabulary.sweep import Sweep

_WRITERS = (".csv", ".json", ".parquet", ".svg")
_POINTS = 16  # for which a further process is worth its start
_OUT = "A file ending in .svg, .csv, .json or .parquet; give it several times for several files."
Varied = Annotated[
    list[str],
    typer.Option(
        "--vary",
        metavar="PATH=VALUES",
        help="A field and its values: 8..1024 doubles, 8..64:8 steps, a,b,c lists. Give it several times for a grid. "
        "cluster.fabric=all: each fabric in turn as the one that is already there; every fabric is computed at every "
        "point anyway.",
    ),
]


def sweep(
    file: Annotated[
        Path, typer.Argument(help="A questionnaire to vary. See weft examples.", show_default=False, parser=path)
    ],
    vary: Varied,
    form: Annotated[str, format_option("table", "csv", "json", "parquet")] = "table",
    plot: Annotated[bool, typer.Option("--plot", help="Draw it in the terminal, one letter per fabric.")] = False,
    metric: Annotated[str, typer.Option(help="What is drawn: cost, slowdown or step-time.")] = "cost",
    out: Annotated[list[Path] | None, typer.Option(help=_OUT, parser=path)] = None,
    catalog: CatalogFile = None,
    profile: ProfileFile = None,
    today: Today = None,
    jobs: Jobs = None,
    engine: EngineName = "local",
    ray_address: RayAddress = None,
) -> None:
    """Vary fields of a questionnaire: every fabric at every point, and the size at which InfiniBand begins to pay."""
    from assistant.engines import cores
    from assistant.library import load
    from assistant.library.questionnaires import read_one
    from assistant.sweeps import axes_of
    from assistant.sweeps import sweep as swept

    one_of("--metric", metric, ("cost", "slowdown", "step-time"))
    for target in out or []:
        if target.suffix not in _WRITERS:
            raise InputError(f"expected a file ending in {', '.join(_WRITERS)}", Place(str(target), field="--out"))
    _parquet_can_be_written(form, out or [])
    crew = chosen(engine, jobs, ray_address)
    library = load(user_catalog=catalog, profile=profile)
    fabrics = [fabric.id for fabric in library.catalog.fabrics.values() if fabric.technology not in ("none", "wan")]
    axes, questionnaire = axes_of(vary, fabrics), read_one(file, library.catalog)
    points = math.prod(len(axis.values) for axis in axes)
    if crew.kind == "local" and jobs is None:
        crew = replace(crew, jobs=max(1, min(cores(), points // _POINTS)))
    with progress_bar("sweeping", points) as advance:
        day = today.date() if today else None
        made = swept(questionnaire, axes, library, advance, today=day, engine=crew)
    for target in out or []:
        if target.suffix == ".parquet":
            _save_parquet(made, target)
        else:
            save(target, _written(made, target.suffix.removeprefix("."), metric))
    if not any(target.suffix == f".{form}" for target in out or []):
        write(_written(made, form, metric if plot else None))


def _parquet_can_be_written(form: str, out: list[Path]) -> None:
    wanted = [path for path in out if path.suffix == ".parquet"]
    if form == "parquet" and not wanted:
        raise InputError("expected --out FILE.parquet beside it: Parquet is no text", Place(field="--format"))
    if wanted:
        from assistant.present import parquet

        parquet.ready()


def _save_parquet(made: Sweep, path: Path) -> None:
    """Which takes its place when it is whole."""
    from assistant.library.files import write_whole
    from assistant.present.sweep_csv import sweep_parquet

    try:
        with tempfile.TemporaryDirectory(prefix="weft-") as folder:
            sweep_parquet(made, Path(folder) / "rows")
            write_whole(path, (Path(folder) / "rows").read_bytes())
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", Place(str(path))) from None
    tell(f"written: {path}")


def _written(made: Sweep, form: str, metric: str | None) -> str:
    if form == "csv":
        from assistant.present.sweep_csv import sweep_csv

        return sweep_csv(made)
    if form == "json":
        return in_json(made.model_dump_json(by_alias=True, indent=2)) + "\n"
    if form == "svg":
        from assistant.present.sweep_svg import sweep_svg

        return sweep_svg(made, metric or "cost")
    from assistant.present.sweep import sweep_lines

    return "\n".join(sweep_lines(made, table_width(), metric)) + "\n"
