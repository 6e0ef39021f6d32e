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
    r"(?:model|moe|llm|transformer)s?\b)?"
)
_SIZE_LABEL = re.compile(
    rf"\b(?:params?|parameters|model size)\s?(?:=|:|of|is)\s?(?P<size>{AMOUNT})|"
    rf"(?P<size_>{AMOUNT})[\s\-](?:param(?:eter)?s?|weights)\b(?:\s(?:model|llm|moe|transformer)\b)?"
)
_DIMENSIONS = {
    "layers": rf"(?P<n>{NUMBER})[\s\-](?:transformer\s)?layers?\b|\b(?:num_|n_)?layers\s?[=:]\s?(?P<n_>\d+)",
    "hidden": r"\b(?:(?:hidden|d_model)(?=[\s_=:\-])[\s_\-]?(?:size|dim(?:ension)?|width)?|model[\s_\-](?:size|dim(?:ension)?|"
    r"width))\s?(?:=|:|of|"
    r"is)?\s?(?P<n>\d[\d,]*k?)(?![\d.]|\s?(?:b|bn|m|t|billion|million|trillion)\b)|"
    r"\bhidden\s?[=:]\s?(?P<n_>\d+)|(?<![\w.])(?P<n__>\d[\d,]*k?)\s(?:hidden\b(?!\slayers?)(?:\s(?:size|dim\w*|units|width))?|d_model)",
    "kv_heads": rf"(?P<n>{NUMBER})[\s\-](?:kv|key[\s\-]value)[\s\-]heads?\b|\bkv_heads\s?[=:]\s?(?P<n_>\d+)",
    "heads": rf"(?P<n>{NUMBER})[\s\-](?:attention[\s\-]|query[\s\-])?heads?\b|\b(?:num_|n_)?heads\s?[=:]\s?(?P<n_>\d+)",
    "ffn": (
        r"\b(?:ffn|feed[\s\-]?forward|intermediate)[\s_\-]?(?:size|dim(?:ension)?|width)?\s?"
        r"(?:=|:|of|is)?\s?(?P<n>\d[\d,]*k?)|(?<![\w.])(?P<n_>\d[\d,]*k?)\sffn\b"
    ),
    "vocab": r"\bvocab(?:ulary)?[\s_\-]?(?:size)?\s?(?:=|:|of|is)?\s?(?P<n>\d[\d,]*k?)(?:\stokens\b)?|"
    r"(?P<n_>\d[\d,]*k?)[\s\-]vocab(?:ulary)?\b",
    "experts": rf"(?P<n>{NUMBER})[\s\-](?:routed[\s\-])?experts?\b(?!\sper)|\bexperts\s?[=:]\s?(?P<n_>\d+)",
    "experts_per_token": rf"\btop[\s\-]?(?P<n>\d+)\b(?:\srouting|\sexperts?)?|(?P<n_>{NUMBER})\s(?:active\sexperts|"
    rf"experts\sper\stoken|(?:active|routed|activated|chosen|used|selected)\sper\stoken|active(?=\W*$|[,;.)]))",
}
# "Layers 48 hidden 6144 heads 48": a list that puts each name before its number.
_NAMED_FIRST = {
    "layers": r"(?:num_|n_?)?(?:hidden_|transformer )?layers?",
    "hidden": r"hidden(?:[\s_\-]?(?:size|dim(?:ension)?|width))?|d_?model",
    "kv_heads": r"(?:num_|n_?)?(?:kv|key[\s_\-]value)[\s_\-]?(?:heads?)?",
    "heads": r"(?:num_|n_?)?(?:(?:attention|query)[\s_])?heads?",
    "ffn": r"(?:(?:d_)?ffn?|mlp|feed[\s\-]?forward|intermediate)(?:[\s_\-]?(?:size|dim(?:ension)?|width))?",
    "vocab": r"vocab(?:ulary)?(?:[\s_\-]?size)?",
    "experts": r"(?:routed )?experts?",
}
_SHAPE = {
    name: re.compile(rf"(?<![\w\-])(?:{label})(?:\s(?:of|is|are)\s|[\"']?\s?[:=]?\s?)(?P<n>\d[\d,]*k?)(?![\w.])")
    for name, label in _NAMED_FIRST.items()
}
_ANY_SHAPE = re.compile(
    rf"(?P<before>(?<![\w.])\d[\d,]*k?[\s\-])?(?<![\w\-])(?:{'|'.join(_NAMED_FIRST[n] for n in (*list(_NAMED_FIRST)[:5], 'experts'))})\b(?P<after>"
    r"(?=\s(?:of|is|are)\s\d|[\"']?\s?[:=]?\s?\d))?"
)
_OTHER_NUMBERS = ("training.tokens", "budget.usd")
# "Llama-style", "similar to Mistral", "a 1.3B GPT": the kind of model; how large it is, is said beside it.
_RESEMBLES = re.compile(
    r"(?:[\s\-](?:styled?|ish|type|esque|class|inspired|flavou?red|alike|shaped|derived|derivative|clone|variant|lookalike|family|"
    r"arch(?:itecture)?)|-like|\slike(?=\s(?:models?|arch\w*|llms?|moe|networks?|transformers?|dense|\d)))\b|ish\b"
)
_RESEMBLING = re.compile(
    r"\b(?:similar to|in the style of|modell?ed (?:on|after)|inspired by|resembl\w+|along the lines of|comparable to|built like|"
    r"close to|derived from|based on the)\s(?:an?\s|the\s)?$"
)
_KINDS = ("gpt",)  # families whose name alone also names a kind of model
_BARE_SIZE = re.compile(
    r"(?:\s(?P<version>\d\.\d))?(?:,?\s|-)(?P<n>\d{1,3})(?=\W*$|[,;.)](?:\s|$)|\s(?:on|for|with|and|in|over)\b)"
)
_EXPERTS = re.compile(
    r"(?:(?:moe|mixture of experts)[\s\-]+)?(?<![\w.])(?P<size>\d+x\d+(?:\.\d+)?\s?b)(?![a-z0-9])(?:[\s\-]moe\b)?"
)
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
    """ "34 billions" and "7-billion" as "34 billion" and "7 billion"."""
    return re.sub(r"(?<=\d)-", " ", size).removesuffix("s")


def _answers_otherwise(reading: Reading) -> bool:
    """Whether another number was asked for, so that "800B or so" is no size of a model."""
    asked = reading.context.asked if reading.context else None
    return asked in _OTHER_NUMBERS and reading.intent == "describe" and "model" not in reading.message.text


def _by_experts(reading: Reading) -> bool:
    """ "MoE 8x22B": experts and their size, where one public model alone is called so."""
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
    """ "llama 3.1 70b (70B parameters)" says the size twice."""
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
        elif model and (not _is_a_kind(reading, start, end) or _is_of_its_size(reading, model, match[0])):
            found.append((model, start, end))
    return found


def _is_a_kind(reading: Reading, start: int, end: int, size: str | None = None) -> bool:
    """Whether a name, with its ``size`` behind it or without, only says what the model is like."""
    text = reading.message.text
    alike = _RESEMBLES.match(text, end) is not None or _RESEMBLING.search(text[:start]) is not None
    return alike and size is None


def _is_of_its_size(reading: Reading, model: str, name: str) -> bool:
    """ "Kimi K2 style 1T": one model with a number in its name, and the size that model has; "Llama 2 70B clone" says it at once."""
    params = reading.lexicon.catalog.models[model].params.si
    sizes = [value(_singular(m["size"])) for m in reading.message.find(_SIZE)]
    return re.search(r"\d", name) is not None and (
        re.search(_BILLIONS + r"$", name) is not None or any(abs(s / params - 1) < 0.1 for s in sizes)
    )


def _extended_family(reading: Reading, match: re.Match[str]) -> tuple[str, int, int] | None:
    """A longer reading of the same words: "70b llama 3.1" must not stop at an alias "llama 3.1"."""
    for longer in reading.message.find(reading.lexicon.family_pattern):
        if longer.start() <= match.start() and match.end() <= longer.end():
            if _is_a_kind(reading, *longer.span("family"), longer["size"]):
                return None
            model = _member(reading, longer)
            return (model, longer.start(), longer.end()) if model else None
    return None


def _of_a_family(reading: Reading) -> list[tuple[str, int, int]]:
    found = []
    for match in reading.message.find(reading.lexicon.family_pattern):
        if _is_a_kind(reading, match.start(), match.end(), match["size"]) or _names_a_kind(reading, match):
            continue
        model, end = _of_a_bare_size(reading, match) or (_member(reading, match), match.end())
        denial = reading.message.negation(match.start(), end)
        if denial:
            reading.deny("model", model, denial.start, denial.end)
        elif model:
            found.append((model, match.start(), end))
    return found


def _of_a_bare_size(reading: Reading, match: re.Match[str]) -> tuple[str, int] | None:
    """ "The big llama, 405": a size without its B, where no version of the family is called so."""
    if match["size"] or match["size_before"]:
        return None
    bare = _BARE_SIZE.match(reading.message.open, match.end("family"))
    if bare is None or any(
        m.version.split(".")[0] == bare["n"] for m in reading.lexicon.families.get(match["family"], [])
    ):
        return None
    model = reading.lexicon.member(match["family"], bare["version"], f"{bare['n']}b")
    return (model, bare.end()) if model else None


def _names_a_kind(reading: Reading, match: re.Match[str]) -> bool:
    """ "A 1.3B GPT"; that of 175 billion parameters is the one everybody means by the name."""
    return match["size_before"] is not None and not _is_meant(reading, match, match["size_before"])


def _is_meant(reading: Reading, match: re.Match[str], size: str) -> bool:
    """Whether a size said apart from a name makes it one model; with the name of a kind that is only the one everybody knows."""
    model = reading.lexicon.member(match["family"], None, _size(size))
    return (
        match["family"] not in _KINDS
        or match["version"] is not None
        or model == reading.lexicon.known_as(match["family"])
    )


def _member(reading: Reading, match: re.Match[str]) -> str | None:
    size = match["size"] or match["size_before"]
    version = (match["version"] or "").lstrip("v") or None
    if version is None and size is None:
        size = _separate_size(reading, match)
    return reading.lexicon.member(match["family"], version, _size(size)) or (
        reading.lexicon.member(match["family"], version, _size(_separate_size(reading, match)))
        if size is None
        else None
    )


def _separate_size(reading: Reading, match: re.Match[str]) -> str | None:
    """The size said elsewhere in the sentence: "llama 3.1, the 70b one"."""
    for size in reading.message.find(re.compile(r"(?<![\w.$])\d+(?:\.\d+)?\s?b(?:illion)?\b")):
        if (
            abs(size.start() - match.end()) < 40
            and _is_meant(reading, match, size[0])
            and reading.lexicon.member(match["family"], None, _size(size[0]))
        ):
            reading.message.take_match(size)
            return size[0]
    return None


def _size(text: str | None) -> str | None:
    if text is None:
        return None
    compact = re.sub(r"[\s\-]", "", text).replace("billion", "b").replace("million", "m")
    return re.sub(r"a\d.*$", "", compact)


def _sibling(reading: Reading, size: str) -> str | None:
    """ "Make it the 8b" after a Llama 3.1 70B means Llama 3.1 8B."""
    current = reading.context.fields.get("model") if reading.context else None
    for family, members in reading.lexicon.families.items():
        of_same = [m for m in members if m.model.id == current]
        if of_same:
            return reading.lexicon.member(family, of_same[0].version or None, _size(size))
    return None


def _names_first(text: str) -> bool:
    """Whether the numbers of a shape follow their names, as the first and the last of them show."""
    listed = list(_ANY_SHAPE.finditer(text))
    return (
        bool(listed)
        and listed[0]["before"] is None
        and listed[0]["after"] is not None
        and listed[-1]["after"] is not None
    )


def _read_dimensions(reading: Reading) -> None:
    for name, pattern in [*(_SHAPE.items() if _names_first(reading.message.open) else ()), *_COMPILED.items()]:
        for match in reading.message.find(pattern):
            text = next(number for group, number in match.groupdict().items() if group.startswith("n") and number)
            number = binary(text) if name in ("hidden", "ffn") else whole(text)
            if number is None or reading.message.negation(match.start(), match.end()):
                continue
            if "model" not in reading.fields:
                reading.set(f"model.{name}", number)
            reading.message.take_match(match)
