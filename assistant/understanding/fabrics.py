"""Which networks a message names, rules out and decides."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.utterance import Doubt

from . import networks
from .networks import Mention
from .reading import ABOUT_A_PLAN, Reading
from .scopes import denial_of, fragment, lists_on
from .text import in_question

_ENDS = frozenset({",", ".", ";", "!", "?", "and", "but"})
_ASKS_OF = frozenset({"does", "do", "did", "would", "will", "could", "should", "is", "are"})
_NEAR_BEHIND = 5  # tokens behind a network that may say what it is for
_NOT_DECIDED = frozenset(
    {"uncertain", "hedged", "turning", "others", "past", "quoted", "replaced", "question", "supposition"}
)


class Fabrics:
    """The stage of networks. ``others``: words for networks that are no fabric; ``filler``: words that say nothing."""

    def __init__(self, catalog: Catalog, others: Set[str], filler: Set[str]) -> None:
        self.catalog, self._others, self._filler = catalog, others, filler

    def decide(self, reading: Reading) -> None:
        """Which networks are named, ruled out and decided; one that may be decided or only spoken of is asked about."""
        named = self._resolved(reading)
        reading.fabrics = list(dict.fromkeys(fabric for _, fabric in named))
        first = reading.act in ("describe", "ask") and not reading.context.fields
        if not first and reading.act not in ("describe", "change", "what-if"):
            return
        if first:  # "we own 16 A100 with 100 GbE, is that enough?", "…, would InfiniBand be worth it?"
            owned = [(m, f) for m, f in named if "owned" in reading.kinds(m.start, m.end)]
            asked = [pair for pair in named if in_question(reading.text.tokens, pair[0].end)]
            named = owned if reading.act == "ask" or (owned and {*named} == {*owned, *asked}) else named
        ours = [(m, f) for m, f in named if not self._is_elsewhere(reading, m)]
        present = [pair for pair in ours if "present" in reading.kinds(pair[0].start, pair[0].end)]
        ours = (
            ours if len(present) == len(ours) and not reading.plans else [pair for pair in ours if pair not in present]
        )
        decided = [(m, f) for m, f in ours if self._is_decided(reading, m)]
        fabrics = {f for _, f in ours}
        between = {doubt.field for doubt in reading.doubts if len(doubt.options) > 1}
        if decided and len(fabrics) == 1 and {"cluster.gpu", "cluster.gpus"} <= between:  # of which of two clusters
            said = reading.text.typed(decided[0][0].start, decided[0][0].end)
            reading.doubts.append(Doubt("cluster.fabric", f'which GPUs does "{said}" connect?', (decided[0][1],)))
        elif decided and len(fabrics) == 1:
            reading.fields["cluster.fabric"] = decided[0][1]
            self._in_its_place(reading)
            links = next((m.links for m, _ in decided if m.links), None)
            reading.fields |= (
                {"cluster.nics_per_node": links} if links and not reading.known("cluster.nics_per_node") else {}
            )
        elif len(fabrics) == 1 and reading.act != "what-if":
            self._ask_whether_decided(reading, *ours[0])

    def _in_its_place(self, reading: Reading) -> None:
        """ "It is Spectrum-X, not RoCE": what was taken for the network and is another now is not ruled out."""
        before = self.catalog.fabrics.get(str(reading.context.fields.get("cluster.fabric")))
        if reading.act == "change" and before and before.id in reading.excluded:
            same = [i for i in reading.excluded if self.catalog.fabrics[i].technology == before.technology]
            reading.excluded[:] = [i for i in reading.excluded if i not in same]
            reading.fabrics.append(before.id)

    def _ask_whether_decided(self, reading: Reading, mention: Mention, fabric: str) -> None:
        kinds = _kinds(reading, mention)
        wished = "wished" in kinds
        if kinds & _NOT_DECIDED or "cluster.fabric" in reading.context.fields or mention.claimed & reading.withheld:
            return
        said = reading.text.typed(mention.start, mention.end)
        sentence = (
            f'is "{said}" decided, or only what somebody wishes for?'
            if wished
            else f'is "{said}" what connects the machines?'
        )
        reading.doubts.append(Doubt("cluster.fabric", sentence, (fabric,)))

    def _resolved(self, reading: Reading) -> list[tuple[Mention, str]]:
        """Every network that is named and not ruled out, with its fabric of the catalog."""
        gpu, nics = reading.gpu(self.catalog), reading.known("cluster.nics_per_node")
        found: list[tuple[Mention, str]] = []
        denied_before: Mention | None = None
        for at, mention in enumerate(reading.mentions):
            reading.taken |= mention.claimed
            of_node = mention.per_node or self._is_of_node(reading, mention)
            fabric, rates = networks.resolve(
                replace(mention, per_node=of_node), self.catalog, gpu, mention.links or nics
            )
            if fabric is None and "others" in reading.kinds(mention.start, mention.end):
                continue  # what others have need not be in the catalog
            if fabric is None:
                said = reading.text.typed(mention.start, mention.end)
                reading.doubts.append(Doubt("cluster.fabric", f'no network of the catalog is "{said}"', rates))
            elif not (mention.claimed & reading.withheld or self._serves_else(reading, mention)) and (
                self._is_ruled_out(reading, mention, denied_before) or self._goes_with_the_next(reading, at)
            ):
                denied_before = mention
                family = networks.family(mention, self.catalog, fabric)
                reading.excluded += [i for i in family if i not in reading.excluded]
            else:
                found.append((mention, fabric))
        return found

    def _is_of_node(self, reading: Reading, mention: Mention) -> bool:
        """Whether a rate is that of a node: "each H100 node has 3.2 Tb/s of InfiniBand"."""
        first, last = fragment(reading.text.tokens, mention.start, mention.end)
        return bool({t.text for t in reading.text.tokens[first:last]} & networks.PER_NODE)

    def _is_ruled_out(self, reading: Reading, mention: Mention, denied_before: Mention | None) -> bool:
        if reading.act in ABOUT_A_PLAN | {"ask"} or reading.kinds(mention.start, mention.end) & {"quoted", "others"}:
            return False
        if denial_of(reading.scopes, mention.start, mention.end, mention.claimed):
            return True
        corrects = reading.act == "change"
        return denied_before is not None and lists_on(
            reading.text.tokens, denied_before.end, mention.start, corrects=corrects
        )

    def _goes_with_the_next(self, reading: Reading, at: int) -> bool:
        """ "InfiniBand and Spectrum-X are both off the table": what is denied behind a list is all of it."""
        if at + 1 == len(reading.mentions) or reading.act in ABOUT_A_PLAN | {"ask"}:
            return False
        mention, following = reading.mentions[at], reading.mentions[at + 1]
        denial = denial_of(reading.scopes, following.start, following.end, following.claimed)
        listed = lists_on(reading.text.tokens, mention.end, following.start, corrects=False)
        return denial is not None and min(denial.cue) >= following.end and listed

    def _is_elsewhere(self, reading: Reading, mention: Mention) -> bool:
        """Whether a network is that of others, of the past, or for storage and management."""
        kinds = _kinds(reading, mention)
        return bool(kinds & {"others", "past", "replaced"}) or (
            "wished" not in kinds and self._serves_else(reading, mention)  # "management wants InfiniBand"
        )

    def _serves_else(self, reading: Reading, mention: Mention) -> bool:
        """Whether the words beside a network say that it is for storage or management."""
        tokens = reading.text.tokens
        first = max((m.end for m in reading.mentions if m.end <= mention.start), default=0)
        last = next((at for at in range(mention.end, len(tokens)) if tokens[at].text in _ENDS), len(tokens))
        first = next((at for at in range(mention.start - 1, first - 1, -1) if tokens[at].text in ".;!?"), first)
        first = self._behind_another_rate(reading, first, mention)
        beside = set(range(first, min(last, mention.end + _NEAR_BEHIND))) - mention.claimed
        return any(tokens[at].text in self._others for at in beside)

    def _behind_another_rate(self, reading: Reading, first: int, mention: Mention) -> int:
        """Where the words of a network begin: "storage at 10 GB/s, 40 Gb/s ethernet" has a rate of the storage before
        it, with the words up to the next comma."""
        rates = [q.end for q in reading.quantities if q.kind == "rate" and first <= q.start and q.end <= mention.start]
        if not rates:
            return first
        ends = (at for at in range(max(rates), mention.start) if reading.text.tokens[at].text in _ENDS)
        return next(ends, first)

    def _is_decided(self, reading: Reading, mention: Mention) -> bool:
        kinds = reading.kinds(mention.start, mention.end)
        if mention.claimed & reading.withheld:
            return False
        if reading.act == "what-if":
            kinds -= {"supposition", "hedged"}
        if "owned" in kinds:
            return True
        if kinds & (_NOT_DECIDED | {"wished"}):
            return False
        if reading.act == "what-if" and reading.states and _is_asked_of(reading, mention):
            return False  # "at 2.60 an hour, would InfiniBand come out first?"
        if reading.act != "what-if" and in_question(reading.text.tokens, mention.end):
            return False  # "64 H100. RoCE? 70B"
        return reading.act == "what-if" or "decided" in kinds or self._stands_alone(reading, mention)

    def _stands_alone(self, reading: Reading, mention: Mention) -> bool:
        """Whether a network is an item of its own in what is said of the job: "…, RoCE 400, zero-3, …"."""
        first, last = fragment(reading.text.tokens, mention.start, mention.end)
        beside = set(range(first, last)) - mention.claimed - reading.taken
        return all(reading.says_nothing(at, self._filler) for at in beside)


def _is_asked_of(reading: Reading, mention: Mention) -> bool:
    """Whether a network is what a question asks about: "would InfiniBand win?"."""
    subjects = (s for s in reading.scopes if s.kind == "subject" and s.start <= mention.start < s.end)
    return any(reading.text.tokens[min(scope.cue)].text in _ASKS_OF for scope in subjects)


def _kinds(reading: Reading, mention: Mention) -> set[str]:
    """The scopes of a network; what one of our own people swears by is a wish, not what others have."""
    kinds = reading.kinds(mention.start, mention.end)
    return kinds - {"others", "hedged"} if "wished" in kinds else kinds
