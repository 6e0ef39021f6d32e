"""The rule book: every fact a rule may look at and every rule there is, as Markdown generated from the data."""

from __future__ import annotations

from collections.abc import Iterable

from assistant.vocabulary.facts import FACTS
from assistant.vocabulary.rules import STAGES, Rule

_INTRODUCTION = """\
# Rules: what they may look at, and all of them

This page is generated from the rules and the facts themselves; a test keeps it true.

A rule is one YAML file in `rules/<stage>/` or a folder there, and its `id` is its path. `when` names conditions on
facts of the job and of one candidate: a value means equality, a list means any of, and `{at_least, at_most,
more_than, less_than, not}` compare. `finding` asks for the conclusion of another rule, `without` for its absence in
an earlier stage. `then` is one of `verdict` (impossible, avoid), `conclude`, `warn`, `prefer` (points that break ties
on cost: 1 for a convenience, 2 for what bears on whether the run succeeds, 5 for what is there already), `ask` (a
question for the provider), `measure` and `setting`. A number that decides stands in the sentence, in a claim or
beside a comment that says where it comes from. A fact nobody knows is the word `unknown`; a comparison with it never
holds.

A rule may have `cases`, told apart by one more fact: a source's threshold has one that `agrees` and one that
`disagrees`, a preference may rest on other claims for each technology. A case has its own `when` and adds `then`,
`because` (said after the rule's), `claims`, `look_up` and `touches`; no two cases of a rule can hold together. Each
case needs an example that expects it by name, and one is `silent`.
"""


def rule_book(rules: Iterable[Rule]) -> str:
    """The page as Markdown."""
    ordered = sorted(rules, key=lambda rule: (STAGES.index(rule.stage), rule.id))
    parts = [_INTRODUCTION, *(_facts(scope) for scope in FACTS), *(_stage(stage, ordered) for stage in STAGES)]
    return "\n".join(parts)


def _facts(scope: str) -> str:
    lines = [f"## Facts of the {scope}", "", "| fact | kind | meaning |", "| --- | --- | --- |"]
    for name, word in FACTS[scope].items():
        kind = word.unit or word.kind
        meaning = word.meaning + (f" ({', '.join(word.values)})" if word.values else "")
        lines.append(f"| `{name}` | {kind} | {meaning} |")
    return "\n".join(lines) + "\n"


def _stage(stage: str, rules: list[Rule]) -> str:
    own = [rule for rule in rules if rule.stage == stage]
    lines = [f"## Stage {stage}: {len(own)} rules", "", "| rule | says | rests on |", "| --- | --- | --- |"]
    return "\n".join([*lines, *map(_row, own)]) + "\n"


def _row(rule: Rule) -> str:
    cases = f" (cases: {', '.join(rule.cases)})" if rule.cases else ""
    claims = dict.fromkeys(claim for branch in rule.branches for claim in branch.claims)
    return f"| `{rule.id.split('/', 1)[1]}` | {rule.title}{cases} | {', '.join(claims)} |"
