"""What follows from the plan for those who go on with it: warnings, what to measure first, what to ask the provider."""

from assistant.vocabulary.plan import Plan

from .. import limits
from ..blocks import Block, Bullets, titled, told


def warnings(plan: Plan) -> list[Block]:
    """What the reader must know."""
    return titled("Warnings", Bullets(_messages(plan)))


def warnings_in_short(plan: Plan) -> list[Block]:
    """The first of them, which weigh most; the others are counted."""
    said, most = _messages(plan), limits.WARNINGS_IN_SHORT
    more = [f"{len(said) - most} more in the whole plan."] if len(said) > most else []
    return titled("Warnings", Bullets([*said[:most], *more]))


def measure_first(plan: Plan) -> list[Block]:
    """What to measure before buying."""
    return titled("Measure first", Bullets(plan.measure_first))


def ask_the_provider(plan: Plan) -> list[Block]:
    """Questions whose answers the plan rests on."""
    return titled("Ask the provider", Bullets(plan.questions_for_provider))


def less_sure(plan: Plan) -> list[str]:
    """The warnings that say why the figures are less sure than usual."""
    return [warning.message for warning in plan.warnings if warning.code == "outside-calibration"]


def answer_warnings(plan: Plan) -> list[Block]:
    """The warnings, asked for."""
    return told("Worth knowing:" if plan.warnings else "There are no warnings.", *_messages(plan))


def answer_measure_first(plan: Plan) -> list[Block]:
    """What to measure, asked for."""
    return told("Measure first:" if plan.measure_first else "Nothing needs to be measured first.", *plan.measure_first)


def answer_ask_the_provider(plan: Plan) -> list[Block]:
    """What to ask the provider, asked for."""
    items, none = plan.questions_for_provider, "There is nothing special to ask the provider."
    return told("Ask the provider:" if items else none, *items)


def _messages(plan: Plan) -> list[str]:
    return [warning.message for warning in plan.warnings]
