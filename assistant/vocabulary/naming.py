"""Ids of the catalog in a text, as people call them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

_AS_TYPED = r"--[\w-]+[ =]\S+"  # an option of a command is typed as it stands


def naming(names: Mapping[str, str]) -> Callable[[str], str]:
    """Puts names (id → name) in the place of the ids in a text; an id that is its own name stays."""
    told = {ident: name for ident, name in names.items() if ident != name}
    if not told:
        return lambda text: text
    ids = "|".join(map(re.escape, sorted(told, key=len, reverse=True)))
    found = re.compile(rf"{_AS_TYPED}|(?<![\w./-])(?:{ids})(?![\w/-]|\.\w)")
    return lambda text: found.sub(lambda one: told.get(one[0], one[0]), text)
