"""The one screen: draws what the conversation says and hands it what the user does."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Any

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.widgets import Footer

from . import background, drawing
from .command_list import CommandList
from .hint import HintLine, next_step
from .keyboard import Keyboard
from .log import ConversationLog
from .panel import SidePanel
from .plots_panel import PlotsPanel
from .prompt import Prompt
from .proof import ProofTree
from .question import Offer, QuestionView
from .sources import SourcesList
from .status import StatusLine

if TYPE_CHECKING:
    from textual.binding import ActiveBinding

    from assistant.conversation import Conversation
    from assistant.conversation.events import Event, Failure, Question
    from assistant.vocabulary.knowledge import Knowledge

    from .app import WeftApp
    from .dials_view import DialsView

# A key already in flight must not answer a question that has just taken the place of another.
GRACE_S = 0.5
_LONG_AGO = float("-inf")
_NEXT = 30  # characters of a message that waits
# What is too large for the log stands in the panel.
TAB_OF_EVENT = {"details": "plan", "plots": "plots"}


class ConversationScreen(Keyboard):
    """Log, question and answer line on the left, the panel on the right or, on a small terminal, in their place."""

    app: WeftApp
    BINDINGS = [
        Binding("f1", "help", "Help", priority=True, key_display="F1"),
        Binding("f2", "panel('plan')", "Plan", priority=True, key_display="F2"),
        Binding("f3", "panel('why')", "Why", priority=True, key_display="F3"),
        Binding("f4", "panel('sources')", "Sources", priority=True, key_display="F4"),
        Binding("f5", "back", "Back", priority=True, show=False),
        Binding("f6", "panel('plots')", "Plots", priority=True, key_display="F6"),
        Binding("ctrl+d", "dials", "Dials", priority=True, key_display="^D"),
        Binding("f7", "dials", "Dials", priority=True, show=False),
        Binding("f8", "say('undo')", "Undo", priority=True, key_display="F8"),
        Binding("f9", "say('not sure')", "Not sure", priority=True, show=False),
        Binding("escape", "answer", "Answer", show=False),
    ]

    def __init__(
        self,
        conversation_factory: Callable[[], Conversation],
        warm_search: Callable[[Conversation], object] | None,
        grace_s: float,
    ) -> None:
        super().__init__()
        self.conversation: Conversation | None = None
        self.knowledge: Knowledge | None = None
        self.busy = True
        self._conversation_factory = conversation_factory
        self._warm_search = warm_search
        self._grace_s = grace_s
        self._asked_at = _LONG_AGO
        self._said = ""
        # What is done, in this order, when the answer stands that is being worked out.
        self._waiting: list[Callable[[], object]] = []
        self._later: list[str] = []  # what was typed meanwhile, each with its place among what waits
        self.status = StatusLine(id="status")
        self.log_view = ConversationLog(id="log")
        self.question_view = QuestionView(id="question")
        self.commands = CommandList(id="commands")
        self.prompt = Prompt(id="prompt")
        self.hint = HintLine(id="hint")
        self.panel = SidePanel(id="panel")

    @property
    def active_bindings(self) -> dict[str, ActiveBinding]:
        """The keys in the order of their names: one that the answer line would use otherwise must not come first."""
        every = (binding for binding in (*self.BINDINGS, *self.app.BINDINGS) if isinstance(binding, Binding))
        order = {binding.key: at for at, binding in enumerate(every)}
        return dict(sorted(super().active_bindings.items(), key=lambda item: order.get(item[0], -1)))

    def compose(self) -> ComposeResult:
        yield self.status
        with Horizontal(id="body"):
            with Vertical(id="talk"):
                yield self.log_view
                with Vertical(id="card"):
                    yield self.question_view
                    yield self.commands
                    yield self.prompt
                yield self.hint
            yield self.panel
        yield Footer(show_command_palette=False, compact=True)

    def on_mount(self) -> None:
        """Take the keys at once; open the conversation once the first screen stands."""
        self.question_view.ask(None)
        self.prompt.focus()
        self.hint.say("opening …")
        self.call_after_refresh(background.begin, "opening", self._open, self)

    def _open(self) -> Conversation:
        conversation = self._conversation_factory()
        if not conversation.turns:
            conversation.start()
        return conversation

    def on_done(self, message: background.Done) -> None:
        """Go on with what a thread has brought."""
        handle = {"opening": self._opened, "answer": self._answered, "rest": self._gone_on}
        handle |= {"knowledge": self._known, "search": self._search_ready, "scale": self._scaled}
        handle[message.what](message.value, message.error)

    def _opened(self, conversation: Any, error: Exception | None) -> None:
        """Show what has been said so far, also of a conversation that goes on."""
        if error is not None:
            self.app.give_up(error)
            return
        self.conversation = conversation
        question: Question | None = None
        for turn in conversation.turns:
            self.log_view.add(drawing.exchange(turn.said, turn.events, question))
            question = drawing.question_after(turn.events, question)
        self._caught_up([event for turn in conversation.turns for event in turn.events])
        self.hint.state(*self._saved_at())
        self._complete(conversation)
        background.begin("knowledge", lambda: conversation.library.knowledge, self)
        if self._warm_search is not None:
            warm = self._warm_search
            self.hint.state("loading the search …")
            background.begin("search", lambda: warm(conversation), self)

    def _complete(self, conversation: Conversation) -> None:
        from assistant.conversation.completing import Completer

        self.prompt.completer = Completer(conversation.library)

    def _known(self, knowledge: Any, error: Exception | None) -> None:
        if error is None:
            self.knowledge = knowledge
            self.panel.sources.know(knowledge)

    def _search_ready(self, value: Any, error: Exception | None) -> None:
        if error is None:
            self.hint.state(*self._saved_at())
        else:
            self.hint.state(f"search is off: {error}", "search is off")

    def _saved_at(self) -> tuple[str, ...]:
        """Where the transcript is being saved, the home folder shortened; at least its name."""
        path = self.conversation.transcript_path if self.conversation else None
        if path is None:
            return ("",)
        if self.app.is_web:
            return ("kept as you go; Ctrl+P saves it",)  # where the server keeps it is no visitor's business
        shown = Path("~") / path.relative_to(Path.home()) if path.is_relative_to(Path.home()) else path
        return f"saved in {shown}", f"saved: {path.name}"

    # What the user does.

    def on_prompt_submitted(self, message: Prompt.Submitted) -> None:
        """Take the marked choice, or say what was typed."""
        text, offer = message.text.strip(), self.question_view.marked
        if self.commands.marked is not None:
            self._take_command(self.commands.marked)
            return
        if self.busy and len(text) > 1:
            self._keep_for_later(message.text)
            return
        if self._too_early():
            return
        if offer is not None and text.lower() in ("", offer.key):
            self._take(offer)
        elif text:
            self.prompt.remember(message.text)
            self.action_say(text)

    def on_prompt_completed(self) -> None:
        """Tab takes the name of the marked command, to be sent or gone on with."""
        command, completer = self.commands.marked, self.prompt.completer
        if command is not None and completer is not None:
            self.prompt.type_instead(f"{command} " if completer.goes_on(command) else command)

    def on_command_list_picked(self, message: CommandList.Picked) -> None:
        """A click on a command."""
        self._take_command(message.command)

    def _take_command(self, command: str) -> None:
        """Do what the screen does itself, say anything else; where something has to follow, wait for it."""
        if self.prompt.completer is not None and self.prompt.completer.goes_on(command):
            self.prompt.type_instead(f"{command} ")
            return
        here = {"/resume": self.app.action_resume, "/colours": self.app.action_turn_colours}.get(command)
        if here is not None:
            self.prompt.text = ""
            here()
        elif self.busy:
            self._keep_for_later(command)
        else:
            self.prompt.remember(command)
            self._tell(command, lambda conversation: conversation.hear(command))

    def _keep_for_later(self, text: str) -> None:
        """Say what was typed while something is worked out when its turn comes: nothing that was sent is lost."""
        self.prompt.remember(text)
        self._later.append(text.strip())
        self._waiting.append(self._say_later)
        self._tell_what_waits()

    def _say_later(self) -> None:
        text = self._later.pop(0)
        self._tell(text, lambda conversation: conversation.hear(text))

    def _tell_what_waits(self) -> None:
        more = f" and {len(self._later) - 1} more" if len(self._later) > 1 else ""
        self.hint.say(f"One moment; next: “{shorten(self._later[0], _NEXT, placeholder=' …')}”{more}", "$doubt")

    def on_question_view_picked(self, message: QuestionView.Picked) -> None:
        """A click on a choice."""
        if not self._too_early():
            self._take(message.offer)

    def on_prompt_moved(self, message: Prompt.Moved) -> None:
        """Arrow keys walk through the choices; without choices they bring back what was typed."""
        if self.commands.marked is not None:
            self.commands.move(message.step)
        elif self.question_view.offers:
            self.question_view.move(message.step)
            self.tell_next_step()
        else:
            self.prompt.action_recall(message.step)

    def on_prompt_paged(self, message: Prompt.Paged) -> None:
        """Page Up and Page Down read what was said."""
        self.log_view.page(message.step)

    def on_text_area_changed(self, event: Prompt.Changed) -> None:
        """A key that belongs to a choice marks it; the sign of commands lists them."""
        completer = self.prompt.completer
        self.commands.offer(completer.offered(event.text_area.text) if completer else {})
        self.prompt.chooses = self.commands.marked is not None
        self.question_view.display = self.question_view.question is not None and not self.prompt.chooses
        self.question_view.mark(event.text_area.text)
        self.tell_next_step()

    def action_say(self, text: str) -> None:
        """Say something, typed or what a key stands for."""
        if not self._too_early():
            self._tell(text, lambda conversation: conversation.hear(text))

    def when_free(self, act: Callable[[], object]) -> None:
        """Do something now, or as soon as the answer stands that is being worked out: a plan is handed on finished."""
        self._waiting.append(act)
        if self.busy:
            self.hint.say("One moment; it is done as soon as the plan is finished.", "$doubt")
        self._no_longer_wait()

    def _no_longer_wait(self) -> None:
        while self._waiting and not self.busy:
            self._waiting.pop(0)()

    def say_when_free(self, words: str) -> None:
        """Say something once the plan is finished that is being worked out."""
        self.when_free(lambda: self._tell(words, lambda conversation: conversation.hear(words)))

    def _take(self, offer: Offer) -> None:
        """Take a choice, or leave the question open."""
        self.prompt.remember("")
        choice = offer.choice
        if choice is None:
            self._tell("not sure", lambda conversation: conversation.hear("not sure"))
        else:
            self._tell(offer.label, lambda conversation: conversation.pick(choice))

    def _too_early(self) -> bool:
        """Whether an answer has to wait: something is being worked out, or the question has only just appeared."""
        if self.busy:
            self.hint.say("One moment; what you typed stays here.", "$doubt")
        elif time.monotonic() - self._asked_at < self._grace_s:
            self.hint.say("A new question has just appeared: press the key again to answer it.", "$doubt")
        else:
            return False
        return True

    def _tell(self, said: str, answer: Callable[[Conversation], list[Event]]) -> None:
        """Ask the conversation in a thread: planning never holds up typing."""
        conversation = self.conversation
        if conversation is not None:
            self.busy, self._said = True, said
            self.hint.say("working it out …", "$weft")
            if self._later:
                self._tell_what_waits()
            background.begin("answer", lambda: _heard(conversation, answer), self)

    def _answered(self, events: Any, error: Exception | None) -> None:
        """Show what the conversation said, the new plan before the next question is worked out; leave when goodbye was
        said."""
        answer, conversation = [_failure(error)] if error else events, self.conversation
        for copied in (event for event in answer if event.kind == "copied"):
            self.app.copy_to_clipboard(copied.text)
        self.log_view.add(drawing.exchange(self._said, answer, self.question_view.question))
        if conversation is not None and conversation.has_more:
            self._keep_up(answer, more_to_come=True)
            self.call_after_refresh(background.begin, "rest", conversation.go_on, self)
        else:
            self._caught_up(answer)
        if conversation is not None and conversation.is_over:
            self.app.exit(0)

    def _gone_on(self, events: Any, error: Exception | None) -> None:
        """Show the rest of the plan, its card too, now that it is known what would change it; ask the next question,
        or say that there is none."""
        rest, conversation = [_failure(error, "What you said counts")] if error else events, self.conversation
        if error or conversation is None or not conversation.turns:
            self.log_view.go_on([piece for event in rest for piece in drawing.drawn(event)])
        else:
            whole = conversation.turns[-1].events
            self.log_view.draw_again(drawing.exchange(self._said, whole, self.question_view.question))
        self._caught_up(rest)

    def _caught_up(self, events: Sequence[Event]) -> None:
        """Bring question, panel and lines to where the conversation is, and take answers again."""
        self.busy = False
        if self.conversation is None:
            return
        question = self.conversation.question
        before = self.question_view.question
        if question != before:
            self.question_view.ask(question)
            self.prompt.placeholder = question.placeholder if question else "ask about the plan"
            self._asked_at = time.monotonic() if before is not None else _LONG_AGO
        else:
            self.question_view.fold(self.has_class("-low"))
        self._keep_up(events)
        self.tell_next_step()
        self._no_longer_wait()

    def _keep_up(self, events: Sequence[Event], more_to_come: bool = False) -> None:
        """Bring the panel and the top line to where the conversation is; with ``more_to_come`` only what is in view."""
        conversation = self.conversation
        if conversation is None:
            return
        fields, variation = dict(conversation.draft.fields), conversation.variation
        catalog = conversation.library.catalog if fields else None
        self.status.show(fields, variation.plan if variation else conversation.plan, variation is not None, catalog)
        self.panel.show_plan(fields, conversation.plan, variation, more_to_come, catalog)
        self.panel.note(events)
        dialled = next((event for event in events if event.kind == "dial"), None)
        if dialled is not None:
            self.action_dials(dialled.dial.path)
        tab = next((TAB_OF_EVENT[event.kind] for event in events if event.kind in TAB_OF_EVENT), None)
        if tab is not None:
            self.panel.plan.show_whole(self.panel.plan.whole or any(event.kind == "details" for event in events))
            self.action_panel(tab)

    def tell_next_step(self) -> None:
        """Say what Enter would do, unless something else is being said."""
        if not self.busy:
            asked = self.question_view
            self.hint.say(
                next_step(asked.marked, self.prompt.text, asked.offers, asked.folded, bool(self.prompt.suggestion))
            )

    # Panel and pages.

    def action_dials(self, path: str | None = None) -> None:
        """Turn the dials of the plan; while they turn, leave them."""
        dials, conversation = self.panel.plan.dials, self.conversation
        if dials.is_open and path is None:
            self.action_answer()
        elif conversation is None or not dials.open(conversation, path):
            self.hint.say("The dials turn as soon as there is a plan.", "$doubt")
        else:
            self.panel.turn_to("plan")
            self.panel.plan.scroll_home(animate=False)
            self.add_class("-panel")
            self.call_after_refresh(dials.focus)

    def on_dials_view_left(self) -> None:
        """Nothing is taken."""
        self.action_answer()

    def on_dials_view_taken(self, message: DialsView.Taken) -> None:
        """The value of a dial is a change of the job, said as any other."""
        if not self._too_early() and self.conversation is not None:
            from assistant.conversation.dials import words

            said = words(message.dial, message.value, self.conversation.library)
            self.action_answer()
            self._tell(said, lambda conversation: conversation.turn(message.dial, message.value))

    def on_plots_panel_scale_wanted(self, message: PlotsPanel.ScaleWanted) -> None:
        """Compute the job at other sizes beside everything else."""
        conversation, plan = self.conversation, message.plan
        if conversation is not None:
            background.begin("scale", lambda: (plan, conversation.scaled(plan)), self)

    def _scaled(self, value: Any, error: Exception | None) -> None:
        """Draw it; after an error there is nothing to draw."""
        plan, scale = value if error is None else (self.panel.plots.plan, None)
        if plan is not None:
            self.panel.plots.scaled(plan, scale)

    def on_sources_list_opened(self, message: SourcesList.Opened) -> None:
        """Open a statement or a source."""
        self._open_source(message.ident)

    def on_proof_tree_source_wanted(self, message: ProofTree.SourceWanted) -> None:
        """Open what a reason rests on."""
        self._open_source(message.ident)

    def _open_source(self, ident: str) -> None:
        from .source_screen import SourceScreen

        self.app.push_screen(SourceScreen(ident, self.panel.sources.statements.get(ident), self.knowledge))

    def action_help(self) -> None:
        """Help of what has the keyboard."""
        from .help_screen import HelpScreen

        helped = self.focused.ancestors_with_self if self.focused else ()
        about = next((node.HELP for node in helped if node.HELP), Prompt.HELP or "")
        self.app.push_screen(
            HelpScreen(about, {one.key: one.action for one in self.BINDINGS if isinstance(one, Binding)})
        )


def _heard(conversation: Conversation, answer: Callable[[Conversation], list[Event]]) -> list[Event]:
    """What comes back; the rest of the turn with it where nothing has to be worked out for that."""
    events = answer(conversation)
    return events if conversation.has_more else [*events, *conversation.go_on()]


def _failure(error: Exception, remains: str = "Nothing was changed") -> Failure:
    """An error as one calm sentence, and what is true in spite of it."""
    from assistant.conversation.events import Failure
    from assistant.vocabulary.errors import InputError, KnowledgeError

    if isinstance(error, (InputError, KnowledgeError)):
        return Failure(text=f"{error}.")
    return Failure(text=f"That did not work ({type(error).__name__}: {error}). {remains}; the conversation goes on.")
