"""The shipped rules: each speaks where it should and keeps quiet where it should, rests on claims, and reads well."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant import library
from assistant.library import paths
from assistant.library.rules import check_references, read_rules
from assistant.library.yaml_text import documents
from assistant.reasoning import Conclusion, Reasoner
from assistant.vocabulary.conditions import Comparison
from assistant.vocabulary.errors import KnowledgeError
from assistant.vocabulary.rules import STAGES, Branch, Example, Rule

FOLDER = paths.shipped("rules")
RULES = read_rules(FOLDER)
CASES = [(rule, example) for rule in RULES for example in rule.examples]
NAMES = [f"{rule.id}-{example.expect}-{i}" for i, (rule, example) in enumerate(CASES)]


@pytest.fixture(scope="module")
def reasoner() -> Reasoner:
    return Reasoner(RULES)


def concluded(reasoner: Reasoner, example: Example) -> list[Conclusion]:
    given = example.given
    return reasoner.run(given.job, [{"fabric": "this-fabric", **given.candidate}], supposed=given.findings)


def said(reasoner: Reasoner, rule: Rule, example: Example) -> list[Conclusion]:
    return [conclusion for conclusion in concluded(reasoner, example) if conclusion.rule == rule.id]


@pytest.mark.parametrize(("rule", "example"), CASES, ids=NAMES)
def test_a_rule_speaks_where_it_should_and_keeps_quiet_where_it_should(
    reasoner: Reasoner, rule: Rule, example: Example
) -> None:
    spoke = [conclusion.case or "fires" for conclusion in said(reasoner, rule, example)]
    assert spoke == ([] if example.expect == "silent" else [example.expect])


def test_what_a_rule_says_has_no_gaps(reasoner: Reasoner) -> None:
    """The case that fires gives every fact the sentences mention, so a reader of the file sees what will be said."""
    for rule in RULES:
        for example in rule.examples:
            for conclusion in said(reasoner, rule, example):
                text = " ".join([conclusion.because, *map(str, conclusion.then.values())])
                assert "unknown" not in text and "{" not in text.replace("{'name'", ""), f"{rule.id}: {text}"


def test_a_silent_case_is_silent_for_its_own_reason() -> None:
    """It differs from a case that fires in the facts or findings the rule looks at, not by leaving everything out."""
    for rule in RULES:
        looks = [rule.when, *(case.when for case in rule.cases.values())]
        read = {("job", name) for when in looks for name in when.job}
        read |= {("candidate", name) for when in looks for name in when.candidate}
        for example in rule.examples:
            given = {("job", name) for name in example.given.job} | {
                ("candidate", name) for name in example.given.candidate
            }
            assert read <= given, f"{rule.id} ({example.expect}) leaves out {read - given}"


def test_the_sources_and_what_no_formula_knows_are_covered() -> None:
    assert len(RULES) >= 75
    assert {rule.stage for rule in RULES} == set(STAGES)
    decisions = {branch.then.kind for rule in RULES for branch in rule.branches}
    assert decisions == {"verdict", "conclude", "warn", "prefer", "ask", "measure", "setting"}


def test_every_rule_rests_on_claims_that_exist_and_every_conflict_has_a_rule_that_touches_it() -> None:
    knowledge = library.load().knowledge
    check_references(RULES, knowledge, FOLDER)
    touched = {touch for rule in RULES for branch in rule.branches for touch in branch.touches}
    for conflict in knowledge.conflicts.values():
        assert touched & set(conflict.touches), conflict.id


def test_a_rule_of_thumb_about_a_number_of_gpus_never_rules_a_fabric_out() -> None:
    for rule in RULES:
        for branch in rule.branches:
            if branch.then.verdict and "threshold" in branch.touches:
                assert rule.grade in ("measured", "derived"), rule.id
            if branch.then.name in ("agrees-with-source", "disagrees-with-source"):
                assert rule.stage == "advise", rule.id


def test_a_rule_of_thumb_is_never_both_confirmed_and_refuted() -> None:
    """Cases that can hold together are refused; a source's threshold has both its verdicts in one file."""
    both = [rule for rule in RULES if {"agrees", "disagrees"} <= set(rule.cases)]
    assert len(both) >= 8
    for rule in both:
        assert rule.cases["agrees"].when.excludes(rule.cases["disagrees"].when), rule.id
        assert {branch.case: branch.then.name for branch in rule.branches} == {
            "agrees": "agrees-with-source",
            "disagrees": "disagrees-with-source",
        }


def _numbers(branch: Branch) -> Iterator[float]:
    for condition in (*branch.when.job.values(), *branch.when.candidate.values()):
        values = condition.bounds.values() if isinstance(condition, Comparison) else (condition,)
        yield from (value for value in values if isinstance(value, (int, float)) and not isinstance(value, bool))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_number_that_decides_says_where_it_comes_from(rule: Rule) -> None:
    """In the sentence, in a claim the rule rests on, or in a comment of its file; 0, 1 and 2 count one, several or
    none."""
    claims = library.load().knowledge.claims
    comments = " ".join(re.findall(r"# .*", (FOLDER / f"{rule.id}.yaml").read_text(encoding="utf-8")))
    for branch in rule.branches:
        rests = (f"{claims[claim].statement} {claims[claim].correction}" for claim in branch.claims)
        said = " ".join([branch.because, comments, *rests]).replace(",", "")
        for number in _numbers(branch):
            assert number in (0, 1, 2) or re.search(rf"(?<![\d.]){number:g}(?!\d)", said), f"{branch.id}: {number:g}"
        assert branch.then.prefer in (None, -2, 1, 2, 5), "the points that the rule book explains"


def test_no_key_stands_twice_in_a_rule_file() -> None:
    for path in FOLDER.rglob("*.yaml"):
        assert len(list(documents(path.read_text(encoding="utf-8"), str(path)))) == 1


# Mistakes in a rule file are answered with file, line and key


GOOD = """\
id: screen/slow
title: Too slow
when:
  job: {nodes: {at_least: 2}}
  candidate: {transport: tcp}
then: {verdict: avoid}
because: "{candidate.fabric} is {candidate.slowdown_percent:.0f} % slower on {job.nodes:.0f} nodes."
claims: [azure-fsdp-corrected-2026/corrected-tcp-7b]
look_up: TCP
grade: derived
examples:
  - {given: {job: {nodes: 2}, candidate: {transport: tcp, slowdown_percent: 90}}, expect: fires}
  - {given: {job: {nodes: 1}, candidate: {transport: tcp, slowdown_percent: 90}}, expect: silent}
"""


def written(folder: Path, text: str, name: str = "screen/slow.yaml") -> Path:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_a_rule_as_a_network_engineer_writes_it(tmp_path: Path) -> None:
    (rule,) = read_rules(written(tmp_path, GOOD))
    assert rule.stage == "screen"
    (branch,) = rule.branches
    assert branch.looks_at == {"job": ["nodes"], "candidate": ["transport", "fabric", "slowdown_percent"]}


@pytest.mark.parametrize(
    ("old", "new", "place", "message"),
    [
        ("job: {nodes: {at_least: 2}}", "job: {node_count: 2}", ":4 when.job", 'unknown job fact "node_count"'),
        ("{at_least: 2}", "{atleast: 2}", ":4 when.job", "atleast"),
        ("{at_least: 2}", "many", ":4 when.job", 'nodes: expected a number (nodes), got "many"'),
        (
            "transport: tcp}\nthen",
            "transport: carrier-pigeon}\nthen",
            ":5 when.candidate",
            "expected one of none, rdma",
        ),
        (
            "transport: tcp}\nthen",
            "transport: {at_least: 2}}\nthen",
            ":5 when.candidate",
            "this fact is a text, not a number",
        ),
        (
            "transport: tcp}\nthen",
            "transport: []}\nthen",
            ":5 when.candidate",
            "expected a value, a list of values or a comparison",
        ),
        ("verdict: avoid", "verdict: maybe", ":6 then.verdict", "'impossible' or 'avoid'"),
        ("{verdict: avoid}", "{verdict: avoid, warn: slow}", ":6 then", "exactly one of"),
        ("{verdict: avoid}", "{prefer: 1}", ":6 then", "prefer and reason together"),
        ("candidate.fabric} is", "candidate.fabrik} is", ":7 because", "unknown field {candidate.fabrik}"),
        ("candidate.fabric} is", "candidate.fabric:.0f} is", ":7 because", "the format .0f needs a number"),
        ("candidate.fabric} is", "finding.rule} is", "", "needs when.finding"),
        ("claims: [azure-fsdp-corrected-2026/corrected-tcp-7b]", "claims: []", ":8 claims", "at least 1"),
        ("claims: [azure-fsdp-corrected-2026/corrected-tcp-7b]\n", "", ":1 claims", "required"),
        ("grade: derived", "grade: certain", ":10 grade", "'rule-of-thumb'"),
        ("grade: derived", "colour: red\ngrade: derived", ":10 colour", "Extra inputs"),
        ("expect: silent", "expect: fires", "", "one that fires and one that is silent"),
        ("nodes: 1}", "nodez: 1}", ":13 examples.1.given.job", "unknown job fact"),
        ("id: screen/slow", "id: screen/fast", ":1 id", "expected screen/slow, as the file is called"),
        ("id: screen/slow", "id: scream/slow", ":1 id", "starts with one of classify"),
        ("when:", "when: [", ":", "not valid YAML"),
        (GOOD, "- just a list", ":1", "expected one rule"),
        (GOOD, "", ":1", "expected one rule"),
    ],
)
def test_a_mistake_is_named_with_file_line_and_key(
    tmp_path: Path, old: str, new: str, place: str, message: str
) -> None:
    assert old in GOOD
    with pytest.raises(KnowledgeError) as refused:
        read_rules(written(tmp_path, GOOD.replace(old, new, 1)))
    assert f"slow.yaml{place}" in str(refused.value) and message in str(refused.value), str(refused.value)


BOTH = """\
id: advise/sources/gap
title: "RoCE is 15 % behind, says one source"
when:
  job: {gpus: {at_least: 64}}
because: "One source puts RoCE 15 % behind."
cases:
  agrees:
    when: {job: {roce_slowdown_percent: {at_least: 15}}}
    then: {conclude: agrees-with-source}
    because: "Computed: {job.roce_slowdown_percent:.0f} %, which agrees."
  disagrees:
    when: {job: {roce_slowdown_percent: {less_than: 15}}}
    then: {conclude: disagrees-with-source}
    claims: [oci-mlperf-2024/lora-on-roce]
claims: [spheron-networking-guide-2026/fsdp-over-32-gpus-needs-ndr]
touches: [threshold]
grade: derived
examples:
  - {given: {job: {gpus: 64, roce_slowdown_percent: 15}}, expect: agrees}
  - {given: {job: {gpus: 64, roce_slowdown_percent: 14}}, expect: disagrees}
  - {given: {job: {gpus: 32, roce_slowdown_percent: 15}}, expect: silent}
"""


def test_one_file_holds_both_verdicts_on_what_a_source_says(tmp_path: Path) -> None:
    rules = read_rules(written(tmp_path, BOTH, "advise/sources/gap.yaml"))
    agrees, disagrees = rules[0].branches
    assert (
        agrees.because == "One source puts RoCE 15 % behind. Computed: {job.roce_slowdown_percent:.0f} %, which agrees."
    )
    assert disagrees.claims == (
        "oci-mlperf-2024/lora-on-roce",
        "spheron-networking-guide-2026/fsdp-over-32-gpus-needs-ndr",
    )
    (spoke,) = Reasoner(rules).run({"gpus": 64, "roce_slowdown_percent": 3}, [])
    assert (spoke.rule, spoke.case, spoke.conclusion) == ("advise/sources/gap", "disagrees", "disagrees-with-source")
    assert spoke.claims == disagrees.claims and spoke.facts == {"job.gpus": 64, "job.roce_slowdown_percent": 3}


@pytest.mark.parametrize(
    ("old", "new", "place", "message"),
    [
        ("{less_than: 15}", "{at_most: 15}", ":6 cases", "agrees and disagrees can both hold"),
        ("{less_than: 15}", "14", "", ""),
        ("{less_than: 15}", "{not: 15}", ":6 cases", "can both hold"),
        ("{at_least: 15}", "[15, 16]", "", ""),
        ("{less_than: 15}", "[3, 16]", ":6 cases", "can both hold"),
        ("roce_slowdown_percent: {less_than", "tcp_slowdown_percent: {less_than", ":6 cases", "can both hold"),
        (
            "    when: {job: {roce_slowdown_percent: {at",
            "    when: {job: {gpus: 64, roce_slowdown_percent: {at",
            "",
            "gpus",
        ),
        ("    then: {conclude: agrees-with-source}\n", "", ":1 then", "here or in every case"),
        (
            "    claims: [oci-mlperf-2024/lora-on-roce]\nclaims: [",
            "claims: [] #[",
            ":14 claims",
            "here or in every case",
        ),
        ("percent:.0f} %, which", "percents} %, which", ":10 cases.agrees.because", "unknown field"),
        ("expect: disagrees", "expect: agrees", "", "one for agrees and one for disagrees and one that is silent"),
        ("expect: agrees", "expect: fires", "", "one for agrees and one for disagrees"),
    ],
)
def test_a_mistake_in_a_case_is_named_too(tmp_path: Path, old: str, new: str, place: str, message: str) -> None:
    assert old in BOTH
    folder = written(tmp_path, BOTH.replace(old, new, 1), "advise/sources/gap.yaml")
    if not message:
        assert read_rules(folder)
        return
    with pytest.raises(KnowledgeError) as refused:
        read_rules(folder)
    assert f"gap.yaml{place}" in str(refused.value) and message in str(refused.value), str(refused.value)


def test_a_claim_that_does_not_exist_is_named_with_file_line_and_key(tmp_path: Path) -> None:
    folder = written(tmp_path, GOOD.replace("corrected-tcp-7b", "made-up"))
    with pytest.raises(KnowledgeError, match=r"slow.yaml:8 claims.0: the claim .*made-up.* is not in knowledge/claims"):
        check_references(read_rules(folder), library.load().knowledge, folder)


def test_a_tag_of_no_disagreement_is_named_with_file_line_and_key(tmp_path: Path) -> None:
    folder = written(tmp_path, BOTH.replace("[threshold]", "[treshold]"), "advise/sources/gap.yaml")
    with pytest.raises(KnowledgeError, match=r"gap.yaml:16 touches.0: the tag .*treshold.* is not in conflicts.yaml"):
        check_references(read_rules(folder), library.load().knowledge, folder)


CATALOG = library.load().catalog
IDS = re.compile(
    "(?<![\\w./-])(?:{})(?![\\w/-]|\\.\\w)".format(
        "|".join(
            re.escape(ident)
            for kind in (CATALOG.fabrics, CATALOG.gpus, CATALOG.providers, CATALOG.models)
            for ident, one in kind.items()
            if ident not in ("none", one.name)
        )
    )
)


def test_no_rule_names_a_network_a_gpu_or_a_seller_by_its_id() -> None:
    """Every sentence, filled in with the facts of its own examples, and with networks, GPUs and sellers of the
    catalog."""
    speaking, wrong = Reasoner(RULES, names=CATALOG.names), {}
    for rule in RULES:
        for example in (one for one in rule.examples if one.expect != "silent"):
            given = example.given
            facts = {"fabric": "roce-v2-400", **given.candidate}
            spoken = speaking.run(given.job, [facts], supposed=given.findings)
            for one in (conclusion for conclusion in spoken if conclusion.rule == rule.id):
                texts = (text for key, text in one.then.items() if key in ("reason", "ask", "measure"))
                said = " ".join([one.because, *map(str, texts)])
                if found := IDS.findall(said):
                    wrong[rule.id] = (found, said)
    assert not wrong
