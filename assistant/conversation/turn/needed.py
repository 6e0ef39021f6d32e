"""Facts without which nothing can be planned: whoever takes one back is asked for the new one instead."""

from __future__ import annotations

import re

from ..events import Failure

_COUNT = r"(?:number|count|amount|quantity|how many)"
_MACHINES = r"(?:gpu|card|accelerator|node|server|machine|host|boxe?|instance)"
_NOUNS = {
    "cluster.gpus": rf"{_COUNT}(?: of)? (?:the |our )?{_MACHINES}s?(?: (?:there are|we have))?|{_MACHINES}s?[ -]{_COUNT}|{_MACHINES}s",
    "cluster.gpu": r"(?:kind|type|sort|model) of (?:the |our )?gpus?|gpu[ -](?:kind|type|model)",
    "model": r"(?:language )?model|llm|model (?:size|name)",
    "workload": r"workload|(?:kind|type|sort) of (?:job|work)",
}
_VERB = (
    r"(?:forget(?: about)?|drop|remove|delete|clear|unset|ignore|disregard|erase|scrap|cancel|reset|ditch|lose|take (?:back|out|away)|"
    r"get rid of|leave out|never ?mind(?: about)?|do not count|don't count|without)"
)
_PATTERNS = {
    field: re.compile(
        rf"\W*(?:(?:please|no|ok(?:ay)?|so|and|actually|oh|well|let's|just)[\s,]+)*{_VERB} (?:the |our |my |that |this )?"
        rf"(?:{noun})(?: (?:again|altogether|completely|entirely|for now|please|i (?:said|gave|named)))*\W*",
        re.IGNORECASE,
    )
    for field, noun in _NOUNS.items()
}
_NAMES = {
    "cluster.gpus": ("The number of GPUs", "128 GPUs, or 16 nodes of 8"),
    "cluster.gpu": ("The kind of GPU", "H100 SXM"),
    "model": ("The model", "llama 3.1 70b, or 7B parameters"),
    "workload": ("The kind of job", "pretraining, or inference"),
}


def not_without(text: str) -> Failure | None:
    """The answer to a whole message that takes back what every plan needs: "forget the number of nodes"."""
    text = text.replace("’", "'")
    field = (
        next((name for name, pattern in _PATTERNS.items() if pattern.fullmatch(text)), None)
        if len(text) <= 120
        else None
    )
    if field is None:
        return None
    name, example = _NAMES[field]
    return Failure(
        text=f"{name} is needed: without it nothing can be planned. Say the new value, as in {example}. Nothing was "
        f"changed.",
        field=field,
    )
