"""The price at which an answer turns is the same whatever the costs had let one expect, and is found in fewer trials
where they were right."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from assistant.planning.turning import Even, turn

_OURS, _THEIRS = "infiniband-ndr-400", "roce-v2-400"


def _even(now: float, at: float, turns: float, tried: list[float]) -> Even:
    """A price under which the answer turns at ``turns``; the prices that were planned again are noted in ``tried``."""
    up = at > now

    def answer(price: float) -> str:
        tried.append(price)
        return _THEIRS if (price > turns if up else price < turns) else _OURS

    return Even("providers.somebody.gpu_hour_usd", now, at, answer, up)


def _drawn(chance: random.Random) -> tuple[float, float, float]:
    now = chance.uniform(0.5, 20.0)
    at = now * chance.uniform(0.3, 3.0)
    beyond = chance.choice((0.0, 0.003, 0.01, 0.03, 0.15, 0.6))
    return now, at, at * (1 + beyond if at > now else 1 - beyond)


@pytest.mark.parametrize("seed", range(4))
def test_a_turning_price_does_not_depend_on_what_the_costs_had_let_one_expect(seed):
    chance = random.Random(seed)
    for _ in range(200):
        now, at, turns = _drawn(chance)
        even = _even(now, at, turns, [])
        for expected in (turns, turns * 1.02, turns * 0.98, now, at * 5, 0.0):
            assert turn(replace(even, leaves=lambda expected=expected: expected), _OURS) == turn(even, _OURS)


def test_where_the_costs_are_right_two_prices_are_tried():
    chance, searched, followed = random.Random(9), [], []
    for _ in range(200):
        now, at, turns = _drawn(chance)
        turn(_even(now, at, turns, searched), _OURS)
        turn(replace(_even(now, at, turns, followed), leaves=lambda turns=turns: turns), _OURS)
    assert len(followed) <= 2 * 200 < len(searched) / 2
