"""Text → :class:`Utterance`, in pure stages: normalise, spans, scopes, attach, act, topic. Nothing here loads a
model."""

from __future__ import annotations

import datetime
import gc
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Set
from dataclasses import replace
from typing import Any

from assistant.vocabulary.added import added
from assistant.vocabulary.answers import Intent
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.errors import InputError, Place
from assistant.vocabulary.fields import NUMERIC
from assistant.vocabulary.language import Language
from assistant.vocabulary.questionnaire import FIELDS
from assistant.vocabulary.utterance import Doubt, Utterance

from . import attach, changes, counting, networks
from .acts import Acts, act_of, settled
from .attach import Candidate, Context, Fact, Nothing
from .belonging import Belonging
from .decisive import Decisive
from .documents import excerpt
from .fabrics import Fabrics
from .facts import Facts
from .followups import Followups
from .ignored import Ignored
from .judge import Judge
from .languages import Languages, unsure, words_of
from .names import Names
from .networks import Mention, by_start
from .numbers import NumberWords, numbers
from .offer_prices import by_the_node, dollars, hourly, is_rate
from .offers import Offers
from .piece_values import Values
from .quantities import MONEY_OTHER, Units, amounts, carried, dates, ranges, unmeasured
from .reading import ABOUT_A_PLAN, NAMES, NOT_OURS, SILENT_ACTS, Reading
from .result import Results
from .scopes import Reach, ScopeReader, denial_of
from .templates import Compiler, Hit, Matcher, Quantity, Source, TemplateError
from .text import Speller, Text, Tokens, clause_of, clean, cut, ends_sentence, in_question, sentences
from .told_offers import ToldOffers
from .topics import Heard, Question, Topics
from .wordings import Says, matcher, names, of_the_last, replies

_WHO_STATES = frozenset({"we", "i", "they"})  # begin a clause that tells
_TOLD, _MODEL = frozenset({"cluster.gpu", "cluster.gpus"}), frozenset({"model", "model.params"})  # fields of a job
_ASKING, _TELLING = ("ask", "why", "why-not", "what-if", "compare"), ("describe", "change")  # acts
_ASKED = {"model": "model.params"}  # the question for a model may be answered with its size
_KEPT = 4  # listeners: a catalog that was changed has one of its own
_CORRECTING = frozenset({"no", "sorry", "wait", "actually", "oops", "correction", "rather"})
_SURELY_TELLS = 0.98  # how likely it is that something is described
_MOST_WORDS = 5  # that nothing explains, beside a bare number that is an answer
_FEW = 4  # words of a correction that names no field
_WITH_UNIT = frozenset("length rate money money-other percent power memory time date".split())  # no bare numbers
_JOB = frozenset({"workload", "model", "cluster.gpu", "cluster.provider", "training.method", "inference.precision"})
# What is said with the name of a network that is not decided by it: "our two engineers know RoCE", "InfiniBand adds 20
# cents".
_SPEAKS_OF_NETWORKS = frozenset(
    {"constraints.network_team", "budget.fabric_premium_gpu_hour_usd", "constraints.max_slowdown_percent"}
)
# What says nothing of the job that is planned: "the chatbot comes later, ignore it".
_ELSEWHERE = NOT_OURS | {"supposition", "replaced"}
# "bought last year", "to buy rather than rent": no more than that is past
_OF_A_CHOICE = frozenset("past replaced".split())
_OF_A_WHY = frozenset(
    "model model.params model.experts model.experts_per_token cluster.gpu cluster.gpus cluster.gpus_per_node "
    "workload".split()
)  # "why RoCE for my 64 H100?"
# "CoreWeave or Crusoe for a 3 week run between two sites?"
_OF_A_COMPARISON = frozenset("training.days training.tokens cluster.sites cluster.wan_gbps".split())


_building = threading.Lock()
_built: dict[tuple[int, int], Listener] = {}  # each keeps its language and catalog alive, so no identity is used twice

Kept = Callable[[Callable[[], "Listener"]], "Listener"]  # what is built, or the same as it was kept


class Listener:
    """Understands messages with the wordings of a language and the names of a catalog."""

    @classmethod
    def of(cls, language: Language, catalog: Catalog, kept: Kept | None = None) -> Listener:
        """The listener of a language and a catalog, built with the first message, or ``kept`` since it was."""
        key, build = (id(language), id(catalog)), lambda: cls._anew(language, catalog)
        with _building:  # a message that comes while it is built waits instead of building another one
            if key not in _built:
                while len(_built) >= _KEPT:
                    del _built[next(iter(_built))]
                _built[key] = kept(build) if kept else build()
            return _built[key]

    @classmethod
    def _anew(cls, language: Language, catalog: Catalog) -> Listener:
        collecting = gc.isenabled()
        gc.disable()  # a third of the time: of a hundred thousand parts of templates none is garbage
        try:
            return cls(language, catalog)
        except TemplateError as error:
            raise InputError(f"a wording cannot be read: {error}", Place("knowledge/language")) from None
        finally:
            if collecting:
                gc.enable()

    def __init__(self, language: Language, catalog: Catalog) -> None:
        self.language, self.catalog = language, catalog
        compiler = Compiler(language["words"]["sets"])
        self._numbers = NumberWords.of(language["numbers"], language["units"]["currency"])
        self._units = Units.of(language["units"], language["dates"], language["numbers"], compiler)
        self._of_a_node = Matcher(compiler, [(None, template) for template in language["units"]["of_a_node"]])
        self._names = Names(catalog, language["names"], compiler)
        self._scopes = ScopeReader(language["scopes"], compiler)
        self._counter = counting.Counter(language["counts"], compiler)
        self._fields = matcher(FIELDS, language, compiler)
        implied = {path: wording.implies for path, wording in language.fields.items() if wording.implies}
        self._filler = filler = frozenset(language["words"]["filler"].split())
        self._facts = Facts(catalog, self._names, implied, filler)
        self._fabrics = Fabrics(catalog, frozenset(language["names"]["other_networks"]), filler)
        called = (name for one in catalog.devices.values() if one.kind == "switch" for name in one.aliases)
        switches = [name for name in called if any(map(str.isdecimal, name))]  # "dell" is a seller too
        values = Values(language["words"]["offers"], language["units"]["currency"], catalog)
        told = ToldOffers(language["opinion"], values, Belonging(language["words"]["offers"]))
        self._offers = Offers(catalog, language["words"]["offers"], switches, told)
        self._results = Results(language, filler)
        self._last = of_the_last(compiler)
        self._names_of_fields = names(FIELDS, compiler)
        self._ignored = Ignored.of(language["ignored"], compiler)
        self._replies = replies(language, compiler)
        self._to_be_had = frozenset(language["words"]["to_be_had"].split())
        self._hedges = frozenset(str(word) for word in language["words"]["hedges"])
        self._acts = Acts.of(language["acts"], language["weights"])
        self._followups = Followups.of(language["followups"], language["asked_of_plans"], self._acts)
        self.judge = Judge(language["opinion"], Decisive(language["words"]["decisive"]))
        self._topics = Topics(language["topics"], language["words"]["sets"])
        self._telling = frozenset(word for word in self._names.words if len(word) > 2)
        self._speller = _speller(language, self._names, compiler.vocabulary)

    def hear(self, text: str, context: Context | None = None, *, today: datetime.date | None = None) -> Utterance:
        """What ``text`` says. ``context`` is what the conversation knows: it settles bare numbers and corrections.

        Of a document (:mod:`.documents`) the sentences with figures and names are read, and what was left out is said.
        """
        part = excerpt(text, self._telling)
        typed = self._speller.read(part.text)
        counted = by_start(numbers(typed.tokens, self._numbers))
        shown, doubts = self._ignored.hide(typed, Source(typed.tokens, counted))
        reading = self._spans(shown, context or Nothing(), today or datetime.date.today())
        reading.doubts += [*doubts, *_unread(part.left, len(text))]
        reading.scopes = self._scopes.read(reading.source)
        reading.opinion = self.judge.opinion(reading)
        act = self._act(reading)
        reading.act = "describe" if act == "unclear" else act  # until it is known whether anything is stated
        if reading.act not in SILENT_ACTS:
            told = reading.again("describe")
            self._understand(reading)
            if _asks_which_offer(reading):
                reading = told
                self._tell_offers(reading)
            elif reading.act == "ask" and not reading.context.fields and _is_told_before(reading):
                self._tell_offers(told)
                reading = told if len(told.offers) == 1 and "model" in " ".join(told.fields) else reading
            elif reading.act in ABOUT_A_PLAN and not reading.context.fields:  # there is none that it could be about
                self._understand(told)
                reading = told if told.fields.keys() >= _TOLD and _MODEL & told.fields.keys() else reading
        stated = (
            reading.fields
            or reading.fabrics
            or reading.excluded
            or reading.unset
            or any(doubt.field for doubt in reading.doubts)
        )
        reading.act = settled(reading.act, stated=bool(stated or reading.nodes or _tells(reading)))
        question = self._asked(reading)
        _more_than_there(reading, question.roles.get("signs", {}).get("more_bought", ()))
        if question.of_plan and reading.may_ask:
            reading.act = "ask"
        return replace(
            self._results.utterance(reading, question),
            text=clean(text),
            followup=self._kinds(reading),
            asks=_likely(reading, _ASKING),
            tells=_likely(reading, _TELLING),
        )

    def _kinds(self, reading: Reading) -> tuple[tuple[str, float], ...]:
        """What may be asked of a plan, where something of a job is known."""
        if not reading.context.fields:
            return ()
        return self._followups.kinds(reading.text, reading.spans, reading.opinion and reading.opinion.kinds)

    def _spans(self, text: Text, context: Context, today: datetime.date) -> Reading:
        """Numbers, amounts, dates and names; what lies inside a name is no number."""
        counted = numbers(text.tokens, self._numbers)
        named = self._names.find(text.tokens, by_start(counted))
        coded = {at for q in named if q.kind == "instance" for at in range(q.start, q.end)}  # gd-8xh100ib-i128
        general = self._names.technologies(Source(text.tokens, by_start(counted)))
        general = [q for q in general if not coded & set(range(q.start, q.end))]
        if any(_parted(text, q) for q in named):  # "a 100 Gb/s link" is no A100
            sized = {q.start for q in amounts(text.tokens, counted, self._units)}
            named = [q for q in named if not (_parted(text, q) and q.start + 1 in sized)]
        inside = {at for q in named for at in range(q.start, q.end)}
        counted = [q for q in counted if not inside & set(range(q.start, q.end))]
        measured = [
            networks.in_bits(q, text.typed(q.start, q.end)) if q.kind == "rate" else q
            for q in amounts(text.tokens, counted, self._units) + dates(text.tokens, self._units, today)
            if q.kind.startswith("money") or not inside & set(range(q.start, q.end))  # "3 dollars an hour per H100"
        ]
        measured += carried(text.tokens, counted, measured)
        coded = [q.value[1] for q in named if q.kind == "instance"]
        gpus = {q.value for q in named if q.kind == "gpu"} | {one.gpu for one in coded}
        gpus = gpus or {context.fields.get("cluster.gpu")}
        gpu = self.catalog.gpus.get(gpus.pop() or "") if len(gpus) == 1 else None
        per_node = context.fields.get("cluster.gpus_per_node") or (gpu.gpus_per_node if gpu else None)
        per_node = coded[0].gpus_per_node if coded else per_node
        priced = self._of_a_node.hits(Source(text.tokens, by_start([*measured, *named])))
        behind = {q.start for hit in priced for q in hit.slots.values() if q.kind == "money"}
        measured = by_the_node(measured, text.tokens, gpu, per_node, self.catalog, behind)
        every, ends = counted, {q.start: q.end for q in counted}
        measured = [q for q in measured if q.end >= ends.get(q.start, 0)]  # "a quarter of a million" is no time
        whole = {at for q in measured if q.kind in _WITH_UNIT for at in range(q.start, q.end)}
        counted = [q for q in counted if q.start not in whole]
        taken = frozenset(at for q in named if q.kind != "network" for at in range(q.start, q.end))
        mentioned = networks.mentions(
            text.tokens,
            [q for q in (*named, *general) if q.kind == "network"],
            [networks.as_of_a_network(q, text.typed(q.start, q.end)) for q in measured if q.kind == "rate"],
            taken,
        )
        said = [*counted, *measured, *_sizes(counted), *unmeasured(text.tokens, counted, measured, self._units)]
        quantities = [*ranges(text.tokens, every, said), *(q for q in named if q.kind != "network")]
        source = Source(text.tokens, by_start(quantities), self._hedges, taken)
        return Reading(text, source, context, today, quantities, named, mentioned)

    def spans(self, text: str) -> tuple[Text, list[Quantity]]:
        """The tokens of a message and every amount and name in it, networks included: what its act is judged by."""
        reading = self._spans(self._speller.read(text), Nothing(), datetime.date.today())
        return reading.text, reading.spans

    def _act(self, reading: Reading) -> Intent:
        context = reading.context
        meant = reading.opinion.acts if reading.opinion else None
        judged = act_of(reading.text, reading.spans, self._acts, asked=context.asked, known=context.fields, meant=meant)
        act = judged.act
        return "change" if act in ("describe", "unclear") and self._puts_right(reading) else act

    def _puts_right(self, reading: Reading) -> bool:
        """ "No, 128" while something else is asked puts right the number that was said last."""
        words = [token.text for token in reading.text.tokens if token.is_word or token.is_number]
        asked = FIELDS.get(reading.context.asked or "")
        begins = bool(words) and words[0] in _CORRECTING
        least = attach.LEAST_BUDGET if reading.context.asked == "budget.usd" else 0.0
        answers = asked is not None and asked.about.kind in NUMERIC and any(q.value >= least for q in _plain(reading))
        return begins and not answers and len(words) <= _FEW and bool(changes.last_said(reading.context, FIELDS))

    def _understand(self, reading: Reading) -> None:
        """All that is said; of another language what is beside a word that nobody knows is asked about, never taken in
        silence."""
        withheld = unsure(reading.text.tokens)
        if not withheld:
            self._attach(reading)
            return
        bold = reading.again(reading.act)
        self._attach(bold)
        reading.withheld = withheld
        self._attach(reading)
        reading.fields = {path: value for path, value in reading.fields.items() if bold.fields.get(path) == value}
        reading.doubts += [_maybe(path, value) for path, value in bold.fields.items() if path not in reading.fields]

    def _tell_offers(self, reading: Reading) -> None:
        """What is told with offers, of which a question then asks no more than which."""
        tokens = reading.text.tokens
        asked = {at for first, end in sentences(tokens) if in_question(tokens, first) for at in range(first, end + 1)}
        amounts = {q.start for q in reading.quantities if not (q.kind == "number" and tokens[q.start].is_word)}
        asks = frozenset() if asked & amounts else frozenset(asked)  # "which, at most 100k?" tells something too
        reading.unread = asks
        reading.opinion = self.judge.opinion(reading, unread=asks)
        self._understand(reading)
        reading.taken |= asks

    def _attach(self, reading: Reading) -> None:
        hits = [hit for hit in self._fields.hits(reading.source) if not _cuts(hit, reading.quantities)]
        found = attach.candidates(hits, FIELDS, reading.today) + self._counter.candidates(
            reading.source, reading.context.asked
        )
        priced = {at for q in reading.quantities if q.kind.startswith("money") for at in range(q.start, q.end)}
        found += [_alone(q, priced) for q in reading.named if q.kind in NAMES]
        last = [hit for hit in self._last.hits(reading.source) if not _cuts(hit, reading.quantities)]
        found += attach.candidates(last, FIELDS, reading.today)
        asked = reading.context.asked or ""
        if reading.act != "what-if":  # "and at 256k?" answers no question
            found += attach.answers(reading.source, FIELDS.get(_ASKED.get(asked, asked)), reading.today)
        found += _of_networks(reading.mentions)
        found = self._offers.of_the_job(reading, found)
        planned = {at for at in range(len(reading.text.tokens)) if _is_planned(reading, at)}
        facts, doubts = attach.chosen(attach.of_this_job(found, reading.context.fields, asked, planned))
        reading.doubts += doubts
        reading.taken |= {at for fact in facts if fact.says.act != "quiet" for at in fact.claimed}
        reading.quiet = frozenset(at for fact in facts if fact.says.act == "quiet" for at in fact.claimed)
        said = frozenset(at for fact in facts if fact.says.act == "set" for at in fact.claimed)
        reading.scopes = [s for s in reading.scopes if not _belongs(s, said)]
        facts = [fact for fact in facts if not fact.claimed & reading.withheld]
        live = self._facts.take(reading, facts)
        spoken_of = [fact for fact in live if fact.says.field in _SPEAKS_OF_NETWORKS]
        reading.scopes += [Reach("quoted", fact.start, fact.end, frozenset()) for fact in spoken_of]
        wide = {
            at
            for fact in live
            if (fact.says.act, fact.says.field) == ("set", "cluster.wan_gbps")
            for at in fact.claimed
        }
        reading.mentions = [m for m in reading.mentions if not (m.technology == "tcp" and m.claimed & wide)]
        self._fabrics.decide(reading)
        self._offers.lay(reading, live)
        if reading.of_sellers:  # what the sentence speaks for is judged by what it tells of the job
            reading.opinion = self.judge.of_the_job(reading)
        self._answer(reading)
        self.judge.settle(reading, live)
        self._facts.settle_sizes(reading)
        self._offers.tell_job(reading)
        self._facts.settle_time(reading)
        self._facts.follow(reading)
        self._facts.doubt_sum(reading)
        self._facts.doubt_count(reading, live)
        self._facts.doubt_date(reading, live)
        self._facts.tell_guesses(reading)
        if reading.act == "compare" and any("instance" in fact.slots for fact in live):
            for path in ("cluster.gpu", "cluster.gpus_per_node"):  # "compare p5en with CoreWeave's": neither is decided
                reading.fields.pop(path, None)
        reading.fields = {p: v for p, v in reading.fields.items() if not _argued(reading, p)}
        joined = reading.fields.get("budget.owned") == "machines" and "cluster.fabric" in reading.fields
        if joined and not any(token.text in self._to_be_had for token in reading.text.tokens):
            reading.fields["budget.owned"] = "everything"  # "8 4090 with 10G between them, we own the machines"
        _bought_after_all(reading)
        if reading.act == "ask":
            _keep_stated(reading, live, in_full=self._asked(reading).topic is not None)

    def _answer(self, reading: Reading) -> None:
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
        if reading.act in ("describe", "change", "what-if") and not (
            reading.fields or reading.unset or self._is_long(reading)
        ):
            taken = reading.taken | reading.withheld | reading.quiet
            spoken_of = {hit.key for hit in self._names_of_fields.hits(reading.source) if not hit.claimed & taken}
            found = changes.bare(reading.source, taken, reading.act, reading.context, FIELDS, reading.today, spoken_of)
            if found is not None:
                path, value, tokens = found
                if denial_of(reading.scopes, tokens.start, tokens.stop, frozenset()) is None:
                    reading.fields[path] = value
                elif reading.context.fields.get(path) == value:  # "scratch the 400k, we never had it"
                    reading.unset.append(path)
                reading.taken |= set(tokens)
        elif reading.act in ("describe", "change") and len(reading.unset) == 1 and not reading.fields:
            old = reading.context.fields.get(reading.unset[0])
            path, value, tokens = changes.in_its_place(
                reading.source, reading.taken, reading.unset[0], reading.today, old
            )
            if value is not None:
                reading.unset.clear()
                reading.fields[path] = value
                reading.taken |= set(tokens)

    def _is_long(self, reading: Reading) -> bool:
        """Whether more is said than a bare number needs: then it may be a number of anything."""
        numbers = {at for q in reading.quantities for at in range(q.start, q.end)}
        unread = (at for at in range(len(reading.text.tokens)) if at not in reading.taken | numbers)
        words = [at for at in unread if reading.text.tokens[at].is_word and not reading.says_nothing(at, self._filler)]
        return len(words) > _MOST_WORDS

    def _asked(self, reading: Reading) -> Question:
        """What is asked; words that state facts of a job ask nothing."""
        explained = set(reading.taken) if reading.act not in ABOUT_A_PLAN and reading.states else set()
        explained.update(*(mention.claimed for mention in reading.mentions))
        fields = reading.fields | (
            {"cluster.gpus": None} if reading.nodes else {}
        )  # counted, in nodes of a size to be assumed
        said = (fields, reading.context.fields, reading.mentions, reading.fabrics, frozenset(explained))
        return self._topics.ask(Heard(reading.text, self._in_dollars(reading), *said))

    def _in_dollars(self, reading: Reading) -> Source:
        """What topics are matched against: a sum of euros is asked for as one of dollars is."""
        if not any(q.kind == MONEY_OTHER for q in reading.quantities):
            return reading.source
        starting = {at: [dollars(q, self.catalog) for q in some] for at, some in reading.source.starting.items()}
        return replace(reading.source, starting=starting)


def _is_planned(reading: Reading, at: int) -> bool:
    """Whether a token speaks of the job that is planned, and is not denied."""
    denied = denial_of(reading.scopes, at, at + 1, frozenset())
    return denied is None and not reading.kinds(at, at + 1) & _ELSEWHERE


def _tells(reading: Reading) -> bool:
    """Whether a message by its meaning surely tells something, with an amount or a name: of others, or of the past."""
    surely = reading.opinion is not None and reading.opinion.acts.get("describe", 0.0) >= _SURELY_TELLS
    return surely and bool(reading.spans)


def _asks_which_offer(reading: Reading) -> bool:
    """Whether a question comes behind offers that are told: they are quotes to compare, and what it asks is which."""
    if reading.act not in ("ask", "compare", "what-if") or len(reading.offers) < 2:
        return False
    prices = [q for q in reading.quantities if is_rate(q) or hourly(q)]
    supposed = any("supposition" in reading.kinds(q.start, q.end) for q in prices)
    return not supposed and not any(in_question(reading.text.tokens, q.end) for q in prices)


def _is_told_before(reading: Reading) -> bool:
    """Whether the one price of a question is told in a sentence of its own: "Acme asks 2.10 an hour. Is that fair?"."""
    prices = {q.start: q for q in reading.quantities if is_rate(q) or (hourly(q) and q.kind != "number")}
    return len(prices) == 1 and not any(in_question(reading.text.tokens, q.end) for q in prices.values())


def _bought_after_all(reading: Reading) -> None:
    """Machines that were there are not, where it is said that they are bought; to buy a network for them denies
    nothing."""
    was, said = reading.context.fields.get("budget.owned", "nothing"), reading.fields
    bought = said.get("budget.mode") == "buy" and "cluster.fabric" not in said
    if bought and was != "nothing" and reading.act in ("describe", "change"):
        said.setdefault("budget.owned", "nothing")


def _more_than_there(reading: Reading, bought: tuple[Any, ...]) -> None:
    """Of "we own 16 H100 and buy 16 more" 32 in all, of which 16 are there."""
    said, before = reading.fields, reading.context.fields
    there = before if before.get("budget.owned", "nothing") != "nothing" else said
    gpus = there.get("cluster.gpus")
    if (
        len(bought) != 1
        or not gpus
        or there.get("budget.owned", "nothing") == "nothing"
        or said.get("budget.owned_gpus") not in (None, gpus)
    ):
        return
    said |= {"budget.owned": there["budget.owned"], "budget.owned_gpus": there.get("budget.owned_gpus", gpus)}
    said["cluster.gpus"] = gpus + int(bought[0])
    last = max(_plain(reading), key=lambda q: (q.value == bought[0], q.start))
    reading.taken |= set(range(last.start, last.end))


def _belongs(scope: Reach, said: Set[int]) -> bool:
    """Whether the words of a scope are part of a fact: those of "to buy rather than rent", of "no network team"."""
    return bool(scope.cue & said) if scope.kind in _OF_A_CHOICE else scope.kind == "denied" and scope.cue <= said


def _unread(left: int, length: int) -> list[Doubt]:
    """What is said where a part of a text was not read."""
    if not left:
        return []
    said = f"{left:,} of {length:,} characters were not read, sentences without figures and names above all"
    return [Doubt(None, f"{said}: say the facts of the job alone")]


def _plain(reading: Reading) -> list[Quantity]:
    """The bare numbers of a message."""
    return [q for q in reading.quantities if q.kind == "number"]


def _argued(reading: Reading, path: str) -> bool:
    """Whether a field is part of an argument about the plan and states nothing: "why does it want 8 NICs?"."""
    stated = _OF_A_WHY | _OF_A_COMPARISON if reading.act == "compare" else _OF_A_WHY
    return reading.act == "why-not" or (reading.act in ("why", "compare") and path not in stated)


def _maybe(path: str, value: Any) -> Doubt:
    """A question about a value that was read beside words that were not."""
    unit = FIELDS[path].about.unit if path in FIELDS else "{}"
    return Doubt(path, f"was {unit.format(value)} meant? Not every word beside it was understood", (value,))


def _states_before(tokens: Tokens, fact: Fact) -> bool:
    """Whether a fact stands in a clause that says what somebody does, before the one that asks: "we are buying 64 H100,
    which network?"."""
    first, last = clause_of(tokens, fact.start, fact.end)
    return tokens[first].text in _WHO_STATES and last < len(tokens) and tokens[last].text in ",;"


def _keep_stated(reading: Reading, live: Iterable[Fact], *, in_full: bool) -> None:
    """A question states the job it is asked for; a mechanism that it asks about is no fact, one of which the sentences
    before it tell is. ``in_full``: what is asked is known, so that its words are no facts."""
    tokens = reading.text.tokens
    ended = lambda fact: any(ends_sentence(tokens, at) for at in range(fact.end, len(tokens)))
    told = {fact.says.field for fact in live if ended(fact) and not in_question(tokens, fact.end)}
    told |= {fact.says.field for fact in live if fact.says.field == "budget.mode" and _states_before(tokens, fact)}
    plain = {p for p in reading.fields if p in _JOB or FIELDS[p].about.kind in NUMERIC}
    kept = reading.fields.keys() - {"budget.mode"} if in_full else plain
    if "budget.owned" in reading.fields:  # "we own 64 H100, which network do we buy?" asks nothing of the machines
        kept = kept | {"budget.owned", "budget.mode"}
    reading.fields = {p: v for p, v in reading.fields.items() if p in kept | told}
    of_job = ("model", "model.params", "cluster.gpu", "cluster.gpus")
    if not in_full and not any(path in reading.fields for path in of_job):
        reading.fields = {p: v for p, v in reading.fields.items() if p != "workload"}


def _sizes(counted: Iterable[Quantity]) -> list[Quantity]:
    """ "70b" and "7 billion" may be the size of a model."""
    return [
        replace(q, kind="size") for q in counted if q.unit in ("b", "bn", "billion", "t", "trillion", "m", "million")
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
    says = Says("set", NAMES[quantity.kind], quantity.value)
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


def _speller(language: Language, names: Names, known: Collection[str]) -> Speller:
    data: Mapping[str, Any] = language["spelling"]
    short = {tuple(t.text for t in cut(form)): tuple(t.text for t in cut(full)) for form, full in data["short"].items()}
    return Speller(
        frozenset(data["words"].split()) | {w for w in names.words if len(w) > 4},
        frozenset(w for w in names.words | words_of(language["names"]) if len(w) > 4),
        short,
        frozenset(data["right"].split()),
        frozenset(known),
        Languages.of(language, {w for w in names.words if len(w) > 2}, known),  # "de" is a part of p4de too
    )


def _likely(reading: Reading, of: Collection[str]) -> float:
    """How likely it is by its meaning that a message is one of some acts."""
    acts = reading.opinion.acts if reading.opinion else {}
    return round(added(acts.get(act, 0.0) for act in of), 3)
