"""A message while it is being read: what has been understood is masked, what stays is the rest."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from . import denial
from .languages import in_english
from .spelling import spelled

_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-_])")
_ALIKE = {
    "×": "x",
    "–": "-",
    "—": "-",
    "−": "-",
    "‑": "-",
    "’": "'",
    "‘": "'",
    "“": '"',
    "”": '"',
    "≈": "~",
    "\u00a0": " ",
    "\u202f": " ",
    "→": ">",
}
TAKEN = "\x00"

_LISTED = re.compile(r"\s*(?:,?\s*(?:or|nor|and)|/)\s*(?:any\s+|an?\s+|the\s+)?$")

# Words that carry no fact of their own: they never count as "not understood".
FILLER = frozenset(
    """
a about across actually aim all almost already also am an and any approx approximately are around as at available back
be because been being big bit box budget but by ca can change changed circa cluster clusters complete completed
connect connected correction cost costs could currently data deadline do does done down each electricity existing
fabric enable finish finished finishes for from get give go going got gpu gpus had has have having he hello here hey hi his i
i'd i'll i'm if in instead interconnect into is it it's its job just kind language large least less let let's like
link linked links little llm looking lots lower made make max maximum me mean meant min minimum model models more most must
my nearly need needs network networks new nic nics no node nodes normal not now number of off ok okay on one only onto
or ordinary our out over own owned owning parameter parameters params per plain plan plan's planned planning plans
please plus precision price priced prices project provider providers put rather ready raise re-run reduce regular roughly run running runs say set
setup shall should size small so some something sorry standard state still switch take team than thank thanks that
that's the their them then there there's these they thing things this those to together too total train training type
up us use used uses using usual version via want wants was we we'd we'll we're we've well were will with within would
x yes you your
""".split()
)
_WORD = re.compile(r"[^\s\x00]+")
_PART_ENDS = re.compile(r"[;!?\n]|[.,](?=\s|$)|\bbut\b")


class Negation(NamedTuple):
    """Where the denying word starts and where it ends; the start of the item when the denial follows it."""

    start: int
    end: int


def clean(text: str) -> str:
    """The text without terminal escapes and control characters; line breaks and tabs become spaces."""
    return "".join(c if c.isprintable() else " " for c in _ESCAPE.sub("", text))


class Message:
    """``text`` is what was typed, lower-cased, with typographic variants unified and slips of the finger corrected;
    ``open`` is ``text`` with everything already understood replaced by NUL characters."""

    def __init__(self, text: str) -> None:
        self.original = clean(text)
        english, translated, self._expressions = in_english(
            "".join(_ALIKE.get(c) or (c.lower() if len(c.lower()) == 1 else c) for c in self.original)
        )
        self.text, corrected = spelled(english)
        self._places = [translated[place] for place in corrected]
        self.open = self.text
        self.kept: list[tuple[int, int]] = []  # not understood as a whole: "not fsdp", whose "not" is no filler

    def find(self, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        """Matches in what is still open; one that a taken span has cut in the meantime is left out."""
        for match in list(pattern.finditer(self.open)):
            if TAKEN not in self.open[match.start() : match.end()]:
                yield match

    def take(self, start: int, end: int) -> None:
        self.open = self.open[:start] + TAKEN * (end - start) + self.open[end:]

    def give_back(self, spans: list[tuple[int, int]]) -> None:
        """What was taken turned out to say nothing that can be used."""
        for start, end in spans:
            self.open = self.open[:start] + self.text[start:end] + self.open[end:]

    def take_match(self, match: re.Match[str]) -> None:
        self.take(match.start(), match.end())

    def negation(self, start: int, end: int) -> Negation | None:
        """The denial that governs the item at ``start:end``: "no X", "not on X", "X is out"."""
        offset = max(0, start - 80)
        before = self.open[offset:start]
        heading = denial.HEADING.search(before)
        if heading:
            return Negation(offset + heading.start(), end)
        for boundary in denial.BOUNDARY.finditer(before):
            offset, before_clause = start - len(before) + boundary.end(), before[boundary.end() :]
        clause = self.open[offset:start] if offset > start - len(before) else before
        if denial.is_none(clause, self.text[end:]):
            return None
        found = None
        for match in denial.NEGATOR.finditer(clause):
            found = match
        lowered = (
            found is not None
            and found[0].startswith(("drop", "cut"))
            and re.search(r"\b(?:to|by)\b", clause[found.start() :] + self.text[start:end])
        )
        if (
            found
            and not lowered
            and not denial.UNDECIDED.search(clause)
            and not denial.DOUBLE.search(clause)
            and len(clause[found.end() :].split()) <= 3
        ):
            return Negation(offset + found.start(), end)
        after = denial.AFTER.match(self.open, end)
        return Negation(start, after.end()) if after else None

    def is_kept(self, start: int, end: int) -> bool:
        """Whether the item at ``start:end`` is spoken of with a denial that denies nothing: "nothing against X", "don't drop X"."""
        before = denial.BOUNDARY.split(self.open[max(0, start - 80) : start])[-1]
        return denial.is_none(before, self.text[end:]) or (
            denial.DOUBLE.search(before) is not None and denial.LOSES.search(before) is None
        )

    def lists_on(self, previous_end: int, start: int) -> bool:
        """Whether the item at ``start`` continues a list begun before: "no A or B"."""
        between = self.text[previous_end:start]
        return len(between) < 16 and _LISTED.match(between) is not None

    def clause_before(self, start: int, reach: int = 60) -> str:
        """The text of the same clause before ``start``."""
        before = self.text[max(0, start - reach) : start]
        return re.split(r"[;!?\n]|\.(?=\s)|,\s*(?:and|but)?\s*", before)[-1]

    def clause_around(self, start: int, end: int) -> tuple[int, int]:
        """Where the part of the sentence around ``start:end`` begins and ends, between commas and the like."""
        first = max((m.end() for m in _PART_ENDS.finditer(self.text, 0, start)), default=0)
        last = _PART_ENDS.search(self.text, end)
        return first, last.start() if last else len(self.text)

    def rest(self) -> str:
        """What was not understood, in the person's own spelling; filler words alone are nothing."""
        words = [(m.start(), m.end()) for m in _WORD.finditer(self.open)]
        parts: list[str] = []
        for run in _runs(words, self.open):
            while run and self._is_filler(*run[0]):
                run.pop(0)
            while (
                run
                and self._is_filler(*run[-1])
                and (
                    self._only_joins(*run[-1])
                    or not (len(run) > 1 and any(c.isdigit() for c in self.text[slice(*run[-2])]))
                )
            ):
                run.pop()
            if run:
                parts.append(self.typed(run[0][0], run[-1][1]).strip(" ,;:.!?()"))
        return " … ".join(part for part in parts if part)

    def typed(self, start: int, end: int) -> str:
        """What was typed for ``text[start:end]``."""
        first, last = self._places[start], self._places[end - 1]
        for begins, ends in self._expressions:
            first = begins if begins <= first < ends else first
            last = ends - 1 if begins <= last < ends else last
        return self.original[first : last + 1]

    def _only_joins(self, start: int, end: int) -> bool:
        return self.text[start:end].strip(",;:.") in ("and", "or", "a", "an", "the", "with", "of", "on", "for", "in")

    def _is_filler(self, start: int, end: int) -> bool:
        word = self.text[start:end].strip(",;:.!?()\"'~=+&-/*%@|<>")
        return not word or (word in FILLER and not any(first <= start and end <= last for first, last in self.kept))


def _runs(words: list[tuple[int, int]], text: str) -> Iterator[list[tuple[int, int]]]:
    """Neighbouring words that no understood span separates."""
    run: list[tuple[int, int]] = []
    for word in words:
        if run and TAKEN in text[run[-1][1] : word[0]]:
            yield run
            run = []
        run.append(word)
    if run:
        yield run
