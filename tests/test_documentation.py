"""What the documentation says is true: commands exist, blocks run, generated pages are those of the data."""

from __future__ import annotations

import pathlib
import re
import shlex
import tomllib

import pytest
import yaml

from assistant.library.questionnaires import from_value
from assistant.vocabulary.rules import Rule
from tests.program import weft

ROOT = pathlib.Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", *sorted((ROOT / "knowledge" / "handbook").glob("*.md"))]


def _blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.M | re.S)


def test_the_first_block_sets_up_and_plans_and_the_second_sets_up_and_tests():
    first, second = _blocks("sh")[:2]
    assert first.count("\n") == 1 and "venv" in first and "pip install" in first and "weft plan" in first
    assert second.count("\n") == 1 and "venv" in second and "pip install" in second and "pytest" in second
    planned = first.split("weft plan ")[1].strip()
    assert (ROOT / planned).is_file()


def test_what_is_pinned_is_locked_by_hash():
    pinned = re.findall(r"(?m)^([\w.-]+==[\w.]+)$", (ROOT / ".ci" / "constraints.txt").read_text())
    locked = (ROOT / ".ci" / "locked.txt").read_text()
    plain = lambda name: name.lower().replace("_", "-")
    wanted = {plain(one) for one in pinned}
    assert pinned and wanted <= set(re.findall(r"(?m)^(\S+==\S+).*\\\n +--hash=sha256:[0-9a-f]{64}", locked))


def test_every_package_that_is_asked_for_by_name_is_pinned():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    tried = [one for extra in ("mcp", "parquet", "test") for one in project["optional-dependencies"][extra]]
    names = lambda found: {name.lower().replace("_", "-") for name in found}
    asked = names(re.match(r"[\w-]+", one)[0] for one in [*project["dependencies"], *tried])
    pinned = re.findall(r"(?m)^([\w.-]+)==", (ROOT / ".ci" / "constraints.txt").read_text())
    assert asked - names(pinned) == {project["name"]}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_named_exists(page):
    named = set(re.findall(r"`weft ([a-z]+)", page.read_text(encoding="utf-8")))
    commands = set(re.findall(r"^  ([a-z]+) ", weft("--help").out.split("Commands:")[1], re.M))
    assert named <= commands, named - commands


def test_the_questionnaires_shown_are_valid(library):
    shown = [yaml.safe_load(block) for block in _blocks("yaml")]
    jobs = [value for value in shown if "workload" in value]
    assert len(jobs) >= 2
    for value in jobs:
        from_value(value, library.catalog)


def test_the_rule_shown_is_a_rule():
    rules = [yaml.safe_load(block) for block in _blocks("yaml") if "expect: fires" in block]
    assert [Rule.model_validate(rule).id for rule in rules] == ["screen/efa-only-at-aws"]


def test_the_catalog_file_shown_changes_the_price(tmp_path, index):
    block = next(block for block in _blocks("yaml") if "hour_price" in block)
    (tmp_path / "mine.yaml").write_text(block, encoding="utf-8")
    made = weft(
        "plan",
        str(ROOT / "knowledge/examples/llama-70b-pretraining.yaml"),
        "--catalog",
        str(tmp_path / "mine.yaml"),
        "--all",
    )
    assert made.code == 0 and "quote of 12 November" in made.out


def test_the_conversation_shown_is_one_of_the_saved_ones():
    shown = next(block for block in _blocks("text") if "**You:**" in block or "> " in block)
    saved = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "transcripts").glob("*.md"))
    for line in (line.strip() for line in shown.splitlines()):
        assert not line or line == "…" or line in saved, line


def test_the_rule_book_is_that_of_the_rules(library):
    from assistant.present.rule_book import rule_book

    page = ROOT / "knowledge" / "handbook" / "rules.md"
    made = rule_book(library.rules.values(), library.handbook_template("rules"))
    assert page.read_text(encoding="utf-8") == made, "run weft handbook rules --write"


def test_the_example_sentences_of_the_readme_are_understood():
    for command in re.findall(r'`(weft understand "[^`]*")`', README):
        assert weft(*shlex.split(command)[1:]).code == 0
