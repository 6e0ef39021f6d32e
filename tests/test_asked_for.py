"""What a question asks for is told, or it is said that the plan does not tell it: never the answer to another one."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from assistant import library as libraries
from assistant.conversation import Conversation, wording
from assistant.conversation.events import Event, Failure, Finished, Question
from assistant.conversation.planner import dated_planner
from assistant.conversation.turn.followup import LINES, WIDTH
from assistant.library import Library
from assistant.understanding.demand import Demands, printed
from tests.conversing import library, talk_of
from tests.labels import labels

REFUSED: list[dict[str, Any]] = labels(Path(__file__).with_name("followups_refused.yaml"))
DATA: dict[str, Any] = libraries.load().language["asked_for"]
DEMANDS = Demands(DATA)
LONGEST = 10  # lines of what is tried
RENTS = "pretrain llama 3.1 70b on 64 H100s, 1T tokens, rented"


def _fields(name: str, library: Library) -> dict[str, Any]:
    """What a file of the examples says, by dotted path."""

    def flat(value: dict[str, Any], before: str = "") -> dict[str, Any]:
        return {
            path: one
            for key, inner in value.items()
            for path, one in (
                flat(inner, f"{before}{key}.") if isinstance(inner, dict) else {before + key: inner}
            ).items()
        }

    from assistant.library.questionnaires import from_value

    raw = yaml.safe_load(library.examples[name].read_text())
    told = from_value(raw, library.catalog).model_dump(exclude_unset=True, mode="json")
    sized = {"cluster.gpus"} if "gpus" not in raw["cluster"] else set()
    return {path: one for path, one in flat(told).items() if one not in (None, []) and path not in {"name", *sized}}


def _said(events: list[Event]) -> tuple[list[str], str]:
    shown = [event for event in events if not isinstance(event, Question | Finished)]
    lines = [line for event in shown for line in wording.lines(event, WIDTH) if line.strip()]
    return lines, " ".join(" ".join(line.split()) for line in lines)


@pytest.mark.parametrize("person", REFUSED, ids=lambda person: person["plan"])
def test_an_answer_tells_what_is_asked_or_that_it_cannot(
    person: dict[str, Any], library: Library, some: Callable[[list[dict[str, Any]], int], list[dict[str, Any]]]
) -> None:
    for one in some([one for one in person["asked"] if "told" in one], 2):
        talk = talk_of(library, fields=_fields(person["plan"], library))
        before = dict(talk.draft.fields)
        lines, said = _said(talk.say(one["ask"]))
        missing = [words for words in one["told"].split("|") if words not in said]
        most = LONGEST if talk.variation is not None else LINES
        assert len(lines) <= most and not missing, (one["ask"], missing, said)
        assert talk.draft.fields == before, one["ask"]


@pytest.mark.parametrize(
    ("ask", "head"),
    [
        ("what sequence length could I go up to?", ("sequence", "length")),
        ("how many link flaps per week should we expect", ("link", "flaps")),
        ("which of the two is it", ()),
        ("how much does it cost", ()),
        ("how many GPUs then?", ("gpus",)),
        ("which one is better", ()),
    ],
)
def test_the_noun_behind_the_word_that_asks_is_what_is_asked_for(ask: str, head: tuple[str, ...]) -> None:
    assert DEMANDS.of(ask, ask, (), ask).head == head


@pytest.mark.parametrize(
    ("answer", "word", "told"),
    [
        ("256 nics, 320 optics", "transceivers", True),
        ("$51,900 for the run", "cost", True),
        ("it takes 17.0 days", "hours", True),
        ("16 gpus now: $5,840", "users", False),
        ("16 gpus now: $5,840", "region", False),
        ("at 60 gb/s reached", "bandwidth", True),
    ],
)
def test_an_answer_tells_a_noun_by_itself_or_by_what_is_alike(answer: str, word: str, told: bool) -> None:
    assert DEMANDS.tells(answer, word) is told


def test_figures_of_an_answer_are_read_with_their_scale() -> None:
    assert {value for value, _ in printed("$10.1 m to buy, 256 gpus, 2,500")} >= {10.1e6, 256.0, 2500.0}


def test_things_name_kinds_that_exist_and_each_has_what_it_is_asked_by() -> None:
    kinds = {one["kind"] for one in libraries.load().language["followups"]["kinds"]}
    for one in DATA["things"]:
        assert one["says"] and set(one.get("told_by", ())) <= kinds, one["thing"]
        assert not one.get("lacks") or one["nearest"], one["thing"]


def test_what_is_offered_in_the_place_of_an_answer_is_answered(library: Library) -> None:
    talk = talk_of(library, RENTS)
    for question in dict.fromkeys(one for thing in DATA["things"] for one in thing.get("nearest", ())):
        events = talk.say(question)
        _, said = _said(events)
        assert not any(isinstance(one, Failure) for one in events), question
        assert not said.startswith(("I heard", "I am not sure")), (question, said)


@pytest.mark.parametrize("job", ["128 H100 IB vs RoCE for pretraining 13B dense on 2T tokens, rent, which"])
def test_whose_the_machines_are_is_not_supposed_to_be_bought(job: str, library: Library) -> None:
    assert "machines: bought" not in _said(talk_of(library, job).say("what does it cost?"))[1]


def test_a_number_that_counts_people_is_no_number_of_gpus(library: Library) -> None:
    talk = talk_of(library, RENTS)
    _, said = _said(talk.say("could 3 students share the GPUs, each with a run of their own, at half the speed?"))
    assert " 3: " not in said


def test_a_single_node_waits_for_no_network(library: Library) -> None:
    talk = talk_of(library, fields=_fields("single-node", library))
    assert "Nothing waits for a network" in _said(talk.say("how much of the time does it wait for the network?"))[1]


@pytest.mark.parametrize(("reply", "taken"), [("2", "there already: the machines"), ("3", "machines: bought")])
def test_the_number_of_a_choice_takes_that_one_where_several_are_of_one_field(
    reply: str, taken: str, library: Library
) -> None:
    talk = talk_of(library, "Llama 3.1 405B in FP8, 20 requests per second, our two nodes of 8 H100 must do")
    offered = talk.question.choices if talk.question else ()
    assert [choice.label for choice in offered][1:3] == ["there already: the machines", "machines: bought"]
    assert taken in _said(talk.choose(offered[wording.keys(talk.question).index(reply)].id))[1]


def test_what_happens_next_to_a_noun_is_no_part_of_it() -> None:
    ask = "what's the total bill going to be, and is there anything after that?"
    assert DEMANDS.of(ask, ask, (), ask).head == ("bill",)


def test_of_a_single_node_no_share_of_a_step_is_the_network(library: Library) -> None:
    talk = talk_of(library, fields=_fields("single-node", library))
    said = _said(talk.say("what is the one thing that could go wrong with this?"))[1]
    assert "Not the network (0.0 %" in said or "network" not in said
