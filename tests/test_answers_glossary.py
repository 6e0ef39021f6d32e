"""A measured figure or a version in the glossary can be traced to the statement it comes from."""

from __future__ import annotations

import re

from assistant.library import load

# A figure that somebody measured, or since which version something holds: unlike a line rate it is in no catalog.
_OF_A_SOURCE = re.compile(
    r"\b(?:[Mm]easured|reach(?:es|ed)) (?:\S+ ){0,6}?\d|\d\S* \S+ was measured|\bsince (?:NCCL )?\d"
)


def test_a_term_with_a_measured_figure_or_a_version_names_its_claim():
    knowledge = load().knowledge
    with_figures = [term for term in knowledge.terms if _OF_A_SOURCE.search(term.says)]
    assert len(with_figures) >= 5
    assert [term.term for term in with_figures if not any(name in knowledge.claims for name in term.see)] == []
