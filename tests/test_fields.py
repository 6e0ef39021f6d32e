"""What the house knows of a field stands once: every field of the questionnaire is complete, and follows from there."""

from __future__ import annotations

from typing import Any

import pytest

from assistant import library
from assistant.library import questionnaires
from assistant.present.fields import field_name, value_text
from assistant.understanding import Listener
from assistant.vocabulary.fields import NUMERIC, RegisteredField, unregistered
from assistant.vocabulary.questionnaire import FIELDS, Questionnaire

# A value that makes sense for each kind of amount, where the sensible limits of the field do not name one.
_USUAL = {"count": 8, "amount": 4, "money": 2.5, "time": 10}
# said by names, splits and denials; a second model beside the one that is trained is written, not said
_NOT_SPOKEN = {
    "name",
    "model",
    "parallelism",
    "constraints.excluded_fabrics",
    "budget.quotes",
    "rl.critic",
    "rl.reward_model",
}


def _value(field: RegisteredField) -> Any:
    """A value of the field, as plain as can be."""
    if field.values:
        return field.values[-1]
    if field.about.kind == "flag":
        return True
    shelf = {"gpu": "h100-sxm", "provider": "aws", "fabric": "roce-v2-400", "model": "llama-3.1-70b"}.get(
        field.about.span
    )
    if shelf:
        return shelf
    low, high = field.about.sensible or (0, 0)
    return max(int(low) + 1, 16) if high > 100 else _USUAL.get(field.about.kind, 1)


@pytest.fixture(scope="module")
def listener() -> Listener:
    shipped = library.load()
    return Listener.of(shipped.language, shipped.catalog)


def test_no_field_is_unknown_to_the_registry() -> None:
    assert unregistered(Questionnaire) == []


@pytest.mark.parametrize("field", FIELDS.values(), ids=lambda field: field.path)
def test_a_field_says_what_it_is_how_it_is_asked_and_what_stands_in_for_it(field: RegisteredField) -> None:
    about = field.about
    assert about.label and about.asked.endswith("?") and about.assumed
    assert "{}" in about.unit
    assert about.kind not in NUMERIC or about.span, "an amount needs to know which quantity speaks for it"
    assert about.kind not in NUMERIC or about.words, "an amount is not heard without a word for it"
    assert field_name(field.path) == about.label


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    return Questionnaire.model_json_schema()


@pytest.mark.parametrize("field", FIELDS.values(), ids=lambda field: field.path)
def test_the_schema_tells_the_same(field: RegisteredField, schema: dict[str, Any]) -> None:
    part: Any = schema
    for name in field.path.split("."):
        found = part["properties"][name]
        inner = [one["$ref"] for one in (found, *found.get("anyOf", [])) if "$ref" in one]
        part = schema["$defs"][inner[0].rsplit("/", 1)[1]] if inner else found
        described = found
    assert described["title"] == field.about.label and field.about.asked in described["description"]


@pytest.mark.parametrize(
    "field", [f for f in FIELDS.values() if f.path not in _NOT_SPOKEN], ids=lambda field: field.path
)
def test_a_field_is_heard_by_its_path(field: RegisteredField, listener: Listener) -> None:
    value = _value(field)
    said = str(value).lower() if isinstance(value, bool) else value
    unit = {"time": " days", "rate": " Gb/s", "power": " kW", "percent": " %"}.get(field.about.span.split("/")[0], "")
    found = listener.hear(f"{field.path}: {said}{unit}").fields
    assert field.path in found or (found and field.path.split(".")[-1] in {p.split(".")[-1] for p in found}), found


@pytest.mark.parametrize("field", FIELDS.values(), ids=lambda field: field.path)
def test_a_value_is_read_back_with_its_unit(field: RegisteredField) -> None:
    text = value_text(field.path, _value(field), library.load().catalog)
    assert text and (field.about.unit == "{}" or any(part in text for part in field.about.unit.split("{}") if part))


def test_a_questionnaire_may_say_every_limit() -> None:
    limits = {path.split(".")[1]: _value(field) for path, field in FIELDS.items() if path.startswith("constraints.")}
    limits["excluded_fabrics"] = ["roce-v2-100"]
    value = {
        "workload": "pretraining",
        "model": "llama-3.1-8b",
        "cluster": {"gpu": "h100-sxm", "gpus": 64},
        "constraints": limits,
    }
    assert questionnaires.from_value(value, library.load().catalog).constraints.max_power_kw


def test_a_number_that_was_assumed_is_written_as_people_write_it():
    assert value_text("seconds to restart after a spot interruption", 1800.0) == "1,800"
    assert value_text("failures per node and day", 0.0038) == "0.0038"
