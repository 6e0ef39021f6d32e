"""Text → :class:`Utterance`, in pure stages: normalise, spans, scopes, attach, act, topic. Nothing here loads a
model."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Any

from assistant.vocabulary.answers import Intent
from assistant.vocabulary.catalog import Catalog, Gpu
from assistant.vocabulary.fields import NUMERIC
from assistant.vocabulary.language import Language
from assistant.vocabulary.questionnaire import FIELDS, SERVING
from assistant.vocabulary.utterance import Amount, Doubt, Entity, Quoted, Scope, Utterance

from . import attach, changes, counting, networks
from .acts import Acts, act_of, settled
from .attach import Candidate, Context, Fact, Nothing
from .ignored import HIDDEN, Ignored
from .languages import Languages, unsure, words_of
from .names import Names
from .networks import Mention, by_start
from .numbers import NumberWords, binary, numbers
from .offers import Priced, offers
from .quantities import Units, amounts, dates, unmeasured
from .scopes import Reach, ScopeReader, denial_of, fragment, kinds_at, lists_on
from .templates import Compiler, Hit, Quantity, Source
from .text import ENGLISH, Speller, Text, Token, cut
from .topics import Heard, Question, Topics
from .wordings import LAST, Says, matcher, of_the_last, replies

_ASKED = {"model": "model.params"}  # the question for a model may be answered with its size
LONGEST = 4000  # characters
_ORDER = {path: place for place, path in enumerate(FIELDS)}  # facts are told in the order of the questionnaire
_CORRECTING = frozenset({"no", "sorry", "wait", "actually", "oops", "correction", "rather"})
_FEW = 4  # words of a correction that names no field
_SILENT_ACTS = frozenset({"undo", "help", "export"})
_ABOUT_A_PLAN = frozenset({"why", "why-not", "compare"})
_NOT_OURS = frozenset({"others", "past", "quoted"})
_NOT_DECIDED = frozenset({"hedged", "turning", "others", "past", "quoted", "replaced", "question", "supposition"})
_WITH_UNIT = frozenset(
    {"rate", "money", "money-other", "percent", "power", "memory", "time", "date"}
)  # no bare numbers
_JOB = frozenset({"workload", "model", "cluster.gpu", "cluster.provider", "training.method", "inference.precision"})
# What is said with the name of a network that is not decided by it: "our two engineers know RoCE", "InfiniBand adds 20
# cents".
_SPEAKS_OF_NETWORKS = frozenset(
    {"constraints.network_team", "budget.fabric_premium_gpu_hour_usd", "constraints.max_slowdown_percent"}
)
_OF_A_CHOICE = frozenset(
    {"past", "replaced"}
)  # "bought last year", "to buy rather than rent": no more than that is past
_OF_A_WHY = frozenset(
    {"model", "model.params", "cluster.gpu", "cluster.gpus", "workload"}
)  # "why RoCE for my 64 H100?"
_SENTENCE_ENDS = frozenset(".;!?")
_PUTS_RIGHT = frozenset({"not", "from", "than", "#", "no"})  # before a number that is not the one meant
_YEARS = range(2015, 2041)
_NAMES = {"gpu": "cluster.gpu", "model": "model", "provider": "cluster.provider"}


@dataclass
class _Reading:
    """One message while it is read; every stage adds to it."""

    text: Text
    source: Source
    context: Context
    today: datetime.date
    quantities: list[Quantity]
    named: list[Quantity]
    mentions: list[Mention]
    scopes: list[Reach] = field(default_factory=list)
    act: Intent = "describe"
    fields: dict[str, Any] = field(default_factory=dict)
    fabrics: list[str] = field(default_factory=list)
    excluded: list[str] = field(default_factory=list)
    unset: list[str] = field(default_factory=list)
    doubts: list[Doubt] = field(default_factory=list)
    nodes: int | None = None
    waiting: list[Fact] = field(default_factory=list)
    offers: list[Quoted] = field(default_factory=list)
    taken: set[int] = field(default_factory=set)
    withheld: frozenset[int] = frozenset()  # tokens that state nothing, since a word beside them is not known
    denied: set[int] = field(default_factory=set)  # what was denied and is nothing that could be taken back

    @property
    def spans(self) -> list[Quantity]:
        """Every amount and name, networks included."""
        return [*self.quantities, *(Quantity("network", m.technology, m.start, m.end) for m in self.mentions)]


_built: dict[tuple[int, int], Listener] = {}  # each keeps its language and catalog alive, so no identity is used twice


class Listener:
    """Understands messages with the wordings of a language and the names of a catalog."""

    @classmethod
    def of(cls, language: Language, catalog: Catalog) -> Listener:
        """The listener of a language and a catalog, built with the first message."""
        key = (id(language), id(catalog))
        if key not in _built:
            _built[key] = cls(language, catalog)
        return _built[key]

    def __init__(self, language: Language, catalog: Catalog) -> None:
        self.language, self.catalog = language, catalog
        compiler = Compiler(language["words"]["sets"])
        self._numbers = NumberWords.of(language["numbers"])
        self._units = Units.of(language["units"], language["dates"], language["numbers"], compiler)
        self._names = Names(catalog, language["names"], compiler)
        self._scopes = ScopeReader(language["scopes"], compiler)
        self._counter = counting.Counter(language["counts"], compiler)
        self._fields = matcher(FIELDS, language, compiler)
        self._implied = {path: wording.implies for path, wording in language.fields.items() if wording.implies}
        self._last = of_the_last(compiler)
        self._ignored = Ignored.of(language["ignored"], compiler)
        self._replies = replies(language, compiler)
        self._hedges = frozenset(str(word) for word in language["words"]["hedges"])
        self._filler = frozenset(language["words"]["filler"].split())
        self._others = frozenset(language["names"]["other_networks"])
        self._acts = Acts.of(language["acts"], language["weights"])
        self._topics = Topics(language["topics"], language["words"]["sets"])
        self._speller = _speller(language, self._names, compiler.vocabulary)

    def hear(self, text: str, context: Context | None = None, *, today: datetime.date | None = None) -> Utterance:
        """What ``text`` says. ``context`` is what the conversation knows: it settles bare numbers and corrections.

        Only the first :data:`LONGEST` characters are read, and what was left out is said: a message that is longer is a
        document.
        """
        if len(text) > LONGEST:
            read = self.hear(text[:LONGEST], context, today=today)
            left = Doubt(
                None,
                f"only the first {LONGEST:,} of {len(text):,} characters were read: say the facts of the job alone",
            )
            return replace(read, text=text, doubts=(*read.doubts, left))
        typed = self._speller.read(text)
        counted = by_start(numbers(typed.tokens, self._numbers))
        shown, doubts = self._ignored.hide(typed, Source(typed.tokens, counted))
        reading = self._spans(shown, context or Nothing(), today or datetime.date.today())
        reading.doubts += doubts
        reading.scopes = self._scopes.read(reading.source)
        act = self._act(reading)
        reading.act = "describe" if act == "unclear" else act  # until it is known whether anything is stated
        if reading.act not in _SILENT_ACTS:
            self._understand(reading)
        stated = (
            reading.fields
            or reading.fabrics
            or reading.excluded
            or reading.unset
            or any(doubt.field for doubt in reading.doubts)
        )
        reading.act = settled(reading.act, stated=bool(stated or reading.nodes))
        return self._utterance(reading)

    # -- spans -------------------------------------------------------------------------------------------

    def _spans(self, text: Text, context: Context, today: datetime.date) -> _Reading:
        """Numbers, amounts, dates and names; what lies inside a name is no number."""
        counted = numbers(text.tokens, self._numbers)
        named = self._names.find(text.tokens, by_start(counted))
        general = list(self._names.technologies(Source(text.tokens, by_start(counted))))
        sized = {q.start for q in amounts(text.tokens, counted, self._units)}
        named = [q for q in named if not (_parted(text, q) and q.start + 1 in sized)]  # "a 100 Gb/s link" is no A100
        inside = {at for q in named for at in range(q.start, q.end)}
        counted = [q for q in counted if not inside & set(range(q.start, q.end))]
        measured = [
            q
            for q in amounts(text.tokens, counted, self._units) + dates(text.tokens, self._units, today)
            if q.kind.startswith("money") or not inside & set(range(q.start, q.end))  # "3 dollars an hour per H100"
        ]
        ends = {q.start: q.end for q in counted}
        measured = [q for q in measured if q.end >= ends.get(q.start, 0)]  # "a quarter of a million" is no time
        whole = {at for q in measured if q.kind in _WITH_UNIT for at in range(q.start, q.end)}
        counted = [q for q in counted if q.start not in whole]
        taken = frozenset(at for q in named if q.kind != "network" for at in range(q.start, q.end))
        mentioned = networks.mentions(
            text.tokens,
            [q for q in (*named, *general) if q.kind == "network"],
            [q for q in measured if q.kind == "rate"],
            taken,
        )
        quantities = [*counted, *measured, *(q for q in named if q.kind != "network"), *_sizes(counted)]
        quantities += unmeasured(text.tokens, counted, measured, self._units)
        source = Source(text.tokens, by_start(quantities), self._hedges, taken)
        return _Reading(text, source, context, today, quantities, named, mentioned)

    def spans(self, text: str) -> tuple[Text, list[Quantity]]:
        """The tokens of a message and every amount and name in it, networks included: what its act is judged by."""
        reading = self._spans(self._speller.read(text), Nothing(), datetime.date.today())
        return reading.text, reading.spans

    def _act(self, reading: _Reading) -> Intent:
        context = reading.context
        act = act_of(reading.text, reading.spans, self._acts, asked=context.asked, known=context.fields).act
        return "change" if act in ("describe", "unclear") and self._puts_right(reading) else act

    def _puts_right(self, reading: _Reading) -> bool:
        """ "No, 128" while something else is asked puts right the number that was said last."""
        words = [token.text for token in reading.text.tokens if token.is_word or token.is_number]
        asked = FIELDS.get(reading.context.asked or "")
        begins = bool(words) and words[0] in _CORRECTING
        answers = asked is not None and asked.about.kind in NUMERIC
        return begins and not answers and len(words) <= _FEW and bool(changes.last_said(reading.context, FIELDS))

    # -- attach ------------------------------------------------------------------------------------------

    def _understand(self, reading: _Reading) -> None:
        """All that is said; of another language what is beside a word that nobody knows is asked about, never taken in
        silence."""
        withheld = unsure(reading.text.tokens)
        if not withheld:
            self._attach(reading)
            return
        bold = _Reading(reading.text, reading.source, reading.context, reading.today, reading.quantities, reading.named,
                        reading.mentions, reading.scopes, reading.act)  # fmt: skip
        self._attach(bold)
        reading.withheld = withheld
        self._attach(reading)
        reading.fields = {path: value for path, value in reading.fields.items() if bold.fields.get(path) == value}
        reading.doubts += [_maybe(path, value) for path, value in bold.fields.items() if path not in reading.fields]

    def _attach(self, reading: _Reading) -> None:
        hits = [hit for hit in self._fields.hits(reading.source) if not _cuts(hit, reading.quantities)]
        found = attach.candidates(hits, FIELDS, reading.today) + self._counter.candidates(reading.source)
        priced = {at for q in reading.quantities if q.kind.startswith("money") for at in range(q.start, q.end)}
        found += [_alone(q, priced) for q in reading.named if q.kind in _NAMES]
        last = [hit for hit in self._last.hits(reading.source) if not _cuts(hit, reading.quantities)]
        found += attach.candidates(last, FIELDS, reading.today)
        asked = reading.context.asked or ""
        found += attach.answers(reading.source, FIELDS.get(_ASKED.get(asked, asked)), reading.today)
        found += _of_networks(reading.mentions)
        serving = attach.serves(
            {f.says.field: f.value for f in (c.fact for c in found) if f.says.field == "workload"},
            reading.context.fields,
        )
        facts, doubts = attach.chosen(attach.of_this_job(found, serving, ()))
        reading.doubts += doubts
        reading.taken |= {at for fact in facts for at in fact.claimed}
        said = frozenset(at for fact in facts if fact.says.act == "set" for at in fact.claimed)
        reading.scopes = [s for s in reading.scopes if s.kind not in _OF_A_CHOICE or not s.cue & said]
        facts = [fact for fact in facts if not fact.claimed & reading.withheld]
        live = [meant for fact in facts if (meant := self._as_meant(reading, fact))]
        self._keep_denied(reading, facts, {fact.says.field for fact in live})
        spoken_of = [fact for fact in live if fact.says.field in _SPEAKS_OF_NETWORKS]
        reading.scopes += [Reach("quoted", fact.start, fact.end, frozenset()) for fact in spoken_of]
        self._set(reading, [fact for fact in live if fact.says.act != "count"])
        self._count(reading, [fact for fact in live if fact.says.act == "count"])
        for fact in (fact for fact in live if fact.says.act == "range"):
            reading.doubts.append(_of_range(fact))
            reading.fields |= {"cluster.gpu": fact.slots["gpu"].value} if "gpu" in fact.slots else {}
        self._count_waiting(reading)
        wide = {at for fact in live if fact.says.field == "cluster.wan_gbps" for at in fact.claimed}
        reading.mentions = [m for m in reading.mentions if not (m.technology == "tcp" and m.claimed & wide)]
        self._networks(reading)
        self._offers(reading)
        self._answer(reading)
        _doubt_count(reading, [fact for fact in live if fact.says.act == "count"], self._filler)
        reading.fields = {p: v for p, v in reading.fields.items() if not _argued(reading, p)}
        if reading.act == "ask" and self._asked(reading).topic is None:
            _keep_stated(reading)

    def _as_meant(self, reading: _Reading, fact: Fact) -> Fact | None:
        """A fact of the job as planned, or nothing. A yes that is denied is a no; what else is denied is taken back if
        it was said."""
        kinds = kinds_at(reading.scopes, fact.start, fact.end)
        if reading.act == "ask" and "subject" in kinds and fact.says.value is not None:
            return None  # a choice that is asked about
        if kinds & _NOT_OURS or (kinds & {"supposition"} and reading.act != "what-if") or kinds & {"replaced"}:
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

    def _keep_denied(self, reading: _Reading, facts: Sequence[Fact], live: Set[str]) -> None:
        """What is denied without having been said, and without another in its place, is given back: "not fsdp"."""
        for fact in facts:
            denial = denial_of(reading.scopes, fact.start, fact.end, fact.claimed)
            if denial and fact.says.act == "set" and fact.says.field not in live | {"cluster.provider", *reading.unset}:
                reading.denied |= fact.claimed | denial.cue

    def _set(self, reading: _Reading, facts: Sequence[Fact]) -> None:
        said: dict[str, list[Fact]] = {}
        for fact in facts:
            if fact.says.act == "set":
                said.setdefault(fact.says.field, []).append(fact)
            elif fact.says.act == "unset":
                reading.unset.append(fact.says.field)
            elif fact.says.act in ("scale", "add", "share"):
                self._change(reading, fact)
        for path, readings in said.items():
            self._settle(reading, path, readings)
        self._one_model(reading)
        if reading.fields.get("workload") == "inference" and reading.context.fields.get("workload") in SERVING:
            del reading.fields["workload"]  # requests and answers belong to every kind of serving
        for path, value in list(reading.fields.items()):
            for other, implied in self._implication(path, value):
                if other not in reading.context.fields:
                    reading.fields.setdefault(other, implied)
        for fact in facts:
            if fact.says.act == "either":
                reading.doubts.append(Doubt(fact.says.field, "which of both?", FIELDS[fact.says.field].values))
            if fact.says.act == "ask" and fact.says.field not in reading.fields:
                reading.doubts.append(self._question(reading, fact))

    def _implication(self, path: str, value: Any) -> Iterable[tuple[str, Any]]:
        """What a value says of other fields, by the value itself or by any."""
        known = self._implied.get(path, {})
        return {**known.get("any", {}), **known.get(str(value), {})}.items()

    def _one_model(self, reading: _Reading) -> None:
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

    def _question(self, reading: _Reading, fact: Fact) -> Doubt:
        """What has to be asked back about what was said: ``{said}`` in the sentence stands for the words."""
        several = [q for q in fact.slots.values() if isinstance(q.value, tuple)]
        path, said = fact.says.field, reading.text.typed(fact.start, fact.end)
        options = [
            attach.converted(FIELDS[path], replace(q, kind=q.kind.removesuffix("s"), value=v), reading.today)
            for q in several
            for v in q.value
        ]
        return Doubt(path, fact.says.value.replace("{said}", said), tuple(options))

    def _settle(self, reading: _Reading, path: str, readings: list[Fact]) -> None:
        """One value for a field: of several the planned one, in a correction the last; else the person is asked."""
        readings = [fact for fact in readings if not self._waits(reading, fact)]
        planned = self._planned(reading, readings)
        planned = [f for f in planned if not f.says.weak] or planned
        values = list(dict.fromkeys(f.value for f in planned))
        if not values:
            return
        if len(values) > 1 and reading.act not in ("change", "what-if"):
            reading.doubts.append(Doubt(path, " or ".join(map(str, values)) + "?", tuple(values)))
        else:
            reading.fields[path] = values[-1]

    def _planned(self, reading: _Reading, facts: list[Fact]) -> list[Fact]:
        """What is planned, or what is there now where nothing else is planned."""
        planned = [f for f in facts if "present" not in kinds_at(reading.scopes, f.start, f.end)]
        return planned if planned or any(s.kind == "planned" for s in reading.scopes) else facts

    def _waits(self, reading: _Reading, fact: Fact) -> bool:
        """A batch in tokens and adapters per GPU are counted when length and node are known."""
        if not {"tokens", "per_gpu"} & fact.slots.keys() and not (
            fact.says.field == "cluster.nics_per_node" and not fact.slots
        ):
            return False
        reading.waiting.append(fact)
        return True

    def _count_waiting(self, reading: _Reading) -> None:
        known = {**reading.context.fields, **reading.fields}
        gpu = self._gpu(reading)
        for fact in reading.waiting:
            length, per_node = (
                known.get("training.sequence_length"),
                known.get("cluster.gpus_per_node") or (gpu.gpus_per_node if gpu else 8),
            )
            if "tokens" in fact.slots and length:
                reading.fields[fact.says.field] = max(1, round(binary(fact.slots["tokens"]) / length))
            elif "tokens" in fact.slots:
                reading.doubts.append(
                    Doubt(fact.says.field, "a batch in tokens says how many sequences only with their length")
                )
            else:
                reading.fields[fact.says.field] = int(fact.slots["per_gpu"].value if fact.slots else 1) * per_node

    def _change(self, reading: _Reading, fact: Fact) -> None:
        path = changes.last_said(reading.context, FIELDS) if fact.says.field == LAST else fact.says.field
        if path is None:
            return
        value = changes.relative(
            path,
            fact,
            FIELDS[path],
            reading.context,
            self._gpu(reading),
            [reading.text.tokens[at].stem for at in sorted(fact.claimed)],
            reading.today,
        )
        if value is not None:
            reading.fields[path] = value

    def _gpu(self, reading: _Reading) -> Gpu | None:
        return self.catalog.gpus.get(
            reading.fields.get("cluster.gpu") or reading.context.fields.get("cluster.gpu") or ""
        )

    def _count(self, reading: _Reading, facts: list[Fact]) -> None:
        facts = self._planned(reading, facts)
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
        reading.nodes = found.nodes
        reading.doubts += found.doubts
        self._doubt_unknown(reading)

    def _doubt_unknown(self, reading: _Reading) -> None:
        """A GPU that is not in the catalog is asked about, never taken for another one."""
        for quantity in reading.named:
            ours = not kinds_at(reading.scopes, quantity.start, quantity.end) & (_NOT_OURS | {"replaced"})
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
                reading.doubts.append(Doubt("cluster.gpu", sentence))

    # -- networks ----------------------------------------------------------------------------------------

    def _networks(self, reading: _Reading) -> None:
        """Which networks are named, ruled out and decided; one that may be decided or only spoken of is asked about."""
        named = self._resolved(reading)
        reading.fabrics = list(dict.fromkeys(fabric for _, fabric in named))
        if reading.act not in ("describe", "change", "what-if"):
            return
        ours = [(m, f) for m, f in named if not self._is_elsewhere(reading, m)]
        present = [pair for pair in ours if "present" in kinds_at(reading.scopes, pair[0].start, pair[0].end)]
        planned = any(scope.kind == "planned" for scope in reading.scopes)
        ours = ours if len(present) == len(ours) and not planned else [pair for pair in ours if pair not in present]
        decided = [(m, f) for m, f in ours if self._is_decided(reading, m)]
        fabrics = {f for _, f in ours}
        if decided and len(fabrics) == 1:
            reading.fields["cluster.fabric"] = decided[0][1]
            links = next((m.links for m, _ in decided if m.links), None)
            reading.fields |= {"cluster.nics_per_node": links} if links and not nics_of(reading) else {}
        elif len(fabrics) == 1 and reading.act != "what-if":
            self._ask_whether_decided(reading, *ours[0])

    def _ask_whether_decided(self, reading: _Reading, mention: Mention, fabric: str) -> None:
        kinds = kinds_at(reading.scopes, mention.start, mention.end)
        if kinds & _NOT_DECIDED or "cluster.fabric" in reading.context.fields or mention.claimed & reading.withheld:
            return
        said = reading.text.typed(mention.start, mention.end)
        reading.doubts.append(Doubt("cluster.fabric", f'is "{said}" what connects the machines?', (fabric,)))

    def _resolved(self, reading: _Reading) -> list[tuple[Mention, str]]:
        """Every network that is named and not ruled out, with its fabric of the catalog."""
        gpu, nics = self._gpu(reading), nics_of(reading)
        found: list[tuple[Mention, str]] = []
        denied_before: Mention | None = None
        for mention in reading.mentions:
            reading.taken |= mention.claimed
            of_node = mention.per_node or self._is_of_node(reading, mention)
            fabric, rates = networks.resolve(
                replace(mention, per_node=of_node), self.catalog, gpu, mention.links or nics
            )
            if fabric is None:
                said = reading.text.typed(mention.start, mention.end)
                reading.doubts.append(Doubt("cluster.fabric", f'no network of the catalog is "{said}"', rates))
            elif not mention.claimed & reading.withheld and self._is_ruled_out(reading, mention, denied_before):
                denied_before = mention
                family = networks.family(mention, self.catalog, fabric)
                reading.excluded += [i for i in family if i not in reading.excluded]
            else:
                found.append((mention, fabric))
        return found

    def _is_of_node(self, reading: _Reading, mention: Mention) -> bool:
        """Whether a rate is that of a node: "each H100 node has 3.2 Tb/s of InfiniBand"."""
        first, last = fragment(reading.text.tokens, mention.start, mention.end)
        return bool({t.text for t in reading.text.tokens[first:last]} & networks.PER_NODE)

    def _is_ruled_out(self, reading: _Reading, mention: Mention, denied_before: Mention | None) -> bool:
        if reading.act in _ABOUT_A_PLAN | {"ask"} or "quoted" in kinds_at(reading.scopes, mention.start, mention.end):
            return False
        if denial_of(reading.scopes, mention.start, mention.end, mention.claimed):
            return True
        corrects = reading.act == "change"
        return denied_before is not None and lists_on(
            reading.text.tokens, denied_before.end, mention.start, corrects=corrects
        )

    def _is_elsewhere(self, reading: _Reading, mention: Mention) -> bool:
        """Whether a network is that of others, of the past, or for storage and management."""
        if kinds_at(reading.scopes, mention.start, mention.end) & {"others", "past", "replaced"}:
            return True
        first, last = fragment(reading.text.tokens, mention.start, mention.end)
        return bool({t.text for t in reading.text.tokens[first:last]} & self._others)

    def _offers(self, reading: _Reading) -> None:
        """Offers side by side decide neither network nor provider nor price."""
        gpu = self._gpu(reading)
        resolved = [(m, networks.resolve(m, self.catalog, gpu, m.links)[0]) for m in reading.mentions]
        fabrics = [Priced(fabric, m.start, m.end) for m, fabric in resolved if fabric]
        providers = [Priced(q.value, q.start, q.end) for q in reading.named if q.kind == "provider"]
        providers += [Priced(q.value[0], q.start, q.end) for q in reading.named if q.kind == "instance"]
        found, tokens = offers(reading.quantities, fabrics, providers)
        if not found:
            return
        reading.offers, reading.taken = found, reading.taken | tokens
        settled = {"cluster.fabric", "cluster.provider", "budget.gpu_hour_usd", "budget.fabric_premium_gpu_hour_usd"}
        reading.fields = {path: value for path, value in reading.fields.items() if path not in settled}
        reading.doubts = [doubt for doubt in reading.doubts if doubt.field not in settled]

    def _is_decided(self, reading: _Reading, mention: Mention) -> bool:
        kinds = kinds_at(reading.scopes, mention.start, mention.end)
        if mention.claimed & reading.withheld:
            return False
        if reading.act == "what-if":
            kinds -= {"supposition", "hedged"}
        if "owned" in kinds:
            return True
        if kinds & _NOT_DECIDED:
            return False
        return reading.act == "what-if" or "decided" in kinds or self._stands_alone(reading, mention)

    def _stands_alone(self, reading: _Reading, mention: Mention) -> bool:
        """Whether a network is an item of its own in what is said of the job: "…, RoCE 400, zero-3, …"."""
        first, last = fragment(reading.text.tokens, mention.start, mention.end)
        beside = set(range(first, last)) - mention.claimed - reading.taken
        return all(self._says_nothing(reading.text, at) for at in beside)

    # -- answers -----------------------------------------------------------------------------------------

    def _answer(self, reading: _Reading) -> None:
        """What only the open question, or what was said last, gives a meaning."""
        asked = reading.context.asked
        if asked in self._replies and asked not in reading.fields:
            best = max(self._replies[asked].hits(reading.source), key=lambda hit: len(hit.own), default=None)
            if best is not None and not best.claimed & reading.withheld:
                reading.taken |= best.claimed
                if best.key.act == "unset":
                    reading.unset.append(asked)
                else:
                    reading.fields[asked] = best.key.value
        if reading.act in ("describe", "change", "what-if") and not reading.fields:
            taken = reading.taken | reading.withheld
            found = changes.bare(reading.source, taken, reading.act, reading.context, FIELDS, reading.today)
            if found is not None:
                path, value, tokens = found
                reading.fields[path] = value
                reading.taken |= set(tokens)

    def _asked(self, reading: _Reading) -> Question:
        """What is asked; words that state facts of a job ask nothing."""
        explained = set(reading.taken) if reading.act not in _ABOUT_A_PLAN and _states(reading) else set()
        explained.update(*(mention.claimed for mention in reading.mentions))
        fields = reading.fields | (
            {"cluster.gpus": None} if reading.nodes else {}
        )  # counted, in nodes of a size to be assumed
        said = (fields, reading.context.fields, reading.mentions, reading.fabrics, frozenset(explained))
        return self._topics.ask(Heard(reading.text, reading.source, *said))

    # -- what comes out ----------------------------------------------------------------------------------

    def _utterance(self, reading: _Reading) -> Utterance:
        places, question = reading.text.tokens, self._asked(reading)
        rest = "" if reading.act in _SILENT_ACTS else self._rest(reading)
        said = any(c.isdigit() for c in rest) and any(c.isalpha() for c in rest)  # what may be a fact
        if reading.text.language != ENGLISH and (reading.withheld or said):
            reading.doubts.append(self._in_english_please(reading.text.language, rest))
        return Utterance(
            text=reading.text.original,
            act="ask" if question.of_plan and _may_ask(reading) else reading.act,
            topic=question.topic,
            of_plan=question.of_plan,
            roles=question.roles,
            slips=reading.text.slips,
            entities=tuple(_entities(reading)),
            amounts=tuple(
                Amount(q.kind, q.value, q.unit, places[q.start].start, places[q.end - 1].end)
                for q in reading.quantities
                if q.kind not in _NAMES and q.kind not in ("unknown-gpu", "instance", "generation")
            ),
            scopes=tuple(
                Scope(s.kind, places[s.start].start, places[s.end - 1].end)  # type: ignore[arg-type]
                for s in reading.scopes
                if s.end > s.start
            ),
            fields={path: reading.fields[path] for path in sorted(reading.fields, key=_ORDER.__getitem__)},
            fabrics=tuple(reading.fabrics),
            excluded=tuple(reading.excluded),
            unset=tuple(dict.fromkeys(p for p in reading.unset if p not in reading.fields)),
            nodes=reading.nodes,
            offers=tuple(reading.offers),
            doubts=tuple(reading.doubts),
            rest=rest,
            language=reading.text.language,
        )

    def _in_english_please(self, name: str, rest: str) -> Doubt:
        """The sentence that asks for English, in that language too."""
        other = self.language.others.get(name)
        if other is None or not other.words:
            return Doubt(None, f'"{rest}" is in a language that is not read here: please say it in English')
        return Doubt(
            None, f'{other.name} is read in part only, please say in English what "{rest}" means ({other.please})'
        )

    def _rest(self, reading: _Reading) -> str:
        """What was not understood, in the person's own spelling; filler words alone are nothing."""
        cues = {at for scope in reading.scopes for at in scope.cue}
        parts: list[str] = []
        run: list[int] = []
        for at, token in enumerate((*reading.text.tokens, None)):
            known = token is None or (at in reading.taken | cues and at not in reading.denied)
            if not known:
                run.append(at)
                continue
            while run and run[0] not in reading.denied and self._says_nothing(reading.text, run[0]):
                run.pop(0)
            while run and self._says_nothing(reading.text, run[-1]):
                run.pop()
            if run:
                first, last = _with_brackets(reading.text.tokens, run[0], run[-1] + 1)
                parts.append(reading.text.typed(first, last).strip(" ,;:.!?()"))
            run = []
        return " … ".join(part for part in parts if part)

    def _says_nothing(self, text: Text, at: int) -> bool:
        token = text.tokens[at]
        return token.text in self._filler or not (token.is_word or token.is_number or token.text == HIDDEN)


def _with_brackets(tokens: Sequence[Token], first: int, last: int) -> tuple[int, int]:
    """The brackets of "[bold red]" and "<script>" stay with the word that they enclose."""
    first -= first > 0 and tokens[first].glued and tokens[first - 1].text in "[<{"
    last += last < len(tokens) and tokens[last].glued and tokens[last].text in "]>}"
    return first, last


def _doubt_count(reading: _Reading, counts: Sequence[Fact], filler: Set[str]) -> None:
    """A number that nothing explains, beside a count of GPUs, may be the count: "512, but 64 is what we get"."""
    gpus = reading.fields.get(counting.COUNTED)
    if gpus is None or reading.act != "describe":
        return
    tokens = reading.text.tokens
    for number in reading.quantities:
        stretch = [range(min(f.start, number.start), max(f.end, number.end)) for f in counts]
        near = any(not any(tokens[at].text in _SENTENCE_ENDS and not tokens[at].glued for at in s) for s in stretch)
        other = kinds_at(reading.scopes, number.start, number.end) & (_NOT_OURS | {"replaced"})
        if near and not other and _may_count(number, tokens, reading.taken, filler):
            del reading.fields[counting.COUNTED]
            reading.doubts.append(Doubt(counting.COUNTED, f"{gpus} or {number.value} GPUs?", (gpus, int(number.value))))
            return


def _may_count(number: Quantity, tokens: Sequence[Token], taken: Set[int], filler: Set[str]) -> bool:
    """Whether a number could be one of GPUs: whole, no year, and with no word behind it that says what it counts."""
    if number.kind != "number" or taken & set(range(number.start, number.end)) or number.value != int(number.value):
        return False
    behind = tokens[number.end] if number.end < len(tokens) else None
    denied = number.start > 0 and tokens[number.start - 1].text in _PUTS_RIGHT
    alone = behind is None or not (behind.is_word or behind.is_number or behind.glued) or behind.text in filler
    return alone and not denied and number.unit in ("", "k") and number.value > 1 and int(number.value) not in _YEARS


def _argued(reading: _Reading, path: str) -> bool:
    """Whether a field is part of an argument about the plan and states nothing: "why does it want 8 NICs?"."""
    if reading.act == "compare":
        return path in ("cluster.provider", "cluster.fabric") or path.startswith("budget.")
    return reading.act == "why-not" or (reading.act == "why" and path not in _OF_A_WHY)


def nics_of(reading: _Reading) -> int | None:
    """Adapters of a node, as said now or before."""
    return reading.fields.get("cluster.nics_per_node") or reading.context.fields.get("cluster.nics_per_node")


def _of_range(fact: Fact) -> Doubt:
    """ "64 or 128 GPUs": which of both is asked."""
    low, high = int(fact.slots["low"].value), int(fact.slots["high"].value)
    return Doubt(counting.COUNTED, f"{low} or {high}?", (low, high))


def _maybe(path: str, value: Any) -> Doubt:
    """A question about a value that was read beside words that were not."""
    unit = FIELDS[path].about.unit if path in FIELDS else "{}"
    return Doubt(path, f"was {unit.format(value)} meant? Not every word beside it was understood", (value,))


def _states(reading: _Reading) -> bool:
    """Whether a message states facts of the job; its kind alone may follow from what is asked ("requests per
    second")."""
    return bool(reading.fields.keys() - {"cluster.fabric", "workload"})


def _may_ask(reading: _Reading) -> bool:
    """Whether an act other than a question may be one that is put without a question word."""
    return reading.act in _SILENT_ACTS | {"unclear"} or (reading.act == "describe" and not _states(reading))


def _keep_stated(reading: _Reading) -> None:
    """A question states the job it is asked for; a mechanism that it asks about is no fact."""
    reading.fields = {p: v for p, v in reading.fields.items() if p in _JOB or FIELDS[p].about.kind in NUMERIC}
    if not any(path in reading.fields for path in ("model", "model.params", "cluster.gpu", "cluster.gpus")):
        reading.fields = {p: v for p, v in reading.fields.items() if p != "workload"}


def _sizes(counted: Iterable[Quantity]) -> list[Quantity]:
    """ "70b" and "7 billion" may be the size of a model."""
    return [
        Quantity("size", q.value, q.start, q.end, q.unit)
        for q in counted
        if q.unit in ("b", "bn", "billion", "t", "trillion", "m", "million")
    ]


def _parted(text: Text, quantity: Quantity) -> bool:
    """Whether a name is an article and a number that stand apart."""
    return text.tokens[quantity.start].text == "a" and not text.tokens[quantity.start + 1].glued


def _cuts(hit: Hit, quantities: Iterable[Quantity]) -> bool:
    """Whether a reading ends within a number: the "half" of "half a million"."""
    return any(q.kind == "number" and q.start < hit.end < q.end for q in quantities)


def _alone(quantity: Quantity, priced: Set[int]) -> Candidate:
    """A name by itself says which GPU, model or provider it is, also where it is part of a price: "$3 per H100
    hour"."""
    says = Says("set", _NAMES[quantity.kind], quantity.value)
    tokens = frozenset(range(quantity.start, quantity.end))
    fact = Fact(says, quantity.value, quantity.start, quantity.end, tokens - priced)
    size = quantity.end - quantity.start
    return Candidate(fact, size - 1 if quantity.kind == "gpu" else 4 * size - 3)  # counts take a GPU with them


def _of_networks(mentions: Iterable[Mention]) -> list[Candidate]:
    """The words of a network belong to it and to nothing else; its meaning is settled when the GPU is known."""
    return [
        Candidate(Fact(Says("network", "cluster.fabric"), None, m.start, m.end, m.claimed), len(m.claimed))
        for m in mentions
    ]


def _entities(reading: _Reading) -> Iterable[Entity]:
    tokens = reading.text.tokens
    for q in reading.named:
        if q.kind in ("gpu", "model", "provider", "instance"):
            id = q.value if isinstance(q.value, str) else q.value[1].name
            denied = denial_of(reading.scopes, q.start, q.end, frozenset()) is not None
            yield Entity(q.kind, id, tokens[q.start].start, tokens[q.end - 1].end, denied)
    for mention, fabric in zip(reading.mentions, reading.fabrics, strict=False):
        yield Entity("fabric", fabric, tokens[mention.start].start, tokens[mention.end - 1].end)


def _speller(language: Language, names: Names, known: Collection[str]) -> Speller:
    data: Mapping[str, Any] = language["spelling"]
    short = {tuple(t.text for t in cut(form)): tuple(t.text for t in cut(full)) for form, full in data["short"].items()}
    return Speller(
        frozenset(data["words"].split()) | {w for w in names.words if len(w) > 4},
        frozenset(w for w in names.words | words_of(language["names"]) if len(w) > 4),
        short,
        frozenset(data["right"].split()),
        frozenset(known),
        Languages.of(language, names.words, known).read,
    )
