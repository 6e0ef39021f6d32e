"""Networks that a message names: a technology with the speed that belongs to it, and which fabric of the catalog that
is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from assistant.vocabulary.catalog import Catalog, Fabric, Gpu
from assistant.vocabulary.rates import at_rate

from .names import NetworkName
from .templates import Quantity
from .text import Token

# What may stand between a technology and its speed: "RoCE at 400 Gb/s", "200 gig per GPU of InfiniBand".
_BETWEEN = frozenset(
    "of at per with over on the a in is running port ports gpu node nic nics hca hcas link links fabric network "
    "networking interconnect rdma each based does do runs can bandwidth speed adapters adapter class plain standard "
    "total aggregate our we and via type switch switches".split()
)
_MERGED = frozenset({"over", "based", "type", "v", "class"})
_WIDEST_GAP = 6  # tokens between a technology and its rate
_ETHERNET_UNITS = (
    "gbe",
    "gige",
    "gig",
    "gigs",
    "gigabit",
    "gig ethernet",
    "gigabit ethernet",
    "gbit ethernet",
    "gb ethernet",
    "g ethernet",
    "gig e",
    "ge",
    "fast ethernet",
)
_USUAL_RATES = frozenset({10, 25, 40, 50, 100, 200, 400, 800})
_SLOWEST_RDMA = 25.0  # Gb/s: slower adapters between GPU nodes are Ethernet
_SET_APART = frozenset(",;.()!?")
_JOINTS = frozenset("network networks interconnect link links lan fabric switch switched connection".split())
_FASTEST = 800.0  # Gb/s of one adapter
_NICS = 8  # of a node with GPUs, where nobody says how many
_CARDS = frozenset({"nic", "nics", "hca", "hcas", "port", "ports", "adapter", "adapters", "card", "cards"})
_ADAPTERS = _CARDS | {"connectx", "bluefield", "cx"}
_CARD_NAME = 5  # tokens of "ConnectX-7 NICs" between how many and their rate
PER_NODE = frozenset({"node", "server", "machine", "box", "host"})
_JOINED_BY = frozenset({"with", "over", "on", "via", "by", "at"})
_RDMA = "rdma"
_BITS, _IN_BYTES = 8, re.compile(r"[0-9 ][kMGT]?B(?: ?/ ?s|ps| ?per s)")  # of a byte; a rate in bytes, as it is typed
_WITHOUT = frozenset({"no", "without", "not", "disabled", "off", "isn't", "never"})


@dataclass(frozen=True)
class Mention:
    """A network as it was named. ``gbps`` per adapter, ``links`` adapters of a node, ``per_node`` a rate of a whole
    node."""

    start: int
    end: int
    technology: str
    gbps: float | None = None
    version: int | None = None
    fabric: str | None = None
    per_node: bool = False
    per_adapter: bool = False  # said to be of one adapter or GPU
    contradicted: bool = False  # a name that says its speed, with another speed
    links: int | None = None
    of_all_adapters: bool = False  # a rate that one adapter hardly has, of a node or beyond any adapter
    claimed: frozenset[int] = frozenset()


def mentions(
    tokens: Sequence[Token], named: Iterable[Quantity], rates: Iterable[Quantity], taken: frozenset[int]
) -> list[Mention]:
    """Every network of a message, in order; ``taken`` are tokens of names that are no networks."""
    found = _merged(tokens, _longest(named))
    free = [rate for rate in rates if not taken & set(range(rate.start, rate.end))]
    result: list[Mention] = []
    for mention in found:
        inside = [r for r in free if r.start < mention.end and mention.start < r.end]
        rate = None if mention.fabric else (inside or [None])[0] or _nearest(tokens, mention, free, found)
        if rate is not None:
            free = [r for r in free if r.start != rate.start]
            mention = _with_rate(tokens, mention, rate)
        elif mention.gbps is None and mention.fabric is None:
            mention = _with_bare_rate(tokens, mention)
        result.append(_counted(tokens, mention))
    result += [
        m
        for rate in free
        if (m := _ethernet(tokens, rate)) and not any(m.start < o.end and o.start < m.end for o in result)
    ]
    return _once(sorted(result, key=lambda m: m.start))


def _once(found: Sequence[Mention]) -> list[Mention]:
    """ "RoCE is great, let's run RoCE 800": the one without a speed is the one with it; of a list with a line for each
    seller ("Crusoe with 400 Gb/s InfiniBand; Voltage Park with InfiniBand") it is one more."""
    fast = {m.technology for m in found if m.gbps is not None}
    bare = [m for m in found if m.technology in fast and m.gbps is None and m.version is None and m.fabric is None]
    speeds = {(m.technology, m.gbps) for m in found if m.gbps is not None}
    one = {technology for technology in fast if sum(t == technology for t, _ in speeds) == 1}
    again = {
        technology: next(m for m in found if m.technology == technology and m.gbps is not None) for technology in one
    }
    return [
        replace(m, gbps=again[m.technology].gbps) if m in bare and m.technology in one else m
        for m in found
        if m not in bare or m.technology not in one or m.start > again[m.technology].start
    ]


def _longest(named: Iterable[Quantity]) -> list[Mention]:
    kept: list[Mention] = []
    for quantity in sorted(named, key=lambda q: (q.start, -q.end)):
        if kept and quantity.start < kept[-1].end:
            continue
        name: NetworkName = quantity.value
        claimed = frozenset(range(quantity.start, quantity.end))
        kept.append(
            Mention(
                quantity.start, quantity.end, name.technology, name.gbps, name.version, name.fabric, claimed=claimed
            )
        )
    return kept


def _merged(tokens: Sequence[Token], found: list[Mention]) -> list[Mention]:
    """ "NDR InfiniBand" is one network, and so are "RoCE v2 Ethernet" and "Ethernet with RDMA"."""
    merged: list[Mention] = []
    for mention in found:
        last = merged[-1] if merged else None
        if last and _are_one(tokens, last, mention):
            technology = last.technology if last.technology != "tcp" else mention.technology
            merged[-1] = Mention(
                last.start, mention.end, technology, last.gbps or mention.gbps, last.version or mention.version,
                last.fabric or mention.fabric, claimed=last.claimed | mention.claimed,
            )  # fmt: skip
        else:
            merged.append(mention)
    return merged


def _are_one(tokens: Sequence[Token], last: Mention, mention: Mention) -> bool:
    between = [t.text for t in tokens[last.end : mention.start]]
    if len(between) > 2 or not all(word in ("-", "(") or word in _MERGED for word in between):
        return False
    if last.gbps and mention.gbps and last.gbps != mention.gbps:
        return False
    same = last.technology == mention.technology
    return same or mention.technology == "tcp" or (last.technology == "tcp" and mention.technology != "infiniband")


def _nearest(
    tokens: Sequence[Token], mention: Mention, rates: Sequence[Quantity], others: Sequence[Mention]
) -> Quantity | None:
    """The speed that belongs to a technology: the nearest with nothing but small words between."""
    best: tuple[int, Quantity] | None = None
    for rate in rates:
        before = rate.end <= mention.start
        times = 0 if _times_before(tokens, rate.start) is None else 2  # "RoCE v2, 8x 200G": what counts it goes with it
        first, last = (rate.end, mention.start) if before else (mention.end, rate.start - times)
        if last - first > _WIDEST_GAP or any(
            o is not mention and min(rate.start, mention.start) < o.start < max(rate.start, mention.start)
            for o in others
        ):
            continue
        gap = tokens[first:last]
        words = [t.text for t in gap if t.is_word or t.is_number]
        if mention.technology == "infiniband" and rate.unit in _ETHERNET_UNITS and words:
            continue  # "InfiniBand or 100 gig": the speed is the other network's
        if _as_one(tokens, mention, rate):
            return rate
        if all(word in _BETWEEN for word in words) and not any(t.text in ",;." for t in gap[:-1] if len(words)):
            best = min(best or (99, rate), (len(gap), rate), key=lambda pair: pair[0])
    return best[1] if best else None


def _as_one(tokens: Sequence[Token], mention: Mention, rate: Quantity) -> bool:
    """ "Ethernet, the 200 Gbit one"."""
    between = [t.text for t in tokens[mention.end : rate.start]]
    return between == [",", "the"] and _words_after(tokens, rate.end, 1) in (
        ["one"],
        ["kind"],
        ["version"],
        ["variant"],
    )


def _with_rate(tokens: Sequence[Token], mention: Mention, rate: Quantity) -> Mention:
    links = _times_before(tokens, rate.start)
    first = (_card_before(tokens, rate.start) or rate.start) - 2 if links else rate.start
    start, end = min(mention.start, first), max(mention.end, rate.end)
    claimed = mention.claimed | set(range(first, rate.end))
    per = _words_after(tokens, rate.end, 3)
    if rate.end <= mention.start:
        per = _words_after(tokens, end, 3) or per  # "1.6 Tb/s RoCE per node"
    per_node = per[:1] in (["per"], ["/"], ["a"], ["each"]) and bool(set(per[1:2]) & PER_NODE)
    rdma = [n for n in range(max(0, start - 5), min(end + 4, len(tokens))) if _has_rdma(tokens, n)]
    technology = "roce" if mention.technology == "tcp" and rdma else mention.technology
    claimed |= set(rdma) if technology == "roce" else set()
    per_adapter = bool(set(per) & (_CARDS | {"gpu", "card", "accelerator"})) and bool(
        set(per[:1]) & {"per", "/", "a", "each", "to"}
    )
    gbps, of_each = float(rate.value), mention.gbps
    if of_each and not links and gbps > _FASTEST and (gbps / of_each).is_integer():  # "3.2 Tb/s NDR" is 8 of 400
        links, gbps = int(gbps / of_each), of_each
    contradicted = of_each not in (None, gbps) and not per_node and not links
    return replace(
        mention, start=start, end=end, gbps=gbps, per_node=per_node, links=links, claimed=claimed,
        technology=technology, per_adapter=per_adapter, contradicted=contradicted,
        of_all_adapters=not (per_adapter or links) and rate.value >= _FASTEST and (per_node or rate.value > _FASTEST),
    )  # fmt: skip


def is_in_bytes(typed: str) -> bool:
    """Whether a rate is typed in bytes: "12.5 GB/s", "100 MBps"; the case of its B tells."""
    return _IN_BYTES.search(typed) is not None


def in_bits(rate: Quantity, typed: str) -> Quantity:
    """A rate that is typed in bytes in bits."""
    return replace(rate, value=float(rate.value) * _BITS) if is_in_bytes(typed) else rate


def as_of_a_network(rate: Quantity, typed: str) -> Quantity:
    """A rate in bytes that no adapter carries and that is usual in bits ("400 GB/s InfiniBand") is taken for what it is
    mostly meant as."""
    as_typed = rate.value / _BITS
    meant = rate.value <= _FASTEST or as_typed not in _USUAL_RATES
    return rate if meant or not is_in_bytes(typed) else replace(rate, value=as_typed)


def _has_rdma(tokens: Sequence[Token], at: int) -> bool:
    """Whether a word is "RDMA" and not one that is said to be missing."""
    around = {t.text for t in (*tokens[max(0, at - 2) : at], *tokens[at + 1 : at + 3])}
    return tokens[at].text == _RDMA and not around & _WITHOUT


def _with_bare_rate(tokens: Sequence[Token], mention: Mention) -> Mention:
    """The 400 of "RoCE 400" is its speed, and so is that of "400 RoCE"."""
    for at in (mention.end, mention.end + 1):
        before = tokens[mention.end].text if at > mention.end and at <= len(tokens) else ""
        rate = tokens[at].text if at < len(tokens) and before in ("", "-", "at", "@") else ""
        counts = _words_after(tokens, at + 1, 1) and tokens[at + 1].text in (
            "gpus",
            "nodes",
            "gpu",
            "x",
            "servers",
            "%",
        )
        if rate.isdecimal() and int(rate) in _USUAL_RATES and not counts:
            return replace(mention, end=at + 1, gbps=float(rate), claimed=mention.claimed | {at})
    return mention


def _counted(tokens: Sequence[Token], mention: Mention) -> Mention:
    """The 4 of "4x HDR per node": links of a node, each with an adapter."""
    times = links_of_a_node(tokens, mention.start, mention.end)
    if times and not mention.links:
        return replace(
            mention,
            links=times,
            start=mention.start - 2,
            claimed=mention.claimed | {mention.start - 1, mention.start - 2},
        )
    return mention


def links_of_a_node(tokens: Sequence[Token], start: int, end: int) -> int | None:
    """The 8 of "8 x 400G per node", the rate or the network standing at ``start:end``, or of "8x ConnectX-7 400G"."""
    times, after = _times_before(tokens, start), _words_after(tokens, end, 3)
    counted = after[:1] in (["per"], ["/"], ["a"], ["each"], ["in"]) and set(after) & PER_NODE
    return times if counted or _card_before(tokens, start) else None


def _card_before(tokens: Sequence[Token], at: int) -> int | None:
    """Where adapters are named by their kind between how many they are and their rate: "8x ConnectX-7 NICs at"."""
    places = range(at - 1, max(1, at - _CARD_NAME - 1), -1)
    return next((n for n in places if tokens[n].text in _ADAPTERS and tokens[n - 1].text in ("x", "*")), None)


def _times_before(tokens: Sequence[Token], at: int) -> int | None:
    """The 8 of "8 x 400G", and of "8x ConnectX-7 400G"."""
    at = _card_before(tokens, at) or at
    if (
        at >= 2
        and tokens[at - 1].text in ("x", "*")
        and tokens[at - 2].text.isdecimal()
        and int(tokens[at - 2].text) <= 64
    ):
        return int(tokens[at - 2].text)
    return None


def _ethernet(tokens: Sequence[Token], rate: Quantity) -> Mention | None:
    """ "100 gig" and "25GbE" are Ethernet; "400G" alone could be anything and is asked about."""
    after = _words_after(tokens, rate.end, 4)
    slow = rate.value in (10, 25) and (rate.unit == "g" or _joins_nodes(tokens, rate))
    slow = slow or (rate.value < _SLOWEST_RDMA and (_joins_nodes(tokens, rate) or _is_the_network(tokens, rate)))
    ethernet = rate.unit in _ETHERNET_UNITS or (slow and not set(after[:1]) & {"of"})
    before = {t.text for t in tokens[max(0, rate.start - 2) : rate.start]}  # "four NICs at 400 gig"
    if not ethernet or (rate.value >= 200 and (set(after[:1]) | before) & _CARDS):
        return None
    rdma = [n for n in range(max(0, rate.start - 5), min(rate.end + 4, len(tokens))) if _has_rdma(tokens, n)]
    claimed = frozenset((*range(rate.start, rate.end), *rdma))
    return Mention(rate.start, rate.end, "roce" if rdma else "tcp", float(rate.value), claimed=claimed)


def _joins_nodes(tokens: Sequence[Token], rate: Quantity) -> bool:
    """ "Two nodes with 10 Gbit", "three boxes, 10 Gbit/s between them": no storage, no uplink."""
    before = [t.stem for t in tokens[max(0, rate.start - 8) : rate.start]]
    after = _words_after(tokens, rate.end, 1)
    between = after == ["between"] or (not after and bool(before) and before[-1] in _JOINED_BY)
    return between and not PER_NODE.isdisjoint(before)


def _is_the_network(tokens: Sequence[Token], rate: Quantity) -> bool:
    """ "The network is 100 Mb/s", "a 1 Gb/s link"; what stands for itself too: "16 A100, 100 Mb/s", "over 1 Gb/s"."""
    before = [t.text for t in tokens[max(0, rate.start - 4) : rate.start]]
    after = _words_after(tokens, rate.end, 1)
    ends = rate.end == len(tokens) or tokens[rate.end].text in _SET_APART
    alone = ends and (not before or before[-1] in _SET_APART | (_JOINED_BY - {"by", "at"}))
    return alone or bool(_JOINTS & {*before, *after})


def _words_after(tokens: Sequence[Token], at: int, count: int) -> list[str]:
    return [t.text for t in tokens[at : at + count + 2] if t.is_word or t.text == "/"][:count]


# -- which fabric of the catalog -------------------------------------------------------------------------


def resolve(
    mention: Mention, catalog: Catalog, gpu: Gpu | None, nics: int | None
) -> tuple[str | None, tuple[str, ...]]:
    """The fabric of the catalog for a mention, without a speed the one usual for the GPU; where nobody sells the rate,
    the fabrics that exist."""
    members = [f for f in catalog.fabrics.values() if f.technology == mention.technology]
    if mention.fabric or not members:
        return mention.fabric, ()
    if mention.technology == "efa":
        return _efa(members, gpu, mention.version), ()
    gbps = mention.gbps
    if mention.contradicted:
        return None, tuple(f.id for f in members)
    if gbps is None or (mention.technology in ("tcpx", "tcpxo", "wan")):
        return _usual(members, mention.technology, gpu), ()
    of_each = _at(members, gbps / (nics or (gpu.nics_per_node if gpu else _NICS)))
    found = (of_each if mention.of_all_adapters else None) or _at(members, gbps)
    if found is None and not mention.per_adapter and mention.per_node:
        found = of_each
    if found is None and mention.technology == "tcp":
        # 400 and 800 Gb/s Ethernet between GPU nodes is sold for RDMA only.
        found = _at([f for f in catalog.fabrics.values() if f.technology == "roce"], gbps)
    found = found or at_rate(catalog.fabrics, mention.technology, round(gbps, 3))
    return (found, ()) if found else (None, tuple(f.id for f in members))


def _at(members: Iterable[Fabric], gbps: float) -> str | None:
    return next((f.id for f in members if line_rate(f) == round(gbps, 3)), None)


def nearest(mention: Mention, catalog: Catalog) -> str | None:
    """The fabric of the kind that is named whose rate is next to the one that is said: of Ethernet RoCE too."""
    if mention.gbps is None or mention.contradicted or mention.technology in ("efa", "tcpx", "tcpxo", "wan"):
        return None
    kinds = ("tcp", "roce") if mention.technology == "tcp" else (mention.technology,)
    rated = [f for f in catalog.fabrics.values() if f.technology in kinds and f.line_rate and not f.providers]
    best = min(rated, key=lambda f: abs(line_rate(f) - (mention.gbps or 0.0)), default=None)
    return best.id if best else None


def line_rate(fabric: Fabric) -> float:
    """Gb/s of one adapter; 0 where it has no rate of its own."""
    return round(fabric.line_rate.si * 8 / 1e9, 3) if fabric.line_rate else 0.0


def _usual(members: Sequence[Fabric], technology: str, gpu: Gpu | None) -> str | None:
    usual = 100.0 if technology == "tcp" else gpu.usual_nic_line_rate.si * 8 / 1e9 if gpu else 400.0
    rated = [f for f in members if f.line_rate is not None]
    return min(rated or members, key=lambda f: abs(line_rate(f) - usual)).id


def _efa(members: Sequence[Fabric], gpu: Gpu | None, version: int | None) -> str | None:
    """EFA comes with the instance, so the GPU says which version; H100 instances are the usual case."""
    if version is not None:
        return next((f.id for f in members if f.id.endswith(f"v{version}")), None)
    gpu_id = gpu.id if gpu else "h100-sxm"
    fitting = [f for f in members if f.gpus and gpu_id in f.gpus]
    return max(fitting or members[:1], key=lambda f: f.id).id


def family(mention: Mention, catalog: Catalog, fabric: str) -> list[str]:
    """What is ruled out with a network: all of a technology, unless a speed was said."""
    if mention.gbps is not None or mention.version is not None or mention.fabric is not None:
        return [fabric]
    return [f.id for f in catalog.fabrics.values() if f.technology == mention.technology]


def by_start(quantities: Iterable[Quantity]) -> Mapping[int, list[Quantity]]:
    """Quantities by the token at which they begin, the longest first."""
    found: dict[int, list[Quantity]] = {}
    for quantity in sorted(quantities, key=lambda q: -q.end):
        found.setdefault(quantity.start, []).append(quantity)
    return found
