"""The panels of the full screen: plan, why, sources and plots."""

from __future__ import annotations

import pytest

pytest.importorskip("textual")

from textual.geometry import Region

from assistant.conversation import Conversation
from assistant.tui.source_screen import SourceScreen
from tests.at_the_screen import JOB, NARROW, VERY_WIDE, WIDE, at_the_screen, on_screen


@on_screen
async def test_a_source_opens_with_its_verdict_and_what_holds_instead(begin):
    async with at_the_screen(begin) as user:
        await user.says(JOB)
        await user.until(lambda: user.talk.knowledge is not None)
        doubtful = next(e for e in user.talk.conversation.plan.evidence if e.correction)
        await user.press("f4")
        sources = user.talk.panel.sources
        await user.until(lambda: sources.has_focus)
        while sources.marked_key != f"cited:{doubtful.id}":
            await user.press("down")
        await user.press("enter")
        assert isinstance(user.app.screen, SourceScreen)
        page = user.reads()
        assert doubtful.verdict in page and "What holds:" in page and "Who gains:" in page
        assert " ".join(doubtful.correction.split())[:40] in page
        await user.press("escape", "escape")
        assert user.app.screen is user.talk and user.talk.prompt.has_focus


@on_screen
async def test_every_source_of_the_knowledge_base_can_be_opened_before_there_is_a_plan(begin, library):
    async with at_the_screen(begin) as user:
        await user.until(lambda: user.talk.knowledge is not None)
        await user.press("f4")
        await user.until(lambda: user.talk.panel.sources.has_focus)
        assert user.talk.panel.sources.option_count == len(library.knowledge.sources) + 1
        await user.press("end", "enter")
        last = max(library.knowledge.sources.values(), key=lambda source: source.title)
        assert isinstance(user.app.screen, SourceScreen) and last.title.split(":")[0] in user.reads()


@on_screen
async def test_why_is_a_tree_that_leads_from_the_answer_to_a_source(begin):
    async with at_the_screen(begin) as user:
        await user.says(JOB)
        await user.says("why")
        await user.until(lambda: "whole proof with its facts" in user.sees())
        await user.press("f3")
        why = user.talk.panel.why
        await user.until(lambda: why.has_focus)
        for _ in range(60):
            reason = why.marked_reason
            if reason.source:
                break
            await user.press("right" if reason.children and not why.is_open else "down")
        assert reason.source and "↗" in user.sees()
        await user.press("enter")
        assert isinstance(user.app.screen, SourceScreen) and reason.source in user.reads()


@on_screen
async def test_every_finding_of_the_plan_is_in_the_proof(begin):
    async with at_the_screen(begin) as user:
        await user.says(JOB)
        plan = user.talk.conversation.plan
        assert plan.findings and {finding.rule for finding in plan.findings} <= set(_rules(user.talk.panel.why.roots))


def _rules(reasons):
    for reason in reasons:
        if reason.kind == "rule":
            yield reason.id
        yield from _rules(reason.children)


@on_screen
async def test_on_a_small_screen_the_plan_takes_the_place_of_the_conversation(begin):
    async with at_the_screen(begin, NARROW) as user:
        await user.says(JOB)
        assert "Candidates" not in user.sees() and "Understood:" in user.sees()
        await user.press("f2")
        await user.until(lambda: user.talk.panel.plan.has_focus)
        assert "Candidates" in user.sees() and "Understood:" not in user.sees()
        await user.press("f2")
        await user.until(lambda: user.talk.prompt.has_focus)
        assert "Candidates" not in user.sees()


@pytest.mark.parametrize("size", [WIDE, VERY_WIDE])
@on_screen
async def test_on_a_large_screen_the_plan_grows_beside_the_conversation(begin, size):
    async with at_the_screen(begin, size) as user:
        assert "○ model: not yet" in user.sees()
        await user.press("1", "enter")
        assert "✓ kind of job: pretraining" in user.sees()
        await user.says("llama 3.1 8b over roce 400")
        assert "✓ model: Llama 3.1 8B" in user.sees() and "✓ network: RoCE v2 400 Gb/s" in user.sees()
        await user.says("on 16 h100")
        assert "Candidates" in user.sees() and "Understood:" in user.sees()


@on_screen
async def test_a_question_about_the_field_lists_passages_that_can_be_opened(library, index):
    from assistant import retrieval

    def begin_with_search():
        return Conversation(library, searcher=lambda question: retrieval.ask(question.text, library, index))

    async with at_the_screen(begin_with_search) as user:
        await user.says("how many bytes does an all-reduce send?")
        await user.press("f4")
        await user.until(lambda: user.talk.panel.sources.has_focus)
        assert "Found for" in user.sees()
        await user.press("enter")
        assert isinstance(user.app.screen, SourceScreen)


@on_screen
async def test_a_what_if_is_marked_as_only_tried_until_it_is_kept(begin):
    async with at_the_screen(begin) as user:
        await user.says(JOB)
        await user.says("what if we had 64 gpus")
        assert "what if" in user.sees().splitlines()[0] and "Only tried, not taken" in user.sees()
        assert user.talk.conversation.draft.fields["cluster.gpus"] == 16
        await user.says("keep it")
        assert user.talk.conversation.draft.fields["cluster.gpus"] == 64
        assert "what if" not in user.sees().splitlines()[0]


@on_screen
async def test_sources_stand_under_the_numbers_by_which_the_plan_cites_them(begin):
    from assistant.present.plan.formats import plan_lines
    from assistant.present.plan.sources import numbers as citation_numbers

    async with at_the_screen(begin) as user:
        await user.says(JOB)
        plan = user.talk.conversation.plan
        numbers = citation_numbers(plan)
        assert list(numbers.values()) == list(range(1, len(numbers) + 1)) and numbers
        report = " ".join("\n".join(plan_lines(plan)).split())
        by_id = {piece.id: piece for piece in plan.evidence}
        assert all(f"[{number}] {plan.names[by_id[ident].source]}" in report for ident, number in numbers.items())
        await user.press("f4")
        sources = user.talk.panel.sources
        await user.until(lambda: sources.has_focus)
        assert {ident: sources.statements[ident].number for ident in numbers} == numbers
        assert sources.marked_key == f"cited:{next(iter(numbers))}" and "[1]" in user.sees()
        await user.press("enter")
        assert "cited as [1]" in user.reads()


@pytest.mark.parametrize("size", [NARROW, WIDE])
@on_screen
async def test_the_plots_are_drawn_and_the_last_is_computed_when_somebody_looks(begin, size):
    async with at_the_screen(begin, size) as user:
        await user.says(JOB)
        plots = user.talk.panel.plots
        assert plots.computing and plots.scale is None
        await user.press("f6")
        await user.until(lambda: plots.has_focus and not plots.computing)
        assert "Where the time of one step goes" in user.sees() and "█ compute" in user.sees()
        await user.press("3")
        await user.until(lambda: "Slowdown against scale" in user.sees())
        await user.press("end")
        await user.until(lambda: "InfiniBand" in user.sees())
        await user.press("escape")
        assert user.talk.prompt.has_focus
        await user.says("actually 64 gpus")
        assert plots.plan is user.talk.conversation.plan


@on_screen
async def test_saying_plot_opens_the_plots_also_before_there_is_a_plan(begin):
    async with at_the_screen(begin) as user:
        await user.press("f6")
        await user.until(lambda: user.talk.panel.plots.has_focus)
        assert "as soon as there is a plan" in user.sees()
        await user.press("escape")
        await user.says(JOB)
        await user.says("plot")
        await user.until(lambda: user.talk.panel.plots.has_focus and "What the run costs" in user.sees())


@on_screen
async def test_answers_go_on_while_the_sizes_are_computed(begin, monkeypatch):
    import threading

    go_on = threading.Event()
    async with at_the_screen(begin) as user:
        await user.says(JOB)
        scaling, plots = user.talk.conversation.parts.scaling, user.talk.panel.plots
        real = scaling.of
        monkeypatch.setattr(scaling, "of", lambda plan: go_on.wait() and real(plan))
        await user.press("f6")
        await user.until(lambda: plots.has_focus)
        await user.press("end")
        await user.until(lambda: "Computing this job at other sizes" in user.sees())
        await user.press("escape")
        await user.says("why")
        await user.until(lambda: "whole proof with its facts" in user.sees())
        assert plots.computing
        go_on.set()
        await user.until(lambda: not plots.computing)
        assert plots.scale is not None


@pytest.mark.parametrize(("size", "panels"), [(NARROW, (("f2", 32), ("f6", 128))), (WIDE, (("f3", 48), ("f4", 64)))])
@on_screen
async def test_who_types_while_reading_the_panel_types_on_the_answer_line(begin, size, panels):
    async with at_the_screen(begin, size) as user:
        await user.says(JOB)
        for key, gpus in panels:
            before = user.talk.conversation.variation
            await user.press(key)
            await user.until(lambda: user.talk.panel.has_focus_within)
            await user.types(f"what if {gpus} gpus")
            assert user.talk.prompt.text == f"what if {gpus} gpus" and user.talk.prompt.has_focus
            await user.press("enter")
            assert user.talk.conversation.variation not in (None, before)


@pytest.mark.parametrize("key", ["f5", "escape"])
@on_screen
async def test_back_on_a_page_of_the_panel_leads_back_to_the_conversation(begin, key):
    async with at_the_screen(begin, NARROW) as user:
        await user.says(JOB)
        question = user.talk.conversation.question
        await user.press("f2")
        await user.until(lambda: user.talk.panel.plan.has_focus)
        assert "Back Esc" in user.sees().splitlines()[2]
        await user.press(key)
        await user.until(lambda: user.talk.prompt.has_focus)
        assert (
            user.talk.conversation.question == question
            and "Understood:" in user.sees()
            and "Back Esc" not in user.sees()
        )


@pytest.mark.parametrize("size", [NARROW, (110, 30), WIDE])
@on_screen
async def test_the_next_question_does_not_cover_the_answer_nor_the_line_to_answer_on(begin, size):
    async with at_the_screen(begin, size) as user:
        await user.says("pretrain llama 3.1 70b on 64 h100 with megatron")
        await user.until(lambda: user.talk.conversation.question.text in user.reads())
        headline = " ".join(user.talk.conversation.plan.recommendation.card.do.split()[:6])
        assert headline in user.reads()
        await user.types("own words")
        assert "own words" in user.sees()
        await user.press("escape", "down")
        first = user.talk.question_view.offers[0]
        assert f"▸ {first.key} {first.label}"[:40] in user.sees() and "Enter takes" in user.sees()
        await user.says("why")
        assert " ".join(user.talk.conversation.plan.recommendation.headline.split()[:6]) in user.reads()


@on_screen
async def test_the_panel_has_the_plan_in_short_and_enter_opens_everything(begin):
    async with at_the_screen(begin) as user:
        await user.says(JOB)
        panel = user.talk.panel.plan
        short = _texts(user)
        assert "What would flip it" in short and "Why not the others" not in short and "Enter" in short
        await user.press("f2")
        await user.until(lambda: panel.has_focus)
        await user.press("enter")
        assert "Why not the others" in _texts(user) and len(_texts(user)) > 2 * len(short)
        await user.press("enter")
        assert _texts(user) == short
        await user.press("escape")
        await user.says("show the plan")
        assert "Why not the others" in _texts(user)


def _texts(user):
    """What the panel of the plan says, down to its end."""
    return "\n".join(
        strip.text.rstrip() for name in ("plan-view", "plan-rest") for strip in _strips(user.app.query_one(f"#{name}"))
    )


def _strips(widget):
    return widget.render_lines(Region(0, 0, widget.size.width, widget.size.height))
