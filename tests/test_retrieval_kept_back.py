"""How well questions are found and refused that nobody looked at while the search was made: limits a little below what was measured."""

from __future__ import annotations

import pytest

from assistant.library import load
from assistant.retrieval import Index
from tests import retrieval_report


@pytest.fixture(scope="module")
def figures() -> retrieval_report.Figures:
    return retrieval_report.search_figures(Index.open(load()), retrieval_report.questions("b"))


def test_the_right_section_is_among_the_first_five_for_new_questions(figures):
    assert figures.recall >= 0.88
    assert figures.mrr >= 0.84


def test_new_questions_without_an_answer_are_mostly_told_so(figures):
    assert figures.caught >= 0.75
    assert figures.refused <= 0.10
