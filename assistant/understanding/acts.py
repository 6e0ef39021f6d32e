"""What is done with a message: described, changed, asked, objected to, supposed, …

Everything is weighed: every word, pair and triple of words has a weight for every act (softmax regression), amounts and
names counting as their kind, and so has every wording that speaks for an act (``knowledge/language/acts.yaml``). The
weights stand in ``knowledge/language/acts.json``, learned by ``tests/understanding_fit.py`` from the labelled messages.
No model is loaded.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from assistant.vocabulary.added import added
from assistant.vocabulary.answers import Intent

from .learned import Learned
from .templates import Compiler, Matcher, Quantity, Source
from .text import Text, Token

_OPENING = 4  # tokens, marks among them, within which a message begins
_MEANT, _FLOOR = 0.6, 1e-3  # the weight of the meaning beside that of the words; no act is held to be less likely
_LONGEST = 3  # words in a row that are looked at together
_KINDS = {"instance": "gpu", "unknown-gpu": "gpu", "generation": "gpu", "money-other": "money", "memory": "rate"}
_LESS_TELLING = (
    "number",
    "date",
    "percent",
    "memory",
    "rate",
    "power",
    "time",
)  # beside a name or money of the same length
_FACTS = frozenset({"gpu", "model", "money", "time", "provider", "date"})
_ASKS = frozenset(
    "what which who when where how why whose do does is are can could should would will did has have am".split()
)
_OPENS = frozenset("and so but or then ok okay also now well hi hello hey please".split())
_BREAKS = frozenset(",.?!;:\n")
_NEGATED = {"ca": "can", "wo": "will", "sha": "shall", "ai": "is"}


@dataclass(frozen=True, slots=True)
class Judged:
    """An act and how likely it is, 0 to 1."""

    act: Intent
    probability: float


@dataclass(frozen=True)
class Rule:
    """What wordings speak for, and ``when`` they may, as in the file."""

    decides: str
    when: frozenset[str]


@dataclass(frozen=True)
class Acts:
    """``acts.yaml`` and ``acts.json``, compiled."""

    rules: Sequence[Rule]
    openings: Matcher  # wordings that begin a message, by (number of the rule, whether it speaks)
    wordings: Matcher  # all others
    learned: Learned

    @classmethod
    def of(cls, data: Mapping[str, Any], learned: Mapping[str, Any]) -> Acts:
        """From the two files as they are read; raises :class:`TemplateError`."""
        compiler = Compiler(data["words"])
        wordings = list(_wordings(data["rules"]))
        return cls(
            [Rule(row["act"], frozenset(row.get("when", ()))) for row in data["rules"]],
            Matcher(compiler, [row for row in wordings if row[1][0] == "^"]),
            Matcher(compiler, [row for row in wordings if row[1][0] != "^"]),
            Learned.of(learned),
        )


def _wordings(rules: Iterable[Mapping[str, Any]]) -> Iterator[tuple[tuple[int, bool], str]]:
    for n, rule in enumerate(rules):
        yield from (((n, True), says) for says in rule["says"])
        yield from (((n, False), unless) for unless in rule.get("unless", ()))


def act_of(
    text: Text,
    quantities: Sequence[Quantity],
    learned: Acts,
    *,
    asked: str | None = None,
    known: Collection[str] = (),
    meant: Mapping[str, float] | None = None,
) -> Judged:
    """The act of a message; ``asked`` is the field that was just asked for, ``known`` the fields of which something is
    known, ``meant`` how likely each act is by the meaning of the message.

    Describing and saying nothing sound alike: :func:`settled` says which of both it is once the facts are read.
    """
    likely = learned.learned.likely(features(text, quantities, learned, asked=asked, known=known))
    if meant is not None:  # as a product of experts: Hinton 2002, doi 10.1162/089976602760128018
        both = {act: odds ** (1 - _MEANT) * max(meant.get(act, 0.0), _FLOOR) ** _MEANT for act, odds in likely.items()}
        whole = added(both.values())
        likely = {act: odds / whole for act, odds in both.items()}
    act = max(likely, key=lambda act: likely[act])
    return Judged(cast(Intent, act), likely[act])


def settled(act: Intent, *, stated: bool) -> Intent:
    """The act once it is known whether anything was ``stated``: a fact, a network, a doubt about one. Words alone
    cannot tell."""
    return ("describe" if stated else "unclear") if act in ("describe", "unclear") else act


def spoken_for(
    text: Text, quantities: Sequence[Quantity], learned: Acts, *, asked: str | None = None, known: Collection[str] = ()
) -> set[Intent]:
    """The acts for which a wording speaks."""
    source = _source(text, quantities)
    hits = learned.wordings.hits(source) + [hit for at in range(_OPENING) for hit in learned.openings.at(source, at)]
    quiet = {n for n, speaks in (hit.key for hit in hits) if not speaks}
    speaking = {n for n, speaks in (hit.key for hit in hits) if speaks} - quiet
    here = _here(text, asked, known)
    return {cast(Intent, learned.rules[n].decides) for n in speaking if learned.rules[n].when <= here}


def _here(text: Text, asked: str | None, known: Collection[str]) -> set[str]:
    question = any(token.text == "?" for token in text.tokens)
    return {"asked" if asked else "unasked", "question" if question else "statement", "known" if known else "new"}


def _source(text: Text, quantities: Sequence[Quantity]) -> Source:
    starting: dict[int, list[Quantity]] = defaultdict(list)
    for quantity in quantities:
        starting[quantity.start].append(quantity)
    return Source(text.tokens, starting)


# -- what is weighed ---------------------------------------------------------------------------------------


def features(
    text: Text, quantities: Sequence[Quantity], learned: Acts, *, asked: str | None = None, known: Collection[str] = ()
) -> list[str]:
    """The words, pairs and triples of a message between marks of its ends, the stems of all words, the acts for which a
    wording speaks, and what it is made of.

    Where an account ends in a question the question is looked at, and of the account only its words.
    """
    words = _words(text.tokens, quantities)
    cut = _question_at(words)
    told = words[:cut] if any(word[0] == "_" for word in words[:cut]) else []
    rest = [word for word in words[len(told) :] if word not in (",", ".")]
    row = ["_told" if told else "_begin", *rest, "_end"]
    found = {" ".join(row[n : n + size]) for size in range(1, _LONGEST + 1) for n in range(len(row) - size + 1)}
    found.update("<" + word for word in told if word[0].isalpha())
    found.update("~" + token.stem for token in text.tokens if token.is_word)
    found.update("=wording " + act for act in spoken_for(text, quantities, learned, asked=asked, known=known))
    found.add("=known" if known else "=new")
    return sorted(found | set(_made_of(words, rest, quantities, asked)))


def _made_of(words: Sequence[str], rest: Sequence[str], quantities: Sequence[Quantity], asked: str | None) -> list[str]:
    """What a message is made of: networks, facts and amounts, its length, its mark, how it opens, what was asked."""
    facts = _FACTS & {_KINDS.get(q.kind, q.kind) for q in quantities}
    networks = len({q.value for q in quantities if q.kind == "network"})
    opening = next((word for word in rest if word not in _OPENS), "")
    return [
        f"=networks {min(networks, 2)}",
        f"=facts {min(len(facts), 3)}",
        f"=amounts {min(sum(word[0] == '_' for word in rest), 5)}",
        f"=length {min(len(rest) // 5, 5)}",
        f"=asked {asked}",
        "=asked" if asked else "=unasked",
        "=question" if "?" in words[-2:] else "=question inside" if "?" in words else "=statement",
        "=opens " + ("asking" if opening in _ASKS else opening if opening[:1] == "_" else "telling"),
    ]


def _question_at(words: Sequence[str]) -> int:
    """Where the last clause begins that begins as questions do; 0 where none does."""
    for n in range(len(words) - 1, 0, -1):
        if words[n - 1] in _BREAKS:
            asks = next((word for word in words[n:] if word not in _OPENS), "")
            if asks in _ASKS:
                return n
    return 0


def _words(tokens: Sequence[Token], quantities: Sequence[Quantity]) -> list[str]:
    """The words of a message as they are weighed: amounts and names as their kind, contractions in two."""
    longest: dict[int, Quantity] = {}
    for quantity in quantities:
        other = longest.get(quantity.start)
        if other is None or _rank(quantity) > _rank(other):
            longest[quantity.start] = quantity
    words: list[str] = []
    at = 0
    while at < len(tokens):
        quantity = longest.get(at)
        words += ["_" + _KINDS.get(quantity.kind, quantity.kind)] if quantity else _word(tokens[at].text)
        at = quantity.end if quantity else at + 1
    return words


def _rank(quantity: Quantity) -> tuple[int, bool, str]:
    return quantity.end - quantity.start, quantity.kind not in _LESS_TELLING, quantity.kind


def _word(text: str) -> list[str]:
    head, mark, tail = text.partition("'")
    if mark and tail == "t" and head.endswith("n"):
        return [_NEGATED.get(head[:-1], head[:-1]), "not"]
    if mark and tail:
        return [head, "'" + tail]
    if text in _BREAKS:
        return ["?" if text == "?" else "," if text in ",;:" else "."]
    return [text] if text[0].isalpha() or text == "/" else []
