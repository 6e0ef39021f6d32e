"""Named groups that occur in several alternatives of one pattern, which Python's expressions do not allow by themselves."""

from __future__ import annotations

import re


def unique_groups(pattern: str) -> str:
    """Number the groups that occur twice, so that alternatives may use the same names; :func:`groups` reads them."""
    seen: dict[str, int] = {}

    def rename(match: re.Match[str]) -> str:
        name = match[1].rstrip("_")
        seen[name] = seen.get(name, 0) + 1
        return f"(?P<{name}__{seen[name]}>"

    return re.sub(r"\(\?P<(\w+)>", rename, pattern)


def groups(match: re.Match[str]) -> dict[str, str]:
    """What the groups of a pattern made by :func:`unique_groups` matched, by the names they were given."""
    return {name.split("__")[0]: text for name, text in match.groupdict().items() if text}
