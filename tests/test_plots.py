"""The plots of a plan, as text: right, within the width, told apart without colour."""

from __future__ import annotations

import functools
import re

import pytest

from assistant.conversation import Conversation
from assistant.conversation.scaling import sizes
from assistant.present import plots
from assistant.present.plan import reading

JOB = "pretraining llama 3.1 70b on 64 h100, 100 gig ethernet is not there yet"
OTHER_JOBS = [
    "pretraining llama 3.1 8b on 8 h100",
    "inference llama 3.1 70b on 32 h100",
    "finetuning llama 3.1 8b on 16 a100",
]


@functools.lru_cache
def _drawn(library, said):
    conversation = Conversation(library)
    conversation.start()
    conversation.say(said)
    assert conversation.plan is not None
    return conversation.plan, conversation.scaled(conversation.plan)


def _text(lines):
    return "\n".join("".join(text for text, _ in line) for line in lines)


@pytest.mark.parametrize("width", [40, 54, 80, 132])
@pytest.mark.parametrize("said", [JOB, *OTHER_JOBS])
def test_every_line_fits_the_width(library, said, width):
    plan, scale = _drawn(library, said)
    lines = plots.plot_lines(plan, scale, width)
    assert max(map(len, lines)) <= width
    cost = "What a month costs" if said.startswith("inference") else "What the run costs"
    for title in ("Where the time of one", cost, "Slowdown against scale"):
        assert any(line.startswith(title) for line in lines)


def test_a_bar_is_as_long_as_the_shares_say(library):
    plan, _ = _drawn(library, JOB)
    width = 80
    bars = [
        "".join(text for text, _ in line)
        for line in plots.step_view(plan, width)
        if len(line) > 1 and line[0] == ("  ", "")
    ]
    shown = [candidate for candidate, _ in plots.told_apart(plan)]
    assert len(bars) == len(shown) == 3
    for candidate, bar in zip(shown, bars, strict=True):
        assert len(bar) == width
        share = candidate.breakdown_s.compute / sum(candidate.breakdown_s.model_dump().values())
        assert abs(bar.count("█") - share * (width - 2)) < 1


def test_the_recommended_the_runner_up_and_the_slowest_stand_beside_each_other(library):
    plan, _ = _drawn(library, JOB)
    text = _text(plots.step_view(plan, 80))
    slowest = max(
        (c for c in plan.candidates if c.step_time_s and c.fits and c.verdict != "impossible"),
        key=lambda c: c.step_time_s.p50,
    )
    assert re.search(rf"✓ {reading.name(plan, plan.recommendation.fabric)} +recommended", text)
    much = slowest.median_step > 1.05 * plan.candidates[0].median_step
    assert re.search(rf"{reading.name(plan, plan.recommendation.runner_up)} +runner-up", text)
    assert re.search(rf"{reading.name(plan, slowest.fabric)} +slowest .*{'× as long' if much else ' s'}", text)


def test_every_part_has_a_sign_of_its_own():
    fills = [fill for _, _, fill, _ in plots.PARTS]
    assert len(set(fills)) == len(fills) and all(len(fill) == 1 for fill in fills)


def test_the_cells_of_a_bar_add_up():
    assert plots._apportioned([0.335, 0.335, 0.33], 10) in ([4, 3, 3], [3, 4, 3])
    assert plots._apportioned([1.0], 7) == [7]


def test_costs_stand_on_one_axis_cheapest_first_with_their_medians(library):
    plan, _ = _drawn(library, JOB)
    rows = [_text([line]) for line in plots.cost_view(plan, 80) if "●" in _text([line])][
        1:
    ]  # the first explains the sign
    priced = sorted(
        (c for c in plan.candidates if c.cost_usd and c.fits and c.verdict != "impossible"),
        key=lambda c: c.cost_usd.p50,
    )
    named = [reading.name(plan, c.fabric) for c in priced]
    assert all(name in row for row, name in zip(rows, named, strict=False)) and len(rows) >= 5
    places = [(row.index("├") if "├" in row else row.index("●"), row.index("●")) for row in rows]
    assert places == [(start, middle) for start, middle in places if start <= middle]
    assert [middle for _, middle in places] == sorted(middle for _, middle in places)


def test_the_job_is_computed_at_other_sizes_and_its_own_is_that_of_the_plan(library):
    plan, scale = _drawn(library, JOB)
    assert [point.values["cluster.gpus"] for point in scale.points] == sizes(64) == [8, 16, 32, 64, 128, 256, 512]
    own = next(point for point in scale.points if point.values["cluster.gpus"] == 64)
    planned = {c.fabric: c.step_time_s.p50 for c in plan.candidates if c.step_time_s}
    assert planned and {one.fabric: one.step_time_s.p50 for one in own.fabrics if one.step_time_s} == planned
    text = _text(plots.scale_view(plan, scale, 80))
    assert reading.name(plan, plan.recommendation.fabric) in text and "512" in text and "×" in text


def test_what_grows_is_even_and_ends_where_the_search_would_take_long():
    assert sizes(1) == [1, 2, 4, 8] and sizes(24) == [3, 6, 12, 24, 48, 96, 192] and sizes(16384)[-1] == 32768


def test_until_the_sizes_are_computed_the_plot_says_so(library):
    plan, _ = _drawn(library, JOB)
    assert "Computing" in _text(plots.plots(plan, None, 80, computing=True))
    assert "Computing" not in _text(plots.plots(plan, None, 80))


@pytest.mark.parametrize("said", ["plot", "show plot", "show me the plots", "draw it", "Charts, please"])
def test_saying_plot_draws_them_line_by_line(library, said):
    from assistant.conversation import wording

    conversation = Conversation(library)
    conversation.start()
    assert conversation.say(said)[0].kind == "failure"  # there is no plan yet
    conversation.say(OTHER_JOBS[0])
    [event] = conversation.say(said)
    assert event.kind == "plots"
    lines = wording.lines(event, 60)
    assert max(map(len, lines)) <= 60 and any("█" in line for line in lines)
    assert wording.markdown(event).startswith("```text\n") and wording.markdown(event).endswith("\n```")


def test_a_job_that_cannot_be_timed_is_told_in_words(library):
    plan, _ = _drawn(library, OTHER_JOBS[0])
    bare = plan.model_copy(update={"candidates": []})
    text = _text(plots.plots(bare, None, 60))
    assert "Nothing could be timed" in text and "No fabric has a cost" in text
