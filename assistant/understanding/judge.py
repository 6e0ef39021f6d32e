"""What a message means, against what its words were taken for: the judge behind the facts.

Wordings say what they were written for; a sentence that nobody thought of is claimed by the wrong one, or by none. The
opinion (:mod:`.opinion`) weighs every amount, name and choice in its sentence. A fact that it holds to be none is asked
about; what no wording claimed is asked about, and taken where hardly anything else is possible.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from assistant.vocabulary.added import added
from assistant.vocabulary.fields import NUMERIC
from assistant.vocabulary.questionnaire import FIELDS, SERVING
from assistant.vocabulary.utterance import Doubt

from . import attach, whose
from .attach import Fact
from .counted import COUNTS, GPUS, NODES, PER_NODE, counted
from .decisive import Decisive
from .opinion import Opinion, before, opinions
from .reading import DEADLINE, LENGTH, NAMES, NOT_OURS, TIMES, TOKENS, Reading
from .scopes import denial_of
from .templates import Quantity
from .text import ENGLISH, stem

NETWORK, FABRIC = "network", "cluster.fabric"
_OTHER_NAMES = frozenset(path for path, one in FIELDS.items() if one.about.kind == "id") - {FABRIC}
_WAN = "cluster.wan_gbps"
_SLOWEST_LEARNED = 10.0  # Gb/s: the labelled messages tell of slower links between sites alone
NONE = "none"
_OF_GPUS = frozenset({*COUNTS, "budget.owned_gpus"})  # "we own 16 and buy 16 more" counts GPUs
_CHOSEN = frozenset({"choice", "flag"})
_OF_ROLES = {"per_node": (PER_NODE,), "gpu": (NAMES["gpu"],), "instance": (NAMES["gpu"],)}  # of a count
_SURELY_NONE = 0.9
_NOT_ABSOLUTE = frozenset({"scale", "add", "share", "becomes", "range"})
_OF_A_RATE = "inference.tpot_ms"
# How likely a reading has to be, by half of the messages of learn_n to learn_q, of which nothing was learned. The odds
# promise too much: of what no wording claims 90 % are right from 0.9 on where it is a count or an amount (70 of 78), of
# names, money and times from 0.98 on (17 of 21), of choices from 0.98 on (77 of 83). What a wording claims too is right
# from 0.1 on (amounts 92 %, counts 96 %), a choice from 0.2 on (317 of 354; 13 of 38 between 0.05 and 0.2), a flag
# from 0.15 on (42 of 45); two values of which one alone is likelier than 0.9 are hardly ever the other.
_DOUBTED, _DOUBTED_OF_AN_ANSWER, _ASKED, _DECIDED, _TAKEN_BACK = 0.1, 0.05, 0.5, 0.9, 0.9
_TAKEN = {"count": 0.9, "amount": 0.9, "id": 0.98, "money": 0.98, "time": 0.98, "flag": 0.98}  # by kind of field
_CHOICE_DOUBTED = {"choice": 0.2, "flag": 0.15}
_CHOICE_ASKED, _CHOICE_TAKEN = 0.35, 0.98
_ALIKE = 0.95  # a count that is about as likely as the likeliest is no other
# Roles of a count that the opinion has no class for: racks, and the parts of a loop, which add up.
_UNCLASSED = frozenset({"racks", "per_rack_nodes", "rollouts", "rollout_nodes", "more", "more_nodes"})
_COMPUTED_FROM = frozenset(
    {"tokens", "per_gpu", "epochs", "links", "over"}
)  # roles of what is not the value as it stands
_PLAIN_ROLES = frozenset({"gpus", "nodes", "per_node", "them", "gpu", "instance", "old"})  # what is labelled: no racks
_STATED_IN = frozenset({"describe", "change", "what-if"})  # a question works with what it supposes
_TELLS_WHOSE = _STATED_IN | {"ask", "compare"}  # "is 100G enough for our 64 H100?"
_UNSURE = NOT_OURS | {"replaced", "supposition", "hedged", "question", "wished", "relayed"}  # kinds of scope
_NOT_OF_OFFERS = frozenset(
    {"cluster.provider", "budget.gpu_hour_usd", "budget.usd", "budget.usd_per_month", "budget.reserved_days",
     "budget.spot", "constraints.vendor_neutral"}
)  # fmt: skip
# Beside offers a wording tells what is of the job from what is theirs, and the sentence as a whole does not.
_TOLD_BESIDE = TIMES | {"cluster.provider", "budget.usd", "budget.usd_per_month"}
_TOLD_BY_OFFERS = _NOT_OF_OFFERS | {FABRIC, "budget.mode"}
# Amounts that are said without a number: "non-blocking", "no speculation", "two halls as one".
UNSPOKEN = frozenset(
    path
    for path, one in FIELDS.items()
    if one.about.kind in NUMERIC and not path.startswith(("cluster.gpus", "budget.usd", "budget.gpu_hour"))
)


def _noun(label: str) -> str:
    """The stem of what a field counts, by its label: "tokens of the run"; nothing where it names no such things."""
    head = next((label.partition(joint)[0] for joint in (" of ", " per ", " that ", " in ") if joint in label), label)
    last = head.split()[-1]
    return stem(last.lower()) if last.endswith("s") else ""


_COUNTED = {
    path: noun
    for path, one in FIELDS.items()
    if one.about.kind in ("count", "amount") and one.about.unit == "{}" and (noun := _noun(one.about.label))
}


@dataclass(frozen=True)
class Stretch:
    """An amount or a name with every reading of it: ``quantities`` begin at one token, the longest first."""

    quantities: Sequence[Quantity]

    @property
    def start(self) -> int:
        return self.quantities[0].start

    @property
    def end(self) -> int:
        return self.quantities[0].end


def stretches(reading: Reading) -> list[Stretch]:
    """Every amount and name of a message, in order; what lies within the name of a network goes with it."""
    inside = {at for mention in reading.mentions for at in mention.claimed}
    starting = {m.start: [Quantity(NETWORK, m.technology, m.start, m.end)] for m in reading.mentions}
    for quantity in (q for q in reading.quantities if q.start not in inside):
        starting.setdefault(quantity.start, []).append(quantity)
    plain = ("sum", "large", "decimal", "size")
    return [Stretch(sorted(found, key=lambda q: (-q.end, q.kind in plain))) for _, found in sorted(starting.items())]


class Judge:
    """The stage behind the facts; ``path`` is the file of the opinion, ``decisive`` the words that decide what a plan
    costs."""

    def __init__(self, path: Path, decisive: Decisive) -> None:
        self._path = str(path)  # as it is kept with the listener
        self._decisive = decisive

    def opinion(self, reading: Reading, unread: Set[int] = frozenset(), *, alone: bool = False) -> Opinion | None:
        """The opinion of a message without some of its tokens, or ``alone``: whatever is known; ``None`` of another
        language, and where the model is not installed."""
        model = opinions(Path(self._path)) if reading.text.language == ENGLISH else None
        if model is None:
            return None
        found = tuple(dict.fromkeys(place(reading, one) for one in stretches(reading)))
        said = reading.text.original
        for at in unread:
            start, end = reading.text.tokens[at].start, reading.text.tokens[at].end
            said = said[:start] + " " * (end - start) + said[end:]
        return model.of(said, "" if alone else before(reading.context), found)

    def of_the_job(self, reading: Reading) -> Opinion | None:
        """The opinion of a message with offers: its amounts and names as they are told without those, where they
        say what they are, what is chosen as it is told either way."""
        own = self.opinion(reading, unread=reading.unread | reading.of_sellers)
        if own is None or reading.opinion is None:
            return own
        stated, alone = reading.opinion.stated, own.stated
        either = {said: max(stated.get(said, 0.0), alone.get(said, 0.0)) for said in stated.keys() | alone.keys()}
        whole = reading.opinion.stretches
        stretches = {at: odds if _tells(odds) else whole.get(at, odds) for at, odds in own.stretches.items()}
        return replace(reading.opinion, stretches=stretches, stated=either)

    def settle(self, reading: Reading, live: Sequence[Fact]) -> None:
        """Asks about facts that their sentence does not speak for, and about what is left over of it. What somebody
        offers is asked of nobody: its network is not the cluster's, and its price no budget."""
        before = [*reading.doubts]
        self._settle(reading, live)
        if reading.offers:
            reading.doubts = [d for d in reading.doubts if d in before or d.field not in _TOLD_BY_OFFERS]

    def _settle(self, reading: Reading, live: Sequence[Fact]) -> None:
        if reading.opinion is None:
            return
        found = {one.start: one for one in stretches(reading)}
        odds = {at: reading.opinion.stretches.get(place(reading, one)) for at, one in found.items()}
        likely = {at: _of_what_it_counts(reading, found[at], each) for at, each in odds.items() if each}
        _take_back(reading)
        _decide(reading, found, likely)
        _count(reading, live, found, likely)
        settled = {GPUS} | (_TOLD_BESIDE if reading.offers else frozenset())
        for path in [path for path in reading.fields if path not in settled]:
            _weigh(reading, path, live, found, likely)
        self._choose(reading, live)
        quiet = {fact.says.field for fact in live if fact.says.act == "quiet"}
        if reading.act in _STATED_IN:
            claimed = {at for fact in live if not _is_choice(fact) for at in fact.claimed}
            # The 8 of "mxfp8" is part of the name of what is chosen.
            claimed |= {at for fact in live if _is_choice(fact) for at in fact.claimed if reading.text.tokens[at].glued}
            claimed |= set() if live else reading.taken  # by what the question that is open, or was last, says
            left = [at for at in likely if at not in claimed and found[at].quantities[0].kind != NETWORK]
            barred = {(fact.says.field, at) for fact in live if fact.says.act == "quiet" for at in fact.claimed}
            for at in sorted(left, key=lambda at: likely[at].get(NODES, 0.0)):  # nodes when their size is known
                open_ = {path: odds for path, odds in likely[at].items() if (path, at) not in barred}
                if open_:
                    _propose(reading, found[at], open_)
            of_whose = set() if whose.is_proposed(reading) else {whose.OWNED, whose.MODE}
            _propose_choices(reading, quiet | of_whose)
        self._settle_whose(reading, quiet)

    def _settle_whose(self, reading: Reading, quiet: Collection[str]) -> None:
        """``quiet``: fields of which a wording knows that nothing is said."""
        tells = reading.act in _TELLS_WHOSE and whose.OWNED not in quiet and whose.is_open(reading)
        alone = self.opinion(reading, alone=True) if tells else None
        if alone is not None:
            whose.settle(reading, alone, self._decisive.spoken_of(reading, (whose.OWNED, whose.MODE, whose.RENTED)))

    def _choose(self, reading: Reading, live: Sequence[Fact]) -> None:
        """Asks about what is chosen where the sentence does not speak for it, neither after what is known (a machine
        that was rented makes "buy 512" sound strange) nor alone, and says for what it does."""
        of_choices = (fact for fact in live if fact.says.act == "set")
        keyed = {fact.says.field for fact in of_choices if fact.says.plain or _keyed(reading, fact)}
        for path, value in list(reading.fields.items()):
            known = FIELDS[path].about.kind in _CHOSEN and _is_learned(reading, f"{path}={value}")
            if not known or path in keyed or path in reading.follows:
                continue
            other = max(FIELDS[path].values or (True, False), key=lambda one: _stated(reading, f"{path}={one}"))
            said = f"{path}={value}"
            odds = _stated(reading, said)
            sure = odds < _CHOICE_ASKED and _stated(reading, f"{path}={other}") >= _CHOICE_TAKEN
            strange = path != reading.context.asked and odds < _CHOICE_DOUBTED[FIELDS[path].about.kind]
            if path not in reading.fields or not (sure or strange):
                continue
            alone = None if sure or path not in reading.context.fields else self.opinion(reading, alone=True)
            if alone is None or alone.stated.get(said, 0.0) < _DECIDED:
                _doubt(reading, path, None, (other,) if sure else ())


Likely = Mapping[int, Mapping[str, float]]  # by the token at which a stretch begins: how likely each field is


def _tells(likely: Mapping[str, float]) -> bool:
    """Whether a stretch is likely a value of some field: "we need 216" alone does not say of which."""
    return max((odds for path, odds in likely.items() if path != NONE), default=0.0) >= _ASKED


def _take_back(reading: Reading) -> None:
    """What was said before is taken back where a wording took its name for its value: "drop the fp8 thing"."""
    for path in list(reading.fields):
        if path in reading.context.fields and _stated(reading, f"unset:{path}") >= _TAKEN_BACK:
            _withdraw(reading, path)
            reading.unset.append(path)


def _decide(reading: Reading, found: Mapping[int, Stretch], likely: Likely) -> None:
    """Between values that the wordings cannot tell apart the sentence decides, where it surely speaks for one alone;
    not between the ends of a range."""
    ranges = [likely[at] for at in likely if any(quantity.low is not None for quantity in found[at].quantities)]
    of_ranges = {GPUS} | {path for each in ranges for path in each if each[path] >= _ASKED}
    for doubt in [one for one in reading.doubts if len({*one.options}) > 1]:
        path = doubt.field
        if path is None or path not in FIELDS or path in of_ranges:
            continue
        odds = {value: _odds(reading, path, value, found, likely) for value in doubt.options}
        best, *others = sorted(odds, key=lambda value: -odds[value])
        if odds[best] >= _DECIDED and all(odds[other] < _ASKED for other in others):
            reading.doubts.remove(doubt)
            reading.fields[path] = best


def _odds(reading: Reading, path: str, value: Any, found: Mapping[int, Stretch], likely: Likely) -> float:
    """How likely a message states a value of a field, wherever it does."""
    if FIELDS[path].about.kind in _CHOSEN:
        return _stated(reading, f"{path}={value}")
    places = (at for at in likely if _may_be(reading, found[at], path, value))
    return max((likely[at].get(path, 0.0) for at in places), default=0.0)


def _count(reading: Reading, live: Sequence[Fact], found: Mapping[int, Stretch], likely: Likely) -> None:
    """The GPUs by what the numbers count, against what the wordings make of them: what both say is so, and what the
    numbers surely come to where no wording says anything; else it is asked."""
    counts = [fact for fact in live if fact.says.act == "count"]
    said, doubted = reading.fields.get(GPUS), [one for one in reading.doubts if one.field == GPUS]
    corrected = said is not None and not counts and reading.act == "change"  # "no, 128": what was said last tells
    reckoned = any(fact.says.act in _NOT_ABSOLUTE or fact.slots.keys() & _UNCLASSED for fact in live)
    if corrected or reckoned or reading.known("cluster.sites"):
        return
    numbers = {at: one.quantities[0].value for at, one in found.items() if at in likely and _is_number(one)}
    totals = counted(((n, likely[at]) for at, n in numbers.items()), reading.known(PER_NODE))
    if not totals or totals[0].odds < _ASKED:
        told = {q.start for fact in counts for q in fact.slots.values()}
        weighed = [likely[at] for at, n in numbers.items() if at in told or n == said]
        if said is not None and _is_none_of(reading, _OF_GPUS, weighed):
            _doubt(reading, GPUS, counts[0] if counts else None)
        return
    mistaken = {at for at, n in numbers.items() if n == said}
    if said != totals[0].gpus and _is_none_of(reading, _OF_GPUS, [likely[at] for at in mistaken]):
        del reading.fields[GPUS]  # "16 A100 80GB, 12k"
        reading.taken -= {n for at in mistaken for n in range(found[at].start, found[at].end)}
        said = None
    best, alike = totals[0], {one.gpus for one in totals if one.odds >= max(_ASKED, _ALIKE * totals[0].odds)}
    of_nodes = best.gpus * (reading.fields.get(PER_NODE) or 0) if best.per_node is None else 0  # "24 x 8 H100"
    if said in alike | {of_nodes}:
        return
    meant = [at for at in numbers if likely[at].get(GPUS, 0.0) + likely[at].get(NODES, 0.0) >= _ASKED]
    ours = not _of_another_gpu(reading) and all(_is_ours(reading, found[at]) for at in meant)
    alone = best.twice or (said is None and not any(one.odds >= _ASKED for one in totals[1:]))
    if ours and alone and reading.act in _STATED_IN and best.odds >= _surely(GPUS):
        reading.doubts = [one for one in reading.doubts if one not in doubted]
        reading.fields |= {GPUS: best.gpus} | ({PER_NODE: best.per_node} if best.per_node else {})
        reading.taken |= {n for at in meant for n in range(found[at].start, found[at].end)}
    elif said is not None and said != best.gpus:
        _withdraw(reading, GPUS)
        if reading.act in _STATED_IN:
            reading.doubts.append(Doubt(GPUS, f"{said} or {best.gpus} GPUs?", (said, best.gpus)))


def _weigh(reading: Reading, path: str, live: Sequence[Fact], found: Mapping[int, Stretch], likely: Likely) -> None:
    """Asks about a field whose value stands in the message as something else."""
    facts = [fact for fact in live if path in _fields_of(fact) and _says(fact, path, reading.fields[path])]
    if any(fact.says.plain or _keyed(reading, fact) or _is_all(reading, fact) for fact in facts):
        return
    places = {at for fact in facts for at in _places(fact, path)}
    if not facts and FIELDS[path].about.kind not in _CHOSEN:
        counts = (fact for fact in live if fact.says.act == "count")  # "48 for rollouts, 16 to train"
        of_counts = {at for fact in counts for at in fact.claimed}
        free = (at for at in found if at not in of_counts)
        places = {at for at in free if _may_be(reading, found[at], path, reading.fields[path])}
    if path == FABRIC:
        places = {at for at, one in found.items() if one.quantities[0].kind == NETWORK}
    weighed = [likely[at] for at in places if at in likely]
    if path == FABRIC:  # "gigabit" names no model, whatever it sounds like
        weighed = [_of_a_network(reading, at, likely[at]) for at in sorted(places) if at in likely]
        weighed = [each for each in weighed if added(each.values()) >= _ASKED]
    if other := _of_the_loop(reading, path, weighed):
        reading.fields[other] = _withdraw(reading, path)
        return
    corrected = not facts and reading.act == "change"  # "no, 128": what was said before tells of what it is
    if corrected and any(each.get(NONE, 0.0) < _SURELY_NONE for each in weighed):
        return
    classes = TIMES if path in TIMES and TOKENS in reading.fields else {path}
    if (
        path in NAMES.values()
    ):  # what a name is of the catalog tells, whichever it sounds like: "Moonlight" lets nothing
        classes = frozenset(NAMES.values())
    if _is_none_of(reading, classes, weighed, named=any(fact.says.generic for fact in facts)):
        _put_right(reading, path, facts[0] if facts else None, {at: found[at] for at in places & likely.keys()}, likely)


def _of_a_network(reading: Reading, at: int, odds: Mapping[str, float]) -> Mapping[str, float]:
    """What a network may be; of one slower than any of the messages that were learned no more than whether it joins
    sites."""
    slow = any(m.start == at and m.gbps is not None and m.gbps < _SLOWEST_LEARNED for m in reading.mentions)
    return {one: each for one, each in odds.items() if (one == _WAN if slow else one not in _OTHER_NAMES)}


def _of_the_loop(reading: Reading, path: str, weighed: Sequence[Mapping[str, float]]) -> str | None:
    """The field of reinforcement learning that an amount is likely of, where a wording took it for one of serving."""
    if not path.startswith("inference.") or reading.known("workload") != "rlhf" or not weighed:
        return None
    best = max(weighed[0], key=lambda one: weighed[0][one])
    return best if best.startswith("rl.") and weighed[0][best] >= _ASKED and best not in reading.fields else None


def _keyed(reading: Reading, fact: Fact) -> bool:
    """Whether a fact is written as a name and its value: "layers: 48"."""
    return any(token.text in ":=" for token in reading.text.tokens[fact.start : fact.end])


def _is_all(reading: Reading, fact: Fact) -> bool:
    """Whether a message is nothing but a name, or a term: "bloom-176b", "rent it for a month"."""
    whole = fact.says.value is not None or fact.says.field == LENGTH
    return whole and fact.end - fact.start == len(reading.text.tokens)


def _places(fact: Fact, path: str) -> set[int]:
    """Where the value of a field stands in a fact; of what only follows from it nowhere."""
    if "old" in fact.slots:  # "not 8 servers but 6"
        return set()
    if fact.says.act == "count":
        return {q.start for role, q in fact.slots.items() if path in _OF_ROLES.get(role, ())}
    return {fact.start, *(q.start for q in fact.slots.values())}


def _may_be(reading: Reading, stretch: Stretch, path: str, value: Any) -> bool:
    return any(q.value == value for q in stretch.quantities) or _value(reading, stretch, path)[1] == value


def _put_right(reading: Reading, path: str, fact: Fact | None, found: Mapping[int, Stretch], likely: Likely) -> None:
    """Another field that the amount is surely the value of takes it; one that it is likely the value of, or else the
    field itself, is asked about."""
    for at, stretch in found.items() if reading.act in _STATED_IN else ():
        best = max(likely[at], key=lambda one: likely[at][one])
        other, value = _value(reading, stretch, best) if best not in (NONE, path) else (path, None)
        if value is None or other in _settled(reading) or likely[at][best] < _ASKED:
            continue
        _withdraw(reading, path)
        if likely[at][best] >= _surely(best):
            reading.fields[other] = value
        else:
            said = reading.text.typed(stretch.start, stretch.end)
            reading.doubts.append(_question(other, value, said))
        return
    _doubt(reading, path, fact)


def _doubt(reading: Reading, path: str, fact: Fact | None, others: tuple[Any, ...] = ()) -> None:
    """Takes a fact for a question; a question works with what is surely stated, and nothing is asked back of it."""
    value = _withdraw(reading, path)
    if reading.act in _STATED_IN:
        said = reading.text.typed(fact.start, fact.end) if fact else ""
        reading.doubts.append(_question(path, value, said, others))


def _withdraw(reading: Reading, path: str) -> Any:
    """Takes back a fact, with what follows from it, and returns its value."""
    for other in [other for other, cause in reading.follows.items() if cause == path]:
        reading.fields.pop(other, None)
    return reading.fields.pop(path)


def _propose(reading: Reading, stretch: Stretch, likely: Mapping[str, float]) -> None:
    """What an amount or a name is that no wording claimed."""
    path = max(likely, key=lambda one: likely[one])
    odds = likely[path]
    if path == NONE or odds < _ASKED:
        return
    if (
        path in TIMES and TOKENS in reading.fields and stretch.start not in reading.quiet
    ):  # with the work a length is the time that there is
        path, odds = DEADLINE, added(likely.get(one, 0.0) for one in TIMES)
    path, value = _value(reading, stretch, path)
    if value is None or path in _settled(reading) or reading.context.fields.get(path) == value:
        return
    if path in TIMES and any(value in (one.delivery_days, one.minimum_days) for one in reading.offers):
        return  # told of what is offered
    reading.taken |= set(range(stretch.start, stretch.end))
    if odds >= _surely(path) and _is_ours(reading, stretch):
        reading.fields[path] = value
    else:
        reading.doubts.append(_question(path, value, reading.text.typed(stretch.start, stretch.end)))


def _of_what_it_counts(reading: Reading, stretch: Stretch, likely: Mapping[str, float]) -> Mapping[str, float]:
    """How likely each field is, without those that count something else than is named behind the number: "710B tokens"
    are no parameters, though sizes of models look so."""
    tokens = reading.text.tokens
    named = tokens[stretch.end].stem if stretch.end < len(tokens) else ""
    if named not in _COUNTED.values():
        return likely
    left = {path: odds for path, odds in likely.items() if _COUNTED.get(path, named) == named}
    rest = 1 - added(odds for path, odds in likely.items() if path not in left)
    return {path: odds / rest for path, odds in left.items()} if left else likely


def _is_ours(reading: Reading, stretch: Stretch) -> bool:
    """Whether no words around a stretch say that it is of others, past, unsure or denied."""
    kinds = reading.kinds(stretch.start, stretch.end) - ({"supposition"} if reading.act == "what-if" else set())
    return not kinds & _UNSURE and not denial_of(reading.scopes, stretch.start, stretch.end, frozenset())


def _of_another_gpu(reading: Reading) -> bool:
    """Whether a GPU is counted that the catalog does not have: so many of the one that is known are not meant."""
    return "cluster.gpu" in reading.context.fields and any(quantity.kind == "unknown-gpu" for quantity in reading.named)


def _propose_choices(reading: Reading, quiet: Collection[str]) -> None:
    """What is chosen in words that no wording has; ``quiet``: fields of which a wording knows that nothing is said. Of
    two values that are both likely neither is taken."""
    likely: dict[str, list[tuple[float, Any]]] = {}
    for said, odds in reading.opinion.stated.items() if reading.opinion else ():
        path, _, chosen = said.partition("=")
        if path == "workload" and chosen in SERVING and _trains(reading):
            continue  # who says how many tokens a run learns from serves nothing, whatever it sounds like
        if path in FIELDS and odds >= _CHOICE_ASKED and path not in _settled(reading) and path not in quiet:
            likely.setdefault(path, []).append((odds, _chosen(path, chosen)))
    for path, found in likely.items():
        (odds, value), *others = sorted(found, key=lambda one: -one[0])
        if reading.context.fields.get(path) == value:
            continue
        if odds >= _CHOICE_TAKEN and not others:
            reading.fields[path] = value
        else:
            reading.doubts.append(_question(path, value, "", tuple(other for _, other in others)))


def _trains(reading: Reading) -> bool:
    """Whether something is said of a run of training."""
    return any(path.startswith("training.") for path in (*reading.fields, *reading.context.fields))


def _surely(path: str) -> float:
    """How likely an amount has to be a field's for it to be taken without a question."""
    return _TAKEN["count" if path == NODES else FIELDS[path].about.kind]


def _chosen(path: str, said: str) -> Any:
    return int(said) if path in UNSPOKEN else {"True": True, "False": False}.get(said, said)


def place(reading: Reading, stretch: Stretch) -> tuple[int, int]:
    """Where a stretch stands in what was typed."""
    tokens = reading.text.tokens
    return tokens[stretch.start].start, tokens[stretch.end - 1].end


def _settled(reading: Reading) -> set[str | None]:
    settled = {*reading.fields, *reading.unset, *(doubt.field for doubt in reading.doubts)}
    by_the_hour = any(offer.gpu_hour_usd for offer in reading.offers)  # so is what is let
    return settled | (_NOT_OF_OFFERS if reading.offers else set()) | ({"budget.mode"} if by_the_hour else set())


def _stated(reading: Reading, said: str) -> float:
    return reading.opinion.stated.get(said, 0.0) if reading.opinion else 0.0


def _is_learned(reading: Reading, said: str) -> bool:
    return reading.opinion is not None and said in reading.opinion.learned


def _is_none_of(
    reading: Reading, classes: Collection[str], weighed: Sequence[Mapping[str, float]], *, named: bool = False
) -> bool:
    """Whether none of some stretches is likely to be one of these classes, which were learned. What answers the open
    question is rarely something else, and neither is what is ``named`` or what a question says of its job."""
    answers = named or reading.context.asked in classes or reading.act not in _STATED_IN
    least = _DOUBTED_OF_AN_ANSWER if answers else _DOUBTED
    known = all(_is_learned(reading, one) for one in classes)
    return known and bool(weighed) and all(added(each.get(one, 0.0) for one in classes) < least for each in weighed)


def _is_choice(fact: Fact) -> bool:
    """Whether a fact leaves its amounts to others: a choice, or what only says which field an amount is not."""
    return fact.says.act == "quiet" or (fact.says.act == "set" and FIELDS[fact.says.field].about.kind in _CHOSEN)


def _is_number(stretch: Stretch) -> bool:
    return stretch.quantities[0].kind == "number"


def _fields_of(fact: Fact) -> Iterator[str]:
    """The fields that a fact states; GPUs per node follow from a count and go with it."""
    if fact.says.act == "count" and not (fact.says.value or fact.slots.keys() - _PLAIN_ROLES):
        yield from (GPUS, PER_NODE, NAMES["gpu"], *(("cluster.provider",) if "instance" in fact.slots else ()))
    elif fact.says.act == "set" and not (fact.says.how or fact.slots.keys() & _COMPUTED_FROM):
        yield fact.says.field


def _says(fact: Fact, path: str, value: Any) -> bool:
    """Whether the value of a field comes from this fact: of a count all of it does, but for a name."""
    if fact.says.act == "count":
        names = {q.kind: q.value for q in fact.slots.values()}
        return path in COUNTS or "instance" in names or names.get("gpu") == value
    return fact.value == value


def _value(reading: Reading, stretch: Stretch, path: str) -> tuple[str, Any]:
    """The field that a class stands for and what the stretch would be there; nothing where it can be none."""
    if path == NODES:
        each = reading.known(PER_NODE)
        number = next((q.value for q in stretch.quantities if q.kind == "number"), None)
        return GPUS, number * each if number and each else None
    if FIELDS[path].about.kind == "id":
        return path, next((q.value for q in stretch.quantities if q.kind == FIELDS[path].about.span), None)
    if path == _OF_A_RATE and stretch.quantities[0].kind == "number":  # "30 tokens/s for each of them"
        return path, attach.converted(FIELDS[path], attach.computed("1000/", stretch.quantities[0]), reading.today)
    return path, next((v for q in stretch.quantities if (v := attach.sensible(FIELDS[path], q, reading.today))), None)


def _question(path: str, value: Any, said: str, others: tuple[Any, ...] = ()) -> Doubt:
    about = FIELDS[path].about
    if said:
        return Doubt(
            path, f'"{" ".join(said.split())}": is that meant as {about.label}?', (value,), unlikely=path != FABRIC
        )
    words = [{True: "yes", False: "no"}[one] if isinstance(one, bool) else str(one) for one in (value, *others)]
    return Doubt(path, f"{about.asked} It sounds like {' or '.join(words)}", (value, *others), unlikely=True)
