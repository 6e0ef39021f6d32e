"""What a user relies on when rules are run: stages in order, chains with their proof, and nothing said from
ignorance."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assistant.library import paths
from assistant.library.rules import read_rules
from assistant.reasoning import Conclusion, EngineError, Reasoner
from assistant.reasoning.sentences import sentence
from assistant.vocabulary.errors import KnowledgeError
from assistant.vocabulary.facts import FACTS
from assistant.vocabulary.rules import STAGES, Rule


def rule(identifier: str, when: dict[str, Any], then: dict[str, Any], because: str = "because of that") -> Rule:
    given = [{"given": {}, "expect": "fires"}, {"given": {}, "expect": "silent"}]
    return Rule.model_validate(
        {
            "id": identifier,
            "title": identifier,
            "when": when,
            "then": then,
            "because": because,
            "claims": ["a/b"],
            "look_up": "anything",
            "grade": "derived",
            "examples": given,
        }
    )


def spoke(conclusions: list[Conclusion]) -> list[tuple[str, str | None]]:
    return [(conclusion.rule, conclusion.fabric) for conclusion in conclusions]


TCP = {"fabric": "ethernet-tcp-100", "transport": "tcp", "slowdown_percent": 2600.0}
ROCE = {"fabric": "roce-v2-400", "transport": "rdma", "slowdown_percent": 1.5}

SHARDED = rule("classify/sharded", {"job": {"strategy": "fsdp"}}, {"conclude": "sharded"})
TOO_SLOW = rule(
    "screen/too-slow",
    {"finding": "sharded", "candidate": {"slowdown_percent": {"at_least": 100}}},
    {"verdict": "avoid"},
    "{candidate.fabric} is {candidate.slowdown_percent:,.0f} % slower for {job.model}, says {finding.rule}.",
)
KEPT = rule(
    "choose/kept", {"candidate": {"transport": ["tcp", "rdma"]}, "without": "avoid"}, {"prefer": 1.0, "reason": "kept"}
)


def test_a_conclusion_carries_its_whole_proof() -> None:
    conclusions = Reasoner([SHARDED, TOO_SLOW]).run({"strategy": "fsdp"}, [ROCE, TCP])
    assert spoke(conclusions) == [("classify/sharded", None), ("screen/too-slow", "ethernet-tcp-100")]
    proof = conclusions[1]
    assert proof.stage == "screen" and proof.conclusion == "avoid" and proof.then == {"verdict": "avoid"}
    assert proof.from_findings == ("classify/sharded",) and proof.claims == ("a/b",) and proof.look_up == "anything"
    assert proof.facts == {
        "candidate.slowdown_percent": 2600.0,
        "candidate.fabric": "ethernet-tcp-100",
        "job.model": "unknown",
    }
    assert proof.because == "ethernet-tcp-100 is 2,600 % slower for unknown, says classify/sharded."


def test_each_stage_is_complete_before_the_next() -> None:
    """A rule may ask what was not concluded, because everything before it has spoken."""
    conclusions = Reasoner([KEPT, TOO_SLOW, SHARDED]).run({"strategy": "fsdp"}, [TCP, ROCE])
    assert ("choose/kept", "roce-v2-400") in spoke(conclusions)
    assert ("choose/kept", "ethernet-tcp-100") not in spoke(conclusions)
    assert ("choose/kept", "ethernet-tcp-100") in spoke(
        Reasoner([KEPT, TOO_SLOW, SHARDED]).run({"strategy": "ddp"}, [TCP, ROCE])
    )


@pytest.mark.parametrize("spoken", [True, False])
def test_what_was_concluded_before_is_taken_for_facts_alike_to_the_rules_alone(spoken: bool) -> None:
    kept = Reasoner([KEPT, TOO_SLOW, SHARDED], spoken=spoken)
    for strategy in ("fsdp", "ddp", "unknown"):
        for percent in (99.9999, 100, 100.0001, 1e6, "unknown", 2.0):
            facts = {"strategy": strategy}, [{**TCP, "slowdown_percent": percent}, {**ROCE, "transport": "none"}]
            assert kept.run(*facts) == Reasoner([KEPT, TOO_SLOW, SHARDED], spoken=spoken).run(*facts)
    with pytest.raises(EngineError, match="slowdown_percent"):
        kept.run({"strategy": "fsdp"}, [{**TCP, "slowdown_percent": float("nan")}])


def test_rules_chain_within_a_stage() -> None:
    chain = [rule("demand/step0", {"job": {"nodes": {"at_least": 2}}}, {"conclude": "step0"})]
    chain += [rule(f"demand/step{i}", {"finding": f"step{i - 1}"}, {"conclude": f"step{i}"}) for i in range(1, 15)]
    conclusions = Reasoner(reversed(chain)).run({"nodes": 2}, [])
    assert {conclusion.rule for conclusion in conclusions} == {link.id for link in chain}
    assert next(c for c in conclusions if c.rule == "demand/step9").from_findings == ("demand/step8",)
    assert Reasoner(chain).run({"nodes": 1}, []) == []


def test_a_finding_about_one_candidate_says_nothing_about_another() -> None:
    warn = rule("advise/warn", {"finding": "avoid"}, {"warn": "avoided"}, "{candidate.fabric} is avoided.")
    conclusions = Reasoner([SHARDED, TOO_SLOW, warn]).run({"strategy": "fsdp"}, [ROCE, TCP])
    assert [c.because for c in conclusions if c.rule == "advise/warn"] == ["ethernet-tcp-100 is avoided."]


def test_one_conclusion_reached_twice_is_used_once_and_names_both_rules() -> None:
    again = rule("classify/again", {"job": {"nodes": {"at_least": 2}}}, {"conclude": "sharded"})
    conclusions = Reasoner([SHARDED, again, TOO_SLOW]).run({"strategy": "fsdp", "nodes": 4}, [TCP])
    assert [c.from_findings for c in conclusions if c.rule == "screen/too-slow"] == [
        ("classify/again", "classify/sharded")
    ]


@pytest.mark.parametrize(
    "condition", [{"at_least": 10}, {"at_most": 10}, {"more_than": -5}, {"less_than": 10}, {"not": 10}, 10, [1, 10]]
)
@pytest.mark.parametrize("missing", [{}, {"nodes": "unknown"}, {"nodes": None}])
def test_an_unknown_number_satisfies_no_comparison(condition: Any, missing: dict[str, Any]) -> None:
    assert Reasoner([rule("classify/r", {"job": {"nodes": condition}}, {"conclude": "c"})]).run(missing, []) == []


@pytest.mark.parametrize(
    ("name", "value", "other"), [("nodes", 3, 4), ("provider", "aws", "gcp"), ("spot", True, False)]
)
def test_unknown_can_be_asked_for_itself(name: str, value: Any, other: Any) -> None:
    def fires(condition: Any, facts: dict[str, Any]) -> bool:
        return bool(Reasoner([rule("classify/r", {"job": {name: condition}}, {"conclude": "c"})]).run(facts, []))

    assert fires("unknown", {}) and not fires("unknown", {name: value})
    assert fires({"not": "unknown"}, {name: value}) and not fires({"not": "unknown"}, {})
    assert fires([value, "unknown"], {}) and fires([value, "unknown"], {name: value})
    assert not fires([value, "unknown"], {name: other})
    assert (
        fires({"not": [value]}, {name: other})
        and not fires({"not": [value]}, {name: value})
        and not fires({"not": value}, {})
    )


def test_comparisons_at_their_edges() -> None:
    def fires(condition: dict[str, float], number: float) -> bool:
        return bool(
            Reasoner([rule("classify/r", {"job": {"nodes": condition}}, {"conclude": "c"})]).run({"nodes": number}, [])
        )

    assert fires({"at_least": 8}, 8) and not fires({"more_than": 8}, 8) and fires({"more_than": 8}, 8.01)
    assert fires({"at_most": 8}, 8) and not fires({"less_than": 8}, 8) and fires({"less_than": 8}, 7.99)
    assert fires({"at_least": 2, "less_than": 8}, 2) and not fires({"at_least": 2, "less_than": 8}, 8)


def test_sentences_fill_in_questions_measurements_and_settings() -> None:
    rules = [
        rule("advise/ask", {"job": {"nodes": {"at_least": 2}}}, {"ask": "How fast at {job.nodes:.0f} nodes?"}),
        rule("advise/measure", {"job": {"nodes": {"at_least": 2}}}, {"measure": "{job.nodes:.0f} nodes"}),
        rule("advise/set", {"candidate": {"transport": "tcp"}}, {"setting": {"name": "NCCL_NET", "value": "Socket"}}),
        rule("advise/unset", {"candidate": {"transport": "tcp"}}, {"setting": {"name": "NCCL_IB_HCA", "value": None}}),
    ]
    said = {c.rule: c.then for c in Reasoner(rules).run({"nodes": 8.0}, [TCP])}
    assert said == {
        "advise/ask": {"ask": "How fast at 8 nodes?"},
        "advise/measure": {"measure": "8 nodes"},
        "advise/set": {"setting": {"name": "NCCL_NET", "value": "Socket"}},
        "advise/unset": {"setting": {"name": "NCCL_IB_HCA", "value": None}},
    }


@pytest.mark.parametrize(
    ("percent", "how", "told"),
    [
        (12.4, "longer than", "12 % longer than"),
        (117.0, "longer than", "2.2 times as long as"),
        (117.0, "more", "2.2 times as much"),
        (2600.0, "longer", "27 times as long"),
        (0.01, "longer than", "as long as"),
        (-3.0, "longer than", "3.0 % less time than"),
        (340.0, "of", "3.4 times"),
        (34.0, "of", "34 % of"),
    ],
)
def test_what_is_twice_as_long_or_more_is_told_in_times(percent: float, how: str, told: str) -> None:
    assert sentence(f"{{job.tcp_slowdown_percent:{how}}}")({"job": {"tcp_slowdown_percent": percent}}) == told


def test_control_characters_in_names_do_not_reach_the_sentences() -> None:
    conclusions = Reasoner([SHARDED, TOO_SLOW]).run({"strategy": "fsdp", "model": "x\x1b[31m{job.gpus}"}, [TCP])
    assert "\x1b" not in conclusions[1].because and "{job.gpus}" in conclusions[1].because


@pytest.mark.parametrize(
    ("job", "field"),
    [
        ({"nodes": "many"}, "job.nodes"),
        ({"nodes": True}, "job.nodes"),
        ({"spot": "yes"}, "job.spot"),
        ({"spot": 1}, "job.spot"),
        ({"provider": 3}, "job.provider"),
    ],
)
def test_facts_of_the_wrong_kind_are_refused_by_name(job: dict[str, Any], field: str) -> None:
    when = {"job": {"nodes": 1, "spot": True, "provider": "aws"}}
    with pytest.raises(EngineError, match=f"^{field}: expected a"):
        Reasoner([rule("classify/r", when, {"conclude": "c"})]).run(job, [])


def test_infinite_numbers_are_refused_by_name() -> None:
    with pytest.raises(EngineError, match="slowdown_percent"):
        Reasoner([SHARDED, TOO_SLOW]).run({}, [{**TCP, "slowdown_percent": float("inf")}])


def test_two_candidates_with_one_fabric_are_refused() -> None:
    with pytest.raises(EngineError, match="same fabric"):
        Reasoner([KEPT, TOO_SLOW, SHARDED]).run({}, [TCP, TCP])


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (
            [TOO_SLOW],
            "rule screen/too-slow: when.finding sharded: no rule of this stage or an earlier one concludes it",
        ),
        ([KEPT], "rule choose/kept: when.without avoid: no rule concludes it"),
        (
            [
                rule("demand/a", {"finding": "late"}, {"conclude": "a"}),
                rule("advise/b", {"job": {"nodes": 1}}, {"conclude": "late"}),
            ],
            "rule demand/a: when.finding late: no rule of this stage",
        ),
        (
            [
                rule("screen/a", {"candidate": {"transport": "tcp"}, "without": "avoid"}, {"warn": "a"}),
                rule("screen/b", {"candidate": {"transport": "tcp"}}, {"verdict": "avoid"}),
            ],
            "rule screen/a: when.without avoid: screen/b may still conclude it",
        ),
        (
            [
                rule("classify/a", {"job": {"nodes": 1}}, {"warn": "w"}),
                rule("classify/b", {"candidate": {"transport": "tcp"}}, {"warn": "w"}),
                rule("demand/c", {"finding": "w"}, {"conclude": "c"}),
            ],
            "rule demand/c: when.finding w: concluded about the job and about candidates",
        ),
        (
            [
                rule("demand/r0", {"job": {"nodes": 1}}, {"conclude": "c0"}),
                *(rule(f"demand/r{i}", {"finding": f"c{i - 1}"}, {"conclude": f"c{i}"}) for i in range(1, 21)),
            ],
            "these 21 rules use each other's conclusions within one stage, at most 20 can",
        ),
    ],
)
def test_rules_that_do_not_hang_together_are_refused_by_name(rules: list[Rule], message: str) -> None:
    with pytest.raises(KnowledgeError, match=message.split(":")[0]) as refused:
        Reasoner(rules)
    assert message in str(refused.value)


def test_rules_that_conclude_each_other_end() -> None:
    circle = [
        rule("demand/a", {"finding": "b"}, {"conclude": "a"}),
        rule("demand/b", {"finding": "a"}, {"conclude": "b"}),
        rule("demand/start", {"job": {"nodes": 2}}, {"conclude": "a"}),
    ]
    assert spoke(Reasoner(circle).run({"nodes": 2}, [])) == [
        ("demand/a", None),
        ("demand/b", None),
        ("demand/start", None),
    ]


# The shipped rules, all together


@pytest.fixture(scope="module")
def reasoner() -> Reasoner:
    return Reasoner(read_rules(paths.shipped("rules")))


def any_value(word: Any, chance: random.Random) -> Any:
    if chance.random() < 0.1:
        return "unknown"
    if word.kind == "flag":
        return chance.random() < 0.5
    if word.kind == "text":
        return chance.choice(word.values or ("h100-sxm", "none"))
    return chance.choice([0, 0.001, 1, 2, 8, 16.5, 64, 300, 2600.0, 1e6])


def any_case(seed: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    chance = random.Random(seed)
    job = {name: any_value(word, chance) for name, word in FACTS["job"].items()}
    candidates = [{name: any_value(word, chance) for name, word in FACTS["candidate"].items()} for _ in range(21)]
    for i, candidate in enumerate(candidates):
        candidate["fabric"] = f"fabric-{i}"
    return job, candidates


def test_whatever_the_facts_the_rules_answer_the_same_way_every_time(
    reasoner: Reasoner, some: Callable[..., list[int]]
) -> None:
    for seed in some(range(40), 3):
        job, candidates = any_case(seed)
        conclusions = reasoner.run(job, candidates)
        assert conclusions == reasoner.run(dict(reversed(job.items())), candidates)
        stages = [STAGES.index(conclusion.stage) for conclusion in conclusions]
        assert stages == sorted(stages)
        assert len(set(spoke(conclusions))) == len(conclusions)


def test_the_order_of_candidates_changes_the_order_of_conclusions_only(reasoner: Reasoner) -> None:
    job, candidates = any_case(7)
    forwards, backwards = reasoner.run(job, candidates), reasoner.run(job, candidates[::-1])
    assert sorted(map(repr, forwards)) == sorted(map(repr, backwards))


def test_a_candidate_is_judged_the_same_alone_and_among_others(reasoner: Reasoner) -> None:
    job, candidates = any_case(11)
    together = reasoner.run(job, candidates)
    for candidate in candidates:
        alone = [c for c in reasoner.run(job, [candidate]) if c.fabric]
        assert alone == [c for c in together if c.fabric == candidate["fabric"]]


def test_every_chain_leads_back_to_rules_that_spoke(reasoner: Reasoner) -> None:
    for seed in range(20):
        conclusions = reasoner.run(*any_case(seed))
        names = {conclusion.rule for conclusion in conclusions}
        assert all(set(conclusion.from_findings) <= names for conclusion in conclusions)


def test_memory_stays_flat_over_many_plans(reasoner: Reasoner) -> None:
    def resident_kb() -> int:
        return int(Path("/proc/self/status").read_text().split("VmRSS:")[1].split()[0])

    job, candidates = any_case(3)
    for _ in range(100):
        reasoner.run(job, candidates)
    before = resident_kb()
    for _ in range(300):
        reasoner.run(job, candidates)
    assert resident_kb() - before < 3000
