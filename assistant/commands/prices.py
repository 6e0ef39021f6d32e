"""``weft prices``: where prices stand, how old they are, which decide, and what another list would change."""

import dataclasses
import datetime
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assistant.vocabulary.counted import counted
from assistant.vocabulary.errors import InputError, Place

from .options import CatalogFile, TextOrJson
from .terminal import path, progress_bar, say, table_width, write_json, write_lines

if TYPE_CHECKING:
    from assistant.vocabulary.prices import PriceChange

_Update = Annotated[
    Path | None,
    typer.Option(
        help="A dated list of prices, .csv: its newer prices go into your own catalog.", show_default=False, parser=path
    ),
]


def prices(
    questionnaires: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Jobs: which prices decide, or what a list makes of the plan.", show_default=False, parser=path
        ),
    ] = None,
    update: _Update = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what a list would change, and write nothing.")
    ] = False,
    provider: Annotated[
        str | None, typer.Option(help="Whose prices a list has that does not say it.", show_default=False)
    ] = None,
    date: Annotated[
        str | None, typer.Option(help="The day of a list that has no dates: 2026-11-02.", show_default=False)
    ] = None,
    form: TextOrJson = "text",
    catalog_file: CatalogFile = None,
) -> None:
    """Where prices stand, how old they are, and which of them decide; with --update what a list of prices changes.

    A list is a CSV with a price in each line: columns such as provider, instance, gpu, tier, region, usd_per_gpu_hour,
    date and source, or a file of the public SkyPilot catalog. Only your own catalog is written, and only added to.
    """
    if update is not None:
        _update(update, questionnaires or [], dry_run, provider, date, form, catalog_file)
        return
    _show(questionnaires or [], form, catalog_file)


def _show(questionnaires: list[Path], form: str, catalog_file: Path | None) -> None:
    from assistant.library import load
    from assistant.library.freshness import dated, half_life_days
    from assistant.library.questionnaires import read_one
    from assistant.planning import begun
    from assistant.planning.dearer import when_dearer
    from assistant.present.prices import deciding, standing
    from assistant.present.text import lines_of

    library, today = load(user_catalog=catalog_file), datetime.date.today()
    if form == "json":
        found = [one for one in dated(library.catalog, library.knowledge, today) if "price" in one.kind]
        told = [dataclasses.asdict(one) | {"old": one.old} for one in found]
        write_json(json.dumps(told, indent=2, ensure_ascii=False, default=str))
        return
    paths = {path.stem: path for path in questionnaires} or library.examples
    plans = []
    with progress_bar("planning", len(paths)) as step:
        for name, path in paths.items():
            made = begun(read_one(path, library.catalog), library, index=None, today=today)
            plans.append((name, made.plan, when_dearer(made)))
            step(name)
    holds = half_life_days(library.catalog, "rental price")
    write_lines(lines_of([*standing(library.catalog, today, holds), *deciding(plans, today)], table_width()))


def _update(
    path: Path,
    jobs: list[Path],
    dry_run: bool,
    provider: str | None,
    day: str | None,
    form: str,
    catalog_file: Path | None,
) -> None:
    from assistant.library import load, paths, price_changes, price_lists
    from assistant.present.prices import changes
    from assistant.present.text import lines_of

    catalog = load(user_catalog=catalog_file if catalog_file and catalog_file.is_file() else None).catalog
    read = price_lists.read(path, provider=provider, date=_day(day))
    found = [*price_changes.compared(read.prices, catalog), *read.left_out]
    lines = counted(len(read.bad), "line")
    if read.bad:
        say(f"nothing was written: {lines} cannot be read; what the others would change:")
    if form == "json":
        write_json(json.dumps([_as_json(one) for one in found], indent=2, ensure_ascii=False, default=str))
    else:
        write_lines(lines_of(changes(found, read.silent), table_width()))
    for error in read.bad:
        say(str(error))
    if read.bad:
        raise InputError(f"{lines} cannot be read: nothing was written", Place(str(path)))
    taken = [one for one in found if one.outcome in price_changes.TAKEN]
    target = catalog_file or paths.data_dir() / "catalog.yaml"
    if jobs and form == "text":
        document = price_changes.written(taken, path.name, datetime.date.today()) if taken else ""
        write_lines(lines_of(_of_jobs(jobs, target, document), table_width()))
    if not taken or dry_run:
        say("nothing was written" + ("" if taken else ": no line changes a price of the catalog"))
        return
    _append(target, price_changes.written(taken, path.name, datetime.date.today()))
    say(f"{counted(len(taken), 'price')} added to {target}; every plan takes them from now on")


def _of_jobs(jobs: list[Path], target: Path, document: str) -> list[Any]:
    """What a ``document`` more in a catalog file makes of the plan of each job."""
    from tempfile import TemporaryDirectory

    from assistant.library import load
    from assistant.library.questionnaires import read_one
    from assistant.planning import begun
    from assistant.present.prices import replanned

    with TemporaryDirectory() as folder:
        there = Path(folder) / "catalog.yaml"
        there.write_text(_with(target, document), encoding="utf-8")
        before, after = load(user_catalog=target if target.is_file() else None), load(user_catalog=there)
        planned = lambda job, of: begun(read_one(job, of.catalog), of, index=None).plan
        plans = [(job.stem, planned(job, before), planned(job, after)) for job in jobs]
    return replanned(plans)


def _day(text: str | None) -> datetime.date | None:
    try:
        return datetime.date.fromisoformat(text) if text else None
    except ValueError:
        raise InputError(f'expected a day such as 2026-11-02, got "{text}"', Place(field="--date")) from None


def _as_json(one: "PriceChange") -> dict[str, Any]:
    was = one.was.model_dump(mode="json") if one.was else None
    return {**dataclasses.asdict(dataclasses.replace(one, was=None)), "was": was}


def _append(target: Path, document: str) -> None:
    """One document more in a catalog file, what stands in it untouched, also what somebody else adds at the same time.
    Raises :class:`InputError`."""
    from assistant.library.files import alone, write_whole

    try:
        with alone(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            write_whole(target, _with(target, document).encode(), permissions=0o600)  # what is paid is nobody else's
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", Place(str(target))) from None


def _with(target: Path, document: str) -> str:
    """What a catalog file says with one document more."""
    from assistant.library.files import text_of

    before = text_of(target) if target.is_file() else ""
    return before + ("\n" if before and document and not before.endswith("\n") else "") + document
