"""The open question: its text, why it is asked, the choices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from .flow import Flow, Line, cleaned, parts, said

if TYPE_CHECKING:
    from assistant.conversation.events import Question

NOT_SURE = "0"


@dataclass(frozen=True)
class Offer:
    """One line of the choices: the key that points at it, and the choice; no choice for "not sure"."""

    key: str
    label: str
    choice: str | None


def offers(question: Question) -> list[Offer]:
    """The choices with their keys, "not sure" last."""
    from assistant.conversation import wording

    ids = [choice.id for choice in question.choices]
    return [Offer(key, label, name) for (key, label), name in zip_longest(wording.offers(question), ids)]


class QuestionView(Vertical):
    """Draws the question; the prompt under it keeps the keyboard and moves the mark."""

    @dataclass
    class Picked(Message):
        """A choice was clicked."""

        offer: Offer

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.question: Question | None = None
        self.folded = False
        self.wanted = False  # whether a key has brought the choices back
        self.offers: list[Offer] = []
        self._text = Flow(id="question-text")
        self._choices = OptionList(id="choices", markup=False, compact=True)
        self._choices.can_focus = False

    def compose(self) -> Iterator[Widget]:
        yield self._text
        yield self._choices

    def ask(self, question: Question | None) -> None:
        """Show a question, or nothing."""
        self.question = question
        self.offers = offers(question) if question else []
        self._choices.clear_options().add_options([Option(_label(offer, False)) for offer in self.offers])
        self._choices.highlighted = None
        self._choices.set_class(not self.offers, "-empty")
        self.display = question is not None
        self.fold(False)

    def fold(self, folded: bool) -> None:
        """Leave the room to an answer: the question alone; a key that chooses brings the rest back."""
        self.folded, self.wanted = folded, False
        self.set_class(folded, "-folded")
        lines = _wording(self.question) if self.question else []
        self._text.show([*lines[:1], *self._in_short()] if folded else lines)

    def _in_short(self) -> list[Line]:
        """What is offered, in a line or two."""
        from assistant.conversation import wording

        return [said(wording.in_short(self.question), "$quiet")] if self.question and self.question.choices else []

    def _unfold(self) -> None:
        self.fold(False)
        self.wanted = True

    @property
    def marked(self) -> Offer | None:
        """The offer the mark is on."""
        at = self._choices.highlighted
        return self.offers[at] if at is not None and at < len(self.offers) else None

    def mark(self, key: str) -> Offer | None:
        """Put the mark on the offer with this key, or take it away."""
        at = next((i for i, offer in enumerate(self.offers) if offer.key == key.strip().lower()), None)
        self._choices.highlighted = at
        if at is not None:
            self._unfold()
        return self.marked

    def move(self, step: int) -> Offer | None:
        """Move the mark up or down, around the ends."""
        self._unfold()
        if self.offers:
            at = self._choices.highlighted
            first = 0 if step > 0 else len(self.offers) - 1
            self._choices.highlighted = first if at is None else (at + step) % len(self.offers)
        return self.marked

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Keep the arrow in front of the marked offer: a sign beside the colour."""
        event.stop()
        for at, offer in enumerate(self.offers):
            self._choices.replace_option_prompt_at_index(at, _label(offer, at == self._choices.highlighted))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """A click chooses."""
        event.stop()
        self.post_message(self.Picked(self.offers[event.option_index]))


def _wording(question: Question) -> list[Line]:
    lines = [said(question.text, "bold")]
    if question.why_asked:
        lines.append(said(question.why_asked, "$quiet"))
    if question.word:
        lines.append(said(question.word, "$quiet"))
    if question.previous:
        lines.append(parts(("Your answer so far: ", "$quiet"), question.previous))
    return lines


def _label(offer: Offer, marked: bool) -> Content:
    sign = "▸ " if marked else "  "
    style = "$quiet" if offer.choice is None and not marked else ""
    return Content.assemble((sign, "$accent bold"), (f"{offer.key} ", "$accent"), (cleaned(offer.label), style))
