"""Where the keys go: the answer line, the panel, and from one to the other."""

from __future__ import annotations

from textual.events import Key, Paste
from textual.screen import Screen

from .log import ConversationLog
from .panel import BACK, PanelTab, SidePanel
from .prompt import Prompt
from .question import QuestionView


class Keyboard(Screen[None]):
    """A screen with an answer line, a question over it, a log and a panel, which :class:`ConversationScreen` puts
    there."""

    log_view: ConversationLog
    question_view: QuestionView
    prompt: Prompt
    panel: SidePanel

    def action_say(self, text: str) -> None:
        """Say something, typed or what a key stands for."""
        raise NotImplementedError

    def tell_next_step(self) -> None:
        """Say what Enter would do."""
        raise NotImplementedError

    def action_panel(self, tab: str) -> None:
        """Show a tab and step into it; when it already has the keys, step back."""
        if self.panel.has_focus_within and self.panel.tab == tab:
            self.action_answer()
            return
        self.panel.plan.dials.close()
        self.panel.turn_to(tab)
        self.add_class("-panel")
        self.call_after_refresh(self.panel.focus_tab)

    def action_answer(self) -> None:
        """Back to the answer line; there, clear it."""
        if self.prompt.has_focus:
            self.prompt.text = ""
        self.panel.plan.dials.close()
        self.remove_class("-panel")
        self.prompt.focus()

    def action_back(self) -> None:
        """From the panel back to the answer line; there, back to the question before."""
        if self.panel.has_focus_within or self.has_class("-panel"):
            self.action_answer()
        else:
            self.action_say("back")

    def on_panel_tab_clicked(self, message: PanelTab.Clicked) -> None:
        """A click on a tab."""
        if message.tab == BACK:
            self.action_answer()
        else:
            self.action_panel(message.tab)

    def on_key(self, event: Key) -> None:
        """What nothing else has a use for is typed on the answer line, wherever the keys are."""
        if event.is_printable and event.character and event.key not in self.active_bindings:
            event.stop()
            self._type(event.character)

    def on_paste(self, event: Paste) -> None:
        """Pasted text belongs on the answer line too; there it has been taken already, and comes by once more."""
        if not self.prompt.has_focus:
            self._type(event.text)

    def _type(self, text: str) -> None:
        self.panel.plan.dials.close()
        self.remove_class("-panel")
        self.set_focus(self.prompt)
        self.prompt.insert(text)

    def on_exchange_laid(self) -> None:
        """Fold a question that covers what has just been answered; a key that chooses brings it back."""
        question = self.question_view
        if question.wanted:
            self.log_view.show_newest()
        elif question.question is not None and not question.folded and self.log_view.is_cut:
            self.question_view.fold(True)
            self.tell_next_step()
            self.call_after_refresh(self.log_view.show_newest)
