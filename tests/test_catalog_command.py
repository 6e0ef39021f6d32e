"""``weft catalog`` lists what may be named, and what it lists may be named."""

from __future__ import annotations

import json

from tests.program import weft


def test_everything_listed_is_what_a_questionnaire_may_name(library):
    listed = json.loads(weft("catalog", "--format", "json").out)
    assert list(listed) == ["models", "gpus", "fabrics", "providers", "offers"]
    assert {entry["provider"] for entry in listed.pop("offers")} == set(library.catalog.providers)
    for part, entries in listed.items():
        assert {entry["id"] for entry in entries} == set(getattr(library.catalog, part))
    h100 = next(entry for entry in listed["gpus"] if entry["id"] == "h100-sxm")
    assert h100["memory"] == "80 GiB" and h100["aliases"]


def test_one_part_is_a_table_that_fits_the_page():
    out = weft("catalog", "gpus").out
    assert "MODELS" not in out and "h100-sxm" in out and "NVLink 4, 8 GPUs" in out
    for part in ("models", "gpus", "fabrics", "providers"):
        assert max(map(len, weft("catalog", part).out.splitlines())) <= 110


def test_a_part_that_does_not_exist_is_refused_with_the_nearest():
    wrong = weft("catalog", "fabric")
    assert wrong.code == 2 and "did you mean fabrics?" in wrong.err and wrong.err.count("\n") == 1
    assert weft("catalog", "--format", "xml").code == 2
