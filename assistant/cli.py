"""The commands. Each imports what it needs when it runs, so that ``weft --help`` loads nothing heavy.

Exit codes: 0 done; 2 the input or the usage is wrong; 1 anything else.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from assistant.catalog_command import catalog
from assistant.knowledge_commands import commands as knowledge_commands
from assistant.knowledge_commands import warn_of_changes
from assistant.measuring_commands import COMMANDS, CatalogFile, ProfileFile
from assistant.nccl_commands import commands as nccl_commands
from assistant.progress import line_width, progress_bar
from assistant.validate_command import validate
from assistant.vocabulary.errors import InputError, KnowledgeError, Place
from assistant.web_commands import serve

app = typer.Typer(
    name="weft",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Plan the fabric before you buy it: which interconnect a job needs, what it costs, why, and where the answer flips. "
    "Without a command: the conversation on the full screen.",
)

Theme = Annotated[
    str,
    typer.Option(
        "--theme",
        envvar="WEFT_THEME",
        show_envvar=True,
        metavar="auto|light|dark|plain",
        help=("Colours of the full screen; auto: as the terminal's background, plain: none, as with NO_COLOR."),
    ),
]
File = Annotated[
    Path, typer.Argument(help="A questionnaire: .yaml, .json, .jsonl or .csv. See weft examples.", show_default=False)
]
MORE = "Everything, with the sources in full: weft plan {file} --all."
Out = Annotated[Path | None, typer.Option("--out", help="Write here instead of to the screen.")]


def main() -> None:
    """Run a command; a mistake in the input is one sentence and exit code 2, never a traceback."""
    try:
        app()
    except InputError as error:
        _stop(str(error), 2)
    except KnowledgeError as error:
        _stop(f"the rules or the knowledge base cannot be used: {error}", 1)
    except BrokenPipeError:
        # The reader of a pipe went away (head, less): nothing is left to say, also not at exit.
        sys.stdout = None  # type: ignore[assignment]
        sys.exit(1)
    except KeyboardInterrupt:
        _stop("stopped", 1)


def _stop(message: str, code: int) -> None:
    from assistant.present.text import safe

    print(f"weft: {safe(message)}", file=sys.stderr)
    sys.exit(code)


@app.callback(invoke_without_command=True)
def start(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
    theme: Theme = "auto",
) -> None:
    """Without a command: the conversation on the full screen."""
    if version:
        from assistant import __version__

        print(f"weft {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        _conversation_on_screen(None, theme)


def _conversation_on_screen(resume: Path | None, theme: str) -> None:
    from assistant import tui

    _one_of("--theme", theme, tui.THEMES)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise InputError(
            "expected a terminal for the full screen; use weft chat --plain in a pipe or with a screen reader"
        )
    raise typer.Exit(tui.run(resume=resume, theme=theme))


@app.command()
def chat(
    plain: Annotated[bool, typer.Option("--plain", help="Line by line: for pipes and screen readers.")] = False,
    resume: Annotated[Path | None, typer.Option("--resume", help="Go on with a saved transcript.")] = None,
    theme: Theme = "auto",
) -> None:
    """The conversation: on the full screen, or line by line with --plain."""
    if not plain:
        _conversation_on_screen(resume, theme)
    from assistant.conversation import plain as line_mode

    raise typer.Exit(line_mode.main(resume=resume))


@app.command()
def plan(
    file: File,
    form: Annotated[str, typer.Option("--format", help="text, json, markdown or html.")] = "text",
    out: Out = None,
    everything: Annotated[
        bool, typer.Option("--all", help="A text with everything; the other formats always have it.")
    ] = False,
    catalog: CatalogFile = None,
    profile: ProfileFile = None,
) -> None:
    """One questionnaire → one plan. As text in short: the decision, cost, why, how sure, what would flip it, what to measure first."""
    from assistant.library import load
    from assistant.library.questionnaires import read_one
    from assistant.planning import plan as make
    from assistant.planning import with_crossover

    _one_of("--format", form, ("text", "json", "markdown", "html"))
    library = load(user_catalog=catalog, profile=profile)
    questionnaire = read_one(file, library.catalog)
    _ready_index(library)
    made = make(questionnaire, library)
    _emit_plan(
        made if form == "json" else with_crossover(made, library),
        form,
        out,
        MORE.format(file=file) if not everything else None,
    )


def _ready_index(library: Any) -> None:
    """Build the search index when it is missing: once, with a line that says what it waits for."""
    from assistant import retrieval

    retrieval.ready_index(library)


def _emit_plan(made: Any, form: str, out: Path | None, more: str | None) -> None:
    """``more``: how to see the rest of a text in short; ``None`` for the whole."""
    if form == "text" and out is None and sys.stdout.isatty():
        _print_view(made, more)
        return
    from assistant.present.plan.formats import written

    _write(written(made, form, width=line_width(), more=more), out)


def _print_view(made: Any, more: str | None) -> None:
    from rich.console import Console

    from assistant.present.plan.formats import plan_view

    console = Console(highlight=False, markup=False, emoji=False)
    console.print(plan_view(made, console.width, more))


def _write(text: str, out: Path | None) -> None:
    if out is None:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", Place(str(out))) from None


def _one_of(option: str, given: str, accepted: tuple[str, ...]) -> None:
    if given not in accepted:
        raise InputError(f'expected one of {", ".join(accepted)}, got "{given}"', Place(field=option))


@app.command()
def batch(
    files: Annotated[
        list[Path], typer.Argument(help="Files of questionnaires: YAML documents, JSON, JSON lines, CSV.")
    ],
    out: Annotated[Path, typer.Option("--out", help="The folder for plans.jsonl or plans.csv.")],
    form: Annotated[str, typer.Option("--format", help="jsonl or csv.")] = "jsonl",
    jobs: Annotated[int, typer.Option("--jobs", min=1, max=256, help="Processes that work at once.")] = 1,
    catalog: CatalogFile = None,
) -> None:
    """Many questionnaires: one result each, in input order; a bad row does not stop the rest."""
    from assistant.batch import runner
    from assistant.library import load

    _one_of("--format", form, ("jsonl", "csv"))
    library = load(user_catalog=catalog)
    _ready_index(library)
    with progress_bar("planning") as advance:
        tally = runner.run(files, out, library, kind=form, jobs=jobs, done=lambda one: (_name_bad_row(one), advance()))
    print(f"{tally.planned} planned, {tally.bad} bad: {out / f'plans.{form}'}", file=sys.stderr)
    raise typer.Exit(2 if tally.bad else 0)


def _name_bad_row(result: dict[str, Any]) -> None:
    if "error" in result:
        from assistant.present.text import safe

        error = result["error"]
        print(
            "weft: " + safe(str(InputError(error["message"], Place(error["file"], error["line"], error["field"])))),
            file=sys.stderr,
        )


@app.command()
def predict(
    file: File,
    form: Annotated[str, typer.Option("--format", help="jsonl.")] = "jsonl",
    out: Out = None,
    catalog: CatalogFile = None,
    profile: ProfileFile = None,
) -> None:
    """The quantitative model alone, for the fabric and the parallelism given: one line per questionnaire."""
    from assistant.batch.results import json_line
    from assistant.library import load
    from assistant.planning.prediction import predictions

    _one_of("--format", form, ("jsonl",))
    library, bad, lines = load(user_catalog=catalog, profile=profile), 0, []
    for one in predictions(file, library):
        bad += "error" in one
        lines.append(json_line(one))
        if out is None:
            _write(lines.pop(), None)
    if out is not None:
        _write("".join(lines), out)
    raise typer.Exit(2 if bad else 0)


@app.command()
def ask(
    question: Annotated[str | None, typer.Argument(help="A question about fabrics, prices, settings, sources.")] = None,
    form: Annotated[str, typer.Option("--format", help="text, json or jsonl.")] = "text",
    top: Annotated[int, typer.Option("--top", min=1, max=50, help="How many passages.")] = 5,
    batch_file: Annotated[Path | None, typer.Option("--batch", help='JSON lines {"id", "text"}.')] = None,
) -> None:
    """An answer: a number the model computes, or what the claims say; then the passages with dates and verdicts.

    Says so when the knowledge base has no answer. weft handbook asking shows what can be computed.
    """
    from assistant.answering import answer_many
    from assistant.conversation.searching import understood
    from assistant.library import load
    from assistant.retrieval import index_with_yours

    _one_of("--format", form, ("text", "json", "jsonl"))
    texts = _texts(question, batch_file)
    library = load()
    warn_of_changes()
    asked = [(name, understood(text, library)) for name, text in texts]
    answers = answer_many(asked, library, lambda: index_with_yours(library), top)
    _emit_answers(answers, form if batch_file is None else "jsonl")


def _emit_answers(answers: Any, form: str) -> None:
    from assistant.batch.results import json_line

    for answer in answers:
        if form == "text":
            from assistant.present.answers import answer_lines

            _write("\n".join(answer_lines(answer, line_width())) + "\n", None)
        elif form == "json":
            _write(answer.model_dump_json(indent=2) + "\n", None)
        else:
            _write(json_line(answer.model_dump(mode="json")), None)


def _texts(text: str | None, batch_file: Path | None) -> list[tuple[str | None, str]]:
    """``(id, text)`` of one text or of each line of a batch file."""
    if (text is None) == (batch_file is None):
        raise InputError("expected a text or --batch FILE, and not both")
    if batch_file is None:
        if not text.strip():
            raise InputError("expected some text, got nothing")
        return [(None, text)]
    from assistant.library.text_batches import read

    return list(read(batch_file))


@app.command()
def understand(
    sentence: Annotated[str | None, typer.Argument(help="What a person might say.")] = None,
    form: Annotated[str, typer.Option("--format", help="json or jsonl.")] = "json",
    batch_file: Annotated[Path | None, typer.Option("--batch", help='JSON lines {"id", "text"}.')] = None,
) -> None:
    """What free text was taken to mean: intent and questionnaire fields."""
    from assistant.batch.results import json_line
    from assistant.library import load
    from assistant.understanding import Listener

    _one_of("--format", form, ("json", "jsonl"))
    library = load()
    listener = Listener.of(library.language, library.catalog)
    for ident, text in _texts(sentence, batch_file):
        meaning = listener.hear(text).contract(ident)
        if form == "json" and batch_file is None:
            _write(meaning.model_dump_json(indent=2) + "\n", None)
        else:
            _write(json_line(meaning.model_dump(mode="json")), None)


@app.command()
def replay(
    files: Annotated[list[Path], typer.Argument(help="Saved transcripts.")],
    update: Annotated[bool, typer.Option("--update", help="Accept what changed.")] = False,
    export: Annotated[
        Path | None,
        typer.Option("--export", help="Do not replay: write the transcript as a page that stands alone (.html)."),
    ] = None,
) -> None:
    """Replay saved transcripts: non-zero exit and a readable diff when something changed."""
    from assistant.conversation.transcript.replaying import replay_file, update_file
    from assistant.library import load

    if export is not None:
        _export_transcript(files, export)
        return
    library, changed = load(), 0
    for file in files:
        result = replay_file(file, library)
        print(result.summary)
        if result.changed:
            changed += 1
            print(result.diff, end="")
            if update:
                update_file(file, library)
    raise typer.Exit(1 if changed and not update else 0)


def _export_transcript(files: list[Path], out: Path) -> None:
    from assistant.conversation.transcript import document

    if len(files) != 1 or out.suffix.lower() not in (".html", ".htm"):
        raise InputError(
            f"expected one transcript and a file name that ends in .html, got {len(files)} and {out}",
            Place(field="--export"),
        )
    _write(document.as_html(document.read(files[0])), out)


@app.command()
def sources(
    ident: Annotated[str | None, typer.Argument(metavar="ID", help="One source: its claims and verdicts.")] = None,
    form: Annotated[str, typer.Option("--format", help="text or json; with --audit also markdown.")] = "text",
    audit: Annotated[bool, typer.Option("--audit", help="Recompute every claim that can be computed.")] = False,
) -> None:
    """Sources, claims, verdicts, conflicts."""
    from assistant.library import load
    from assistant.present import sources as listing

    _one_of("--format", form, ("text", "json", "markdown") if audit else ("text", "json"))
    library = load()
    knowledge = library.knowledge
    if ident is not None and ident not in knowledge.sources:
        raise InputError(f'expected the id of a source, got "{ident}"; known: {", ".join(knowledge.sources)}')
    if audit:
        _write(_audited(library, ident, form), None)
        return
    _write(
        listing.as_json(knowledge, ident) if form == "json" else listing.as_text(knowledge, ident, line_width()), None
    )


def _audited(library: Any, ident: str | None, form: str) -> str:
    from assistant.audit import FORMULAS
    from assistant.audit import audit as recomputed
    from assistant.present import audit as report

    results = recomputed(library, ident)
    if form == "markdown":
        says = {name: found.says for name, found in FORMULAS.items()}
        return report.handbook_page(results, says, library.handbook_template("audit"))
    return report.as_json(results) if form == "json" else report.as_text(results, line_width())


@app.command()
def fabric(
    fabric_id: Annotated[str, typer.Argument(metavar="FABRIC", help="A fabric id such as infiniband-ndr-400.")],
    gpus: Annotated[int, typer.Option("--gpus", min=1, help="How many GPUs.")],
    gpu: Annotated[str, typer.Option("--gpu", help="A GPU id.")] = "h100-sxm",
    gpus_per_node: Annotated[
        int | None, typer.Option("--gpus-per-node", min=1, help="GPUs per node; the GPU's usual node.")
    ] = None,
    nics_per_node: Annotated[
        int | None, typer.Option("--nics-per-node", min=1, help="NICs per node; one per GPU.")
    ] = None,
    form: Annotated[str, typer.Option("--format", help="text or json.")] = "text",
) -> None:
    """Topology and bill of materials."""
    from assistant.library import load
    from assistant.planning.design import design_of
    from assistant.present.design import design_lines

    _one_of("--format", form, ("text", "json"))
    design = design_of(fabric_id, gpu, gpus, load().catalog, gpus_per_node=gpus_per_node, nics_per_node=nics_per_node)
    _write(
        design.model_dump_json(indent=2) + "\n"
        if form == "json"
        else "\n".join(design_lines(design, line_width())) + "\n",
        None,
    )


@app.command()
def examples(name: Annotated[str | None, typer.Argument(help="Print this one.")] = None) -> None:
    """Questionnaires to start from."""
    from assistant.library import load

    _list_or_print(
        load().examples, name, "example", lambda path: path.read_text(encoding="utf-8").splitlines()[0].lstrip("# ")
    )


@app.command()
def handbook(topic: Annotated[str | None, typer.Argument(help="Print this page.")] = None) -> None:
    """The documentation, in the terminal."""
    from assistant.library import load

    _list_or_print(
        load().handbook, topic, "topic", lambda path: path.read_text(encoding="utf-8").splitlines()[0].lstrip("# ")
    )


def _list_or_print(found: dict[str, Path], name: str | None, what: str, title: Any) -> None:
    if name is None:
        width = max((len(key) for key in found), default=0)
        _write("".join(f"{key.ljust(width)}  {title(path)}\n" for key, path in found.items()), None)
    elif name in found:
        _write(found[name].read_text(encoding="utf-8"), None)
    else:
        raise InputError(f'expected a known {what}, got "{name}"; known: {", ".join(found)}')


@app.command()
def schema(
    name: Annotated[str | None, typer.Argument(help="plan, prediction, questionnaire, answer, …")] = None,
) -> None:
    """The JSON Schema of a contract."""
    import json

    from assistant.vocabulary.contracts import CONTRACTS, schema_of

    if name is None:
        _write("".join(f"{key}\n" for key in CONTRACTS), None)
        return
    if name not in CONTRACTS:
        raise InputError(f'expected a contract, got "{name}"; known: {", ".join(CONTRACTS)}')
    _write(json.dumps(schema_of(name), indent=2) + "\n", None)


@app.command()
def doctor(
    every: Annotated[bool, typer.Option("--all", help="Name every figure that is older than it holds.")] = False,
) -> None:
    """What is installed, where the index and settings are, what is missing and how to get it, what is out of date."""
    from assistant.doctor import report

    lines, healthy = report(every=every)
    _write("\n".join(lines) + "\n", None)
    raise typer.Exit(0 if healthy else 1)


app.add_typer(knowledge_commands, name="knowledge")
app.add_typer(nccl_commands, name="nccl")
for one in (*COMMANDS, validate, serve, catalog):
    app.command()(one)
