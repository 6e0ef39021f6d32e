"""What a reader of the audit relies on: every verdict that rests on arithmetic follows from a recomputation that
runs."""

from __future__ import annotations

import json
import re

import pytest

from assistant.audit import audit, formulas
from assistant.audit.auditing import result_of
from assistant.audit.formulas import Formula, _value, quantity
from assistant.audit.verdicts import agreement_of, gap_percent
from assistant.library import load
from assistant.present import audit as report
from assistant.vocabulary.audit import tally
from assistant.vocabulary.errors import KnowledgeError
from assistant.vocabulary.knowledge import Claim, Computation

from .program import weft


@pytest.fixture(scope="module")
def library():
    return load()


@pytest.fixture(scope="module")
def results(library):
    return audit(library)


def _result(results, name):
    return next(r for r in results if r.claim.endswith("/" + name))


def test_every_claim_is_computed_or_has_a_reason_why_not(results, library):
    assert [r.claim for r in results] == list(library.knowledge.claims)
    assert all((r.agreement is None) == (r.reason is not None) for r in results)


def test_every_claim_of_arithmetic_is_computed(results):
    assert [r.claim for r in results if r.type == "arithmetic" and not r.checks] == []


def test_every_recorded_verdict_follows_from_the_recomputation(results):
    assert [f"{r.claim}: {r.verdict}, {r.agreement}" for r in results if not r.follows] == []


def test_a_figure_called_wrong_really_is_wrong(results):
    judged = [
        r for r in results if r.checks and not r.predicted and r.verdict in ("wrong", "inconsistent", "implausible")
    ]
    assert len(judged) > 25
    assert [r.claim for r in judged if r.agreement != "disagrees"] == []


def test_a_confirmed_figure_of_arithmetic_agrees(results):
    judged = [r for r in results if r.type == "arithmetic" and r.verdict == "confirmed"]
    assert len(judged) > 30
    assert [r.claim for r in judged if r.agreement != "agrees"] == []


@pytest.mark.parametrize(
    ("name", "figure", "unit"),
    [
        ("mfu-6-percent", 0.393, "fraction"),
        ("405b-all-reduce-28-s-ndr", 28.35, "s"),
        ("ethernet-spot-8744", 8743.68, "USD"),
        ("infiniband-0-29-per-gpu-hour", 0.2913, "USD/GPU-h"),
        ("7b-2-nodes-parity", 307, "Gb/s"),
        ("zero3-1-5x", 1.5, "times"),
        ("bom-1016-gpus", 2040, "count"),
    ],
)
def test_a_figure_worked_out_by_hand_is_found_again(results, name, figure, unit):
    check = _result(results, name).checks[0]
    assert check.unit == unit and check.computed == pytest.approx(figure, rel=2e-3)


def test_another_verdict_or_another_figure_is_noticed(library):
    claim = library.knowledge.claims["spheron-multinode-2026/70b-fp16-140-gb"]
    assert result_of(claim, library.catalog).follows
    misjudged = claim.model_copy(update={"verdict": "wrong"})
    assert not result_of(misjudged, library.catalog).follows
    other = claim.model_copy(update={"figure": claim.figure.model_copy(update={"value": 280.0})})
    assert result_of(other, library.catalog).agreement == "disagrees" and not result_of(other, library.catalog).follows


def test_right_on_its_own_inputs_but_not_on_known_ones_is_approximate(results):
    result = _result(results, "ndr-allreduce-2-8-s")
    assert [(c.basis, c.agreement) for c in result.checks] == [("stated", "agrees"), ("known", "disagrees")]
    assert result.agreement == "approximately" and result.verdict == "approximate"


def test_a_prediction_decides_no_verdict(results):
    beside = [r for r in results if r.predicted]
    assert beside and all(r.follows and {c.basis for c in r.checks} == {"model"} for r in beside)


def test_a_range_agrees_inside_and_is_measured_from_its_nearer_end():
    assert gap_percent((20.0, 30.0), 25.0) == 0.0
    assert gap_percent((20.0, 30.0), 16.0) == pytest.approx(25.0)
    assert gap_percent((20.0, 30.0), 40.0) == pytest.approx(-25.0)
    assert (agreement_of(1.9, 2.0), agreement_of(-24.0, 2.0), agreement_of(26.0, 2.0)) == (
        "agrees",
        "approximately",
        "disagrees",
    )


@pytest.mark.parametrize(
    ("written", "value"),
    [("140 GB", 1.4e11), ("400 Gb/s", 5e10), ("70e9", 7e10), (2.5, 2.5), ("25 ms", 0.025), ("15 %", 0.15)],
)
def test_inputs_are_read_as_an_engineer_writes_them(written, value):
    assert quantity(written) == pytest.approx(value)


def test_an_input_that_may_be_billions_or_bytes_is_refused():
    with pytest.raises(ValueError, match="may be either"):
        quantity("7B")


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"formula": "all_reduce"}, "unknown formula"),
        ({"unit": "furlongs"}, "unknown unit"),
        ({"inputs": {"parameters": "70e9"}}, "bytes_per_parameter"),
        ({"inputs": {"parameters": "many", "bytes_per_parameter": 2}}, "many"),
        ({"inputs": {"parameters": "70e9", "bytes_per_parameter": 2, "gpus": 8}}, "gpus"),
    ],
)
def test_a_mistake_in_a_computation_names_the_claim_and_what_is_wrong(library, change, named):
    claim = library.knowledge.claims["spheron-multinode-2026/70b-fp16-140-gb"]
    good = {"formula": "parameter_bytes", "inputs": {"parameters": "70e9", "bytes_per_parameter": 2}, "unit": "GB"}
    broken = claim.model_copy(update={"compute": [Computation(**good | change)]})
    with pytest.raises(KnowledgeError, match=re.escape(claim.id)) as error:
        result_of(broken, library.catalog)
    assert named in str(error.value)


def test_a_computation_without_a_figure_to_compare_with_is_refused(library):
    claim = library.knowledge.claims["spheron-networking-guide-2026/all-reduce-volume-formula"]
    without = claim.model_dump(mode="json") | {"compute": {"formula": "product", "inputs": {"a": 1}, "unit": "1"}}
    with pytest.raises(ValueError, match=r"needs? what it states|need what it states"):
        Claim.model_validate(without)


def test_every_formula_is_used_and_says_what_it_does(results):
    used = {c.formula for r in results for c in r.checks}
    assert all(formula.says for formula in formulas().values())
    assert used == set(formulas())


@pytest.mark.parametrize("arithmetic", ["inputs.clear", "(lambda: 1)()", "[1, 2]", "product(a=1)", "1 if 2 else 3"])
def test_a_formula_is_arithmetic_and_nothing_else(arithmetic):
    with pytest.raises(ValueError, match="expected numbers, names"):
        _value(Formula.model_validate({"says": "", "is": arithmetic}).tree, {"inputs": []}, {})


def test_the_command_prints_the_counts_of_the_data(results, library):
    run = weft("sources", "--audit", "--format", "json")
    printed = json.loads(run.out)
    claims = library.knowledge.claims.values()
    assert run.code == 0
    assert printed["tally"] == tally(results).model_dump(mode="json")
    assert printed["tally"]["claims"] == len(claims)
    assert printed["tally"]["computed"] + printed["tally"]["predicted"] == sum(bool(c.compute) for c in claims)
    assert printed["tally"]["figures"] == sum(len(c.compute) for c in claims)
    assert sum(printed["tally"]["not_computed"].values()) == sum(not c.compute for c in claims)
    assert printed["tally"]["changed"] == sum(c.revised is not None for c in claims)


def test_one_source_is_audited_alone_and_reads_in_plain_lines():
    run = weft("sources", "--audit", "spheron-multinode-2026")
    assert run.code == 0
    assert "SPHERON-MULTINODE-2026" in run.out and "AZURE-FSDP-2026" not in run.out
    assert "26,880 USD" in run.out and "run_cost(days 10, gpus 32" in run.out.replace("\n      ", " ")


def test_what_changed_since_the_first_audit_says_why(results):
    changed = [r for r in results if r.verdict_before]
    assert changed and all(r.verdict_before != r.verdict and len(r.why_changed) > 20 for r in changed)


def test_the_handbook_page_is_what_the_audit_says_now(results, library):
    says = {name: formula.says for name, formula in formulas().items()}
    page = report.handbook_page(results, says, library.handbook_template("audit"))
    shipped = library.handbook["audit"].read_text(encoding="utf-8")
    assert shipped == page, "weft sources --audit --format markdown writes the page anew"


def test_an_unknown_source_and_a_format_of_the_audit_alone_are_refused():
    assert weft("sources", "--audit", "no-such-source").code == 2
    assert weft("sources", "--format", "markdown").code == 2
    assert weft("sources", "--audit", "--format", "markdown").out.startswith("# The audit")
