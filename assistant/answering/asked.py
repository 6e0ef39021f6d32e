"""What a question says: the facts the understanding finds, a number of bytes, a bare speed, slips of the finger corrected."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from assistant.planning.resolve import Assumptions
from assistant.vocabulary.answers import Understanding
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.plan import Assumption

Understand = Callable[..., Understanding]
USUAL_GPU = "h100-sxm"

# What the questions are recognised by. A word that is no English word and one slip away from one of these is taken for it.
_WORDS = (
    "allreduce allgather reduce scatter gradients gradient parameters parameter memory cache context ethernet infiniband "
    "bandwidth switches switch cables optics network slowdown slower faster training train inference breakeven nodes node "
    "tokens weights broadcast crossover throughput traffic bytes step premium worth"
).split()
_TOO_NEAR = frozenset(
    "trained trainer trains steps stop strep nods noted notes mode modes word words token weight cable "
    "optic switched slow fast brother worthy gradual reduced reduces catch".split()
)
_LIKENESS = 0.8
_WORD = re.compile(r"(?<![\w.$/-])[a-z]{5,}(?![\w])")
_ESCAPE = re.compile(r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b(?:\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_ALIKE = str.maketrans(
    {
        "×": "x",
        "–": "-",
        "—": "-",
        "−": "-",
        "‑": "-",
        "’": "'",
        "‘": "'",
        "“": '"',
        "”": '"',
        "\u00a0": " ",
        "\u202f": " ",
    }
)

_BYTES = re.compile(
    r"(?<![\w.$])(?P<n>\d+(?:,\d{3})*(?:\.\d+)?)\s?(?:(?P<k>[kmgt])(?P<i>i)?b(?:ytes?)?|(?P<word>kilo|mega|"
    r"giga|tera)bytes?|"
    r"(?P<plain>bytes?))(?!\w)(?!\s?(?:/|per\b|ps\b|h100|a100|h200|b200|sxm|eth|infini|ib\b|roce|rdma|nic|"
    r"link|vram|hbm|(?:of )?(?:gpu )?memory))"
)
_GPU_BEFORE = re.compile(r"(?:[abhv]\d{3}|sxm\d?|pcie|mi\d{3}x?)[\s(-]*$")
# "Isn't Ethernet enough for 70B?" denies nothing: it is about Ethernet and about 70B.
_NEGATIVE_QUESTION = re.compile(
    r"^\W*(?:(?:and|but|so|then)\W+)*(?P<verb>is|are|do|does|would|could|can|will|wo|should|must)(?:n't|'t|n`t)\b"
)
# What makes a sentence a comparison, or a question about doing without a network; without it the same words describe a job.
_COMPARING = re.compile(
    r"\bwithout\b|\b(?:(?:by )?how (?:much|many times) )?(?:slower|faster|longer)\b|\bthan\b|^\W*by how much\b"
)
_DECIMAL = {"k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}
_BINARY = {"k": 2.0**10, "m": 2.0**20, "g": 2.0**30, "t": 2.0**40}
_PER_SECOND = r"(?:bps|b/s|bit/s|bits?\s?/\s?s|bit|b per s\w*)"
# "100G" is a speed, "1T" a number of tokens.
_SPEED = re.compile(rf"(?<![\w.$])(?P<n>\d+(?:\.\d+)?)\s?(?:(?P<t>t){_PER_SECOND}|g(?:{_PER_SECOND}|(?![\w])))")


_BYTE_RATE = re.compile(r"(?<![\w.$])(?P<n>\d+(?:\.\d+)?)\s?(?P<k>[KkMGT])(?P<i>i)?B\s?(?:/\s?s|ps|per s)")


@dataclass(frozen=True)
class Asked:
    """A question as the computations see it.

    ``text`` is lower-cased and corrected; ``fields`` are dotted questionnaire paths, ``told`` those of them that come from
    the conversation and not from the question. ``bytes_``: the size of a message. ``speeds``: Gb/s said without a technology.
    ``byte_rate``: bytes per second, where a capital B says that no bits are meant.
    """

    text: str
    fields: Mapping[str, Any]
    fabrics: tuple[str, ...] = ()
    bytes_: float | None = None
    speeds: tuple[float, ...] = ()
    told: Mapping[str, Any] = field(default_factory=dict)
    corrected: tuple[Assumption, ...] = ()
    byte_rate: float | None = None

    def has(self, pattern: re.Pattern[str]) -> bool:
        """Whether the question contains it."""
        return pattern.search(self.text) is not None

    @property
    def names_model(self) -> bool:
        return _names_model(self.fields)

    def with_size(self, gpus: int, taken: Assumptions, *, always: bool = False) -> Asked:
        """The same with a number of GPUs, assumed where none is said, or in any case."""
        if always:
            return replace(self, fields=dict(self.fields) | {"cluster.gpus": gpus})
        if "cluster.gpus" in self.fields:
            return self
        return replace(
            self,
            fields=dict(self.fields)
            | {"cluster.gpus": taken.take("cluster.gpus", gpus, "not said: the number of GPUs")},
        )


def _names_model(fields: Mapping[str, Any]) -> bool:
    return any(name == "model" or name.startswith("model.") for name in fields)


@dataclass(frozen=True)
class _Known:
    """What the understanding is told beforehand: a GPU, so that nodes can be counted."""

    fields: dict[str, Any]
    asked: str | None = None
    changed: tuple[str, ...] = ()


def read(question: str, understand: Understand, catalog: Catalog, told: Mapping[str, Any] | None = None) -> Asked:
    """``question`` read by ``understand``; ``told`` is what a conversation knows and fills what the question leaves out."""
    text, corrected = spelled(plain(question))
    told = dict(told or {})
    positive = _NEGATIVE_QUESTION.sub(lambda match: match["verb"].replace("wo", "will"), text)
    meaning = understand(positive, context=_Known({"cluster.gpu": told.get("cluster.gpu", USUAL_GPU)}), catalog=catalog)
    fields = dict(meaning.fields)
    if meaning.intent == "compare" or (meaning.intent == "ask" and not _names_model(fields)):
        fields = _of_the_job(text, fields, understand, catalog) | fields
    fabrics = list(
        dict.fromkeys([*meaning.fabrics, *([fields["cluster.fabric"]] if "cluster.fabric" in fields else [])])
    )
    filled, speeds = _from_the_conversation(fields, told), _speeds(plain(_in_bits(question)), fabrics, catalog)
    if told.get("cluster.fabric") in catalog.fabrics and not fabrics and not speeds:
        fabrics = [told["cluster.fabric"]]
        filled["cluster.fabric"] = fabrics[0]
    return Asked(
        text, {**filled, **fields}, tuple(fabrics), _bytes(text), speeds, filled, corrected, _byte_rate(question)
    )


def plain(question: str) -> str:
    """Lower case, without terminal escapes and control characters, typographic variants unified."""
    text = _ESCAPE.sub(" ", question).translate(_ALIKE)
    return " ".join("".join(c if c.isprintable() else " " for c in text).lower().split())


def spelled(text: str) -> tuple[str, tuple[Assumption, ...]]:
    """The text with mistyped words of the questions corrected, and what was read as what."""
    notes: list[Assumption] = []

    def corrected(match: re.Match[str]) -> str:
        word = match[0]
        near = difflib.get_close_matches(word, _WORDS, 1, _LIKENESS)
        if not near or _is_another_word(word, near[0]):
            return word
        notes.append(Assumption(field="question", value=near[0], why=f'"{word}" is read as "{near[0]}"'))
        return near[0]

    return _WORD.sub(corrected, text), tuple(notes)


def _is_another_word(word: str, near: str) -> bool:
    """Whether a word is right as it stands, or too far from the known one to be a slip."""
    if word in _WORDS or word in _TOO_NEAR or word[0] != near[0] or abs(len(near) - len(word)) > 1:
        return True
    return word.rstrip("s") == near.rstrip("s") or word.startswith(near)


def _of_the_job(text: str, known: Mapping[str, Any], understand: Understand, catalog: Catalog) -> dict[str, Any]:
    """How the job in question is described: a comparison of two networks, or the wish to do without
    one, may hide it; the same words as a statement do not."""
    if not _COMPARING.search(text):
        return {}
    said = understand(_COMPARING.sub(",", text), context=_Known({"cluster.gpu": USUAL_GPU}), catalog=catalog)
    wanted = ("parallelism", "training.") if _names_model(known) else ("model", "parallelism", "training.")
    return {name: value for name, value in said.fields.items() if name.startswith(wanted)}


_CLUSTER = ("cluster.gpu", "cluster.gpus", "cluster.gpus_per_node", "cluster.nics_per_node")


def _from_the_conversation(fields: Mapping[str, Any], told: Mapping[str, Any]) -> dict[str, Any]:
    """What the question left out and the conversation knows; its job's settings only for the very same job."""
    names_model = _names_model(fields)
    names_scale = any(name in fields for name in _CLUSTER)
    found = {} if names_scale else {name: told[name] for name in _CLUSTER if name in told}
    if not names_model:
        found |= {name: value for name, value in told.items() if name == "model" or name.startswith("model.")}
    if not names_model and not names_scale:
        found |= {
            name: value
            for name, value in told.items()
            if name.startswith(("training.", "parallelism")) or name == "workload"
        }
    return {name: value for name, value in found.items() if name not in fields}


def _bytes(text: str) -> float | None:
    for match in _BYTES.finditer(text):
        if _GPU_BEFORE.search(text[: match.start()]):
            continue
        scale = 1.0 if match["plain"] else (_BINARY if match["i"] else _DECIMAL)[(match["k"] or match["word"])[0]]
        return float(match["n"].replace(",", "")) * scale
    return None


def _byte_rate(question: str) -> float | None:
    """Bytes per second: "50 GB/s", unlike "50 Gb/s"."""
    match = _BYTE_RATE.search(question.translate(_ALIKE))
    return _rate(match) if match else None


def _rate(match: re.Match[str]) -> float:
    return float(match["n"]) * (_BINARY if match["i"] else _DECIMAL)[match["k"].lower()]


def _in_bits(question: str) -> str:
    """Rates in bytes, told by their capital letter, as rates in bits: a link of 50 GB/s is one of 400 Gb/s."""
    return _BYTE_RATE.sub(lambda match: f"{_rate(match) * 8 / 1e9:g} gb/s", question)


def _speeds(text: str, fabrics: list[str], catalog: Catalog) -> tuple[float, ...]:
    """Speeds that no named fabric has: "400 Gb/s" beside "400 Gb/s InfiniBand" is no second network."""
    named = {round(rate.si * 8 / 1e9, 3) for fabric in fabrics if (rate := catalog.fabrics[fabric].line_rate)}
    found = [float(match["n"]) * (1000.0 if match["t"] else 1.0) for match in _SPEED.finditer(text)]
    return tuple(dict.fromkeys(speed for speed in found if speed not in named and speed <= 1600.0))
