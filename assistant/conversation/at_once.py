"""A job in one sentence: where the conversation would ask, what is likeliest is taken, and said to be."""

from __future__ import annotations

from dataclasses import dataclass, field

from assistant.present.blocks import Block, Bullets, Paragraph
from assistant.present.fields import field_name, field_text
from assistant.present.plan import assumptions, card, opening, quotes, reading
from assistant.present.plan.names import named, namer
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.plan import Plan

from . import wording
from .conversation import Conversation
from .events import Answer, Choice, Event, Failure, Note, Question, Understood
from .quotes import alone
from .turn.readback import compared_only

_LIMITS = ("budget.usd", "budget.usd_per_month", "constraints.deadline_days", "constraints.max_power_kw")
_MOST_STEPS = 16  # of what one sentence leaves open
_BESIDE_A_JOB = ("rent-or-buy-for", "price-judged")  # what is asked beside a job and stands on no card


@dataclass(frozen=True)
class AtOnce:
    """What a sentence brought: the ``plan`` of its job, ``None`` where it tells of none; ``understood`` its facts in
    words; ``taken`` what was taken without being said, each as a sentence; ``said`` everything that came back;
    ``unjudged`` the limits that were said and are held against nothing, each with what was asked of it; ``answer`` to
    what was asked with the job;
    ``quotes`` what somebody offers, beside the lists, where nothing is said of a job but that, and ``missing`` what it
    takes to plan one."""

    plan: Plan | None
    understood: tuple[str, ...]
    taken: tuple[str, ...]
    said: tuple[Event, ...]
    quotes: tuple[Block, ...] = ()
    missing: str = ""
    unjudged: tuple[str, ...] = ()
    answer: tuple[Event, ...] = ()


def tell(conversation: Conversation, sentence: str) -> AtOnce:
    """Say the sentence and answer what it leaves open. Raises :class:`InputError` when it tells of a job that cannot
    be planned, or not without a fact that nobody can guess."""
    conversation.start()
    answered = _Answered(conversation, conversation.hear(sentence))
    for _ in range(_MOST_STEPS):
        if answered.settled or not answered.answer_next():
            break
    answered.said += conversation.finish()
    missing = _missing(conversation, answered.said)
    parts = conversation.parts
    offered = alone(parts.state.draft, parts.library, parts.today) if missing else []
    gpus = conversation.draft.fields.get("cluster.gpus", 0)
    beside = quotes.alone(offered, gpus, parts.catalog.names) if offered else []
    if missing and not beside:
        raise InputError(missing)
    told, catalog = conversation.draft.told, conversation.library.catalog
    facts = [field_text(name, value, catalog) for name, value in told.items() if name not in answered.guessed]
    return AtOnce(
        *(conversation.plan, tuple(facts), tuple(answered.taken), tuple(answered.said), tuple(beside), missing),
        tuple(answered.unjudged),
        tuple(conversation.answered_with_job),
    )


@dataclass
class _Answered:
    """A conversation in which nobody answers: what came back (``said``), what was taken in place of an answer, each as
    a sentence, the fields that were guessed so, and the questions that were open."""

    conversation: Conversation
    said: list[Event]
    taken: list[str] = field(default_factory=list)
    guessed: set[str] = field(default_factory=set)
    seen: set[str] = field(default_factory=set)
    unjudged: list[str] = field(default_factory=list)

    @property
    def settled(self) -> bool:
        """Whether nothing is left to answer: there is a plan, or no job at all."""
        told = self.conversation.plan is not None or not self.conversation.draft.fields
        return told and not self.conversation.parts.interviewer.doubting

    def answer_next(self) -> bool:
        """Take what is likeliest for the next question, or leave open what was said and is in doubt; whether either was
        possible."""
        self.said += self.conversation.go_on()
        question, interviewer = self.conversation.question, self.conversation.parts.interviewer
        if question is None:
            return False
        doubted = interviewer.doubting
        again = question.text in self.seen  # what was picked does not settle it
        self.seen.add(question.text)
        choice = None if again or self._is_left(question) else interviewer.likeliest(self.conversation.draft)
        if choice is not None:
            self._take(question, choice, doubted=doubted)
            return True
        if doubted:
            self.taken += [] if again else [f"left open, {question.text}"]
            limits = question.field in _LIMITS and not again
            self.unjudged += [question.text.rstrip("?")] if limits else []
            self.said += [event for event in self.conversation.hear("not sure") if not isinstance(event, Note)]
        return doubted

    def _is_left(self, question: Question) -> bool:
        """Whether what is hardly likely to be meant is left as it was: nothing else may be, and no plan needs it."""
        choice = next(iter(question.choices), None)
        missing = set(self.conversation.draft.missing)  # a model is told by its size too
        needed = choice is not None and any({name, name.partition(".")[0]} & missing for name in choice.value)
        return question.unlikely and len(question.choices) < 2 and not needed

    def _take(self, question: Question, choice: Choice, *, doubted: bool) -> None:
        catalog = self.conversation.library.catalog
        told = "; ".join(field_text(name, value, catalog) for name, value in choice.value.items())
        others = " or ".join(other.label for other in question.choices if other.id != choice.id)
        asked = f"{others} may be meant instead" if others else question.text.rpartition("? ")[2].rstrip(".")
        self.taken.append(f"{told} ({asked if doubted else 'the sentence does not say'})")
        self.guessed |= choice.value.keys()
        self.said += self.conversation.pick(choice.id)


def _missing(conversation: Conversation, said: list[Event]) -> str:
    """What stands in the way of a plan for the job that was told. Raises it where something is wrong with what was."""
    failed = next((event.text for event in said if isinstance(event, Failure)), None)
    if conversation.plan is not None or (failed is None and not conversation.draft.fields):
        return ""
    if failed is not None:
        raise InputError(failed.removesuffix("."))
    missing = conversation.draft.missing
    question = next((one for one in conversation.library.interview.questions if one.field in missing), None)
    example = f"; say it as in: {question.placeholder}" if question and question.placeholder else ""
    asked = [e.text for e in said if isinstance(e, Question) and e.field in missing]
    doubts = [text for text in asked if question is None or text != question.text]
    if doubts:  # it was said, and is nothing that the catalog has
        return f"{doubts[0]}{example}"
    rest = next((f'; not understood: "{e.rest}"' for e in said if isinstance(e, Understood) and e.rest), "")
    return f"expected a job with {' and '.join(map(field_name, missing))}, which is not said{example}{rest}"


def blocks(found: AtOnce) -> list[Block]:
    """The card, then what the sentence was taken to say and what was assumed, what was not understood first."""
    rest = [f'Not understood, so not used: "{e.rest}".' for e in found.said if isinstance(e, Understood) and e.rest]
    if found.quotes:
        ask = f"Which to take depends on what runs on it: {found.missing}."
        return [*found.quotes, *map(Paragraph, [ask, *rest, f"Understood: {'; '.join(found.understood)}."])]
    if found.plan is None:
        return [block for event in found.said for block in wording.blocks(event)]
    noted = [e.text.replace("?.", "?") for e in found.said if isinstance(e, Note) and e not in found.answer]
    decided = reading.asked(found.plan, "cluster.fabric")  # by what was taken behind it
    assumed = [text for e in found.said if isinstance(e, Understood) for text in e.assumed]
    assumed = [text for text in assumed if decided is None or text != compared_only(namer(found.plan)(decided))]
    taken = Bullets([f"{text.rstrip('.?')}." for text in (*found.taken, *assumed)])
    computed = [e.answer.computed for e in found.said if isinstance(e, Answer) and e.answer and e.answer.computed]
    beside = [Paragraph(f"{one.text} {one.caveat}") for one in computed if one.kind in _BESIDE_A_JOB]
    unjudged = [Paragraph(f"Not held to a limit that was said: {text}?") for text in found.unjudged]
    return [
        *unjudged,
        *named([*card.section(found.plan), *opening.what_fits(found.plan), *quotes.section(found.plan)], found.plan),
        *(block for event in found.answer for block in wording.blocks(event)),
        *beside,
        *map(Paragraph, [*rest, *noted, f"Understood: {'; '.join(found.understood)}."]),
        *([Paragraph("Taken, because nobody could be asked:"), taken] if taken.items else []),
        *named(assumptions.in_short(found.plan), found.plan),
    ]
