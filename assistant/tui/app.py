"""The full-screen conversation: draws what the conversation says and hands it what the user does."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widgets import Footer

from assistant.conversation.events import Answer, Event, Explanation, Failure, PlanDetails

from . import commands, drawing
from .hint import HintLine
from .log import ConversationLog
from .panel import PanelTab, SidePanel
from .prompt import Prompt
from .proof import ProofTree
from .question import Offer, QuestionView
from .sources import SourcesList
from .status import StatusLine
from .theme import DARK, LIGHT, TERMINAL_DARK, TERMINAL_LIGHT

if TYPE_CHECKING:
    from assistant.conversation.conversation import Conversation, Library, Searcher
    from assistant.vocabulary.knowledge import Knowledge

# A key already in flight must not answer a question that has just appeared.
GRACE_S = 0.5


class WeftApp(App[int], inherit_bindings=False):
    """One conversation on one screen."""

    TITLE = "weft"
    CSS_PATH = "weft.tcss"
    COMMANDS = {lambda: commands.MenuCommands}
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide"), (180, "-very-wide")]
    VERTICAL_BREAKPOINTS = [(0, "-low"), (30, "-high")]
    BINDINGS = [
        Binding("f1", "help", "Help", priority=True, key_display="F1"),
        Binding("f2", "panel('plan')", "Plan", priority=True, key_display="F2"),
        Binding("f3", "panel('why')", "Why", priority=True, key_display="F3"),
        Binding("f4", "panel('sources')", "Sources", priority=True, key_display="F4"),
        Binding("f5", "say('back')", "Back", priority=True, key_display="F5"),
        Binding("f8", "say('undo')", "Undo", priority=True, key_display="F8"),
        Binding("f9", "say('not sure')", "Not sure", priority=True, show=False),
        Binding("escape", "talk", "Answer", show=False),
        Binding("ctrl+p", "command_palette", "Menu", priority=True, key_display="Ctrl+P"),
        Binding("ctrl+q", "quit", "Quit", priority=True, key_display="Ctrl+Q"),
        Binding("ctrl+c", "help_quit", show=False, system=True),
    ]

    @dataclass
    class Heard(Message):
        """The conversation answered what was said."""

        said: str | None
        events: list[Event]

    @dataclass
    class Loaded(Message):
        """Something that loads in the background is there, or could not be loaded."""

        what: str
        value: Any = None
        error: str | None = None

    def __init__(self, conversation_factory: Callable[[], Conversation], searcher_factory: Callable[[Library], Searcher] | None = None, *,
                 transcript: Path | None = None, theme: str = "dark", grace_s: float = GRACE_S) -> None:
        # With NO_COLOR, Textual turns colours grey, and those of an ansi theme black on black; with ansi_color it
        # leaves everything in the terminal's own two colours.
        super().__init__(ansi_color=True if os.environ.get("NO_COLOR") else None)
        self.ansi_theme_dark, self.ansi_theme_light = TERMINAL_DARK, TERMINAL_LIGHT
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        self.theme = f"weft-{theme}"
        self.conversation: Conversation | None = None
        self.knowledge: Knowledge | None = None
        self.transcript = transcript
        self._conversation_factory = conversation_factory
        self._searcher_factory = searcher_factory
        self._grace_s = grace_s
        self._asked_at = 0.0
        self._busy = True

    def compose(self) -> ComposeResult:
        yield StatusLine(id="status")
        with Horizontal(id="body"):
            with Vertical(id="talk"):
                yield ConversationLog(id="log")
                with Vertical(id="card"):
                    yield QuestionView(id="question")
                    yield Prompt(id="prompt")
                yield HintLine(id="hint")
            yield SidePanel(id="panel")
        yield Footer(show_command_palette=False, compact=True)

    def on_mount(self) -> None:
        """Take the keys at once; open the conversation once the first screen stands."""
        self.query_one(QuestionView).ask(None)
        self.query_one(Prompt).focus()
        self.query_one(HintLine).say("opening …")
        self.call_after_refresh(self._in_background, "conversation", self._open)

    # What loads while the user reads. Daemon threads: leaving does not wait for a model to load.

    def _in_background(self, what: str, load: Callable[[], Any]) -> None:
        def run() -> None:
            try:
                self.post_message(self.Loaded(what, load()))
            except Exception as error:  # noqa: BLE001 - shown as a sentence; the screen must go on
                self.post_message(self.Loaded(what, error=sentence(error)))

        threading.Thread(target=run, name=f"weft-{what}", daemon=True).start()

    def _open(self) -> Any:
        conversation = self._conversation_factory()
        return conversation, conversation.start()

    def on_weft_app_loaded(self, message: Loaded) -> None:
        """Go on with what has been loaded."""
        if message.what == "conversation":
            self._opened(message)
        elif message.what == "knowledge" and message.error is None:
            self.knowledge = message.value
            self.query_one(SourcesList).know(message.value)
        elif message.what == "search":
            self._search_loaded(message)

    def _opened(self, message: Loaded) -> None:
        if message.error is not None:
            self._show(None, [Failure(text=message.error)])
            return
        self.conversation, events = message.value
        self._show(None, events)
        library = self.conversation.library
        self._in_background("knowledge", lambda: library.knowledge)
        if self._searcher_factory is None:
            self.query_one(HintLine).state(self.saved_at)
            return
        make = self._searcher_factory
        self.query_one(HintLine).state("loading the search …")
        self._in_background("search", lambda: make(library))

    def _search_loaded(self, message: Loaded) -> None:
        if message.error is None and self.conversation is not None:
            self.conversation.searcher = message.value
        self.query_one(HintLine).state(f"search is off: {message.error}" if message.error else self.saved_at)

    @property
    def saved_at(self) -> str:
        """Where the transcript is being saved, home shortened; empty when nowhere."""
        if self.transcript is None:
            return ""
        home = Path.home()
        inside = self.transcript.is_relative_to(home)
        return f"saved in {Path('~') / self.transcript.relative_to(home) if inside else self.transcript}"

    # What the user does.

    def on_prompt_submitted(self, message: Prompt.Submitted) -> None:
        """Take the marked choice, or say what was typed."""
        text, offer = message.text.strip(), self.query_one(QuestionView).marked
        if self._not_now():
            return
        if offer is not None and text.lower() in ("", offer.key):
            self._take(offer)
        elif text:
            self.query_one(Prompt).remember(message.text)
            self._tell(text, lambda: self.conversation.say(text))

    def on_question_view_picked(self, message: QuestionView.Picked) -> None:
        """A click on a choice."""
        if not self._not_now():
            self._take(message.offer)

    def on_prompt_moved(self, message: Prompt.Moved) -> None:
        """Arrow keys walk through the choices; without choices they bring back what was typed."""
        view = self.query_one(QuestionView)
        if view.offers:
            self._hint(view.move(message.step))
        else:
            self.query_one(Prompt).action_recall(message.step)

    def on_prompt_paged(self, message: Prompt.Paged) -> None:
        """Page Up and Page Down read what was said."""
        self.query_one(ConversationLog).page(message.step)

    def on_text_area_changed(self, event: Prompt.Changed) -> None:
        """A key that belongs to a choice marks it."""
        self._hint(self.query_one(QuestionView).mark(event.text_area.text))

    def action_say(self, text: str) -> None:
        """Say something a key stands for."""
        if not self._not_now():
            self._tell(text, lambda: self.conversation.say(text))

    def _take(self, offer: Offer) -> None:
        self.query_one(Prompt).remember("")
        choice = offer.choice
        if choice is None:
            self._tell("not sure", lambda: self.conversation.say("not sure"))
        else:
            self._tell(offer.label, lambda: self.conversation.choose(choice))

    def _not_now(self) -> bool:
        """Whether an answer has to wait: something is being worked out, or the question has only just appeared."""
        if self._busy or self.conversation is None:
            self.query_one(HintLine).say("One moment; what you typed stays here.", "$doubt")
            return True
        if time.monotonic() - self._asked_at < self._grace_s:
            self.query_one(HintLine).say("A new question has just appeared: press Enter again to answer it.", "$doubt")
            return True
        return False

    def _tell(self, said: str, answer: Callable[[], list[Event]]) -> None:
        """Ask the conversation in a thread: planning never holds up typing."""
        self._busy = True
        self.query_one(HintLine).say("working it out …", "$weft")

        def work() -> None:
            try:
                events = answer()
            except Exception as error:  # noqa: BLE001 - shown as a sentence; the conversation goes on
                events = [Failure(text=sentence(error))]
            self.post_message(self.Heard(said, events))

        threading.Thread(target=work, name="weft-answer", daemon=True).start()

    def on_weft_app_heard(self, message: Heard) -> None:
        """Show what the conversation said."""
        self._show(message.said, message.events)

    def _show(self, said: str | None, events: list[Event]) -> None:
        self._busy = False
        view, panel, conversation = self.query_one(QuestionView), self.query_one(SidePanel), self.conversation
        question = conversation.question if conversation else None
        pieces: list[drawing.Drawn] = []
        if question != view.question:
            pieces += drawing.asked(view.question) if view.question and said else []
            view.ask(question)
            self.query_one(Prompt).placeholder = question.placeholder if question else "Ask about the plan"
            self._asked_at = time.monotonic()
        pieces += drawing.answered(said) if said else []
        for event in events:
            pieces += drawing.drawn(event)
        self.query_one(ConversationLog).add(pieces)
        self._follow(panel, events)
        self._hint(view.marked)

    def _follow(self, panel: SidePanel, events: list[Event]) -> None:
        """Bring the panel and the top line to where the conversation is."""
        if self.conversation is not None:
            variation = self.conversation.variation
            plan = variation.plan if variation else self.conversation.plan
            fields = dict(self.conversation.draft.fields)
            panel.show_plan(fields, self.conversation.plan, variation)
            self.query_one(StatusLine).show(fields, plan, variation is not None)
        for event in events:
            if isinstance(event, Answer) and event.answer is not None:
                panel.sources.found(event.question, event.answer.passages)
            elif isinstance(event, Explanation):
                panel.explain(event.tree)
            elif isinstance(event, PlanDetails):
                self.action_panel("plan")

    def _hint(self, offer: Offer | None) -> None:
        view, prompt = self.query_one(QuestionView), self.query_one(Prompt)
        if self._busy:
            return
        if offer is not None:
            text = f"Enter takes: {offer.label}"
        elif prompt.text.strip():
            text = "Enter sends · Ctrl+J breaks the line"
        elif view.offers and view.offers[0].choice is None:
            text = "say it in your own words · 0 and Enter if you are not sure"
        elif view.offers:
            kind = "number" if view.offers[0].key.isdigit() else "letter"
            text = f"a {kind} or ↑ ↓, then Enter · or say it in your own words"
        else:
            text = "ask: why · why not roce · what if 128 GPUs · compare · save"
        self.query_one(HintLine).say(text)

    # Panels.

    def action_panel(self, tab: str) -> None:
        """Show a tab and step into it; when it already has the keys, step back."""
        panel = self.query_one(SidePanel)
        if panel.has_focus_within and panel.tab == tab:
            self.action_talk()
            return
        panel.turn_to(tab)
        self.screen.add_class("-panel")
        self.call_after_refresh(panel.focus_tab)

    def action_talk(self) -> None:
        """Back to the answer line; there, clear it."""
        prompt = self.query_one(Prompt)
        if prompt.has_focus:
            prompt.text = ""
        self.screen.remove_class("-panel")
        prompt.focus()

    def on_panel_tab_clicked(self, message: PanelTab.Clicked) -> None:
        """A click on a tab."""
        self.action_panel(message.tab)

    def on_sources_list_opened(self, message: SourcesList.Opened) -> None:
        """Open a statement or a source."""
        self.open_source(message.ident)

    def on_proof_tree_source_wanted(self, message: ProofTree.SourceWanted) -> None:
        """Open what a reason rests on."""
        self.open_source(message.ident)

    def open_source(self, ident: str) -> None:
        """Show a statement or a source as a page."""
        from .source_screen import SourceScreen

        self.push_screen(SourceScreen(ident, self.query_one(SourcesList).statements.get(ident), self.knowledge))

    def action_help(self) -> None:
        """Help of what has the keyboard."""
        from .help_screen import HelpScreen

        about = next((node.HELP for node in (self.focused.ancestors_with_self if self.focused else ()) if getattr(node, "HELP", None)), "")
        self.push_screen(HelpScreen(about or Prompt.HELP))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys of the main screen rest while a page or the menu is open."""
        return len(self.screen_stack) < 2 or action not in ("help", "panel", "say", "talk", "command_palette")


def sentence(error: BaseException) -> str:
    """An error as one calm sentence."""
    from assistant.vocabulary.errors import InputError, KnowledgeError

    if isinstance(error, (InputError, KnowledgeError)):
        return str(error)
    return f"That did not work ({type(error).__name__}: {error}). Nothing was changed; the conversation goes on."
