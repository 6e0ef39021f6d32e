"""How many of which GPU: ``8 nodes of 8xH100``, ``16k h100s``, ``2 racks of GB200``, ``p5.48xlarge``."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from assistant.vocabulary.catalog import Gpu

from .constraints import SITE
from .counts import NODE, OTHER_GPU, patterns
from .groups import groups
from .lexicon import Lexicon
from .numbers import NUMBER, whole
from .reading import Reading

_RANGE = re.compile(
    rf"(?:between\s+{NUMBER}\s*(?:-|to|and)|{NUMBER}\s*(?:-(?=\s*\d)|to|or|\.\.))\s*{NUMBER}\s*(?:x\s*)?(?:\w+\s)?(?:gpus?|"
    rf"nodes?|"
    rf"[hab]\d{{2,3}}s?)\b"
)
_FROM_TO = re.compile(rf"\bfrom\s+{NUMBER}\s*(?:gpus?|nodes?|\w\d{{3}}s?)?\s*(?=to\b|>)")


_EACH_RACK = re.compile(r"\beach\b|\bper rack\b|\ba rack\b|\bin every rack\b")
_OF_TIME = re.compile(r"[\s\-]?(?:hours?|hrs?|days?|weeks?|months?|years?)\b")
_MOST_PER_NODE = 72  # GPUs one node or scale-up domain holds; a "256-GPU pod" is a cluster
_MOST_IN_A_NODE = 16  # GPUs in one chassis
_EACH = re.compile(r"\b(?:each|every|per|apiece|with|of|x)\b|\d\s?x\s?\d")
_EACH_OF_THEM = re.compile(r"\b(?:each|every|per|apiece|of|x)\b|\d\s?x\s?\d")
_COMMA = re.compile(r"[,;:]\s")
_TOTAL = re.compile(r"\s?(?:in total|total|altogether|overall|in all|all told)\b")
_UNKNOWN_GPU = re.compile(rf"(?<![\w.\-/])(?:nvidia\s|amd\s|huawei\s|intel\s|google\s)?{OTHER_GPU}(?![\w\-])")
_NODES_BEFORE = re.compile(NODE)
_COUNTED_NODES = re.compile(rf"{NUMBER}(?:\sof\s(?:them|these|those|such))?\s?{NODE}")


_EACH_SITE = re.compile(
    rf"\b(?:(?:each|every)\s{SITE}|per\s{SITE}|at each|(?:in|at|for) (?:each|every)(?: one)?(?: of them)?(?=\W|$)(?!\s(?:node|"
    rf"server|machine|box|host|instance|chassis|tray))|{SITE}\b[^.;]{{0,60}}\b(?:each|apiece))\b"
)


@dataclass
class _Scale:
    """What one message says about the scale."""

    gpus: int | None = None
    nodes: int | None = None
    per_node: int | None = None
    gpu: str | None = None
    racks: int | None = None
    rack_spans: list[tuple[int, int]] = field(default_factory=list)


def read_scale(reading: Reading) -> None:
    """Sets ``cluster.gpu``, ``cluster.gpus``, ``cluster.gpus_per_node``; a range is not a number and stays."""
    scale = _Scale()
    _read_instances(reading, scale)
    for match in list(reading.message.find(_FROM_TO)):
        reading.message.take_match(match)
    ranges = [] if reading.intent == "compare" else [m.span() for m in reading.message.find(_RANGE)]
    for name, pattern in patterns(reading.lexicon.gpu_expression).items():
        for match in reading.message.find(pattern):
            if any(start < match.end() and match.start() < end and name != "GPU" for start, end in ranges):
                continue
            _note(reading, scale, name, match)
    for match in reading.message.find(_UNKNOWN_GPU):
        reading.unknown_gpus.append(reading.message.typed(*match.span()))
        reading.held.append(match.span())
        reading.message.take_match(match)
    _conclude(reading, scale)


def _note(reading: Reading, scale: _Scale, name: str, match: re.Match[str]) -> None:
    """Take one match into the scale, unless it is denied or something already said it."""
    denied = reading.message.negation(match.start(), match.end())
    said = groups(match)
    counted = any(key in said for key in ("gpus", "nodes", "per_node", "racks", "them"))
    if denied and (not counted or reading.message.open[denied.start : match.start()].strip() != "no"):
        reading.deny("cluster.gpu", _named_gpu(reading.lexicon, said), denied.start, denied.end)
        return
    if "them" in said:
        if reading.context and reading.context.asked not in (None, "cluster.gpus", "cluster.gpus_per_node"):
            return  # it answers what was asked
        said["nodes" if _means_nodes(reading, scale, match) else "gpus"] = said["them"]
    if name == "taken" and (
        scale.gpu is None or scale.gpus or scale.nodes or scale.racks or reading.known("cluster.gpus")
    ):
        return  # "H100 at $2.10, we would take 96": a number alone counts the GPU just named
    if name == "N each" and not _is_per_node(reading, scale, match):
        return
    if "other" in said and _is_of_unknown(reading, match):
        return
    counts = _counts(name, said, in_all=_is_in_all(reading, match), in_total=_is_in_total(reading, match))
    if counts and _OF_TIME.match(reading.message.text, match.end()):
        return  # "40k GPU-hours" counts hours
    if counts and said.get("nodes") in ("a", "an") and _COUNTED_NODES.search(reading.message.open, match.end()):
        del counts["nodes"]  # "a node has 8 GPUs, there are 16 nodes"
    if counts is None or (_is_a_second(scale, counts) and reading.intent != "change"):
        return  # no count, or a different one: left for the person to settle
    gpu = _named_gpu(reading.lexicon, said)
    if gpu and scale.gpu and gpu != scale.gpu and not counts:
        return
    for key, count in counts.items():
        setattr(scale, key, count)
    if name.startswith("appliance") and scale.per_node is None:
        scale.per_node = 8  # every DGX and HGX board with SXM GPUs carries eight
    scale.gpu = gpu or scale.gpu
    _take(reading, scale, match, counts, beside=name == "each node has N")


def _is_of_unknown(reading: Reading, match: re.Match[str]) -> bool:
    """Note a GPU that is not in the catalog; whether its count is set aside, as no count of the one that is known."""
    reading.unknown_gpus.append(
        next(
            reading.message.typed(*match.span(name))
            for name, text in match.groupdict().items()
            if name.startswith("other") and text
        )
    )
    if not reading.known("cluster.gpu"):
        return False
    reading.held.append(match.span())
    reading.message.take_match(match)
    return True


def _is_in_all(reading: Reading, match: re.Match[str]) -> bool:
    """ "6 machines, 48 GPUs" and "… in total": the GPUs are those of all the nodes."""
    return _EACH.search(match[0]) is None and (
        _COMMA.search(match[0]) is not None or _TOTAL.match(reading.message.text, match.end()) is not None
    )


def _is_in_total(reading: Reading, match: re.Match[str]) -> bool:
    """ "2 nodes, 16 H100 in all": the total is said to be one."""
    return _EACH_OF_THEM.search(match[0]) is None and _TOTAL.match(reading.message.text, match.end()) is not None


def _is_per_node(reading: Reading, scale: _Scale, match: re.Match[str]) -> bool:
    """ "Two nodes. 8 GPUs each": what is in each of the nodes spoken of before; at several sites "each" is a site."""
    sites = reading.fields.get("cluster.sites", 1) > 1
    before = _NODES_BEFORE.search(reading.message.text[: match.start()]) is not None
    return (
        scale.per_node is None
        and not sites
        and (before or scale.nodes is not None or reading.nodes_waiting is not None)
    )


def _counts(name: str, said: dict[str, str], *, in_all: bool, in_total: bool) -> dict[str, int] | None:
    """The counts of one match by what they count, or ``None`` where one of them is no count."""
    counts = {key: _count(said[key]) for key in ("gpus", "nodes", "per_node", "racks") if key in said}
    if any(count is None or count < 1 for count in counts.values()):
        return None
    if name == "a rack":
        counts["racks"] = 1
    if (
        (in_total or (in_all and counts.get("per_node", 0) > _MOST_IN_A_NODE))
        and counts.get("nodes")
        and ("per_node" in counts and counts["per_node"] % counts["nodes"] == 0)
    ):
        counts["gpus"] = counts.pop("per_node")
    if counts.get("per_node", 0) > _MOST_PER_NODE:
        counts["gpus"] = counts.pop("per_node") * counts.pop("nodes", 1)
    if said.get("rack") and "gpus" in counts and "gb" in said["core"]:
        counts["racks"] = counts.pop("gpus")
    return counts


def _is_a_second(scale: _Scale, counts: dict[str, int]) -> bool:
    return any(getattr(scale, key) is not None and getattr(scale, key) != count for key, count in counts.items())


def _take(
    reading: Reading, scale: _Scale, match: re.Match[str], counts: dict[str, int], *, beside: bool = False
) -> None:
    """Mask what was read; the name of a GPU that is not in the catalog stays, and so does what a node holds ``beside`` its GPUs."""
    other = next(
        (match.start(name) for name, text in match.groupdict().items() if name.startswith("other") and text), None
    )
    start = (
        next((match.start(n) for n, text in match.groupdict().items() if n.startswith("per_node") and text), 0)
        if beside
        else match.start()
    )
    reading.message.take(start, match.end() if other is None else other)
    if other is None:
        scale.rack_spans += [match.span()] if "racks" in counts else []


def _means_nodes(reading: Reading, scale: _Scale, match: re.Match[str]) -> bool:
    """ "16 of them" counts what was spoken of last: nodes where their size was, else GPUs."""
    if (
        match.groupdict().get("noun__1")
        or scale.per_node is not None
        or scale.nodes is not None
        or _NODES_BEFORE.search(reading.message.text[: match.start()])
    ):
        return True
    last = reading.context.changed[-1] if reading.context and reading.context.changed else None
    return scale.gpu is None and last == "cluster.gpus_per_node"


def _count(text: str) -> int | None:
    return 1 if text in ("a", "an") else whole(text)


def _named_gpu(lexicon: Lexicon, said: dict[str, str]) -> str | None:
    if "core" not in said:
        return None
    core = re.sub(r"[\s\-_./]", "", said["core"])
    return lexicon.gpu(core, said.get("form") or said.get("form_after"), said.get("gigabytes"))


def _read_instances(reading: Reading, scale: _Scale) -> None:
    """``4 x p5.48xlarge``: an instance names provider, GPU and GPUs per node."""
    counted = re.compile(
        rf"(?:(?P<nodes>{NUMBER})\s?(?:x\s?|of\s)?)?{reading.lexicon.instance_pattern.pattern}(?:s|"
        rf"{NODE})?(?:\s?(?:x|\*|times|,)\s?(?P<times>\d+)\b(?!\s?(?:days?|hours?|weeks?|gpus?|%|[a-z]\w*\d)|{NODE}))?"
    )
    for match in reading.message.find(counted):
        named = reading.lexicon.instance_pattern.search(match[0])
        if named is None or reading.message.negation(match.start(), match.end()):
            continue
        provider, offer = reading.lexicon.instances["".join(re.findall(r"[a-z]+|\d+(?:\.\d+)?", named[0]))]
        reading.set("cluster.provider", provider)
        scale.gpu, scale.per_node = offer.gpu, offer.gpus_per_node
        counted_nodes = match["nodes"] or match["times"]
        scale.nodes = whole(counted_nodes) if counted_nodes else scale.nodes
        reading.message.take_match(match)


def _conclude(reading: Reading, scale: _Scale) -> None:
    """GPUs from nodes and GPUs per node where both are known; a node's usual GPUs come from the catalog."""
    if scale.gpu:
        reading.set("cluster.gpu", scale.gpu)
    gpu = reading.gpu()
    if scale.racks is not None:
        _count_racks(reading, scale, gpu)
    if scale.per_node is None and scale.gpus and scale.nodes and scale.gpus % scale.nodes == 0:
        scale.per_node = scale.gpus // scale.nodes
    if scale.gpus is None and scale.nodes is None and (scale.per_node or scale.gpu):
        scale.nodes = reading.nodes_waiting
    if scale.gpus is None and scale.nodes is not None and _divides_known_gpus(reading, scale):
        scale.per_node = reading.known("cluster.gpus") // scale.nodes
    elif scale.gpus is None and scale.nodes is not None:
        known = reading.known("cluster.gpus_per_node") or (gpu.gpus_per_node if gpu else None)
        per_node = scale.per_node or known
        scale.gpus = scale.nodes * per_node if per_node else None
        reading.nodes = scale.nodes * _per_site(reading)
    if scale.gpus is not None and "cluster.gpus" not in reading.fields:
        reading.set("cluster.gpus", scale.gpus * _per_site(reading))
    if scale.per_node is not None:
        reading.set("cluster.gpus_per_node", scale.per_node)


def _divides_known_gpus(reading: Reading, scale: _Scale) -> bool:
    """ "8 nodes" after "64 GPUs": what is in a node follows, where nothing else says it."""
    known = reading.known("cluster.gpus")
    if (
        scale.per_node is not None
        or scale.gpu
        or reading.known("cluster.gpu")
        or reading.known("cluster.gpus_per_node")
    ):
        return False
    return known is not None and known % scale.nodes == 0


def _count_racks(reading: Reading, scale: _Scale, gpu: Gpu | None) -> None:
    """A rack is 72 GPUs where it is one NVLink domain; of other racks one must have said what is in each."""
    domain = gpu.scale_up_domain if gpu and gpu.scale_up_domain > 8 else 72 if "nvl" in reading.message.text else None
    if domain is not None:
        scale.gpus = scale.racks * domain
    elif scale.nodes is not None and _EACH_RACK.search(reading.message.text):
        scale.nodes *= scale.racks
    else:
        reading.message.give_back(scale.rack_spans)


def _per_site(reading: Reading) -> int:
    """``two sites with 64 H100s each``: the count is per site."""
    said = _EACH_SITE.search(reading.message.text)
    return reading.fields.get("cluster.sites", 1) if said else 1
