"""``weft plan``: one questionnaire, one plan."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .options import CatalogFile, Out, ProfileFile, Questionnaire, Today
from .terminal import format_option, line_width, path, write

if TYPE_CHECKING:
    from assistant.vocabulary.plan import Plan


def plan(
    file: Questionnaire,
    form: Annotated[str, format_option("text", "json", "markdown", "html")] = "text",
    out: Out = None,
    everything: Annotated[
        bool, typer.Option("--all", help="A text with everything; the other formats always have it.")
    ] = False,
    measured: Annotated[
        list[Path] | None,
        typer.Option(
            "--measured", help="Output of nccl-tests on this network: the plan with the network as it is.", parser=path
        ),
    ] = None,
    catalog: CatalogFile = None,
    profile: ProfileFile = None,
    today: Today = None,
) -> None:
    """One questionnaire → one plan. As text in short: the decision, cost, why, how sure, what would flip it, what to
    measure first."""
    from assistant import api

    made = api.plan(
        file,
        catalog=catalog,
        profile=profile,
        today=today.date() if today else None,
        measured=measured or (),
        crossover=form != "json",
    )
    _show(made, form, out, None if everything else f"Everything: weft plan {file} --all.")


def _show(made: Plan, form: str, out: Path | None, more: str | None) -> None:
    """``more``: how to see the rest of a text in short; ``None`` for the whole."""
    from assistant.present.plan.formats import plan_view, written

    if form == "text" and out is None and sys.stdout.isatty():
        from rich.console import Console

        console = Console(highlight=False, markup=False, emoji=False)
        console.print(plan_view(made, console.width, more))
    else:
        write(written(made, form, width=line_width(), more=more), out)
