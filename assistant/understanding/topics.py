"""What a message asks: its topic, and which sign or quantity plays which role. The wordings are
``knowledge/language/topics.yaml``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from assistant.vocabulary.questionnaire import FIELDS

from .networks import Mention, is_in_bytes
from .numbers import binary
from .templates import Compiler, Hit, Matcher, Source
from .text import Text, Tokens, cut

_JOB = ("training.", "inference.", "parallelism")
_CLUSTER = ("cluster.gpu", "cluster.gpus", "cluster.gpus_per_node", "cluster.nics_per_node")
_HOURLY = 100.0  # US dollars: no GPU-hour costs as much
# Roles by the sign whose template names the quantity.
_VALUED = {"bytes": "payload", "requests": "requests", "tokens": "context", "prompt": "prompt", "days": "so_long",
           "so_many": "so_many", "gpu_named": "named_gpu", "bare_price": "bare_price", "work": "work_sold",
           "device": "device_named", "ranks": "expert_apart"}  # fmt: skip
_TWICE = frozenset({"time", "money", "decimal"})  # kinds of which a topic may need two
_FASTEST = 1600.0  # Gb/s of an adapter


@dataclass(frozen=True)
class Heard:
    """A message as the stages before left it. ``told`` is what the conversation knows, ``explained`` tokens of facts
    and names."""

    text: Text
    source: Source
    fields: Mapping[str, Any]
    told: Mapping[str, Any]
    mentions: Sequence[Mention] = ()
    fabrics: Sequence[str] = ()
    explained: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Question:
    """``topic`` is what is asked of a job described; ``of_plan`` what is asked of the plan at hand, where nothing else
    is said."""

    topic: str | None = None
    of_plan: str | None = None
    roles: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class _Topic:
    name: str
    says: tuple[tuple[str, ...], ...]
    alone: tuple[tuple[str, ...], ...]
    needs: tuple[tuple[str, ...], ...]
    refused: tuple[str, ...]
    unless: tuple[str, ...]
    also: frozenset[str]
    of: str
    aloud: bool


@dataclass
class _Seen:
    """What a message shows: hits by template, values by sign, names of known facts."""

    templates: dict[str, list[Hit]]
    signs: dict[str, tuple[Any, ...]]
    places: dict[str, list[Hit]]
    facts: set[str]

    def has(self, condition: str) -> bool:
        name = condition.removeprefix("@")
        return (name in self.signs or name in self.facts) if condition.startswith("@") else condition in self.templates

    def knows(self, either: Iterable[str]) -> bool:
        return any(name in self.facts or name in self.signs for name in either)


class Topics:
    """The topics of a language, compiled once."""

    def __init__(self, data: Mapping[str, Any], words: Mapping[str, str]) -> None:
        compiler = Compiler({**words, **data["sets"]})
        self._topics = [_topic(one) for one in data["topics"]]
        self._silent, self._unless = tuple(data["silent"]), tuple(data["unless"])
        self._filler = frozenset(data["filler"].split())
        self._networks = frozenset(data["network_words"].split())
        inline = {c for t in self._topics for c in _conditions(t) if not c.startswith("@")}
        values = [
            (("value", f.path, ""), data["value"].replace("WORDS", "|".join(f.about.words)))
            for f in FIELDS.values()
            if f.about.words
        ]
        self._matcher = Matcher(
            compiler, [*_signs(data["signs"]), *((("", c, ""), c) for c in sorted(inline)), *values]
        )

    def ask(self, heard: Heard) -> Question:
        """The topic and roles of a message."""
        seen = self._seen(heard)
        roles = _roles(heard, seen)
        seen.facts |= set(roles)
        silent = any(seen.has(sign) for sign in self._silent)
        heeded = (t for t in self._topics if t.of != "plan" and (t.aloud or not silent))
        topic = next((t.name for t in heeded if _is_asked(t, seen)), None)
        return Question(topic, self._of_plan(heard, seen), roles)

    def roles_of(self, text: str) -> Mapping[str, Any]:
        """The roles of a text of the house's own, without names and numbers."""
        heard = Heard(Text(text, Tokens(cut(text))), Source(cut(text), {}), {}, {})
        return _roles(heard, self._seen(heard))

    def _seen(self, heard: Heard) -> _Seen:
        templates: dict[str, list[Hit]] = {}
        found: dict[str, list[tuple[int, Any, Hit]]] = {}
        quiet: dict[str, list[Hit]] = {}
        for hit in self._matcher.hits(heard.source):
            sign, what, _ = hit.key
            if not sign:
                templates.setdefault(what, []).append(hit)
            elif what == "quiet":
                quiet.setdefault(sign, []).append(hit)
            else:
                found.setdefault(sign, []).append((hit.start, what, hit))
        signs, places = {}, {}
        for sign, hits in found.items():
            seen = [
                one
                for one in sorted(hits, key=lambda one: one[0])
                if not any(_hides(q, one[2]) for q in quiet.get(sign, ()))
            ]
            if seen:
                signs[sign] = tuple(dict.fromkeys(_value(what, hit) for _, what, hit in seen))
                places[sign] = [hit for _, _, hit in seen]
        return _Seen(templates, signs, places, _facts(heard))

    def _of_plan(self, heard: Heard, seen: _Seen) -> str | None:
        """The topic whose wordings hold most of the message, where every other word says nothing of its own."""
        if any(map(seen.has, self._unless)):
            return None
        states = "order" in seen.signs and "asked_anyway" not in seen.signs
        heeded = [topic for topic in self._topics if topic.aloud or not states]
        meant = {
            topic.name: self._explains(topic, heard, seen) for topic in heeded if _may_be_of_plan(topic, heard, seen)
        }
        meant |= {
            topic.name: len(heard.source.tokens) for topic in heeded if topic.of == "plan" and _is_asked(topic, seen)
        }
        best = max(meant, key=lambda name: meant[name], default=None)
        return best if best and meant[best] else None

    def _explains(self, topic: _Topic, heard: Heard, seen: _Seen) -> int:
        """How many words of the message the best line of a topic explains, facts aside; 0 where one is left over."""
        return max((self._explained(topic, line, heard, seen) for line in topic.alone), default=0)

    def _explained(self, topic: _Topic, line: Sequence[str], heard: Heard, seen: _Seen) -> int:
        own: set[int] = set()
        for template in line:
            hits = [hit for hit in seen.templates.get(template, ()) if set(hit.own) - heard.explained]
            if not hits:
                return 0
            own.update(*(hit.claimed for hit in hits))
        known = self._filler | topic.also | (self._networks if heard.fabrics else frozenset())
        left = (
            token
            for at, token in enumerate(heard.source.tokens)
            if (token.is_word or token.is_number)
            and at not in own
            and at not in heard.explained
            and token.text not in known
        )
        return 0 if any(left) else len(own - heard.explained)


def _may_be_of_plan(topic: _Topic, heard: Heard, seen: _Seen) -> bool:
    return topic.of != ("nothing" if heard.fabrics else "networks") and not any(map(seen.has, topic.unless))


def carried(fields: Mapping[str, Any], told: Mapping[str, Any]) -> dict[str, Any]:
    """What a question leaves out and the conversation knows; the settings of its job only for the very same job."""
    names_model, names_scale = any(_is_model(name) for name in fields), any(name in fields for name in _CLUSTER)
    found = {} if names_scale else {name: told[name] for name in _CLUSTER if name in told}
    if not names_model:
        found |= {name: value for name, value in told.items() if _is_model(name)}
    if not names_model and not names_scale:
        found |= {name: value for name, value in told.items() if name.startswith(_JOB) or name == "workload"}
    return {name: value for name, value in found.items() if name not in fields}


def _is_model(name: str) -> bool:
    return name == "model" or name.startswith("model.")


def _topic(data: Mapping[str, Any]) -> _Topic:
    needs = tuple(tuple(either.split("|")) for either in data.get("needs", ()))
    refused = (*data.get("not", ()), *(f"@{fact}" for fact in data.get("without", ())))
    return _Topic(
        data["topic"], _lines(data.get("says", ())), _lines(data.get("alone", ())),
        needs, refused, tuple(data.get("unless", ())), frozenset(data.get("also", "").split()), data.get("of", ""),
        data.get("aloud", False),
    )  # fmt: skip


def _lines(lines: Iterable[str | Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    return tuple((line,) if isinstance(line, str) else tuple(line) for line in lines)


def _conditions(topic: _Topic) -> Iterable[str]:
    return (*(c for line in (*topic.says, *topic.alone) for c in line), *topic.refused, *topic.unless)


def _signs(signs: Mapping[str, Any]) -> Iterable[tuple[tuple[str, Any, str], str]]:
    for name, told in signs.items():
        values = told if isinstance(told, dict) else {"says": told}
        yield from (
            ((name, True if value == "says" else value, t), t) for value, templates in values.items() for t in templates
        )


def _hides(quiet: Hit, hit: Hit) -> bool:
    return quiet.start <= hit.start and hit.end <= quiet.end


def _value(what: Any, hit: Hit) -> Any:
    """What a sign tells: its value, or the quantity that the template names for it."""
    slot = next((quantity for role, quantity in hit.slots.items() if role in _VALUED), None)
    return what if slot is None else binary(slot) if "tokens" in hit.slots else slot.value


def _is_asked(topic: _Topic, seen: _Seen) -> bool:
    said = any(all(map(seen.has, line)) for line in topic.says)
    return said and all(map(seen.knows, topic.needs)) and not any(map(seen.has, topic.refused))


def _facts(heard: Heard) -> set[str]:
    """The names of what is known: paths of fields, ``model``, ``network``; with ``said`` behind where the message
    itself says it; ``two time`` where two lengths are named."""
    said, known = set(heard.fields), {*heard.fields, *carried(heard.fields, heard.told)}
    facts = known | {f"{name} said" for name in said}
    every = {(q.kind, q.value) for starting in heard.source.starting.values() for q in starting if q.kind in _TWICE}
    facts |= {f"two {kind}" for kind, many in Counter(kind for kind, _ in every).items() if many > 1}
    if any(_is_model(name) for name in known):
        facts |= {"model"}
    if any(_is_model(name) for name in said):
        facts |= {"model said"}
    if "model" in said:
        facts |= {"model-name said"}
    if heard.fabrics or "cluster.fabric" in heard.told:
        facts |= {"network", *(["network said"] if heard.fabrics else [])}
    return facts


# -- roles -------------------------------------------------------------------------------------------------


def _roles(heard: Heard, seen: _Seen) -> dict[str, Any]:
    """What the topic is asked with: the collective, the bytes of a message, bare speeds, two prices, what a yes would
    mean."""
    signs = seen.signs
    roles: dict[str, Any] = {name: values[0] for name, values in signs.items() if name in ("collective",)}
    roles |= {role: signs[sign][0] for role, sign in _VALUED.items() if sign in signs}
    if "bytes" in roles:
        roles["bytes"] *= 1e9
    speeds, byte_rate = _speeds(heard)
    if speeds:
        roles |= {"speeds": speeds}
        seen.facts.add("network")
    if byte_rate:
        roles["byte_rate"] = byte_rate
    prices = _premium(heard, signs)
    if prices is not None:
        roles["premium"], roles["price"] = prices
    roles["stance"] = stance(signs.get("stance", ()))
    roles["signs"], roles["places"] = signs, _places(heard, seen)
    if "value" in signs and "definition" not in signs:
        roles["value"] = signs["value"][0]
    roles["left_out"] = _left_out(heard, seen)
    term = _term(heard, seen)
    return roles | ({"term": term} if term else {})


def _places(heard: Heard, seen: _Seen) -> dict[str, tuple[tuple[int, int], ...]]:
    """Where in what was typed every sign stands, one of several values with it (``network_of=roce``), and every
    quantity of a template by its role (``{less}``)."""
    found: dict[str, dict[tuple[int, int], None]] = {}
    for sign, hits in seen.places.items():
        for hit in hits:
            value = hit.key[1]
            named = sign if value is True else f"{sign}={value}"
            spans = {named: (hit.start, hit.end), **{f"{{{role}}}": (q.start, q.end) for role, q in hit.slots.items()}}
            for name, (start, end) in spans.items():
                tokens = heard.text.tokens[start:end]
                found.setdefault(name, {})[tokens[0].start, tokens[-1].end] = None
    return {name: tuple(spans) for name, spans in found.items()}


def _speeds(heard: Heard) -> tuple[tuple[float, ...], float | None]:
    """Gb/s said without a technology, and the first rate said in bytes ("50 GB/s") as bytes per second."""
    named = {at for mention in heard.mentions for at in mention.claimed}
    rates = [q for starting in heard.source.starting.values() for q in starting if q.kind == "rate"]
    speeds: dict[float, None] = {}
    byte_rate = None
    for q in sorted(rates, key=lambda q: q.start):
        if byte_rate is None and (is_in_bytes(heard.text.typed(q.start, q.end)) or "byte" in q.unit):
            byte_rate = q.value * 1e9 / 8
        if q.start not in named and q.value <= _FASTEST:
            speeds[q.value] = None
    return tuple(speeds), byte_rate


def _premium(heard: Heard, signs: Mapping[str, Any]) -> tuple[float, float] | None:
    """Dollars per GPU-hour on top, and without: as understood, else of two amounts the smaller where one is called a
    premium."""
    fields = heard.fields
    if "budget.fabric_premium_gpu_hour_usd" in fields:
        price = fields.get("budget.gpu_hour_usd") or next(iter(signs.get("bare_price", ())), None)
        if price is not None:
            return fields["budget.fabric_premium_gpu_hour_usd"], float(price)
    starts = {q.start: float(q.value) for s in heard.source.starting.values() for q in s if q.kind == "money"}
    amounts = list(starts.values())
    said = len(amounts) == 2 and "surcharge" in signs and max(amounts) < _HOURLY
    return (min(amounts), max(amounts)) if said else None


def stance(values: Iterable[str]) -> str:
    """What a yes would mean: needed, enough, worth, left-out, too-little, or ``unclear`` where it could be read either
    way."""
    found = set(values)
    for decides in ("unclear", "too-little"):
        if decides in found:
            return decides
    if "left-out" in found:
        return "unclear" if found & {"needed", "worth"} else "left-out"
    found = found - {"runs"} or ({"enough"} if "runs" in found else set())
    return found.pop() if len(found) == 1 else "unclear"


def _left_out(heard: Heard, seen: _Seen) -> str | None:
    """The technology that is to be left out, ``rdma`` for all that have it."""
    if "left-out" not in seen.signs.get("stance", ()):
        return None
    tokens = heard.source.tokens
    cue = next((at for at, t in enumerate(tokens) if t.text in ("without", "away", "out", "drop", "skip")), len(tokens))
    named = [m.technology for m in heard.mentions if m.start >= cue]
    return "rdma" if any(t.text == "rdma" for t in tokens[cue:]) else next(iter(named), None)


def _term(heard: Heard, seen: _Seen) -> str | None:
    """The words between "what is" and what may stand behind: the word whose meaning is asked."""
    tokens = heard.source.tokens
    start = max((hit.end for hit in seen.places.get("meaning_before", ())), default=None)
    if start is None:
        return None
    end = next(
        (at for at in range(start, len(tokens)) if not any(t.is_word or t.is_number for t in tokens[at:])), len(tokens)
    )
    end = min((hit.start for hit in seen.places.get("meaning_after", ()) if hit.start > start), default=end)
    return heard.text.typed(start, end) or None
