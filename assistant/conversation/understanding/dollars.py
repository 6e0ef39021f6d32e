"""Amounts of dollars as people write them: ``$2.10``, ``~50k usd``, ``45 cents``, ``1 dollar fifty``."""

from __future__ import annotations

import re

from .numbers import AMOUNT, DECIMAL, NUMBER, value

PRICE = rf"(?:{AMOUNT}|(?<![\w.])\.\d+)"
_DOLLARS = r"(?:us\s?dollars?|usd|dollars?|bucks|us\$|\$)"
MONEY = (
    rf"(?:(?:us\s?)?\$\s?(?P<a>{PRICE})\s?{_DOLLARS}?|(?:usd\s?)(?P<b>{PRICE})|"
    rf"(?P<grand>{NUMBER})\sgrand\b|"
    rf"(?P<c>{PRICE})\s?{_DOLLARS}(?:\s(?:and\s)?(?P<and_cents>{NUMBER})(?:\scents?\b)?(?=\s?(?:/|per\b|an?\b)|\scents?\b))?)"
)
CENTS = (
    rf"(?:(?P<cents>{PRICE})\s?(?:(?:us[\s\-]?)?cents?\b|¢)|(?<![\w.])(?P<ct>{DECIMAL})\s?(?:ct\b|c(?=\s?(?:/|per\b))))"
)


def dollars(match: re.Match[str]) -> float:
    """What a match of :data:`MONEY`, :data:`CENTS` or of a bare number comes to, in US dollars."""
    said = {name: text for name, text in match.groupdict().items() if text}
    cents = said.get("cents") or said.get("ct")
    if cents:
        return round(value(cents) / 100, 6)
    if "grand" in said:
        return value(said["grand"]) * 1000
    return (
        value(next(said[name] for name in ("a", "b", "c", "d", "e") if name in said))
        + value(said.get("and_cents", "0")) / 100
    )
