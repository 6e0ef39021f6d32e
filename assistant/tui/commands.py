"""What the menu (Ctrl+P) offers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from textual.command import DiscoveryHit, Hit, Hits, Provider

from assistant.vocabulary.plan import Plan

if TYPE_CHECKING:
    from .app import WeftApp


class Command(NamedTuple):
    """One line of the menu."""

    name: str
    about: str
    run: Callable[[], Any]


class MenuCommands(Provider):
    """The commands, in their own order until something is typed."""

    async def discover(self) -> Hits:
        """Everything there is."""
        for command in offered(self.app):  # type: ignore[arg-type]
            yield DiscoveryHit(command.name, command.run, help=command.about)

    async def search(self, query: str) -> Hits:
        """What matches the typed letters."""
        matcher = self.matcher(query)
        for command in offered(self.app):  # type: ignore[arg-type]
            if (score := matcher.match(command.name)) > 0:
                yield Hit(score, matcher.highlight(command.name), command.run, help=command.about)


def offered(app: WeftApp) -> Iterator[Command]:
    """Every command; those about the plan only when there is one."""
    plan = app.conversation.plan if app.conversation else None
    if plan is not None:
        yield Command("Save the plan as Markdown", "A document to hand on", lambda: app.action_say("export as markdown"))
        yield Command("Save the plan as JSON", "The contract weft/plan/1", lambda: app.action_say("export as json"))
        yield Command("Copy the plan", "As plain text, to the clipboard of the terminal", lambda: _copy(app, plan))
    yield Command("Go back", "To the question before (F5)", lambda: app.action_say("back"))
    yield Command("Undo", "What was said last (F8)", lambda: app.action_say("undo"))
    yield Command("Not sure", "Let it be assumed (F9)", lambda: app.action_say("not sure"))
    yield Command("Plan", "Step into the plan (F2)", lambda: app.action_panel("plan"))
    yield Command("Why", "Step into the proof, finding by finding (F3)", lambda: app.action_panel("why"))
    yield Command("Sources", "Everything cited, and every source (F4)", lambda: app.action_panel("sources"))
    yield Command("Light or dark", "Change the colours", lambda: _turn(app))
    yield Command("Help", "Keys, and help of what has the keyboard (F1)", app.action_help)
    yield Command("Quit", "The transcript is saved as you go (Ctrl+Q)", app.action_quit)


def _copy(app: WeftApp, plan: Plan) -> None:
    """Copy; a terminal gives no answer to this, so say what else there is."""
    from assistant.present.text import plan_lines

    app.copy_to_clipboard("\n".join(plan_lines(plan)))
    app.notify("Copied, if this terminal allows it. Ctrl+P also saves it to a file.")


def _turn(app: WeftApp) -> None:
    app.theme = "weft-light" if app.current_theme.dark else "weft-dark"
