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


_FORMS = (
    ("markdown", "Markdown", "A document to hand on"),
    ("html", "HTML", "A page that stands alone; the browser prints it or makes a PDF of it"),
    ("json", "JSON", "The contract weft/plan/1"),
    ("yaml", "YAML", "The questionnaire, to plan again"),
)
_COPIES = (
    ("card", "The answer in five lines, to the clipboard of the terminal"),
    ("plan", "As plain text, to the clipboard of the terminal"),
    ("YAML", "The questionnaire, to the clipboard of the terminal"),
)


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
        for form, called, about in _FORMS:
            yield Command(
                f"Save the plan as {called}", about, lambda words=f"save as {form}": talk.say_when_free(words)
            )
        for what, about in _COPIES:
            yield Command(f"Copy the {what}", about, lambda words=f"copy the {what}": talk.say_when_free(words))
        plots = lambda: _copy_plots(app, talk.panel.plots)
        yield Command("Copy the plots", "As text, to the clipboard of the terminal", lambda: talk.when_free(plots))
    yield from _transcript(talk, app)
    if app.resumed is not None:
        yield Command("Go on with another conversation", "One of those that are kept", app.action_resume)
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
    from assistant.library.files import write_whole

    target = Path.cwd() / path.name
    warn = lambda text: app.notify(text, severity="warning", markup=False)
    if target.exists():
        warn(f"{target} is already there and was left alone.")
        return
    try:
        write_whole(target, path.read_bytes(), permissions=0o600)
    except OSError as error:
        warn(f"The transcript could not be saved as {target}: {error.strerror}.")
    else:
        app.notify(f"Saved as {target}.", markup=False)


def _copy_plots(app: WeftApp, panel: PlotsPanel) -> None:
    """Copy what the panel shows, at the width of a page."""
    from assistant.present.plots import plot_lines

    if panel.plan is not None:
        app.copy_to_clipboard("\n".join(plot_lines(panel.plan, panel.scale)))
        app.notify("Copied, if this terminal allows it.")
