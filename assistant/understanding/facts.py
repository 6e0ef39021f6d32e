"""What the readings of a message come to: the value of every field, what is taken back, and what has to be asked."""

from __future__ import annotations

import datetime
import math
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any

from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.fields import NUMERIC, RegisteredField
from assistant.vocabulary.quantities import DAYS_IN, DAYS_PER_MONTH, DAYS_PER_YEAR, LEAST_BUDGET, in_dollars
from assistant.vocabulary.questionnaire import FIELDS, SERVING, USUAL_SEQUENCE
from assistant.vocabulary.utterance import Doubt

from . import attach, changes, counting
from .attach import Fact
from .names import Names
from .numbers import binary
from .offer_prices import as_quoted, guessed
from .quantities import MONEY_OTHER
from .reading import ABOUT_A_PLAN, DEADLINE, NOT_OURS, TIMES, TOKENS, Reading
from .scopes import denial_of
from .templates import Quantity
from .text import Token, sentences

# Words of a message that speaks of a part of a cluster.
_OF_A_PART = frozenset(
    "but only free available left reserved except instead keep spare ours allocated busy actually get use whole "
    "idle".split()
)
_ROUNDED = 0.06  # figures of a model are said in round numbers: "47B", "128k vocab"
_SAYS_MORE = ("rlhf", "disaggregated-inference", "batch-inference")  # than that there is inference in the job
_SETTINGS = ("parallelism.", "cluster.oversubscription", "cluster.nics_per_node")
_YEARS = range(2015, 2041)
_BUDGETS = ("budget.usd", "budget.usd_per_month", "budget.gpu_hour_usd")
_OF_A_GPU = ("budget.gpu_hour_usd", "budget.fabric_premium_gpu_hour_usd")
_FAILURES = "cluster.failures_per_node_day"
_OF_FAILURES = frozenset({"every", "each", "many"})  # roles of the times in which machines fail, and how often
_LEAST_TIME = 1e-6  # days between two failures
_MOST_CORRECTED = 100  # times a number of GPUs that another number may be instead; more is a sum of money
_MAY_BE = 0.5  # how likely an amount is what it is asked as
_SCALES = frozenset({"k", "m"})  # "12k", "1.1M": said so without a unit, a number is mostly money
PARAMS = "model.params"
_SIZES = frozenset({"b", "bn", "billion", "t", "tn", "trillion"})
_BETWEEN_SIZES = 2  # words: "70B dense on 1.4T"
_APART = frozenset({"and", "or", "to", "vs", "versus", ".", ";"})  # between two sizes of models
_LEAST_TOKENS_A_PARAMETER = 10.0  # of a run that is told beside a model by no more than its size
_ENDS_WITH = frozenset(",.;:!?)")
_USED_FOR, _TERM = "budget.amortization_months", "budget.reserved_days"
_MOST_ROUNDED = 0.02  # of a batch: what its last digit may leave open at most
_FROM = ">= "  # of an implication: from this value on


class Facts:
    """The stage of facts: ``implied`` says what a value says of other fields, ``filler`` which words say nothing."""

    def __init__(self, catalog: Catalog, names: Names, implied: Mapping[str, Any], filler: Set[str]) -> None:
        self.catalog, self._names, self._implied, self._filler = catalog, names, implied, filler

    def take(self, reading: Reading, facts: Sequence[Fact]) -> list[Fact]:
        """The facts of the job as planned, their values among the fields of ``reading``."""
        live = self._put_in_place(reading, [meant for fact in facts if (meant := self._as_meant(reading, fact))])
        self._keep_denied(reading, facts, {fact.says.field for fact in live})
        self._set(reading, [fact for fact in live if fact.says.act != "count"])
        alone = [f for f in live if f.says.field == "cluster.gpu" and f.says.act == "set"]
        self._count(reading, [fact for fact in live if fact.says.act == "count"], reading.planned(alone))
        for fact in (fact for fact in live if fact.says.act == "range"):
            reading.doubts.append(_of_range(fact))
            gpus = {q.value for q in reading.named if q.kind == "gpu" and fact.start <= q.start < fact.end}
            if len(gpus) > 1:  # "64 B200 or 128 H100"
                reading.fields.pop("cluster.gpu", None)
                reading.doubts.append(Doubt("cluster.gpu", f"{' or '.join(sorted(gpus))}?", tuple(sorted(gpus))))
            elif gpus:
                reading.fields["cluster.gpu"] = gpus.pop()
        self._count_waiting(reading)
        return live

    def _as_meant(self, reading: Reading, fact: Fact) -> Fact | None:
        """A fact of the job as planned, or nothing. A yes that is denied is a no; what else is denied is taken back if
        it was said."""
        kinds = reading.kinds(fact.start, fact.end)
        field = FIELDS.get(fact.says.field)
        if reading.act == "ask" and "subject" in kinds and field and _is_setting(field):
            return None  # a choice that is asked about
        if reading.act == "ask" and field and fact.start and reading.text.tokens[fact.start - 1].text == "than":
            return None  # "is QLoRA slower than LoRA?"
        if reading.act == "what-if":
            kinds -= {"others"}  # "what if they bought it?"
        if reading.act == "compare":
            kinds -= {"replaced"}  # "mixtral versus llama": neither is in the place of the other
        if fact.says.act == "unset" or reading.context.fields.get(fact.says.field) == fact.value is not None:
            kinds -= {"others"}  # "the limit of 3M was lifted, disregard it": ours, as it was said before
        if kinds & NOT_OURS or (kinds & {"supposition"} and reading.act != "what-if") or kinds & {"replaced"}:
            return None
        denied = denial_of(reading.scopes, fact.start, fact.end, fact.claimed)
        if denied is None or fact.says.act not in ("set", "count") or fact.says.field == "cluster.fabric":
            return fact
        if reading.act == "ask" and fact.says.field in ("model", "model.params", "cluster.gpu"):
            return fact  # "is RoCE not enough for Llama?" is about Llama
        if (
            fact.says.field == "cluster.provider"
            and reading.act != "change"
            and reading.context.fields.get(fact.says.field) != fact.value
        ):
            only = [f.id for f in self.catalog.fabrics.values() if f.providers == [fact.value]]
            reading.excluded += [i for i in only if i not in reading.excluded]
        if isinstance(fact.value, bool):
            return replace(fact, value=False)
        if reading.context.fields.get(fact.says.field) == fact.value and fact.says.field in reading.context.fields:
            reading.unset.append(fact.says.field)
        return None

    def _put_in_place(self, reading: Reading, live: Sequence[Fact]) -> list[Fact]:
        """ "Not 100 billion tokens, 10 billion only": of a field whose value is denied, a number that nothing but its
        size speaks for is the new one."""
        path = reading.unset[0] if reading.act in ("change", "describe") and len(reading.unset) == 1 else ""
        bare = [f for f in live if _is_number(f) and f.says.field != path and len(f.slots) == 1]
        bare = [(f, q) for f in bare for q in f.slots.values() if f.claimed <= set(range(q.start, q.end))]
        if path not in FIELDS or len(bare) != 1:
            return list(live)
        fact, quantity = bare[0]
        value = attach.sensible(FIELDS[path], replace(quantity, kind="number"), reading.today)
        if value is None:
            return list(live)
        reading.unset.clear()
        new = replace(fact, says=replace(fact.says, field=path), value=value)
        return [new if one is fact else one for one in live]

    def _keep_denied(self, reading: Reading, facts: Sequence[Fact], live: Set[str]) -> None:
        """What is denied without having been said, and without another in its place, is given back: "not fsdp"."""
        for fact in facts:
            denial = denial_of(reading.scopes, fact.start, fact.end, fact.claimed)
            if denial and fact.says.act == "set" and fact.says.field not in live | {"cluster.provider", *reading.unset}:
                reading.denied |= fact.claimed | denial.cue

    def _set(self, reading: Reading, facts: Sequence[Fact]) -> None:
        said: dict[str, list[Fact]] = {}
        for fact in facts:
            if fact.says.act == "set":
                said.setdefault(fact.says.field, []).append(fact)
            elif fact.says.act == "unset" and reading.act not in ABOUT_A_PLAN:  # "why does it say … doesn't matter?"
                reading.unset.append(fact.says.field)
            elif fact.says.act in ("scale", "add", "share"):
                self._change(reading, fact)
        for path, readings in said.items():
            self._settle(reading, path, readings)
        for fact in (fact for fact in facts if fact.says.act == "becomes"):
            self._becomes(reading, fact, [one for one in facts if _is_number(one) and one.end <= fact.start])
        self._one_model(reading)
        self._details_of_a_model(reading)
        if reading.fields.get("workload") == "inference" and reading.context.fields.get("workload") in SERVING:
            del reading.fields["workload"]  # requests and answers belong to every kind of serving
        self.follow(reading)
        for fact in facts:
            if fact.says.act == "either":
                reading.doubts.append(Doubt(fact.says.field, "which of both?", FIELDS[fact.says.field].values))
            if fact.says.act == "ask" and fact.says.field not in reading.fields:
                reading.doubts.append(self._question(reading, fact))
            elif fact.says.act == "ask" and any(q.kind == "percent" for q in fact.slots.values()):
                reading.taken -= fact.claimed  # "$2.20, 10 % off list": the price is said, and not whether it is in it

    def follow(self, reading: Reading) -> None:
        """What the facts say of other fields that nobody named; not of those that are asked about."""
        asked = {doubt.field for doubt in reading.doubts}
        for path, value in list(reading.fields.items()) if reading.act != "compare" else ():
            alone = len(reading.fields) == 1
            for other, implied in self._implication(path, value, alone) if path != reading.context.asked else ():
                if other not in reading.context.fields.keys() | reading.fields.keys() | asked:
                    reading.fields[other], reading.follows[other] = implied, path

    def _becomes(self, reading: Reading, fact: Fact, before: Sequence[Fact]) -> None:
        """ "The figure of 1,200 users has been revised to 2,000": the number said before it is replaced."""
        path = max(before, key=lambda one: one.end).says.field if before else None
        new = next(q for role, q in fact.slots.items() if role != "old")
        value = attach.converted(FIELDS[path], new, reading.today) if path else None
        if path and value is not None and reading.act == "change":
            reading.fields[path] = value

    def _implication(self, path: str, value: Any, alone: bool) -> Iterable[tuple[str, Any]]:
        """What a value says of other fields, by the value itself, by any, or, unless it is all that is said, from some
        size on (``>= 1000``)."""
        known = self._implied.get(path, {})
        large = [] if alone else [said for bound, said in known.items() if _is_reached(bound, value)]
        return [one for said in (known.get("any", {}), *large, known.get(str(value), {})) for one in said.items()]

    def _one_model(self, reading: Reading) -> None:
        """A size beside a model, or put in its place, is the model's own or names its sibling: "make it the 8b"."""
        params = reading.fields.get("model.params")
        named = reading.fields.get("model")
        model = named or (
            reading.context.fields.get("model")
            if reading.act in ("change", "what-if") or reading.context.asked == "model"
            else None
        )
        sibling = self._names.sibling(model, params) if params and isinstance(model, str) else None
        if sibling:
            reading.fields = {path: v for path, v in reading.fields.items() if path != "model.params"} | {
                "model": sibling
            }

    def _details_of_a_model(self, reading: Reading) -> None:
        """What is said of a model of the catalog is confirmed where it is so, and asked about where it is not; a size
        of its own, without a name, is another model."""
        model = self.catalog.models.get(str(reading.known("model") or ""))
        if model is None:
            return
        params = reading.fields.get("model.params")
        if params is not None and "model" not in reading.fields:
            if abs(params - model.params.value) > _ROUNDED * model.params.value:
                return
            del reading.fields["model.params"]
            reading.fields["model"] = model.id
        for path in [path for path in reading.fields if path.startswith("model.")]:
            said, published = reading.fields[path], getattr(model, path.removeprefix("model."), None)
            published = getattr(published, "value", published)
            if not published or abs(said - published) > _ROUNDED * published:
                del reading.fields[path]
                has = (
                    f"{model.name} has {published:,.0f}, not {said:,}"
                    if published
                    else f"{model.name} has none published"
                )
                reading.doubts.append(Doubt(path, f"{has}; say which model is meant", (model.id,)))

    def _question(self, reading: Reading, fact: Fact) -> Doubt:
        """What has to be asked back about what was said: ``{said}`` in the sentence stands for the words, of an amount
        in another currency for that alone."""
        several = [q for q in fact.slots.values() if q.kind == "dates"]
        amount = next((q for q in fact.slots.values() if q.kind == MONEY_OTHER), fact)
        path, said = fact.says.field, reading.text.typed(amount.start, amount.end).strip(" ,;.")
        options = [
            attach.converted(FIELDS[path], replace(q, kind=q.kind.removesuffix("s"), value=v), reading.today)
            for q in several
            for v in q.value
        ]
        sentence = fact.says.value.replace("{said}", said)
        if fact.says.others:
            quantity = next(iter(fact.slots.values()))
            meant = dict.fromkeys((path, *fact.says.others))
            between = ((one, attach.converted(FIELDS[one], quantity, reading.today)) for one in meant)
            return Doubt(path, sentence, between=tuple(between))
        found = (as_quoted(q, self.catalog, reading.per_node(self.catalog)) for q in fact.slots.values())
        in_ours = next(filter(None, found), None)
        if in_ours is None:
            return Doubt(path, sentence, tuple(options))
        ours, by = in_ours
        return Doubt(path, f"{sentence} At {by} it is {in_dollars(ours.value)}", (ours.value,))

    def _settle(self, reading: Reading, path: str, readings: list[Fact]) -> None:
        """One value for a field: of several the planned one, in a correction the last; else the person is asked."""
        readings = [fact for fact in readings if not self._waits(reading, fact)]
        planned = reading.planned(readings)
        planned = [f for f in planned if not f.says.weak] or planned
        planned = [f for f in planned if "left" in f.slots] or planned  # "410,000; after salaries 350,000 remain"
        values = list(dict.fromkeys(f.value for f in planned))
        if {*_SAYS_MORE} & {*values}:
            values = [v for v in values if v != "inference"]
        ends = _ends_of_range(planned[-1], reading.today) if planned else ()
        if ends and path == _OF_A_GPU[0]:  # "offers between 2.10 and 3.40 per GPU-hour": of several, none is taken
            reading.taken -= planned[-1].claimed
            return
        if ends and not path.startswith("constraints.max_"):  # "10-15 % slower is ok": 15 is
            reading.doubts.append(Doubt(path, f"{_told(ends[0])} or {_told(ends[1])}?", ends))
            return
        if reading.act == "change":  # "go with bf16, fp8 scares me": what is known already is the old one
            values = [v for v in values if v != reading.context.fields.get(path)] or values
        if not values:
            return
        if len(values) > 1 and reading.act not in ("change", "what-if"):
            reading.doubts.append(Doubt(path, " or ".join(map(str, values)) + "?", tuple(values)))
        else:
            reading.fields[path] = values[-1]

    def _waits(self, reading: Reading, fact: Fact) -> bool:
        """A batch in tokens and adapters per GPU are counted when length and node are known."""
        roles = {"tokens", "per_gpu", *_OF_FAILURES} & fact.slots.keys()
        counted = fact.says.field in ("cluster.nics_per_node", _FAILURES) and fact.value is True
        if not roles and not counted:
            return False
        reading.waiting.append(fact)
        return True

    def _count_waiting(self, reading: Reading) -> None:
        known = {**reading.context.fields, **reading.fields}
        gpu = reading.gpu(self.catalog)
        for fact in reading.waiting:
            length, per_node = (
                known.get("training.sequence_length"),
                known.get("cluster.gpus_per_node") or (gpu.gpus_per_node if gpu else 8),
            )
            if "tokens" in fact.slots and length:
                reading.fields[fact.says.field] = _sequences(fact.slots["tokens"], length)
            elif fact.says.field == _FAILURES:
                self._count_failures(reading, fact, per_node)
            elif "tokens" in fact.slots:
                reading.doubts.append(
                    _of_unknown_length(fact.says.field, fact.slots["tokens"], reading.known("workload"))
                )
            else:
                each = fact.slots["per_gpu"].value if "per_gpu" in fact.slots else 1
                shared_by = fact.slots["shared_by"].value if "shared_by" in fact.slots else 1  # "one NIC per two GPUs"
                reading.fields[fact.says.field] = max(1, int(each * per_node / shared_by))

    def _count_failures(self, reading: Reading, fact: Fact, per_node: int) -> None:
        """Failures per node and day, of one node as they are said, of the whole cluster shared by its nodes."""
        gpus, times = reading.known("cluster.gpus"), fact.slots
        nodes = reading.nodes or (gpus and -(-gpus // per_node))
        if "each" not in times and not nodes:
            reading.doubts.append(Doubt(fact.says.field, "how often a node fails follows from how many there are"))
            return
        said = next((times[role].value for role in ("each", "every") if role in times), None)
        days = said or DAYS_IN[reading.text.tokens[max(fact.claimed)].stem]
        many = times["many"].value if "many" in times else 1
        rate = round(many / max(days, _LEAST_TIME) / (1 if "each" in times else nodes), 6)
        if rate > 0:
            reading.fields[fact.says.field] = rate

    def _change(self, reading: Reading, fact: Fact) -> None:
        path = changes.meant(fact.says.field, reading.context, FIELDS)
        if path is None:
            return
        value = changes.relative(
            path,
            fact,
            FIELDS[path],
            reading.context,
            reading.gpu(self.catalog),
            [reading.text.tokens[at].stem for at in sorted(fact.claimed)],
            reading.today,
        )
        if value is not None:
            reading.fields[path] = value

    def _count(self, reading: Reading, facts: list[Fact], alone: Sequence[Fact]) -> None:
        facts = reading.planned(facts)
        waiting = getattr(reading.context, "nodes", None) if "cluster.gpus" not in reading.context.fields else None
        found = counting.concluded(
            facts,
            reading.context.fields,
            self.catalog,
            gpu=reading.fields.get("cluster.gpu"),
            sites=reading.fields.get("cluster.sites", 1),
            waiting=waiting,
            of_nodes=tuple(reading.context.changed)[-1:] == ("cluster.gpus_per_node",),
        )
        reading.fields |= {
            path: value
            for path, value in found.fields.items()
            if path not in reading.fields or path != "cluster.provider"
        }
        alone = [f.value for f in alone if f.value != found.fields.get("cluster.gpu")]
        if alone and "cluster.gpu" in found.fields and reading.act != "change":  # "64 H100 or H200"
            gpus = (found.fields["cluster.gpu"], *dict.fromkeys(alone))
            del reading.fields["cluster.gpu"]
            reading.doubts.append(Doubt("cluster.gpu", " or ".join(gpus) + "?", gpus))
        reading.nodes = found.nodes
        reading.doubts += found.doubts
        self._doubt_unknown(reading)

    def _doubt_unknown(self, reading: Reading) -> None:
        """A GPU that is not in the catalog is asked about, never taken for another one."""
        for quantity in reading.named:
            ours = not reading.kinds(quantity.start, quantity.end) & (NOT_OURS | {"replaced"})
            reading.taken |= set(range(quantity.start, quantity.end)) if quantity.kind == "unknown-gpu" else set()
            if quantity.kind == "generation" and ours and "cluster.gpu" not in reading.fields:
                reading.taken |= set(range(quantity.start, quantity.end))
                said = reading.text.typed(quantity.start, quantity.end)
                reading.doubts.append(
                    Doubt("cluster.gpu", f'"{said}" is a generation: which GPU of it?', quantity.value)
                )
            if quantity.kind == "unknown-gpu" and ours:
                said = reading.text.typed(quantity.start, quantity.end)
                sentence = f'"{said}" is no GPU of the catalog: name the one of it that comes nearest'
                if quantity.value:
                    near = self.catalog.gpus[quantity.value].name
                    sentence = f'"{said}" is no GPU of the catalog: is {near}, the nearest of it, to stand for it?'
                known = reading.fields.pop("cluster.gpu", None) if reading.act in ("describe", "ask") else None
                options = tuple(gpu for gpu in (known, quantity.value) if gpu)
                reading.doubts.append(Doubt("cluster.gpu", sentence, options))

    def doubt_sum(self, reading: Reading) -> None:
        """A sum in money or of thousands or millions that nothing explains, of a job whose budget nobody said, may be
        the budget: "16 A100 at Lambda, 12k". What it sounds like besides is asked with it."""
        known = any(reading.known(path) for path in _BUDGETS) or any(d.field in _BUDGETS for d in reading.doubts)
        if known or reading.offers or reading.act != "describe" or not reading.fields:
            return
        scaled = {q.start for q in reading.quantities if q.kind == "number" and q.unit in _SCALES}
        unlikely = {value for doubt in reading.doubts if doubt.unlikely for value in doubt.options}
        whole = {
            q.start: q for q in sorted(reading.quantities, key=lambda q: q.end) if q.kind == "sum"
        }  # "250k to 300k"
        for amount in (*(q for q in reading.quantities if q.kind == "money"), *whole.values()):
            path = "budget.usd_per_month" if amount.unit == "month" else "budget.usd"
            likely = _likely(reading, amount, path)
            bare = amount.kind == "sum" and amount.start not in scaled and amount.unit != "month"
            if bare and not (likely or amount.value in unlikely):
                continue
            told = (reading.taken | reading.quiet) & set(range(amount.start, amount.end))
            others = [
                d for d in reading.doubts if amount.value in d.options and (d.unlikely or d.field == counting.COUNTED)
            ]
            if amount.unit not in ("month", "") or amount.value < LEAST_BUDGET or (told and not others):
                continue
            alone = likely or self._stands_alone(reading, amount)
            if others or (alone and not reading.kinds(amount.start, amount.end) & NOT_OURS):
                self._ask_whether(reading, path, amount, others)
                return

    def _ask_whether(self, reading: Reading, path: str, amount: Quantity, others: Sequence[Doubt]) -> None:
        """Asks whether an amount is meant as a budget, or as what else was asked of it; beside one number of GPUs that
        it may be too, the other is the number."""
        reading.doubts = [doubt for doubt in reading.doubts if doubt not in others]
        reading.taken |= set(range(amount.start, amount.end))
        counts = {n for doubt in others if doubt.field == counting.COUNTED for n in doubt.options if n != amount.value}
        sums = {q.value: q for q in reading.quantities if q.kind == "sum" and q.value in counts}  # "100k or 200k"
        reading.taken |= {at for q in sums.values() for at in range(q.start, q.end)}
        if len(counts) == 1 and not sums:
            reading.fields[counting.COUNTED] = counts.pop()
        meant = [path, *(doubt.field for doubt in others if doubt.field and doubt.field != counting.COUNTED)]
        labels = " or ".join(FIELDS[one].about.label for one in meant)
        said = reading.text.typed(amount.start, amount.end)
        values = dict.fromkeys((amount.value, *([amount.low] if amount.low else ()), *sums))
        between = tuple((one, value) for one in meant for value in values)
        reading.doubts.append(Doubt(path, f'"{said}": is that meant as {labels}?', between=between))

    def _stands_alone(self, reading: Reading, amount: Quantity) -> bool:
        """Whether no word behind an amount says what it counts, and it is told as money, or none before it does."""
        behind = reading.text.tokens[amount.end] if amount.end < len(reading.text.tokens) else None
        alone = behind is None or behind.text in _ENDS_WITH or behind.text in self._filler
        before = reading.text.tokens[amount.start - 1] if amount.start else None
        led = before is not None and (before.is_word or before.text in "=:/-@") and before.text not in self._filler
        return amount.kind == "money" or (alone and not led)

    def doubt_count(self, reading: Reading, live: Sequence[Fact]) -> None:
        """A number or a share that nothing explains, beside a count of GPUs, may be the count: "512, but 64 is what we
        get", "half are busy"."""
        counts = [fact for fact in live if fact.says.act == "count" or fact.says.field == counting.COUNTED]
        gpus = reading.fields.get(counting.COUNTED)
        if gpus is None or reading.act != "describe" or any(fact.says.value == "total" for fact in counts):
            return
        of_a_part = bool(_OF_A_PART & {token.text for token in reading.text.tokens})
        times = {q.start for q in reading.quantities if q.kind == "time"}  # "a quarter"
        told = reading.taken | reading.quiet
        ends = [at for _, at in sentences(reading.text.tokens)]
        for number in reading.quantities:
            if not _one_sentence(ends, number, counts) or reading.kinds(number.start, number.end) & (
                NOT_OURS | {"replaced"}
            ):
                continue
            of_all = (
                number.kind == "share"
                and of_a_part
                and number.start not in times
                and not reading.taken & set(range(number.start, number.end))
            )
            may_be = round(gpus * number.value / 100) if of_all else number.value
            if number.kind == "number" and number.value >= max(LEAST_BUDGET, _MOST_CORRECTED * gpus):
                continue  # "64 H100, we can go to 400,000"
            if may_be != gpus and (of_all or _may_count(number, reading.text.tokens, told, self._filler)):
                del reading.fields[counting.COUNTED]
                reading.doubts.append(Doubt(counting.COUNTED, f"{gpus} or {may_be} GPUs?", (gpus, int(may_be))))
                return

    def settle_time(self, reading: Reading) -> None:
        """A time that may be the length of the run or a deadline is the deadline where the work itself is told; of
        machines that are bought for a year and more it is that of their use, of a service that is rented its term."""
        for doubt in [one for one in reading.doubts if {path for path, _ in one.between} == TIMES]:
            days = dict(doubt.between)[DEADLINE]
            mode, serves = reading.known("budget.mode"), reading.known("workload") in SERVING
            path, value = DEADLINE, days
            if mode == "buy" and (serves or days >= DAYS_PER_YEAR):
                path, value = _USED_FOR, round(days / DAYS_PER_MONTH)
            elif mode == "rent" and serves:
                path = _TERM
            elif reading.fields.get(TOKENS) is None:
                continue
            if path not in reading.fields:
                reading.doubts.remove(doubt)
                reading.fields[path] = value

    def settle_sizes(self, reading: Reading) -> None:
        """Of two sizes that stand together the second, many times the first, is the tokens of the run: "13B on 260B",
        "70B/1.4T"."""
        claimed = {at for mention in reading.mentions for at in mention.claimed} | reading.of_sellers
        sizes = [q for q in reading.quantities if q.kind == "size" and q.unit in _SIZES and q.start not in claimed]
        if len(sizes) != 2:
            return
        size, run = sorted(sizes, key=lambda q: q.start)
        between = [token.text for token in reading.text.tokens[size.end : run.start]]
        beside = len(between) <= _BETWEEN_SIZES and _APART.isdisjoint(between)
        more = run.value >= _LEAST_TOKENS_A_PARAMETER * size.value
        known = {PARAMS: size.value, TOKENS: run.value}
        other = "model" in reading.fields or any(reading.fields.get(path, v) != v for path, v in known.items())
        if not (beside and more) or other or reading.act not in ("describe", "change"):
            return
        told = {size.value, run.value}
        asked = [d for d in reading.doubts if d.field in known and d.options and told.issuperset(d.options)]
        if PARAMS not in reading.fields and not asked:
            return
        reading.doubts = [doubt for doubt in reading.doubts if doubt not in asked]
        reading.fields |= known
        reading.taken |= set(range(size.start, run.end))
        if not any(token.stem == "token" for token in reading.text.tokens[run.end : run.end + 1]):
            said = reading.text.typed(run.start, run.end)
            reading.assumed.append(f'"{said}" is taken as the tokens of the run, which it does not say')

    def tell_guesses(self, reading: Reading) -> None:
        """What prices are taken to be of where they do not say it."""
        offered = (offer.gpu_hour_usd for offer in reading.offers)
        prices = {price for price in (*map(reading.fields.get, _OF_A_GPU), *offered) if price}
        for amount, of in guessed(reading.quantities, prices, reading.text.tokens):
            said = reading.text.typed(amount.start, amount.end)
            reading.assumed.append(f'"{said}" is taken as the price of {of}, which it does not say')

    def doubt_date(self, reading: Reading, live: Sequence[Fact]) -> None:
        """Another day beside the deadline that nothing explains may be the one that is meant."""
        said = next(
            (f for f in live if f.says.field == DEADLINE and any(q.kind == "date" for q in f.slots.values())), None
        )
        if said is None or DEADLINE not in reading.fields:
            return
        days, ends = reading.fields[DEADLINE], [at for _, at in sentences(reading.text.tokens)]
        for date in (q for q in reading.quantities if q.kind == "date"):
            other = attach.converted(FIELDS[DEADLINE], date, reading.today)
            behind = date.start >= said.end and _one_sentence(ends, date, [said])
            free = (
                behind
                and not reading.taken & set(range(date.start, date.end))
                and not reading.kinds(date.start, date.end) & NOT_OURS
            )
            if free and other not in (None, days):
                del reading.fields[DEADLINE]
                reading.doubts.append(Doubt(DEADLINE, f"in {days} or in {other} days?", (days, other)))
                return


def _is_reached(bound: str, value: Any) -> bool:
    """Whether a value is as large as ``>= 1000`` says; whatever else stands there is no bound."""
    return bound.startswith(_FROM) and isinstance(value, int | float) and value >= float(bound.removeprefix(_FROM))


def _is_number(fact: Fact) -> bool:
    return fact.says.act == "set" and FIELDS[fact.says.field].about.kind in NUMERIC


def _likely(reading: Reading, amount: Quantity, path: str) -> bool:
    """Whether its sentence speaks for an amount being the value of a field."""
    tokens = reading.text.tokens
    odds = reading.opinion.stretches if reading.opinion else {}
    return odds.get((tokens[amount.start].start, tokens[amount.end - 1].end), {}).get(path, 0.0) >= _MAY_BE


def _one_sentence(ends: Sequence[int], number: Quantity, counts: Sequence[Fact]) -> bool:
    """Whether no sentence ends (``ends``, in order) between a number and one of the counts."""
    stretches = ((min(fact.start, number.start), max(fact.end, number.end)) for fact in counts)
    return any(bisect_left(ends, first) == bisect_left(ends, last) for first, last in stretches)


def _is_setting(field: RegisteredField) -> bool:
    """Whether a field says how the job is run and not which job it is: what a question may be about."""
    return field.about.kind in ("choice", "flag") or field.path.startswith(_SETTINGS)


def _may_count(number: Quantity, tokens: Sequence[Token], taken: Set[int], filler: Set[str]) -> bool:
    """Whether a number could be one of GPUs: whole, no year, and with no word behind it that says what it counts."""
    if (
        number.kind != "number"
        or number.low is not None
        or taken & set(range(number.start, number.end))
        or number.value != int(number.value)
    ):
        return False
    behind = tokens[number.end] if number.end < len(tokens) else None
    denied = number.start > 0 and tokens[number.start - 1].text in changes.DENIES
    before = tokens[number.start - 1] if number.start else None
    if (before is not None and (tokens[number.start].glued or before.text in "=:/-")) or (
        behind and behind.text == "x"
    ):
        return False
    alone = behind is None or not (behind.is_word or behind.is_number or behind.glued) or behind.text in filler
    return alone and not denied and number.unit in ("", "k") and number.value > 1 and int(number.value) not in _YEARS


def _of_unknown_length(path: str, tokens: Quantity, workload: str | None) -> Doubt:
    """How many sequences a batch in tokens is: so many at the lengths that are usual, the one a plan takes first."""
    first = USUAL_SEQUENCE.get(workload or "", USUAL_SEQUENCE["pretraining"])
    at = {length: _sequences(tokens, length) for length in (first, *USUAL_SEQUENCE.values())}
    counted = ", ".join(f"{number:,} of {length:,} tokens" for length, number in at.items())
    asked = f"a batch in tokens says how many sequences only with their length: {counted}"
    return Doubt(path, asked, tuple(dict.fromkeys(at.values())))


def _sequences(tokens: Quantity, length: int) -> int:
    """The sequences of a batch in tokens: "4M tokens" are 4,194,304 where that makes a whole number of them, and of
    "3.7M" those that round to it and halve most often, as no published batch is a number like 903."""
    said = binary(tokens)
    in_binary = said * 1.024**2 if said % 1_000_000 == 0 else said * 1.024 if said % 1000 == 0 else said
    if said % length == 0:
        return max(1, round(said / length))
    if in_binary % length == 0 and (said % 1_000_000 == 0 or said < 1_000_000):
        return max(1, round(in_binary / length))
    near, within = said / length, min(_said_within(said), _MOST_ROUNDED * said) / length
    every = range(max(1, math.ceil(near - within)), math.floor(near + within) + 1)
    return max(every, key=lambda n: (n & -n, -abs(n - near)), default=max(1, round(near)))


def _said_within(said: float) -> float:
    """Half of the last digit that was said: 50,000 of 3.7 million."""
    digit = 1
    while said % (digit * 10) == 0 and digit < said:
        digit *= 10
    return digit / 2


def _told(value: Any) -> str:
    return f"{value:,}" if isinstance(value, (int, float)) else str(value)


def _ends_of_range(fact: Fact, today: datetime.date) -> tuple[Any, ...]:
    """Both ends of "5 to 7 weeks" as values of the field, or nothing."""
    low = next((q for q in fact.slots.values() if q.low is not None), None)
    if low is None or isinstance(fact.value, bool) or not isinstance(fact.value, int | float):
        return ()
    said = attach.computed(fact.says.how, replace(low, value=low.low))
    lower = attach.converted(FIELDS[fact.says.field], said, today)
    return () if lower is None or fact.value is None else (lower, fact.value)


def _of_range(fact: Fact) -> Doubt:
    """ "64 or 128 GPUs", "2-4 nodes of 8": which of both is asked."""
    each = fact.slots.get("per_node")
    low, high = (int(fact.slots[end].value * (each.value if each else 1)) for end in ("low", "high"))
    return Doubt(counting.COUNTED, f"{low} or {high}?", (low, high))
