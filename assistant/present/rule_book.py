"""The rule book: every fact a rule may look at and every rule there is, as Markdown generated from the data."""

from collections.abc import Iterable

from assistant.vocabulary.facts import FACTS
from assistant.vocabulary.rules import STAGES, Rule


def rule_book(rules: Iterable[Rule], introduction: str) -> str:
    """The page as Markdown, below the prose of its template."""
    ordered = sorted(rules, key=lambda rule: (STAGES.index(rule.stage), rule.id))
    parts = [introduction, *(_facts(scope) for scope in FACTS), *(_stage(stage, ordered) for stage in STAGES)]
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
