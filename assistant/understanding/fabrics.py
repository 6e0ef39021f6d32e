"""Which networks a message names, rules out and decides, and the offers that stand side by side in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.utterance import Doubt

from . import networks
from .attach import Fact
from .networks import Mention
from .offers import Cabled, Message, Offers, Priced
from .reading import ABOUT_A_PLAN, Reading
from .scopes import denial_of, fragment, lists_on
from .sellers import OFFERED
from .text import in_question, stem

_ENDS = frozenset({",", ".", ";", "!", "?", "and", "but"})
_ASKS_OF = frozenset({"does", "do", "did", "would", "will", "could", "should", "is", "are"})
_NEAR_BEHIND = 5  # tokens behind a network that may say what it is for
_OF_AN_OFFER = frozenset(
    {"cluster.fabric", "cluster.provider", "budget.gpu_hour_usd", "budget.fabric_premium_gpu_hour_usd"}
)
# What tells how a network is built, by the field of a quote that has it.
_BUILT = {"cluster.oversubscription": "oversubscription", "cluster.nics_per_node": "nics_per_node"}
_NOT_OFFERED = frozenset({"others", "past", "replaced", "present"})
_TIMES = frozenset({"training.days", "constraints.deadline_days"})
_AMOUNTS = _TIMES | {
    "budget.usd",
    "budget.usd_per_month",
    "budget.delivery_days",
    "budget.reserved_days",
}  # of an offer where one of its amounts stands there
_NOT_DECIDED = frozenset(
    {"uncertain", "hedged", "turning", "others", "past", "quoted", "replaced", "question", "supposition"}
)


class Fabrics:
    """The stage of networks. ``others``: words for networks that are no fabric; ``filler``: words that say nothing;
    ``offers``: words about offers."""

    def __init__(self, catalog: Catalog, others: Set[str], filler: Set[str], offers: Mapping[str, str]) -> None:
        self.catalog, self._others, self._filler = catalog, others, filler
        self._offers = Offers(catalog.quote_items, offers)

    def decide(self, reading: Reading) -> None:
        """Which networks are named, ruled out and decided; one that may be decided or only spoken of is asked about."""
        named = self._resolved(reading)
        reading.fabrics = list(dict.fromkeys(fabric for _, fabric in named))
        if reading.act not in ("describe", "change", "what-if"):
            return
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
        beside = set(range(first, min(last, mention.end + _NEAR_BEHIND))) - mention.claimed
        return any(tokens[at].text in self._others for at in beside)

    def lay_side_by_side(self, reading: Reading, facts: Sequence[Fact]) -> None:
        """Offers side by side decide neither network nor provider nor price; those of the ``facts`` that tell how a
        network is built are of the offer that says them."""
        gpu = reading.gpu(self.catalog)
        resolved = [(m, networks.resolve(m, self.catalog, gpu, m.links)[0]) for m in reading.mentions]
        fabrics = [Priced(fabric, m.start, m.end) for m, fabric in resolved if fabric]
        providers = [Priced(q.value, q.start, q.end) for q in reading.named if q.kind == "provider"]
        providers += [Priced(q.value[0], q.start, q.end) for q in reading.named if q.kind == "instance"]
        known = bool(reading.context.fields.get("budget.quotes"))
        of_offers = any(token.stem in OFFERED for token in reading.text.tokens)
        providers += [] if providers else self._seller(reading, fabrics)
        spoken_of = lambda q: reading.kinds(q.start, q.end) & _NOT_OFFERED
        amounts = [q for q in reading.quantities if not spoken_of(q)]
        told = [f for f in facts if f.says.act == "set" and f.says.field in _BUILT and "per_gpu" not in f.slots]
        cabled = [Cabled(_BUILT[f.says.field], f.value, f.start, f.end) for f in told]
        cabled += [Cabled("nics_per_node", m.links, m.start, m.end) for m in reading.mentions if m.links]
        for rate in (q for q in amounts if q.kind == "rate"):
            links = networks.links_of_a_node(reading.text.tokens, rate.start, rate.end)
            cabled += [Cabled("nics_per_node", links, rate.start - 2, rate.end + 2)] if links else []
        alone = _quoted_alone(reading) if of_offers else None
        message = Message(
            reading.text.tokens,
            amounts,
            fabrics,
            providers,
            reading.scopes,
            cabled,
            of_offers,
            known,
            alone,
            reading.quantities,
            lambda day: float(max(0, (day - reading.today).days)),
            reading.text.typed,
        )
        found, tokens, amounts = self._offers.read(message)
        if not found:
            several = any(d.field in ("cluster.provider", "cluster.gpu") and len(d.options) > 1 for d in reading.doubts)
            price = reading.fields.pop("budget.gpu_hour_usd", None) if several else None
            if price is not None:
                reading.doubts.append(Doubt("budget.gpu_hour_usd", f"whose price is ${price}?", (price,)))
            return
        words = {at for at, token in enumerate(reading.text.tokens) if token.stem in OFFERED | {stem("term")}}
        if len(found) == 1 and alone is not None:  # its name and its network are what was read as the job's
            whose = reading.fields.get("cluster.provider") or next((p.id for p in providers), None)
            found = [replace(found[0], provider=whose, fabric=reading.fields.get("cluster.fabric"))]
        words |= {at for one in providers for at in range(one.start, one.end)}
        reading.offers, reading.taken = found, reading.taken | tokens | words
        settled, theirs = set() if len(found) == 1 else set(_OF_AN_OFFER), {q.value for q in amounts}
        theirs |= {offer.delivery_days for offer in found if offer.delivery_days}
        settled |= {"constraints.deadline_days"} if any(q.kind == "date" for q in amounts) else frozenset()
        settled |= {path for path in _AMOUNTS if reading.fields.get(path) in theirs}
        settled |= {path for path, name in _BUILT.items() if any(getattr(offer, name) for offer in found)}
        reading.fields = {path: value for path, value in reading.fields.items() if path not in settled}
        terms = _TIMES if any(offer.months for offer in found) else frozenset()
        settled |= terms | {
            doubt.field for doubt in reading.doubts if doubt.options and theirs.issuperset(doubt.options)
        }
        of_theirs = lambda doubt: bool(doubt.between) and theirs.issuperset(value for _, value in doubt.between)
        reading.doubts = [d for d in reading.doubts if d.field not in settled and not of_theirs(d)]

    def _seller(self, reading: Reading, fabrics: Sequence[Priced]) -> list[Priced]:
        """Who makes an offer and is in no catalog, where the network is said: of a provider that nobody knows nothing
        else tells which it is."""
        known = {at for q in (*reading.quantities, *reading.named) for at in range(q.start, q.end)}
        known |= {at for m in reading.mentions for at in m.claimed}
        place = self._offers.sellers.named(reading.text.tokens, reading.text.typed, known) if fabrics else None
        return [Priced(reading.text.typed(*place), *place)] if place else []

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


def _quoted_alone(reading: Reading) -> float | None:
    """The price of a GPU-hour that somebody quotes for what is rented with its network, where nothing is asked: one
    that is told without a name or a network, or to which that of the network is added, is a price and no quote."""
    told = reading.fields
    stated = reading.act in ("describe", "change") and not any(token.text == "?" for token in reading.text.tokens)
    whose = told.get("cluster.provider") or told.get("cluster.fabric")
    if not (stated and whose) or "budget.fabric_premium_gpu_hour_usd" in told or reading.known("budget.mode") == "buy":
        return None
    return told.get("budget.gpu_hour_usd")


def _is_asked_of(reading: Reading, mention: Mention) -> bool:
    """Whether a network is what a question asks about: "would InfiniBand win?"."""
    subjects = (s for s in reading.scopes if s.kind == "subject" and s.start <= mention.start < s.end)
    return any(reading.text.tokens[min(scope.cue)].text in _ASKS_OF for scope in subjects)


def _kinds(reading: Reading, mention: Mention) -> set[str]:
    """The scopes of a network; what one of our own people swears by is a wish, not what others have."""
    kinds = reading.kinds(mention.start, mention.end)
    return kinds - {"others", "hedged"} if "wished" in kinds else kinds
