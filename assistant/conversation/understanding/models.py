"""Which model: a public name in any spelling, a size alone, or an inline architecture."""

from __future__ import annotations

import re

from .lexicon import squeezed
from .numbers import AMOUNT, NUMBER, binary, plain, value, whole
from .reading import Reading

_BILLIONS = r"\d+(?:\.\d+)?[\s\-]?(?:b(?:n|illions?)?|m(?:illions?)?|t(?:rillions?)?)"
_SIZE = re.compile(
    rf"(?<![\w.$])(?<!\d-)(?<!\d to )(?P<size>{_BILLIONS})(?![a-z])(?!\s(?:tokens?|toks?|documents?|docs|rows|users|customers|images|requests|items|samples|records|pages|"
    rf"people|files|videos|books|rides|events|queries|messages|sequences|steps|euros?|pounds|dollars|usd|"
    rf"bucks)\b)[\s\-]?(?P<noun>param(?:eter)?s?\b(?:\s(?:model|llm|moe|transformer)\b)?|"
    rf"(?:dense|moe|llm|language|transformer|\s)*"
    r"(?:model|moe|llm|transformer)s?\b)?")
_SIZE_LABEL = re.compile(rf"\b(?:params?|parameters|model size)\s?(?:=|:|of|is)\s?(?P<size>{AMOUNT})|"
                         rf"(?P<size_>{AMOUNT})[\s\-](?:param(?:eter)?s?|weights)\b(?:\s(?:model|llm|moe|transformer)\b)?")
_DIMENSIONS = {
    "layers": rf"(?P<n>{NUMBER})[\s\-](?:transformer\s)?layers?\b|\b(?:num_|n_)?layers\s?[=:]\s?(?P<n_>\d+)",
    "hidden": rf"\b(?:(?:hidden|d_model)(?=[\s_=:\-])[\s_\-]?(?:size|dim(?:ension)?|width)?|model[\s_\-](?:size|dim(?:ension)?|"
              rf"width))\s?(?:=|:|of|"
              rf"is)?\s?(?P<n>\d[\d,]*k?)(?![\d.]|\s?(?:b|bn|m|t|billion|million|trillion)\b)|"
              rf"\bhidden\s?[=:]\s?(?P<n_>\d+)",
    "kv_heads": rf"(?P<n>{NUMBER})[\s\-](?:kv|key[\s\-]value)[\s\-]heads?\b|\bkv_heads\s?[=:]\s?(?P<n_>\d+)",
    "heads": rf"(?P<n>{NUMBER})[\s\-](?:attention[\s\-]|query[\s\-])?heads?\b|\b(?:num_|n_)?heads\s?[=:]\s?(?P<n_>\d+)",
    "ffn": (r"\b(?:ffn|feed[\s\-]?forward|intermediate)[\s_\-]?(?:size|dim(?:ension)?|width)?\s?"
            r"(?:=|:|of|is)?\s?(?P<n>\d[\d,]*k?)"),
    "vocab": r"\bvocab(?:ulary)?[\s_\-]?(?:size)?\s?(?:=|:|of|is)?\s?(?P<n>\d[\d,]*k?)(?:\stokens\b)?|"
             r"(?P<n_>\d[\d,]*k?)[\s\-]vocab(?:ulary)?\b",
    "experts": rf"(?P<n>{NUMBER})[\s\-](?:routed[\s\-])?experts?\b(?!\sper)|\bexperts\s?[=:]\s?(?P<n_>\d+)",
    "experts_per_token": rf"\btop[\s\-]?(?P<n>\d+)\b(?:\srouting|\sexperts?)?|(?P<n_>{NUMBER})\s(?:active\sexperts|"
                         rf"experts\sper\stoken|(?:active|routed|activated|chosen|used|selected)\sper\stoken|active(?=\W*$|[,;.)]))",
}
_OTHER_NUMBERS = ("training.tokens", "budget.usd")
_EXPERTS = re.compile(r"(?:(?:moe|mixture of experts)[\s\-]+)?(?<![\w.])(?P<size>\d+x\d+(?:\.\d+)?\s?b)(?![a-z0-9])(?:[\s\-]moe\b)?")
_COMPILED = {name: re.compile(pattern) for name, pattern in _DIMENSIONS.items()}


def read_model(reading: Reading) -> None:
    """Sets ``model`` or ``model.params`` and the like; two different models are left for the person to settle."""
    found = _named(reading) or _of_a_family(reading)
    ids = list(dict.fromkeys(model for model, _, _ in found))
    if len(ids) == 1 or (ids and reading.intent == "change"):
        reading.set("model", ids[-1])
        for _, start, end in found:
            reading.message.take(start, end)


def read_sizes(reading: Reading) -> None:
    """A size without a name is ``model.params``; with a family known from before it may name one of its members."""
    _read_dimensions(reading)
    if "model" in reading.fields or _by_experts(reading):
        _read_size_again(reading)
        return
    sizes = [m for p in (_SIZE_LABEL, _SIZE) for m in reading.message.find(p) if not _is_denied(reading, m)]
    if _answers_otherwise(reading):
        sizes = [m for m in sizes if m.re is _SIZE_LABEL or m["noun"]]
    sizes = [m for m in sizes if m.re is _SIZE_LABEL or m["noun"] or re.search(r"b(?:n|illions?)?$", m["size"])]
    said = [_singular(m["size"] or m.groupdict().get("size_")) for m in sizes]
    values = {value(size) for size in said}
    if len(values) != 1 and not (values and reading.intent == "change"):
        return
    params = value(said[-1])
    sibling = _sibling(reading, said[-1])
    reading.set("model" if sibling else "model.params", sibling or plain(params))
    for match in sizes:
        reading.message.take_match(match)


def _singular(size: str) -> str:
    """"34 billions" and "7-billion" as "34 billion" and "7 billion"."""
    return re.sub(r"(?<=\d)-", " ", size).removesuffix("s")


def _answers_otherwise(reading: Reading) -> bool:
    """Whether another number was asked for, so that "800B or so" is no size of a model."""
    asked = reading.context.asked if reading.context else None
    return asked in _OTHER_NUMBERS and reading.intent == "describe" and "model" not in reading.message.text


def _by_experts(reading: Reading) -> bool:
    """"MoE 8x22B": experts and their size, where one public model alone is called so."""
    for match in reading.message.find(_EXPERTS):
        size = _size(match["size"])
        members = [m.model.id for family in reading.lexicon.families.values() for m in family if m.size == size]
        if len(members) == 1 and not _is_denied(reading, match):
            reading.set("model", members[0])
            reading.message.take_match(match)
            return True
    return False


def _is_denied(reading: Reading, match: re.Match[str]) -> bool:
    denial = reading.message.negation(match.start(), match.end())
    if denial:
        reading.message.take(denial.start, denial.end)
    return denial is not None


def _read_size_again(reading: Reading) -> None:
    """"llama 3.1 70b (70B parameters)" says the size twice."""
    params = reading.lexicon.catalog.models[reading.fields["model"]].params.si
    for match in reading.message.find(_SIZE):
        if match["noun"] and abs(value(_singular(match["size"])) / params - 1) < 0.1:
            reading.message.take_match(match)


def _named(reading: Reading) -> list[tuple[str, int, int]]:
    found = []
    for match in reading.message.find(reading.lexicon.model_pattern):
        model = reading.lexicon.model_names.get(squeezed(match[0]))
        extended = _extended_family(reading, match)
        if extended:
            model, start, end = extended
        else:
            start, end = match.span()
        denial = reading.message.negation(start, end)
        if denial:
            reading.deny("model", model, denial.start, denial.end)
        elif model:
            found.append((model, start, end))
    return found


def _extended_family(reading: Reading, match: re.Match[str]) -> tuple[str, int, int] | None:
    """A longer reading of the same words: "70b llama 3.1" must not stop at an alias "llama 3.1"."""
    for longer in reading.message.find(reading.lexicon.family_pattern):
        if longer.start() <= match.start() and match.end() <= longer.end():
            model = _member(reading, longer)
            return (model, longer.start(), longer.end()) if model else None
    return None


def _of_a_family(reading: Reading) -> list[tuple[str, int, int]]:
    found = []
    for match in reading.message.find(reading.lexicon.family_pattern):
        model = _member(reading, match)
        denial = reading.message.negation(match.start(), match.end())
        if denial:
            reading.deny("model", model, denial.start, denial.end)
        elif model:
            found.append((model, match.start(), match.end()))
    return found


def _member(reading: Reading, match: re.Match[str]) -> str | None:
    size = match["size"] or match["size_before"]
    version = (match["version"] or "").lstrip("v") or None
    if version is None and size is None:
        size = _separate_size(reading, match)
    return reading.lexicon.member(match["family"], version, _size(size)) or (
        reading.lexicon.member(match["family"], version, _size(_separate_size(reading, match))) if size is None else None)


def _separate_size(reading: Reading, match: re.Match[str]) -> str | None:
    """The size said elsewhere in the sentence: "llama 3.1, the 70b one"."""
    for size in reading.message.find(re.compile(r"(?<![\w.$])\d+(?:\.\d+)?\s?b(?:illion)?\b")):
        if abs(size.start() - match.end()) < 40 and reading.lexicon.member(match["family"], None, _size(size[0])):
            reading.message.take_match(size)
            return size[0]
    return None


def _size(text: str | None) -> str | None:
    if text is None:
        return None
    compact = re.sub(r"[\s\-]", "", text).replace("billion", "b").replace("million", "m")
    return re.sub(r"a\d.*$", "", compact)


def _sibling(reading: Reading, size: str) -> str | None:
    """"Make it the 8b" after a Llama 3.1 70B means Llama 3.1 8B."""
    current = reading.context.fields.get("model") if reading.context else None
    for family, members in reading.lexicon.families.items():
        of_same = [m for m in members if m.model.id == current]
        if of_same:
            return reading.lexicon.member(family, of_same[0].version or None, _size(size))
    return None


def _read_dimensions(reading: Reading) -> None:
    for name, pattern in _COMPILED.items():
        for match in reading.message.find(pattern):
            text = match.groupdict().get("n") or match.groupdict().get("n_")
            number = binary(text) if name in ("hidden", "ffn") else whole(text)
            if number is None or reading.message.negation(match.start(), match.end()):
                continue
            if "model" not in reading.fields:
                reading.set(f"model.{name}", number)
            reading.message.take_match(match)
