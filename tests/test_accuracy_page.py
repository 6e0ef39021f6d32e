"""The handbook's page on accuracy says what the model and the measured runs say now."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from assistant.library import load
from assistant.present.accuracy_page import accuracy_page, accuracy_plot
from assistant.present.measured_page import measured_page
from assistant.validation.shipped_runs import described
from assistant.vocabulary.validation import Validation

NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?")


@pytest.fixture(scope="module")
def made() -> Validation:
    library = load()
    return described(library.knowledge_folder, library.catalog)


@pytest.mark.parametrize(("name", "page"), [("accuracy", accuracy_page), ("measured", measured_page)])
def test_the_page_is_the_one_that_would_be_written_now(made, name, page):
    library = load()
    shipped = library.handbook[name].read_text(encoding="utf-8")
    fresh = page(made, library.handbook_template(name))
    assert NUMBER.sub("#", fresh) == NUMBER.sub("#", shipped)
    for now, then in zip(NUMBER.findall(fresh), NUMBER.findall(shipped), strict=True):
        assert float(now) == pytest.approx(float(then), abs=0.15, rel=0.01 if name == "measured" else None)


def test_sources_with_calibration_rows_have_a_line_without_them(made):
    fitted = {line.source for line in made.sources if line.use == "calibration"} - {""}
    lines = {line.source: line.runs for line in made.sources if line.use == "left out"}
    assert {source for source in lines if "," not in source} == fitted
    assert lines["megatron-bridge, dense"] + lines["megatron-bridge, mixtures"] == lines["megatron-bridge"]


def test_the_plot_shows_every_run_at_its_place(made):
    runs = made.runs[:40]
    tree = ET.fromstring(accuracy_plot(runs))
    dots = "".join(
        path.get("d", "")
        for path in tree.iter("{http://www.w3.org/2000/svg}path")
        if path.get("stroke") in ("#b9b9b9", "#1f4e9c")
    )
    assert dots.count("M") == len(runs)
    shipped = (load().knowledge_folder / "handbook" / "accuracy.svg").read_text(encoding="utf-8")
    assert f"{len(made.runs)} published runs" in shipped
