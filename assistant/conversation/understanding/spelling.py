"""Slips of the finger, short forms and ways to write numbers, corrected while every letter keeps its place in what was typed.

A word is corrected only when it is no form of a word the grammar reads, begins like one, and is one slip away from it: a
letter too many, missing, wrong, or two exchanged; two slips in a long word; a letter doubled in the wrong place.
"""

from __future__ import annotations

import re
from functools import lru_cache

from rapidfuzz.distance import OSA

from .words import JOINED, RIGHT, SHORT, WORDS

_ALL_BUT = re.compile(
    r"\b(?:any(?:thing|where|one)?|every(?:thing|where|one)?|all)(?:\s(?:cloud|provider|fabric|network|vendor|"
    r"hyperscaler|"
    r"interconnect|gpu)s?)?\s(?:but|except(?:\sfor)?|other than)\b(?!\s(?:not|we|i|it|the rest)\b)"
)
_BY_LETTER: dict[str, list[str]] = {
    letter: sorted(w for w in WORDS if w[0] == letter) for letter in {w[0] for w in WORDS}
}
_FORM = re.compile(r"s|es|d|ed|r|er|ing|ly|al|ized|isation|ization|'s")  # what may follow a word that is spelled right
_SHORTEST = 5  # letters a word must have to be corrected
_LONG = 9  # letters from which two slips are forgiven
_FEW = 4  # words of an answer, in which "1.5 mil" is an amount
_LONGEST = 20  # letters; a longer word is no slip of one of these
_SHORT_FORM = re.compile(
    rf"(?<![\w'/.:@\-])(?!ft\b(?<=\d\sft))(?:{'|'.join(map(re.escape, sorted(SHORT, key=len, reverse=True)))})(?![\w'/@]|"
    rf"\.\w|-\w)"
)
_JOINED = re.compile(rf"(?<![\w'])(?:{'|'.join(map(re.escape, JOINED))})(?![\w'])")
_TYPED = re.compile(rf"(?<![\w.$/-])[a-z]{{{_SHORTEST},{_LONGEST}}}(?![\w])")
_FAMILY = re.compile(
    r"(?<![\w.$/-])[a-z]{4}(?=[\s\-]?v?\d)"
)  # short names of models are corrected before a number only
_FAMILIES = ("llama", "qwen", "gemma", "mixtral", "mistral")
_DOUBLED = re.compile(r"(.)\1")

_NOS = re.compile(
    r"(?<=\d)\s?(?:nos?\.|nos|numbers|pcs\.?|units|qty\.?)\s(?:of\s)?(?=[a-z])(?!of\b|in\b|and\b|or\b|are\b|is\b)"
)  # "64 nos. of H100"
_COUNTED = (
    r"\s?(?:x\s?)?(?:nvidia\s|amd\s)?(?:gpus?|cards?|accelerators?|nodes?|servers?|machines?|tokens?|toks?|sequences|samples|"
    r"[hab]\d{3}|gb\d{3}|mi\d{3}|"
    r"parameters|params|(?:us\s)?dollars?|usd|bucks)\b(?!\s?(?:/|per|an?)\s?(?:gpu|h\b|hr|hour|card|kwh))"
)
_MONEY_BEFORE = r"(?:(?<=\$)|(?<=\$\s)|(?<=usd\s))"
_GROUPED = re.compile(
    rf"(?<![\w.,])[1-9]\d{{0,2}}(?:[.' ]\d{{3}})+(?![.,]?\d)(?={_COUNTED})|"
    rf"{_MONEY_BEFORE}[1-9]\d{{0,2}}(?:[.']000)+(?![.,]?\d)|"
    r"(?<![\w.,])[1-9]\d{0,2}(?:'\d{3})+(?!\d)|(?<![\w.,])[1-9]\d{0,2}(?:\.\d{3}){2,}(?![.,]?\d)"
)
_DECIMAL_COMMA = re.compile(
    rf"(?<![\w.,])\d{{1,4}},\d{{1,2}}(?!\d|,\d)(?=\s?(?:\$|us\s?dollars?\b|usd\b|dollars?\b|bucks\b|%|percent\b|"
    rf"per\s?cent|(?:[kmbt]|bn|mio|million|billion|trillion)\b|"
    rf"cents?\b|/|per\b|weeks?\b|months?\b|days?\b|years?\b|hours?\b))|{_MONEY_BEFORE}\d{{1,4}},\d{{1,2}}(?!\d|"
    rf",\d)"
)
_FRACTION = re.compile(r"(?<![\w.,/])(\d)\s?/\s?(\d)\s(?:of\s)?(?:an?\s)?(?=thousand|million|billion|trillion)")
_VULGAR = {"½": 0.5, "¼": 0.25, "¾": 0.75}
_VULGAR_FRACTION = re.compile(r"(\d*)\s?([½¼¾])\s?(?:of\s)?(?:an?\s(?=thousand|million|billion|trillion))?")
# "$4mm", "2 mln dollars", "1.5 mil USD": in front of or behind dollars these are millions, "bln" and "mrd" billions.
_SHORT_MILLIONS = re.compile(
    r"(?P<before>(?:\$|usd)\s?)?(?P<n>(?<![\w.,])(?:(?<=\$)|(?<![\w.,$]))\d[\d.,]*)\s?(?:(?P<m>mm|mln|mill?)|bln|"
    r"mrd|mld)"
    r"(?![\w])(?P<after>\s?(?:us\s?)?(?:\$|dollars?|usd|bucks))?"
)
# "8k not 4k context" is "8k context, not 4k".
_NOT_BEFORE_THE_UNIT = re.compile(
    r"(?<![\w.$])(\d[\d.,]*[kmbt]?),? (?:and )?not (?:the )?(\d[\d.,]*[kmbt]?) (?!but\b|or\b|and\b|x\b|"
    r"\d)([a-z][\w\-]+)"
)
_POWER = re.compile(r"(?<![\w.])(?:(\d+(?:\.\d+)?)\s?(?:x|\*)\s?)?10\s?(?:\^|\*\*)\s?(\d{1,2})(?!\d)")
_ONES = {word: str(n) for n, word in enumerate("zero one two three four five six seven eight nine".split())}
_ONES_AND_TEN = "|".join([*_ONES, "ten", "eleven", "twelve"])
_POINT = re.compile(rf"(?<![\w\-])({_ONES_AND_TEN})\s(?:point|dot)\s({'|'.join(_ONES)})(?!\w)")

# "H one hundreds", "G B two hundred": a GPU as it is spoken.
_SPOKEN_GPU = re.compile(
    r"(?<![\w'])(?P<letters>h|a|b|g\s?b|v|mi|m i)[\s\-](?P<hundreds>one|two|three|1|2|"
    r"3) ?hundreds?(?P<and> (?:and )?(?:fifty|twenty[\s\-]five|fifty[\s\-]five) ?x?)?(?!\w)"
)
_SPOKEN_REST = {"fifty": 50, "twenty-five": 25, "fifty-five": 55}


def _spoken_gpus(text: str) -> list[tuple[int, int, str]]:
    found = []
    for m in _SPOKEN_GPU.finditer(text):
        letters = m["letters"].replace(" ", "")
        if (
            letters == "a"
            and not text[m.start() : m.end()].endswith("s")
            and not re.search(r"\d\s$|\bnvidia\s$", text[: m.start()])
        ):
            continue  # "a one hundred node cluster" counts
        rest = re.sub(r"\s*(?:and )?([a-z\- ]*?) ?x?$", r"\1", m["and"] or "").strip().replace(" ", "-")
        number = int(_ONES.get(m["hundreds"], m["hundreds"])) * 100 + _SPOKEN_REST.get(rest, 0)
        found.append((m.start(), m.end(), f"{letters}{number}{'x' if (m['and'] or '').endswith('x') else ''}"))
    return found


# What people call the data-centre GPU of a generation; with a model named beside it, the generation only describes.
_GENERATION = {
    "hopper": "h100",
    "hoppers": "h100s",
    "ampere": "a100",
    "amperes": "a100s",
    "volta": "v100",
    "voltas": "v100s",
}
_GENERATIONS = re.compile(rf"(?<![\w\-])(?:{'|'.join(_GENERATION)})(?![\w\-])")
_A_MODEL = re.compile(r"(?<![a-z])(?:[ahbvl]|gb|gh|rtx|mi)\s?-?\d{2,4}")


def _generations(text: str) -> list[tuple[int, int, str]]:
    if "?" in text or _A_MODEL.search(text):
        return []
    return [(m.start(), m.end(), _GENERATION[m[0]]) for m in _GENERATIONS.finditer(text)]


def spelled(text: str) -> tuple[str, list[int]]:
    """``text`` (lower case) corrected, and for every character of it, and its end, the place in ``text`` it stands for."""
    parts: list[str] = []
    places: list[int] = []
    done = 0
    for start, end, better in _corrections(text):
        if start < done:
            continue
        parts += [text[done:start], better]
        places += [*range(done, start), *(min(start + i, end - 1) for i in range(len(better)))]
        done = end
    return "".join([*parts, text[done:]]), [*places, *range(done, len(text) + 1)]


def _corrections(text: str) -> list[tuple[int, int, str]]:
    found = [(m.start(), m.end(), SHORT[m[0]]) for m in _SHORT_FORM.finditer(text)]
    found += [(m.start(), m.end(), JOINED[m[0]]) for m in _JOINED.finditer(text)]
    found += [(m.start(), m.end(), near) for m in _TYPED.finditer(text) if m[0] not in SHORT and (near := _near(m[0]))]
    found += [
        (m.start(), m.end(), near[0])
        for m in _FAMILY.finditer(text)
        if (near := [f for f in _FAMILIES if _slips(m[0], f) == 1])
    ]
    found += [(m.start(), m.end(), "not") for m in _ALL_BUT.finditer(text)]
    found += [(m.start(), m.end(), " ") for m in _NOS.finditer(text)]
    return sorted(found + _numbers(text) + _spoken_gpus(text) + _generations(text))


def _numbers(text: str) -> list[tuple[int, int, str]]:
    """Numbers as they are written elsewhere: ``1.024 GPUs``, ``1'024``, ``2,5 M``, ``3/4 of a million``, ``2 x 10^12``."""
    if not any(c.isdigit() or c in _VULGAR for c in text):
        return [(m.start(), m.end(), f"{_spoken_one(m[1])}.{_ONES[m[2]]}") for m in _POINT.finditer(text)]
    found = [(m.start(), m.end(), re.sub(r"[.' ]", ",", m[0])) for m in _GROUPED.finditer(text)]
    found += [(m.start(), m.end(), m[0].replace(",", ".")) for m in _DECIMAL_COMMA.finditer(text)]
    found += [
        (m.start(), m.end(), f"{round(int(m[1]) / int(m[2]), 4)} ") for m in _FRACTION.finditer(text) if int(m[2])
    ]
    found += [(m.start(), m.end(), f"{float(m[1] or 0) + _VULGAR[m[2]]} ") for m in _VULGAR_FRACTION.finditer(text)]
    found += [(m.start(), m.end(), f"{m[1] or 1}e{m[2]}") for m in _POWER.finditer(text)]
    found += [(m.start(), m.end(), f"{m[1]} {m[3]}, not {m[2]}") for m in _NOT_BEFORE_THE_UNIT.finditer(text)]
    found += [
        (m.start("n"), m.end("n") + _unit_length(m), f"{m['n']}{'m' if m['m'] else 'b'}")
        for m in _SHORT_MILLIONS.finditer(text)
        if m["before"] or m["after"] or m["m"] not in ("mm", "mil") or (m["m"] == "mil" and len(text.split()) <= _FEW)
    ]
    return found + [(m.start(), m.end(), f"{_spoken_one(m[1])}.{_ONES[m[2]]}") for m in _POINT.finditer(text)]


def _unit_length(match: re.Match[str]) -> int:
    """How much of a match follows its number and still writes the magnitude."""
    return (match.start("after") if match["after"] else match.end()) - match.end("n")


def _spoken_one(word: str) -> str:
    return _ONES.get(word) or {"ten": "10", "eleven": "11", "twelve": "12"}[word]


@lru_cache(maxsize=4096)
def _near(word: str) -> str | None:
    """The one word that was meant, if any."""
    if word in RIGHT or word in WORDS:
        return None
    known = [*_BY_LETTER.get(word[0], []), *(w for w in _BY_LETTER.get(word[1], []) if w[1] == word[0])]
    cut_short = [
        w
        for w in known
        if len(w) == len(word) + 1 and len(word) > _SHORTEST and w.startswith(word) and w[-1] not in "sdry"
    ]
    if cut_short:
        return cut_short[0]
    if any(
        w.startswith(word) or _FORM.fullmatch(word.removeprefix(w))
        for w in known
        if word.startswith(w) or w.startswith(word)
    ):
        return None
    near = [
        (distance, w)
        for w in known
        if len(w) >= _SHORTEST and (distance := _slips(word, w)) <= (2 if len(w) >= _LONG else 1)
    ]
    return min(near)[1] if near else None


def _slips(word: str, known: str) -> int:
    """Slips between two words; a letter doubled in the wrong place is one."""
    distance = OSA.distance(word, known)
    if distance == 2 and _DOUBLED.sub(r"\1", word) == _DOUBLED.sub(r"\1", known):
        return 1
    return distance
