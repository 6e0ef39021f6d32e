"""Write the generated pages anew: run it after rules, facts, kept conversations or audited claims have changed."""

import pathlib
import re

from assistant.answering import answer_many
from assistant.conversation.searching import understood
from assistant.library import load
from assistant.present.answers import answer_lines
from assistant.present.rule_book import rule_book
from assistant.retrieval import ready_index

ROOT = pathlib.Path(__file__).parents[1]
SHOWN = "70b-over-plain-tcp.md"  # the kept conversation whose beginning the README shows


def write_rule_book() -> None:
    """The page of all rules and facts."""
    (ROOT / "knowledge" / "handbook" / "rules.md").write_text(rule_book(load().rules.values()), encoding="utf-8")


def write_conversation() -> None:
    """The first two turns of a kept conversation and its last, in the README."""
    turns = re.split(r"(?m)^(?=\*\*You:\*\*)", (ROOT / "transcripts" / SHOWN).read_text(encoding="utf-8"))[1:]
    shown = "".join(turns[:2]).strip() + "\n\n…\n\n" + turns[-1].strip()
    readme = ROOT / "README.md"
    text = readme.read_text(encoding="utf-8")
    start, end = text.index("```text\n") + len("```text\n"), text.index("```\n\nOn the full screen")
    readme.write_text(text[:start] + shown + "\n" + text[end:], encoding="utf-8")


def write_answers() -> None:
    """What the page about questions shows below each of its commands."""
    page, library = ROOT / "knowledge" / "handbook" / "asking.md", load()

    def answered(match: re.Match[str]) -> str:
        [found] = answer_many([(None, understood(match[2], library))], library, lambda: ready_index(library), 1)
        return "\n".join([match[1], *answer_lines(found, 80)]) + "\n```"

    text = page.read_text(encoding="utf-8")
    page.write_text(re.sub(r'(?ms)^(\$ weft ask "([^"]+)" --top 1)\n.*?^```', answered, text), encoding="utf-8")


write_rule_book()
write_conversation()
write_answers()
