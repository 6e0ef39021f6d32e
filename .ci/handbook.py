"""Write the generated pages of the handbook anew: run it after rules, facts or audited claims have changed."""

import pathlib

from assistant.library import load
from assistant.present.rule_book import rule_book

library = load()
pages = pathlib.Path(__file__).parents[1] / "knowledge" / "handbook"
(pages / "rules.md").write_text(rule_book(library.rules.values()), encoding="utf-8")
print("written:", pages / "rules.md")
