"""What the menu (Ctrl+P) offers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from textual.command import DiscoveryHit, Hit, Hits, Provider

if TYPE_CHECKING:
    from .app import WeftApp
    from .conversation_screen import ConversationScreen
    from .plots_panel import PlotsPanel


class Command(NamedTuple):
    """One line of the menu."""

    name: str
    about: str
    run: Callable[[], Any]


class MenuCommands(Provider):
    """The commands, in their own order until something is typed."""

    async def discover(self) -> Hits:
        """Everything there is."""
        for command in offered(self.screen, self.app):  # type: ignore[arg-type]
            yield DiscoveryHit(command.name, command.run, help=command.about)

    async def search(self, query: str) -> Hits:
        """What matches the typed letters."""
        matcher = self.matcher(query)
        for command in offered(self.screen, self.app):  # type: ignore[arg-type]
            if (score := matcher.match(command.name)) > 0:
                yield Hit(score, matcher.highlight(command.name), command.run, help=command.about)


def offered(talk: ConversationScreen, app: WeftApp) -> Iterator[Command]:
    """Every command; those about the plan only when there is one."""
    plan = talk.conversation.plan if talk.conversation else None
    if plan is not None:
        yield Command("Save the plan as Markdown", "A document to hand on", lambda: talk.save("markdown"))
        yield Command("Save the plan as JSON", "The contract weft/plan/1", lambda: talk.save("json"))
        copy, plots = lambda: _copy(app, talk), lambda: _copy_plots(app, talk.panel.plots)
        to = "to the clipboard of the terminal"
        yield Command("Copy the plan", f"As plain text, {to}", lambda: talk.when_free(copy))
        yield Command("Copy the plots", f"As text, {to}", lambda: talk.when_free(plots))
    yield from _transcript(talk, app)
    yield Command("Go back", "To the question before (F5)", lambda: talk.action_say("back"))
    yield Command("Undo", "What was said last (F8)", lambda: talk.action_say("undo"))
    yield Command("Not sure", "Let it be assumed (F9)", lambda: talk.action_say("not sure"))
    yield Command("Plan", "Step into the plan (F2)", lambda: talk.action_panel("plan"))
    yield Command("Dials", "Turn GPUs, batch, price or months, and see what changes (Ctrl+D)", talk.action_dials)
    yield Command("Why", "Step into the proof, finding by finding (F3)", lambda: talk.action_panel("why"))
    yield Command("Sources", "Everything cited, and every source (F4)", lambda: talk.action_panel("sources"))
    yield Command("Plots", "Time of a step, cost, slowdown against scale (F6)", lambda: talk.action_panel("plots"))
    yield Command("Light or dark", "Change the colours", app.action_turn_colours)
    yield Command("Help", "Keys, and help of what has the keyboard (F1)", talk.action_help)
    yield Command("Quit", "The transcript is saved as you go (Ctrl+Q)", app.action_quit)


def _transcript(talk: ConversationScreen, app: WeftApp) -> Iterator[Command]:
    """The transcript is saved as it goes; a copy goes to the folder the program was started in, or to the browser."""
    path = talk.conversation.transcript_path if talk.conversation else None
    if path is not None and app.is_web:
        yield Command("Save the transcript", f"A copy of {path.name} for you", lambda: app.deliver_binary(path))
    elif path is not None:
        about = f"A copy of {path.name} in this folder; it is kept in {path.parent} in any case"
        yield Command("Save the transcript here", about, lambda: _save_copy(app, path))


def _save_copy(app: WeftApp, path: Path) -> None:
    """Copy the transcript as it stands, never over another file."""
    import shutil

    target = Path.cwd() / path.name
    warn = lambda text: app.notify(text, severity="warning", markup=False)
    try:
        with path.open("rb") as saved, target.open("xb") as copy:
            shutil.copyfileobj(saved, copy)
    except FileExistsError:
        warn(f"{target} is already there and was left alone.")
    except OSError as error:
        warn(f"The transcript could not be saved as {target}: {error.strerror}.")
    else:
        app.notify(f"Saved as {target}.", markup=False)


def _copy(app: WeftApp, talk: ConversationScreen) -> None:
    """Copy the plan as it is now; a terminal gives no answer to this, so say what else there is."""
    from assistant.present.plan.formats import plan_lines

    plan = talk.conversation.plan if talk.conversation else None
    if plan is None:
        app.notify("There is no plan any more.", severity="warning")
        return
    app.copy_to_clipboard("\n".join(plan_lines(plan)))
    app.notify("Copied, if this terminal allows it. The menu also saves it to a file.")


def _copy_plots(app: WeftApp, panel: PlotsPanel) -> None:
    """Copy what the panel shows, at the width of a page."""
    from assistant.present.plots import plot_lines

    if panel.plan is not None:
        app.copy_to_clipboard("\n".join(plot_lines(panel.plan, panel.scale)))
        app.notify("Copied, if this terminal allows it.")
