"""German, French, Spanish, Chinese and others: what is read is right, the rest is asked for in English."""

from __future__ import annotations

import datetime
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assistant import library
from assistant.library.language import read
from assistant.understanding import Listener
from assistant.understanding.languages import Languages
from assistant.understanding.text import cut
from assistant.vocabulary.errors import KnowledgeError
from assistant.vocabulary.language import OtherLanguage
from assistant.vocabulary.utterance import Utterance
from tests.labels import labels

from .test_understanding import Known

TODAY = datetime.date(2026, 11, 22)
LIBRARY = library.load()
OTHERS = LIBRARY.language.others
MESSAGES: dict[str, list[dict[str, Any]]] = labels(Path(__file__).parent / "messages" / "languages.yaml")


def hear(say: str, message: dict[str, Any] | None = None) -> Utterance:
    given = message or {}
    known = Known(given.get("known", {}), given.get("asked"), tuple(given.get("changed", ())))
    return Listener.of(LIBRARY.language, LIBRARY.catalog).hear(say, known, today=TODAY)


def _each() -> list[Any]:
    return [pytest.param(name, row, id=row["say"]) for name, rows in MESSAGES.items() for row in rows]


def _allowed(message: dict[str, Any], path: str, value: Any) -> bool:
    either = {key: values for key, values in message.get("either", {}).items() if key != "intent"}
    return value in (either[path] if path in either else [message.get("fields", {}).get(path)])


def _of_money(language: str, message: dict[str, Any]) -> bool:
    return any(path.startswith("budget.") for path in message.get("fields", ()))


@pytest.mark.sampled(2, of=lambda language, message: (language, message.get("intent")), always=_of_money)
@pytest.mark.parametrize(("language", "message"), _each())
def test_no_fact_of_another_language_is_wrong(language: str, message: dict[str, Any]) -> None:
    said = hear(message["say"], message)
    assert {path: value for path, value in said.fields.items() if not _allowed(message, path, value)} == {}
    assert set(said.fabrics) | set(said.excluded) <= {*message.get("fabrics", ()), *_family(message)}
    assert set(said.unset) <= set(message.get("unset", ()))
    assert bool(said.excluded) <= bool(message.get("excluded"))


def _family(message: dict[str, Any]) -> set[str]:
    fabrics = LIBRARY.catalog.fabrics
    out = {fabrics[name].technology for name in message.get("excluded", ())}
    return {fabric.id for fabric in fabrics.values() if fabric.technology in out}


def test_what_is_said_is_understood_or_asked_about() -> None:
    told, missed, acts = 0, [], 0
    rows = [row for rows in MESSAGES.values() for row in rows]
    for row in rows:
        said = hear(row["say"], row)
        asked = {doubt.field for doubt in said.doubts}
        facts = {path for path in row.get("fields", {}) if path not in said.fields}
        told += len(row.get("fields", {}))
        missed += [(row["say"], path) for path in (facts | set(row.get("ask", ()))) - asked]
        acts += said.act in row.get("either", {}).get("intent", [row["intent"]])
    assert len(missed) <= 0.02 * told, missed
    assert acts >= 0.98 * len(rows)


@pytest.mark.parametrize("name", OTHERS)
def test_the_examples_of_a_language_hold(name: str) -> None:
    for example in OTHERS[name].examples:
        said = hear(example.text, {"known": example.known, "asked": example.asked})
        assert (said.language, dict(said.fields)) == (name, example.expect), example.text


def test_what_is_missing_is_asked_for_in_english_and_in_the_language() -> None:
    for say, please in (("Im Keller verstauben 24 V100", "bitte auf Englisch"), ("储藏室里堆着24张V100", "请用英文")):
        sentences = [doubt.sentence for doubt in hear(say).doubts]
        assert any("please say in English" in s and please in s for s in sentences)


@pytest.mark.parametrize("message", MESSAGES["unread"], ids=lambda row: row["say"])
def test_of_a_language_without_a_file_nothing_is_taken(message: dict[str, Any]) -> None:
    said = hear(message["say"])
    assert (said.language, dict(said.fields), said.excluded) == ("unread", {}, ())
    assert any("please say it in English" in doubt.sentence for doubt in said.doubts)


@pytest.mark.parametrize(
    "say",
    ["forty nodes with 8 H100 each", "no InfiniBand or RoCE", "six racks GB200 NVL72", "serve 20 requests per second",
     "two sites, one in Oslo, one in Malmö, 64 H100 per site", "NCCL_TIMEOUT hardening", "p5en.48xlarge on aws"],
)  # fmt: skip
def test_english_stays_english(say: str) -> None:
    assert hear(say).language == "english"


def test_numbers_are_read_as_the_language_writes_them() -> None:
    for say, usd in (
        ("Wir haben ein Budget von 1.250,50 Dollar", 1250.5),
        ("notre budget est de 1 250 000 dollars", 1_250_000),
        ("nuestro presupuesto es de 2,5 millones de dólares", 2_500_000),
        ("我们的预算是三百二十万美元", 3_200_000),
        ("我们的预算是1.5亿美元", 150_000_000),
    ):
        assert hear(say).fields == {"budget.usd": usd}, say
    assert "training.global_batch" not in hear("wir nehmen eine Batchgröße von 1,250").fields  # 1250 or 1.25


def test_a_language_is_a_file() -> None:
    dutch = OtherLanguage.model_validate(
        {"name": "Dutch", "please": "graag in het Engels", "signs": "wij hebben willen met elk", "decimal": ",",
         "words": {"we": "wij", "have": "hebben", "nodes": "knooppunten", "with": "met", "each": "elk"},
         "examples": [{"text": "a", "expect": {}}, {"text": "b", "expect": {}}]}
    )  # fmt: skip
    language = replace(LIBRARY.language, others={**OTHERS, "dutch": dutch})
    said = Listener(language, LIBRARY.catalog).hear("wij hebben 8 knooppunten met 8 H100 elk")
    assert said.language == "dutch"
    assert said.fields["cluster.gpus"] == 64


def test_a_language_file_that_is_wrong_is_refused_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "languages").mkdir()
    for name in ("acts.json", "followups.json"):
        (tmp_path / name).write_text("{}")
    (tmp_path / "languages" / "dutch.yaml").write_text("name: Dutch\nplease: x\nsigns: y\nword: {}\nexamples: []\n")
    with pytest.raises(KnowledgeError, match=r"dutch\.yaml:\d+ "):
        read(tmp_path)


@pytest.mark.parametrize(
    "say", ["wir haben 8 Knoten und ", "nous avons 8 nœuds de ", "一百二十三万张卡", "l'", "1.250,5 "]
)
def test_reading_another_language_is_linear(say: str) -> None:
    tokens = cut("wir nous 我们 " + say * (50_000 // len(say)))
    languages = Languages.of(LIBRARY.language, (), ())
    start = time.process_time()
    languages(tokens)
    assert time.process_time() - start < 4  # half a second on an idle core
