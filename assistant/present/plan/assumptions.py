"""What was assumed because nobody said it, and the prices among it."""

from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.plan import Plan

from ..blocks import Block, Bullets, Paragraph, titled, told
from ..fields import assumed_text, field_name, value_text
from . import reading

_TITLE = "Assumed, because nobody said"
_PRICES = ("budget.", "fabrics.", "catalog.")
_TOLD_PRICES = ("budget.gpu_hour_usd", "budget.fabric_premium_gpu_hour_usd")


def section(plan: Plan) -> list[Block]:
    """Each assumption with its reason."""
    return titled(_TITLE, Bullets([f"{text}." for text in _with_reasons(plan)]))


def in_short(plan: Plan) -> list[Block]:
    """The assumptions in one paragraph, without reasons."""
    text = "; ".join(map(assumed_text, plan.assumptions))
    return titled(_TITLE, *([Paragraph(f"{text}.")] if text else []))


def answer(plan: Plan, catalog: Catalog) -> list[Block]:
    """What was assumed, asked for."""
    items = _with_reasons(plan, catalog)
    return told(f"{_TITLE}:" if items else "Nothing was assumed.", *items)


def prices(plan: Plan, catalog: Catalog) -> list[Block]:
    """What the costs rest on: prices that were said, assumed ones, and what is to be known about them."""
    found = reading.chosen(plan)
    said = [
        f"{field_name(name)}: {value_text(name, value)}, as you said."
        for name in _TOLD_PRICES
        if (value := reading.asked(plan, name)) is not None
    ]
    assumed = [f"{assumed_text(a, catalog)}: {a.why}." for a in plan.assumptions if a.field.startswith(_PRICES)]
    items = [*said, *assumed, *(w.message for w in plan.warnings if "price" in w.code)]
    return told(f"The prices{f' of {found.fabric}' if found else ''}:" if items else "No price was needed.", *items)


def _with_reasons(plan: Plan, catalog: Catalog | None = None) -> list[str]:
    return [f"{assumed_text(a, catalog)} – {a.why}" for a in plan.assumptions]
