"""Quotes as they come in a conversation: several at once, or one after another."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any

from assistant.library import Library
from assistant.planning.quotes_compared import quotes_alone
from assistant.vocabulary.plan import QuotedOffer
from assistant.vocabulary.questionnaire import Quote
from assistant.vocabulary.utterance import Quoted, Utterance

from .draft import QUOTES, Draft

_PRICE = "budget.gpu_hour_usd"
_PARTS = {"provider": "cluster.provider", "fabric": "cluster.fabric", "gpu_hour_usd": _PRICE}


def with_quotes(fields: dict[str, Any], said: Utterance, draft: Draft) -> dict[str, Any]:
    """The fields with the offers of a message beside those said before. A price of another provider than the one whose
    price is known makes two quotes of both."""
    if said.offers:
        if any(offer.months for offer in said.offers):  # a term is the offers', no reservation of whatever is taken
            fields = {name: value for name, value in fields.items() if name != "budget.reserved_days"}
        known = _known(said, draft)
        return _instead(fields, draft) | {QUOTES: _joined(known, list(_numbered(said.offers, len(known))))}
    one, known = _one(fields), draft.fields.get(QUOTES, [])
    before = _one(draft.fields)
    other = before and one and before["provider"] != one["provider"] and said.act == "describe"
    if one is None or not (known or other):
        return fields
    taken_back = {name: None for name in _PARTS.values() if name in draft.fields}
    return _instead(fields, draft) | taken_back | {QUOTES: _joined(known or [before], [one])}


def alone(draft: Draft, library: Library, today: datetime.date | None) -> list[QuotedOffer]:
    """The quotes that were told beside published prices, before there is a plan."""
    gpu, gpus = (draft.fields.get(f"cluster.{name}") for name in ("gpu", "gpus"))
    told = [Quote.model_validate(one) for one in draft.fields.get(QUOTES) or ()]
    mode = draft.fields.get("budget.mode") or "rent"
    return quotes_alone(told, gpu, gpus, mode, library.catalog, today or datetime.date.today())


def _instead(fields: dict[str, Any], draft: Draft) -> dict[str, Any]:
    """The fields without what an offer says itself: the price that was known is taken back, and whose it was."""
    rest = {name: value for name, value in fields.items() if name not in _PARTS.values()}
    return rest | {name: None for name in (_PARTS["provider"], _PRICE) if name in draft.fields}


def _known(said: Utterance, draft: Draft) -> list[Any]:
    """The quotes that are known, or somebody else's price that was."""
    before = _one(draft.fields)
    other = before is not None and before["provider"] not in {offer.provider for offer in said.offers}
    return draft.fields.get(QUOTES) or ([before] if other else [])


def _one(fields: Any) -> dict[str, Any] | None:
    """The offer that some fields tell of: somebody's price."""
    told = _told({part: fields.get(path) for part, path in _PARTS.items()})
    return told if {"provider", "gpu_hour_usd"} <= told.keys() else None


def _numbered(offers: Iterable[Quoted], known: int) -> Iterator[dict[str, Any]]:
    """The offers as quotes: one that says neither who makes it nor of which network is called by its number, behind the
    ``known`` ones."""
    for number, offer in enumerate(offers, known + 1):
        told = _told(asdict(offer))
        yield told if {"provider", "fabric"} & told.keys() else {"provider": f"offer {number}"} | told


def _told(offer: dict[str, Any]) -> dict[str, Any]:
    said = {part: value for part, value in offer.items() if value or value == 0}  # 0 days: there at once
    return {part: [*value] if isinstance(value, tuple) else value for part, value in said.items()}


def _joined(known: list[Any], new: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What is new takes the place of what the same provider offered before with the same network."""
    joined = [dict(quote) for quote in known]
    for quote in new:  # two of one message are two
        at = next((n for n, old in enumerate(joined[: len(known)]) if _same(old, quote)), None)
        if at is None:
            joined.append(quote)
        else:
            kept = {part: value for part, value in joined[at].items() if part not in ("usd", "gpu_hour_usd")}
            joined[at] = kept | quote
    return joined


def _same(old: dict[str, Any], new: dict[str, Any]) -> bool:
    fabrics = {old.get("fabric"), new.get("fabric")} - {None}
    terms = {old.get("months"), new.get("months")} - {None}
    return old.get("provider") == new.get("provider") and len(fabrics) < 2 and len(terms) < 2
