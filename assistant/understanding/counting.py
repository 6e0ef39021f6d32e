"""How many of which GPU: ``8 nodes of 8xH100``, ``2 racks of GB200``, ``4 x p5.48xlarge``, ``512, of which 64 are
free``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field, replace
from typing import Any

from assistant.vocabulary.catalog import Catalog, Gpu
from assistant.vocabulary.utterance import Doubt

from .attach import Candidate, Fact, score
from .names import APART, RACK
from .numbers import DOTTED
from .templates import Compiler, Hit, Matcher, Quantity, Source
from .wordings import Says

_MOST_PER_NODE = 72  # GPUs one node or scale-up domain holds; a "256-GPU pod" is a cluster
_MOST_IN_A_CHASSIS = 16
SIZES_OF_NODES = frozenset({*range(1, 7), 8, 10, 16, 36, 72})  # GPUs of a node that is sold
_PER_BOARD = 8  # every DGX and HGX board with SXM GPUs carries eight
_RACK = 72  # GPUs of an NVL72 rack
COUNTED = "cluster.gpus"
_CARDS = frozenset({"gpu", "gpus", "card", "acceler", "chip", "graphic"})  # stems
_NEAR = 6  # tokens between "each" and what is counted
_EACH = frozenset("each every everi either apiece apiec je jeweils chacun chaque cada à".split())  # words and stems
_USUAL_NODES = frozenset({1, 2, 4, 8, 16})  # GPUs
_RACKS_OF_A_CLUSTER = 1400  # 100,000 GPUs: who says more racks may mean GPUs
_MOST_RACKS = 64  # "256 GB200 NVL72" are GPUs, "4 GB200 NVL72" racks
_ROLES = frozenset("gpus nodes per_node racks per_rack_nodes them total sites rollouts rollout_nodes".split())


_JOINED = (
    "gpus",
    "nodes",
    "per_node",
    "racks",
    "per_rack_nodes",
    "gpu",
    "provider",
    "sites",
    "rollouts",
    "rollout_nodes",
)


@dataclass(frozen=True)
class Scale:
    """What some words say about the scale; what is not said is ``None``."""

    gpus: int | None = None
    nodes: int | None = None
    per_node: int | None = None
    racks: int | None = None
    per_rack_nodes: int | None = None
    them: int | None = None  # "16 of them": of what was spoken of last
    total: int | None = None  # "so 12 altogether": of whatever is counted
    sites: int | None = None  # places with as many GPUs each
    per_site: bool = False
    gpu: str | None = None
    unknown_gpu: Quantity | None = None
    provider: str | None = None
    rack_scale: bool = False
    each: bool = False  # said of each of something
    rollouts: int | None = None  # of the GPUs those that only generate
    rollout_nodes: int | None = None  # the same in nodes


class Counter:
    """Finds counts by the templates of ``counts.yaml``."""

    def __init__(self, data: Mapping[str, Any], compiler: Compiler) -> None:
        self._matcher = Matcher(
            compiler,
            [(Says("count", COUNTED, "board"), t) for t in data["boards"]]
            + [(Says("count", COUNTED), t) for t in data["says"]]
            + [(Says("count", COUNTED, "total"), t) for t in data["totals"]]
            + [(Says("count", COUNTED, "node"), t) for t in data["a_node"]]
            + [(Says("count", COUNTED, "rack"), t) for t in data["a_rack"]]
            + [(Says("count", COUNTED, "site"), t) for t in data["per_site"]]
            + [(Says("count", COUNTED, "two-sites"), t) for t in data["at_two_sites"]]
            + [(Says("count", COUNTED, "part"), t) for t in data["part_of"]]
            + [(Says("add", COUNTED, 1), t) for t in data["more_nodes"]]
            + [(Says("add", COUNTED, -1), t) for t in data["fewer_nodes"]]
            + [(Says("count", COUNTED, "named"), t) for t in data["of_what_was_named"]]
            + [(Says("range", COUNTED), t) for t in data["ranges"]]
            + [(Says("quiet", COUNTED), t) for t in data["not"]],
        )

    def candidates(self, source: Source, asked: str | None) -> list[Candidate]:
        """Every count that may be said; ``asked`` is the field of the open question, to which a bare number belongs."""
        hits = [h for h in self._matcher.hits(source) if h.key.value != "named" or asked in (None, COUNTED)]
        return [Candidate(_of_each(fact, source), score(hit) + 1) for hit in hits if (fact := _fact(hit, source))]


def _fact(hit: Hit, source: Source) -> Fact | None:
    if hit.key.act != "count":
        return Fact(hit.key, None, hit.start, hit.end, hit.claimed, hit.slots)
    hit = replace(hit, slots={role: _of_thousands(q) for role, q in hit.slots.items()})
    numbers = [q for q in hit.slots.values() if q.kind == "number"]
    if any(q.low is not None for q in numbers):
        return None  # other templates ask which end is meant
    if any(q.value != int(q.value) or q.value < 1 or q.unit in ("b", "t", "m", "billion", "trillion") for q in numbers):
        return None
    own = {source.tokens[at].stem for at in hit.own}
    return Fact(hit.key, _scale(hit, own), hit.start, hit.end, hit.claimed, hit.slots)


def _of_each(fact: Fact, source: Source) -> Fact:
    """What is counted beside "each", "je" or "chacun" is of each."""
    around = {t.text for t in source.tokens[max(0, fact.start - _NEAR) : fact.end + 2]}
    return replace(fact, value=replace(fact.value, each=True)) if fact.value and around & _EACH else fact


def _of_thousands(quantity: Quantity) -> Quantity:
    """ "1.024 GPUs" are no fraction of one."""
    return replace(quantity, value=quantity.value * 1000, unit="") if quantity.unit == DOTTED else quantity


def _scale(hit: Hit, own: Set[str]) -> Scale:
    """The scale that one match says; ``own`` are the stems of the template's words in it."""
    counts: dict[str, Any] = {
        role: int(q.value) for role, q in hit.slots.items() if q.kind == "number" and role in _ROLES
    }
    said = Scale(**counts, per_site=hit.key.value == "site")
    if "many" in hit.slots:  # "16x B200 nodes" are so many nodes; "8x H100 nodes" have eight each
        many = int(hit.slots["many"].value)
        said = replace(said, nodes=many) if many > _PER_BOARD else replace(said, per_node=many)
    if hit.key.value == "two-sites":
        said = replace(said, sites=2)
    if hit.key.value == "rack":
        said = replace(said, racks=1)
    if hit.key.value == "board":
        said = replace(said, per_node=_PER_BOARD)
    if said.rollouts:
        said = replace(said, gpus=said.rollouts + (said.gpus or 0))
    if said.rollout_nodes:
        said = replace(said, nodes=said.rollout_nodes + (said.nodes or 0))
    if "more_nodes" in hit.slots and said.nodes:
        said = replace(said, nodes=said.nodes + int(hit.slots["more_nodes"].value))
    if "more" in hit.slots and said.gpus:
        said = replace(said, gpus=said.gpus + int(hit.slots["more"].value))
    gpu, instance = hit.slots.get("gpu"), hit.slots.get("instance")
    gpu = gpu or next((q for role, q in hit.slots.items() if q.kind == "gpu"), None)
    if instance is not None:
        provider, offer = instance.value
        return replace(said, gpu=offer.gpu, per_node=offer.gpus_per_node, provider=provider, nodes=said.nodes)
    if gpu is not None:
        said = replace(said, gpu=gpu.value, rack_scale=gpu.unit in (RACK, APART))
        beside = "racks" in hit.slots and gpu.start - hit.slots["racks"].end <= 1
        if gpu.unit == APART and beside and (said.racks or 0) > _MOST_RACKS:  # "4,096 GB200 (NVL72 racks)"
            said = replace(said, gpus=said.racks, racks=None)
        if gpu.unit == "board" and said.gpus and not own & _CARDS:  # "24 DGX H100 in total" are boards
            said = replace(said, nodes=said.gpus, gpus=None)
        if gpu.unit == "board" and said.nodes:
            said = _of_boards(said)
        if gpu.unit == RACK and said.racks is None and said.gpus and said.gpus <= _MOST_RACKS:
            said = replace(said, racks=said.gpus, gpus=None)
    return _plausible(replace(said, unknown_gpu=hit.slots.get("unknown-gpu")), own)


def _of_boards(said: Scale) -> Scale:
    """Boards carry eight each: "32 x HGX B200 (256 GPUs)" says how many these are in all."""
    if said.per_node and (said.per_node > _MOST_IN_A_CHASSIS or said.per_node == (said.nodes or 0) * _PER_BOARD):
        return replace(said, gpus=said.per_node, per_node=_PER_BOARD)
    return replace(said, per_node=said.per_node or _PER_BOARD)


def _plausible(said: Scale, own: Set[str]) -> Scale:
    """ "2 nodes, 16 H100 in all" and "4 x 256 GPUs": what cannot be in one node is all of them."""
    alone = said.nodes is None and said.gpus is None and not own & _EACH
    if said.per_node and alone and said.per_node > _MOST_PER_NODE:  # "128 H100 in HGX boxes"
        return replace(said, gpus=said.per_node, per_node=None)
    if said.per_node and alone and said.gpu and said.per_node not in _USUAL_NODES:
        return replace(said, nodes=said.per_node, per_node=None)  # "10 x H100 servers"
    if said.nodes and said.per_node and not said.rack_scale and _is_all_of_them(said.nodes, said.per_node):
        return replace(said, gpus=said.per_node, per_node=None)  # "32 nodes, 256 H100"
    shared = said.per_node / said.nodes if said.nodes and said.per_node else 0
    if shared in SIZES_OF_NODES and said.per_node not in SIZES_OF_NODES and not own & {*_EACH, "x"}:
        return replace(said, gpus=said.per_node, per_node=None)  # "6 servers with 48 GPUs between them"
    if said.nodes and said.per_node and said.per_node > _MOST_PER_NODE:
        return replace(said, gpus=said.nodes * said.per_node, nodes=None, per_node=None)
    return said


def _is_all_of_them(nodes: int, gpus: int) -> bool:
    """Whether so many GPUs are too many for one node and can be shared out over all."""
    return gpus > _MOST_IN_A_CHASSIS and gpus % nodes == 0 and gpus // nodes in SIZES_OF_NODES


@dataclass
class Concluded:
    """Fields that follow from the counts, the nodes that wait for the size of one, GPUs nobody knows, and doubts."""

    fields: dict[str, Any] = field(default_factory=dict)
    nodes: int | None = None
    unknown: list[Quantity] = field(default_factory=list)
    doubts: list[Doubt] = field(default_factory=list)


def concluded(
    facts: Iterable[Fact],
    known: Mapping[str, Any],
    catalog: Catalog,
    *,
    gpu: str | None,
    sites: int,
    waiting: int | None,
    of_nodes: bool = False,
) -> Concluded:
    """GPUs from nodes and GPUs per node where both are known; a node's usual GPUs come from the catalog.

    ``gpu`` is a GPU named apart from any count, ``sites`` multiplies what is said of each, ``waiting`` are nodes said
    before, ``of_nodes`` that the nodes were spoken of last.
    """
    result = Concluded()
    counted = bool(gpu or known.keys() & {"cluster.gpu", COUNTED})
    said = _joined(list(facts), result, of_nodes=of_nodes, counted=counted, of_sites=sites > 1)
    if result.unknown and "cluster.gpu" in known:  # so many of a GPU nobody knows are not so many of the one known
        return result
    if said.gpu is None and gpu:
        said = replace(said, gpu=gpu)
    sites = said.sites or sites
    if said.sites:
        result.fields["cluster.sites"] = said.sites
    if sites > 1 and said.per_node and said.nodes is None and said.gpus is None:
        said = replace(said, gpus=said.per_node, per_node=None, per_site=True)  # "16 in each": of the sites
    sites = (sites if sites > 1 else known.get("cluster.sites") or 1) if said.per_site else 1
    if said.per_site and sites == 1 and said.gpus:
        result.doubts.append(Doubt(COUNTED, f"{said.gpus} at each of how many sites?", ()))
        said = replace(said, gpus=None)
    if said.provider:
        result.fields["cluster.provider"] = said.provider
    if said.gpu:
        result.fields["cluster.gpu"] = said.gpu
    entry = catalog.gpus.get(said.gpu or known.get("cluster.gpu", ""))
    said = _of_racks(said, entry)
    if said.racks and said.gpus and said.racks > _RACKS_OF_A_CLUSTER:
        result.doubts.append(Doubt(COUNTED, f"{said.racks} GPUs or {said.racks} racks?", (said.racks, said.gpus)))
    if said.gpus is None and said.nodes is None and (said.per_node or said.gpu) and "cluster.gpus" not in known:
        said = replace(said, nodes=waiting)
    _count(said, known, entry, sites, result)
    return result


def _joined(facts: list[Fact], result: Concluded, *, of_nodes: bool, counted: bool, of_sites: bool) -> Scale:
    """One scale of all that was said; what contradicts itself is asked about. ``counted`` says whether GPUs or nodes
    were spoken of before: else "three of them" are of something else."""
    said = Scale()
    parts = [fact for fact in facts if fact.says.value == "part"]  # "512, of which 64 are free"
    if parts:  # of what was counted, be it nodes or GPUs
        whole = [f.value for f in facts if f not in parts]
        of_nodes = any(scale.nodes and not scale.gpus for scale in whole)
        counted = counted or any(scale.nodes or scale.gpus for scale in whole)
        facts = [f if f in parts else replace(f, value=replace(f.value, gpus=None, nodes=None)) for f in facts]
    counted = counted or any(fact.value.gpu or fact.value.provider or fact.value.unknown_gpu for fact in facts)
    total = next((fact.value.total for fact in facts if fact.value.total), None)
    for fact in sorted(facts, key=lambda fact: fact.value.them is not None):
        scale: Scale = fact.value
        if scale.unknown_gpu is not None:
            result.unknown.append(scale.unknown_gpu)
        if scale.them is not None and not counted:
            if fact.says.value == "named":
                result.doubts.append(Doubt(COUNTED, f"is {scale.them} the number of GPUs?", (scale.them,)))
            continue
        if scale.them is not None:
            said = _as_one_node(said, facts)
            if said.gpus or said.nodes:  # "16 nodes, 4 of them are reserved"
                result.doubts.append(_either(said, "gpus" if said.gpus else "nodes", scale.them))
                continue
            sized = not parts and said.gpus is None and said.nodes is None and (said.per_node or said.provider)
            scale = replace(scale, nodes=scale.them) if sized or of_nodes else replace(scale, gpus=scale.them)
        for name in _JOINED:
            value = getattr(scale, name)
            before = getattr(said, name)
            if value is None:
                continue
            if of_sites and name == "per_node" and before not in (None, value) and not (said.gpus or said.nodes):
                # "two sites, 32 in each, 8 per node"
                said = replace(said, gpus=max(before, value), per_node=min(before, value), per_site=True)
                continue
            if before not in (None, value) and name in ("gpus", "gpu", "nodes"):
                result.doubts.append(_either(said, name, value))
                continue
            said = replace(said, **{name: value})
        said = replace(said, rack_scale=said.rack_scale or scale.rack_scale, per_site=said.per_site or scale.per_site)
        said = replace(said, each=said.each or (scale.each and scale.gpus is not None))
    several = {fact.value.gpus or fact.value.per_node for fact in facts if fact.value.gpu} - {None}
    asked = {doubt.field for doubt in result.doubts}
    if len(several) > 1 and "cluster.gpu" in asked and COUNTED not in asked:  # so many of which GPU
        result.doubts.append(Doubt(COUNTED, "how many GPUs of which?", tuple(sorted(several))))
    if total and (counted or said.gpus or said.nodes or said.racks):
        result.doubts[:] = [doubt for doubt in result.doubts if doubt.field != COUNTED]
        said = _in_all(said, total)
    doubted = {doubt.field for doubt in result.doubts}
    if COUNTED in doubted:
        said = replace(said, gpus=None, nodes=None, per_node=None if len(several) > 1 else said.per_node)
    return replace(said, gpu=None) if "cluster.gpu" in doubted else said


def _as_one_node(said: Scale, facts: Iterable[Fact]) -> Scale:
    """ "An 8x H100 node, we want 4 of them": the GPUs of one node, of which there are several."""
    one = said.gpus and said.nodes is None and any(fact.says.value == "node" for fact in facts)
    return replace(said, gpus=None, per_node=said.gpus) if one else said


def _in_all(said: Scale, total: int) -> Scale:
    """ "6 servers per site, so 12 altogether": what was counted before it, nodes or GPUs, is so many in all."""
    of_nodes = said.nodes is not None and said.gpus is None
    return replace(
        said, nodes=total if of_nodes else None, gpus=None if of_nodes else total, per_site=False, each=False
    )


def _either(said: Scale, name: str, other: Any) -> Doubt:
    """The question which of two counts, or of two GPUs, is meant; nodes are offered as GPUs where their size is
    known."""
    before = getattr(said, name)
    if name == "gpu":
        return Doubt("cluster.gpu", f"{before} or {other} {name}?", (before, other))
    each = 1 if name == "gpus" else said.per_node
    shared = before // other if name == "nodes" and not each and before % other == 0 else 0
    if shared in SIZES_OF_NODES:  # "64 H200 servers? 8 nodes": these are the GPUs of 8 nodes, or so many nodes
        return Doubt(COUNTED, f"{before} GPUs on {other} nodes, or {before} nodes?", (before, before * shared))
    return Doubt(COUNTED, f"{before} or {other} {name}?", (before * each, other * each) if each else ())


def _of_racks(said: Scale, gpu: Gpu | None) -> Scale:
    """A rack is 72 GPUs where it is one NVLink domain; of other racks one must have said what is in each."""
    if said.racks is None:
        return said
    domain = gpu.scale_up_domain if gpu and gpu.scale_up_domain > _PER_BOARD else _RACK if said.rack_scale else None
    if domain:
        return replace(said, gpus=said.racks * domain)
    nodes = said.per_rack_nodes or (said.nodes if said.nodes else None)
    return replace(said, nodes=said.racks * nodes if nodes else None)


def _of_each_node(said: Scale) -> bool:
    """Whether the GPUs beside some nodes are those of each: it is said, or they could not be shared out."""
    if not said.gpus or not said.nodes or said.per_node is not None or said.gpus > _MOST_IN_A_CHASSIS:
        return False
    return said.each or said.gpus % said.nodes > 0


def _count(said: Scale, known: Mapping[str, Any], gpu: Gpu | None, sites: int, result: Concluded) -> None:
    if _of_each_node(said):
        said = replace(said, per_node=said.gpus, gpus=None)
    gpus, per_node = said.gpus, said.per_node
    product = said.nodes * per_node if said.nodes and per_node else gpus
    if gpus and product and product != gpus and sites == 1 and not said.rollouts:
        result.doubts.append(Doubt(COUNTED, f"{said.nodes} x {per_node} are {product}, not {gpus}", (gpus, product)))
        return
    if gpus and said.nodes and per_node is None and gpus % said.nodes == 0 and gpus // said.nodes in SIZES_OF_NODES:
        per_node = gpus // said.nodes
    elif gpus is None and said.nodes is not None:
        total = known.get("cluster.gpus")
        usual = known.get("cluster.gpus_per_node") or (gpu.gpus_per_node if gpu and not gpu.nodes_vary else None)
        if per_node is None and usual is None and total and total % said.nodes == 0:
            per_node = total // said.nodes
        else:
            each = per_node or usual
            gpus = said.nodes * each if each else None
            result.nodes = said.nodes * sites
            if said.rollout_nodes and each:
                result.fields["rl.rollout_gpus"] = said.rollout_nodes * each
    if gpus is not None:
        result.fields[COUNTED] = gpus * sites
    if said.rollouts:
        result.fields["rl.rollout_gpus"] = said.rollouts
    if per_node is not None:
        result.fields["cluster.gpus_per_node"] = per_node
