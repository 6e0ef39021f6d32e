"""The rules engine, treated as if it wanted to fail: everything durable_rules is known to do wrong stays behind the
seam."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from assistant.reasoning.engine import LARGEST_RULESET, EngineError, EngineRule, Match, Pattern, Property, Ruleset

ROOT = Path(__file__).parents[1]


def facts(count: int = 3, **values: object) -> list[dict]:
    return [{"kind": "thing", "id": f"t{i}", **values} for i in range(count)]


def only(*tests: Property, kind: str = "thing") -> Ruleset:
    return Ruleset([EngineRule("rule", (Pattern("thing", kind, tests),))])


def resident_kb() -> int:
    return int(Path("/proc/self/status").read_text().split("VmRSS:")[1].split()[0])


def test_thousands_of_runs_neither_fail_nor_grow() -> None:
    """Sessions that stay end in a MemoryError after some thousand of them."""
    ruleset = only(Property("size", "at_least", 1))
    for _ in range(3000):  # Python 3.12 takes its memory within the first thousands of them
        ruleset.run(facts(size=2))
    before = resident_kb()
    for _ in range(3000):
        assert len(ruleset.run(facts(size=2))) == 3
    assert resident_kb() - before < 2000


def test_failing_runs_leave_nothing_behind() -> None:
    ruleset = only(Property("size", "at_least", 1))

    def fail(match: Match) -> list:
        raise KeyError("price")

    for _ in range(1500):
        with pytest.raises(EngineError):
            ruleset.run(facts(1, size=2), fail)
    assert len(ruleset.run(facts(size=2))) == 3


def test_facts_no_rule_matches_are_normal() -> None:
    ruleset = only(Property("size", "at_least", 1))
    assert ruleset.run(facts(size=0)) == []
    assert ruleset.run([]) == []
    assert len(ruleset.run([{"kind": "other", "id": "o"}, *facts(size=5)])) == 3


NOTHING_FIRES = """
from assistant.reasoning.engine import EngineRule, Pattern, Property, Ruleset
ruleset = Ruleset([EngineRule("rule", (Pattern("thing", "thing", (Property("size", "at_least", 1),)),))])
for _ in range(300):
    assert ruleset.run([{"kind": "thing", "id": "t", "size": 0}]) == []
"""


def test_sessions_in_which_nothing_fires_end_well() -> None:
    """Deleting one frees memory that was never set; filling fresh memory with a pattern makes that crash every time."""
    environment = {**os.environ, "MALLOC_PERTURB_": "165"}
    subprocess.run([sys.executable, "-c", NOTHING_FIRES], cwd=ROOT, env=environment, check=True, timeout=60)


def test_an_exception_names_the_rule_it_happened_in() -> None:
    with pytest.raises(EngineError, match="rule screen/slow: 'price'"):
        Ruleset([EngineRule("screen/slow", (Pattern("thing", "thing"),))]).run(facts(1), lambda match: {}["price"])


def test_a_fact_given_twice_is_refused_and_one_concluded_twice_is_no_news() -> None:
    ruleset = Ruleset([EngineRule("see", (Pattern("thing", "thing"),)), EngineRule("use", (Pattern("note", "note"),))])
    with pytest.raises(EngineError, match="the fact t0 was given twice"):
        ruleset.run(facts(1) + facts(1))
    fired = ruleset.run(facts(3), lambda match: [{"kind": "note", "id": "same"}] if match.rule == "see" else [])
    assert [match.rule for match in fired].count("use") == 1


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf"), 1e300, 2e15])
def test_numbers_the_engine_cannot_read_are_refused_by_name(number: float) -> None:
    with pytest.raises(EngineError, match="latency_us: expected a word, true, false or a number"):
        only().run(facts(1, latency_us=number))


@pytest.mark.parametrize(
    ("number", "expected"), [(1e-6, True), (1e-300, True), (-1e-9, True), (0.0001, False), (1e15, False)]
)
def test_numbers_smaller_than_it_can_read_count_as_zero(number: float, expected: bool) -> None:
    assert bool(only(Property("size", "is", 0)).run(facts(1, size=number))) is expected


@pytest.mark.parametrize("number", [0.1, 33.3333, 2048, 2048.0, 123456789.1235, 1e15, -0.5])
def test_numbers_are_compared_as_numbers(number: float) -> None:
    holds = {"is": True, "at_least": True, "at_most": True, "more_than": False, "less_than": False, "is not": False}
    for operator, expected in holds.items():
        assert bool(only(Property("size", operator, number)).run(facts(1, size=number))) is expected, operator


def test_words_numbers_and_flags_are_never_mistaken_for_each_other() -> None:
    """durable_rules compares spellings: "unknown" is at least 10 there, "10" is 10 and 1 is true."""
    for operator in ("at_least", "at_most", "more_than", "less_than", "is", "is not"):
        for word in ("unknown", "10", "zebra", "", "-1"):
            assert only(Property("size", operator, 10)).run(facts(1, size=word)) == []
    assert only(Property("size", "is", True)).run(facts(1, size=1)) == []
    assert only(Property("size", "is", 1)).run(facts(1, size=True)) == []
    assert only(Property("size", "is", False)).run(facts(1, size=0)) == []
    assert len(only(Property("size", "is", True)).run(facts(1, size=True))) == 1


def test_any_of_several_words() -> None:
    ruleset = only(Property("kind_of", "is", ("roce", "efa")), Property("colour", "is", ("red", "blue")))
    given = [
        {"kind": "thing", "id": f"{kind} {colour}", "kind_of": kind, "colour": colour}
        for kind in ("roce", "efa", "tcp")
        for colour in ("red", "blue", "green")
    ]
    assert {match.facts["thing"] for match in ruleset.run(given)} == {"roce red", "roce blue", "efa red", "efa blue"}


def test_a_ruleset_too_large_for_the_engine_is_refused() -> None:
    rules = [EngineRule(f"r{i}", (Pattern("thing", "thing"),)) for i in range(LARGEST_RULESET + 1)]
    with pytest.raises(EngineError, match=f"at most {LARGEST_RULESET} rules, got {LARGEST_RULESET + 1}"):
        Ruleset(rules)


def test_the_largest_ruleset_fires_all_its_rules_on_many_pairs() -> None:
    pair = (Pattern("job", "job"), Pattern("thing", "thing", (Property("size", "at_least", 1),)))
    ruleset = Ruleset([EngineRule(f"r{i}", pair) for i in range(LARGEST_RULESET)])
    job = {"kind": "job", "id": "job"}
    assert len(ruleset.run([job, *facts(200, size=1)])) == 200 * LARGEST_RULESET
    assert len(ruleset.run([*facts(200, size=1), job])) == 200 * LARGEST_RULESET


def test_long_chains_of_conclusions() -> None:
    ruleset = Ruleset([EngineRule("next", (Pattern("step", "step", (Property("number", "less_than", 300),)),))])

    def count(match: Match) -> list[dict]:
        number = int(match.facts["step"]) + 1
        return [{"kind": "step", "id": str(number), "number": number}]

    assert len(ruleset.run([{"kind": "step", "id": "0", "number": 0}], count)) == 300


def test_joins_and_absence() -> None:
    candidate = Pattern("candidate", "candidate")
    avoided = Pattern("finding", "finding", (Property("name", "is", "avoid"),), (("fabric", "candidate", "id"),))
    absent = Pattern("finding", "finding", avoided.tests, avoided.same, absent=True)
    ruleset = Ruleset([EngineRule("avoided", (candidate, avoided)), EngineRule("free", (candidate, absent))])
    finding = {"kind": "finding", "id": "f", "name": "avoid", "fabric": "b"}
    other = {"kind": "finding", "id": "g", "name": "warn", "fabric": "a"}
    matches = ruleset.run([finding, other, *({"kind": "candidate", "id": name} for name in "abc")])
    assert sorted((match.rule, match.facts["candidate"]) for match in matches) == [
        ("avoided", "b"),
        ("free", "a"),
        ("free", "c"),
    ]


@pytest.mark.parametrize(
    "word",
    ['a "quoted" \\ word', "naïve – 網路", "line\nbreak\ttab", "\x00\x1b[31m", "\ud800", "x" * 20000, "", "$ne{}[]"],
)
def test_any_text_goes_in_and_matches_itself(word: str) -> None:
    assert len(only(Property("name", "is", word)).run(facts(1, name=word))) == 1
    assert only(Property("name", "is", "other")).run(facts(1, name=word)) == []


def test_values_that_are_no_fact_are_refused() -> None:
    for value in (None, [1], {"a": 1}):
        with pytest.raises(EngineError, match="size: expected a word"):
            only().run(facts(1, size=value))


def test_no_thread_is_left_running() -> None:
    """The package's own host starts two timer threads that run rules beside the caller."""
    only(Property("size", "is", 1)).run(facts(1, size=1))
    assert not [thread for thread in threading.enumerate() if isinstance(thread, threading.Timer)]


def test_threads_get_their_own_results() -> None:
    ruleset, wrong = only(Property("size", "at_least", 10)), []

    def work(count: int) -> None:
        for _ in range(50):
            if len(ruleset.run(facts(count, size=10))) != count:
                wrong.append(count)

    threads = [threading.Thread(target=work, args=(count,)) for count in (1, 2, 3, 4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_rule_may_run_other_rules() -> None:
    inner = only(Property("size", "is", 1))
    seen: list[int] = []
    outer = Ruleset([EngineRule("outer", (Pattern("thing", "thing"),))])
    assert len(outer.run(facts(2, size=1), lambda match: seen.append(len(inner.run(facts(5, size=1)))) or [])) == 2
    assert seen == [5, 5]


def _matches_in_child(count: int) -> int:
    return len(_SHARED.run(facts(count, size=1)))


_SHARED = only(Property("size", "is", 1))


def test_forked_processes_start_an_engine_of_their_own() -> None:
    assert len(_SHARED.run(facts(2, size=1))) == 2
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(_matches_in_child, range(1, 9)) == list(range(1, 9))


def test_only_the_engine_module_knows_the_package() -> None:
    root = ROOT / "assistant"
    texts = {path.relative_to(root).as_posix(): path.read_text() for path in root.rglob("*.py")}
    users = {name for name, text in texts.items() if "import durable" in text or "from durable" in text}
    assert users == {"reasoning/engine.py"}
