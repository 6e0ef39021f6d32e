"""Registers the commands of :mod:`assistant.commands`.

Exit codes: 0 done; 2 the input or the usage is wrong; 1 anything else.
"""

from __future__ import annotations

import gc
import sys

import typer

from assistant.commands import knowledge, nccl, streams
from assistant.commands.ask import ask
from assistant.commands.batch import batch
from assistant.commands.benchmark import benchmark
from assistant.commands.calibrate import calibrate
from assistant.commands.catalog import catalog
from assistant.commands.chat import chat, start
from assistant.commands.collective import collective
from assistant.commands.diff import diff
from assistant.commands.doctor import doctor
from assistant.commands.examples import examples
from assistant.commands.fabric import fabric
from assistant.commands.handbook import handbook
from assistant.commands.launch import launch
from assistant.commands.mcp import mcp
from assistant.commands.plan import plan
from assistant.commands.predict import predict
from assistant.commands.prices import prices
from assistant.commands.replay import replay
from assistant.commands.schema import schema
from assistant.commands.sentence import as_command, sentence
from assistant.commands.serve import serve
from assistant.commands.sources import sources
from assistant.commands.sweep import sweep
from assistant.commands.terminal import say, sparing
from assistant.commands.understand import understand
from assistant.commands.validate import validate
from assistant.vocabulary.errors import InputError, KnowledgeError

# Objects made before garbage is looked for, and how often among older ones. A plan makes hardly any circles; to look
# for them in catalog and rules again and again took a fifteenth of a batch's time.
SELDOM = (50_000, 20, 100)

app = typer.Typer(
    name="weft",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Plan the fabric before you buy it: which interconnect a job needs, what it costs, why, and where the answer "
    "flips. Without a command: the conversation on the full screen. With a sentence in quotes in its place: the answer "
    'in five lines, as in weft "pretrain 70B on 64 H100, two weeks".',
)
app.callback(invoke_without_command=True)(start)
# In the order in which the help lists them.
for command in (
    *(chat, plan, diff, launch, batch, predict, ask, understand, replay, sources, fabric, collective, examples),
    *(handbook, schema, doctor, sweep, calibrate, benchmark, validate, serve, mcp, catalog, prices),
):
    app.command()(sparing(command))
app.command(hidden=True)(sentence)
app.add_typer(knowledge.commands, name="knowledge")
app.add_typer(nccl.commands, name="nccl")


_INTERRUPTED = 130  # what Typer makes of Ctrl+C within a command, without a word


def main() -> None:
    """Run a command; a mistake in the input is one sentence and exit code 2, never a traceback."""
    gc.set_threshold(*SELDOM)
    streams.prepare()
    try:
        try:
            app(as_command(sys.argv[1:], _names()))
        finally:
            streams.finish()
    except SystemExit as end:
        if end.code == _INTERRUPTED:
            _stop("stopped", 1)
        raise
    except InputError as error:
        _stop(str(error), 2)
    except KnowledgeError as error:
        _stop(f"the rules or the knowledge base cannot be used: {error}", 1)
    except BrokenPipeError:
        # The reader of a pipe went away (head, less): nothing is left to say, also not at exit.
        sys.stdout = None  # type: ignore[assignment]
        sys.exit(1)
    except OSError as error:  # a full disk behind the pipe, say
        sys.stdout = None  # type: ignore[assignment]
        where = f"{error.filename}: " if isinstance(error.filename, str) else ""
        _stop(f"cannot go on: {where}{error.strerror or error}", 1)
    except MemoryError:
        _stop("cannot go on: there is not enough memory", 1)
    except KeyboardInterrupt:
        _stop("stopped", 1)


def _names() -> set[str]:
    """What may stand first."""
    functions = [command.name or command.callback.__name__ for command in app.registered_commands if command.callback]
    return {*functions, *(group.name for group in app.registered_groups if isinstance(group.name, str))}


def _stop(message: str, code: int) -> None:
    say(message)
    sys.exit(code)
