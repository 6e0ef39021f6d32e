"""The questionnaire while it is being filled in: dotted fields, checked, with every earlier state kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import lcm
from typing import Any

from pydantic import ValidationError

from assistant.library.questionnaires import from_value, nested
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.errors import InputError, Place
from assistant.vocabulary.questionnaire import SERVING, Questionnaire, Quote
from assistant.vocabulary.utterance import Doubt

EXCLUDED = "constraints.excluded_fabrics"
QUOTES = "budget.quotes"
# The same thing in a job that trains and in one that serves.
_COUNTERPARTS = {
    "training.precision": "inference.precision",
    "training.sequence_length": "inference.prompt_tokens",
    "inference.precision": "training.precision",
}
# How much a job in bulk writes.
_OF_BULK = {**_COUNTERPARTS, "training.tokens": "inference.tokens"}
# What is said of an engine is said of the one that writes the answers to learn from, in a job that does.
_OF_ROLLOUTS = {
    "inference.output_tokens": "rl.response_tokens",
    "inference.prompt_tokens": "rl.prompt_tokens",
    "inference.tensor_parallel": "rl.rollout_tensor_parallel",
    "inference.precision": "rl.rollout_precision",
}
NODES = "cluster.nodes"  # no field of a questionnaire: kept until the number of GPUs is said itself
_DIMENSIONS = {"model.layers", "model.ffn", "model.heads", "model.vocab"}
_DEGREES = tuple(f"parallelism.{degree}" for degree in ("tp", "pp", "cp", "dp"))
_DIVIDES_THE_GPUS = (*_DEGREES, "cluster.sites", "cluster.gpus_per_node")
_QUOTED_FOR = {  # what a quote was asked for, and why it is of no other
    "cluster.gpu": "it was for another GPU",
    "cluster.gpus": "the sum is for another number of GPUs: ask for a new one",
    "budget.mode": "what is let says nothing of a purchase, nor the other way round",
}
_THERE = ("budget.owned", "budget.owned_gpus")
_IN_BULK = {"inference.tokens": "inference.requests", "inference.requests": "inference.tokens"}
_LENGTHS = ("training.tokens", "training.days", "training.steps")


@dataclass(frozen=True)
class InDoubt:
    """Something that was said and not taken, and whether the person was ``asked`` what it means."""

    doubt: Doubt
    asked: bool = False

    @property
    def meanings(self) -> tuple[dict[str, Any], ...]:
        """The fields that each of its meanings sets, the likeliest first."""
        return self.doubt.meanings

    @property
    def unlikely(self) -> bool:
        """Whether the words around it do not speak for it."""
        return self.doubt.unlikely

    @property
    def waits(self) -> bool:
        """Whether it has yet to be asked about; what is hardly likely is told when it is said, and waits for no
        answer."""
        return not (self.asked or self.unlikely)

    @property
    def fields(self) -> frozenset[str]:
        return frozenset(path for meaning in self.meanings for path in meaning)


@dataclass(frozen=True)
class Draft:
    """What has been said so far. Immutable: each change makes a new draft whose ``parent`` is the one before.

    ``asked`` is the field of the open question, ``left_open`` the questions answered with "not sure",
    ``changed`` every field in the order it was last said, ``nodes`` the nodes from which the GPUs are counted, or will
    be once it is known how many are in one; ``in_doubt`` what was said and not taken.
    """

    fields: dict[str, Any] = field(default_factory=dict)
    asked: str | None = None
    left_open: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    parent: Draft | None = field(default=None, repr=False, compare=False)
    nodes: int | None = None
    in_doubt: tuple[InDoubt, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether the fields without which nothing can be planned are known."""
        return not self.missing

    @property
    def missing(self) -> tuple[str, ...]:
        inline = any(name in self.fields for name in ("model.params", "model.layers", "model.hidden"))
        said = {*self.fields, *(("model",) if inline else ())}
        gpus = () if self.serves else ("cluster.gpu", "cluster.gpus")  # of a service the load says how many
        return tuple(name for name in ("workload", "model", *gpus) if name not in said)

    @property
    def told(self) -> dict[str, Any]:
        """The fields as they are read back: of what is there already it goes without saying that it is not rented."""
        there = self.fields.get("budget.owned", "nothing") != "nothing"
        return {name: value for name, value in self.fields.items() if not (there and name == "budget.mode")}

    @property
    def serves(self) -> bool:
        return self.fields.get("workload") in SERVING

    def per_node(self, catalog: Catalog) -> int | None:
        """GPUs in a node: as said, else as the GPU usually comes."""
        return _per_node(self.fields, catalog)

    def leave_open(self, name: str) -> Draft:
        """The question was answered with "not sure"."""
        return replace(self, left_open=(*(n for n in self.left_open if n != name), name), parent=self)

    def with_fields(self, changes: Mapping[str, Any], catalog: Catalog) -> Change:
        """The draft after ``changes``; a field that is ``None`` there is taken back and not asked for again.

        Raises :class:`InputError` with the field when they cannot be.
        """
        fields = dict(self.fields)
        set_aside: dict[str, str] = {}
        taken_back = tuple(name for name, value in changes.items() if value is None)
        for name in taken_back:
            fields.pop(name, None)
        nodes = changes.get(NODES, None if "cluster.gpus" in changes else self.nodes)
        changes = {name: value for name, value in changes.items() if value is not None and name != NODES}
        changes = _in_its_section(changes, fields, set_aside)
        if changes.get("budget.owned", "nothing") != "nothing":
            changes.setdefault("budget.mode", "buy")
        if self.asked == "cluster.fabric" and "cluster.fabric" in changes and fields.get("budget.owned") == "machines":
            changes.setdefault("budget.owned", "everything")  # which network is there was asked
        for name, value in changes.items():
            for other, why in _displaced(name, value, fields, changes).items():
                fields.pop(other, None)
                set_aside[other] = why
            fields[name] = value
        _readmit(fields, changes)
        nodes = _count(fields, nodes, self.nodes, catalog)
        set_aside |= _of_another_job(self.fields, fields)
        _check(fields, catalog)
        changed = (*(n for n in self.changed if n not in changes and n in fields), *changes)
        left_open = (*(n for n in self.left_open if n not in changes and n not in taken_back), *taken_back)
        settled = {*changes, *taken_back}
        doubts = tuple(one for one in self.in_doubt if not settled & one.fields)
        return Change(Draft(fields, self.asked, left_open, changed, self, nodes, doubts), set_aside)

    def doubting(self, doubts: Iterable[Doubt]) -> Draft:
        """With what was said and not taken: no step of its own."""
        new = tuple(InDoubt(one) for one in doubts if one.meanings)
        told = frozenset(path for one in new for path in one.fields)
        return replace(self, in_doubt=(*(one for one in self.in_doubt if not told & one.fields), *new))

    def asking_about(self, doubt: Doubt) -> Draft:
        """With a question about what is in doubt: no step of its own."""
        in_doubt = (replace(one, asked=one.asked or one.doubt == doubt) for one in self.in_doubt)
        return replace(self, asked=doubt.field, in_doubt=tuple(in_doubt))

    def trial(self, changes: Mapping[str, Any], catalog: Catalog) -> Change:
        """As :meth:`with_fields`, of what is only tried: of another number of GPUs no more are there than were said,
        and beside a rent stands what is there."""
        now, sizes = self.fields.get("cluster.gpus"), changes.keys() & {"cluster.gpus", NODES}
        owned = self.fields.get("budget.owned", "nothing") != "nothing"
        there = owned and "budget.owned_gpus" not in self.fields
        if owned and changes.get("budget.mode") == "buy":
            changes = {name: value for name, value in changes.items() if name != "budget.mode"}
        if now and sizes and there and not changes.keys() & {*_THERE, "budget.mode", "cluster.gpu"}:
            changes = {**changes, "budget.owned_gpus": now}
        return self.with_fields(changes, catalog)

    def questionnaire(self, catalog: Catalog) -> Questionnaire:
        """The checked questionnaire. Raises :class:`InputError` when something needed is missing or cannot be."""
        if self.missing:
            raise InputError("is needed and was not said yet", Place(field=self.missing[0]))
        return from_value(nested(self.fields), catalog)


@dataclass(frozen=True)
class Change:
    """A new draft and the fields that had to give way, each with the reason."""

    draft: Draft
    set_aside: dict[str, str]


def _in_its_section(changes: Mapping[str, Any], fields: Mapping[str, Any], set_aside: dict[str, str]) -> dict[str, Any]:
    """What a job of this kind has: the precision and length of a served model are fields of their own, the rest is set
    aside."""
    workload = changes.get("workload", fields.get("workload"))
    if workload is None:
        return dict(changes)
    elsewhere = ("training.", "rl.") if workload in SERVING else ("inference.",)
    elsewhere = elsewhere if workload == "rlhf" else (*elsewhere, "rl.")
    counterparts = {"rlhf": _OF_ROLLOUTS, "batch-inference": _OF_BULK}.get(str(workload), _COUNTERPARTS)
    taken: dict[str, Any] = {}
    for name, value in changes.items():
        other = counterparts.get(name) if name.startswith(elsewhere) else name
        if other is not None and (other == name or other not in changes):
            taken[other] = value
        elif other is None:
            set_aside[name] = f"it does not belong to {workload}"
    return taken


def _displaced(name: str, value: Any, fields: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, str]:
    """Earlier answers that cannot stand beside the new one, each with the reason; a section is named with its dot."""
    section = name.split(".")[0]
    gone: dict[str, str] = {}
    if name in ("model", "parallelism"):
        gone[f"{name}."] = f"{name} was said anew"
    elif section in ("model", "parallelism"):
        gone[section] = "said anew"
    elif name == "workload":
        why = f"it does not belong to {value}"
        gone["training." if value in SERVING else "inference."] = why
        gone |= {} if value == "rlhf" else {"rl.": why}
    elif name in _LENGTHS:
        gone |= {other: "the length of the run was said anew" for other in _LENGTHS if other != name}
    elif name in _IN_BULK:
        gone[_IN_BULK[name]] = "how much there is to do was said anew"
    elif name == "cluster.gpu" and fields.get(name) not in (None, value):
        gone |= dict.fromkeys(
            ("cluster.gpus_per_node", "cluster.nics_per_node", *_THERE), "it belonged to the GPU before"
        )
    elif name == "budget.mode" and fields.get(name) != value:
        gone |= dict.fromkeys(_THERE, "it was said anew how the machines are had")
    elif name == QUOTES:
        gone["budget.gpu_hour_usd"] = "each quote has its own price"
    elif name == "budget.gpu_hour_usd":
        gone[QUOTES] = "one price was said for all"
    elif name == EXCLUDED and fields.get("cluster.fabric") in value:
        gone["cluster.fabric"] = "it is ruled out now"
    elif name == "cluster.sites" and value == 1:
        gone["cluster.wan_gbps"] = "there is one site"
    goes = lambda other, name: other.startswith(name) if name.endswith(".") else other == name
    left = [other for other in fields if other not in changes]
    return {other: why for name, why in gone.items() for other in left if goes(other, name)}


def _of_another_job(before: Mapping[str, Any], fields: dict[str, Any]) -> dict[str, str]:
    """Take the quotes away that were asked for another job than it is now; why, in words."""
    why: list[str] = []
    for name, what in _QUOTED_FOR.items():
        was, now, quotes = before.get(name), fields.get(name), fields.get(QUOTES) or ()
        said = name.partition(".")[2]  # a quote may say for which GPU, and for how many, it is
        asked = [quote in before.get(QUOTES, ()) or quote.get(said) is not None for quote in quotes]
        left = [quote for quote, so in zip(quotes, asked, strict=True) if not so or _stands(quote, name, was, now)]
        if len(left) < len(quotes):
            fields[QUOTES] = left
            why.append(what)
    if fields.get(QUOTES) == []:
        del fields[QUOTES]
    return {QUOTES: "; ".join(why)} if why else {}


def _stands(quote: Mapping[str, Any], name: str, was: Any, now: Any) -> bool:
    try:
        return Quote.model_validate(quote).stands(name, was, now)
    except ValidationError:  # the check of the whole tells what is wrong with it
        return True


def _count(fields: dict[str, Any], nodes: int | None, before: int | None, catalog: Catalog) -> int | None:
    """Turn nodes into GPUs once it is known what is in one, and again when that is corrected; the nodes to keep for
    that.

    ``before``: the nodes from which ``cluster.gpus`` was counted so far; ``None`` when that number was said itself,
    which nodes of unknown size do not overrule.
    """
    per_node = _per_node(fields, catalog)
    if nodes is not None and per_node is not None:
        fields["cluster.gpus"] = nodes * per_node
    elif nodes is not None and before is not None:
        fields.pop("cluster.gpus", None)
    elif "cluster.gpus" in fields:
        return None
    return nodes


def _per_node(fields: Mapping[str, Any], catalog: Catalog) -> int | None:
    gpu = catalog.gpus.get(fields.get("cluster.gpu", ""))
    return fields.get("cluster.gpus_per_node") or (gpu.gpus_per_node if gpu else None)


def _readmit(fields: dict[str, Any], changes: Mapping[str, Any]) -> None:
    """A network that is decided now is no longer ruled out."""
    decided = changes.get("cluster.fabric")
    if decided in fields.get(EXCLUDED, ()):
        fields[EXCLUDED] = [fabric for fabric in fields[EXCLUDED] if fabric != decided]


def _check(fields: Mapping[str, Any], catalog: Catalog) -> None:
    """Refuse impossible values early: a half-filled questionnaire is checked with stand-ins for what is not said."""
    if not Draft(dict(fields)).missing:
        from_value(nested(fields), catalog)
        return
    try:
        from_value(nested(_with_stand_ins(fields, catalog)), catalog)
    except InputError as error:
        # A clash with a stand-in is no mistake of the person's; the whole is checked again when it is complete.
        field, clashing = error.place.field or "", ("parallelism", "inference.tensor", "training.global_batch")
        if field in fields and not field.startswith(clashing):
            raise


def _with_stand_ins(fields: Mapping[str, Any], catalog: Catalog) -> dict[str, Any]:
    filled = dict(fields)
    sections = {name.split(".")[0] for name in filled}
    usual = "inference" if "inference" in sections else "rlhf" if "rl" in sections else "pretraining"
    filled.setdefault("workload", usual)
    shape = {name for name in filled if name.startswith("model.")}
    if shape and "model.params" not in shape and not shape >= _DIMENSIONS:
        filled = {name: value for name, value in filled.items() if name not in shape}
    if "model.params" not in filled and not filled.keys() >= _DIMENSIONS:
        filled.setdefault("model", next(iter(catalog.models)))
    if "cluster.gpu" not in filled and QUOTES in filled:  # which of their GPUs it is may not be said yet
        filled[QUOTES] = [{part: told for part, told in quote.items() if part != "gpu"} for quote in filled[QUOTES]]
    if filled["workload"] in SERVING:
        return filled
    filled.setdefault("cluster.gpu", next(iter(catalog.gpus)))
    divisors = [filled.get(name, 1) for name in _DIVIDES_THE_GPUS]
    filled.setdefault("cluster.gpus", lcm(*(d for d in divisors if isinstance(d, int) and d > 0)))
    return filled
