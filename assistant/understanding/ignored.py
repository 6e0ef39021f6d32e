"""What is no fact of the job: links, references, code, orders to answer so and so, and amounts that cannot be.

Their tokens are hidden before anything is read, so that no number in them counts; they stay in what was not understood.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assistant.vocabulary.utterance import Doubt

from .templates import Compiler, Hit, Matcher, Source
from .text import ENDS, Text, Token, Tokens

HIDDEN = "\x00"  # stands for a word that nobody reads
_SCHEMES = frozenset({"http", "https", "ftp", "ssh", "file", "mailto", "git", "s"})
_CURRENCIES = frozenset("$€£¥₹")
_LONGEST_SAID = 80  # characters of an order that are quoted back
_SHARES = frozenset({"%", "percent"})


@dataclass(frozen=True)
class Ignored:
    """``ignored.yaml``, compiled."""

    templates: Matcher
    sentences: Mapping[str, str]

    @classmethod
    def of(cls, data: Mapping[str, Any], compiler: Compiler) -> Ignored:
        kinds = ("references", "code", "orders", "impossible")
        templates = Matcher(compiler, [(kind, template) for kind in kinds for template in data[kind]])
        return cls(templates, {kind: data[f"said_of_{kind}"] for kind in ("orders", "impossible")})

    def hide(self, text: Text, source: Source) -> tuple[Text, list[Doubt]]:
        """The text with what is no fact of the job hidden, and what has to be said about it."""
        hidden = {at for span in _forms(text.tokens) for at in span}
        doubts: list[Doubt] = []
        for hit in self._hits(source):
            span = _reach(hit, text.tokens)
            if not hidden & set(span) and hit.key in self.sentences:
                doubts.append(self._said(hit.key, text.typed(span.start, span.stop)))
            hidden |= set(span)
        tokens = [replace(t, text=HIDDEN, stem=HIDDEN) if at in hidden else t for at, t in enumerate(text.tokens)]
        return replace(text, tokens=Tokens(tokens)), doubts

    def _hits(self, source: Source) -> list[Hit]:
        less = lambda hit: hit.end < len(source.tokens) and source.tokens[hit.end].text in _SHARES  # "minus 45 %"
        found = [*self.templates.hits(source), *_negative(source)]
        return [hit for hit in found if hit.key != "impossible" or not less(hit)]

    def _said(self, kind: str, words: str) -> Doubt:
        verb = "is no input" if kind == "orders" else "cannot be right"
        return Doubt(None, f'"{words.strip(" .,;!?")[:_LONGEST_SAID]}" {verb}: {self.sentences[kind]}')


def _reach(hit: Hit, tokens: Sequence[Token]) -> range:
    """The tokens that a hit hides: itself and what is glued to it; code and orders reach to the end of the sentence."""
    end = hit.end
    if hit.key in ("code", "orders"):
        while end < len(tokens) and tokens[end].text not in ENDS:
            end += 1
    while hit.key == "references" and end < len(tokens) and tokens[end].glued and not _ends(tokens, end):
        end += 1
    return range(hit.start, end)


def _ends(tokens: Sequence[Token], at: int) -> bool:
    """Whether a mark closes a sentence, a clause or a line rather than going on in a reference."""
    mark = not (tokens[at].is_word or tokens[at].is_number)
    goes_on = at + 1 < len(tokens) and tokens[at + 1].glued and ";" not in (tokens[at].text, tokens[at + 1].text)
    return mark and not goes_on


def _negative(source: Source) -> Iterator[Hit]:
    """ "-5 GPUs": a sign glued to a number and to nothing before it."""
    tokens = source.tokens
    for at in range(len(tokens) - 1):
        alone = not tokens[at].glued or tokens[at - 1].text in ("=", ":", "(")
        after = at > 0 and tokens[at - 1].is_number
        first = at + 1 + (at + 2 < len(tokens) and tokens[at + 1].text in _CURRENCIES)
        number = next((q for q in source.starting.get(first, ()) if q.kind == "number"), None)
        if tokens[at].text == "-" and alone and not after and number and tokens[at + 1].glued:
            noun = number.end < len(tokens) and tokens[number.end].is_word
            yield Hit("impossible", at, number.end + noun, {}, ())


def _forms(tokens: Sequence[Token]) -> Iterator[range]:
    """Links, mail addresses, paths and internet addresses: runs of glued tokens known by their form."""
    at = 0
    while at < len(tokens):
        end = at + 1
        while end < len(tokens) and tokens[end].glued:
            end += 1
        per = at > 0 and tokens[at - 1].is_number and tokens[at].text == "/"  # "$3.12 /GPU/h" is no path
        if not per and _is_address([t.text for t in tokens[at:end]]):
            yield range(at, end)
        at = end


def _is_address(run: Sequence[str]) -> bool:
    if len(run) == 1:
        parts = run[0].split(".")
        return len(parts) == 4 and all(p.isdecimal() and int(p) < 256 and p != "000" for p in parts)
    link = run[0] in _SCHEMES and run[1] == ":" and "/" in run[2:4]
    mail = "@" in run[1:-1] and "." in run[run.index("@") :] and run[run.index("@") + 1].isalpha()
    path = run[0] in ("/", "~") and len(run) > 3 and run[1].isalpha() and "/" in run[2:]
    return link or mail or path or (run[0] == "www" and run[1] == ".")
