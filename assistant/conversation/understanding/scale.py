"""How many of which GPU: ``8 nodes of 8xH100``, ``16k h100s``, ``2 racks of GB200``, ``p5.48xlarge``."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from assistant.vocabulary.catalog import Gpu

from .counts import NODE, patterns
from .lexicon import Lexicon
from .numbers import NUMBER, whole
from .reading import Reading

_RANGE = re.compile(rf"(?:between\s+{NUMBER}\s*(?:-|to|and)|{NUMBER}\s*(?:-(?=\s*\d)|to|or|\.\.))\s*{NUMBER}\s*(?:x\s*)?(?:\w+\s)?(?:gpus?|"
                    rf"nodes?|"
                    rf"[hab]\d{{2,3}}s?)\b")
_FROM_TO = re.compile(rf"\bfrom\s+{NUMBER}\s*(?:gpus?|nodes?|\w\d{{3}}s?)?\s*(?=to\b|>)")


_EACH_RACK = re.compile(r"\beach\b|\bper rack\b|\ba rack\b|\bin every rack\b")
_NODES_BEFORE = re.compile(NODE)


@dataclass
class _Scale:
    """What one message says about the scale."""

    gpus: int | None = None
    nodes: int | None = None
    per_node: int | None = None
    gpu: str | None = None
    racks: int | None = None
    spans: list[tuple[int, int]] = field(default_factory=list)  # what was taken for counts of nodes
    rack_spans: list[tuple[int, int]] = field(default_factory=list)


def _groups(match: re.Match[str]) -> dict[str, str]:
    return {name.split("__")[0]: text for name, text in match.groupdict().items() if text}


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
    _conclude(reading, scale)


def _note(reading: Reading, scale: _Scale, name: str, match: re.Match[str]) -> None:
    """Take one match into the scale, unless it is denied or something already said it."""
    groups = _groups(match)
    denied = reading.message.negation(match.start(), match.end())
    if denied and reading.message.open[denied.start:match.start()].strip() != "no":
        reading.message.take(denied.start, denied.end)
        return
    if "them" in groups:
        groups["nodes" if _means_nodes(reading, scale, match) else "gpus"] = groups["them"]
    values = {key: _count(groups[key]) for key in ("gpus", "nodes", "per_node", "racks") if key in groups}
    if any(v is None or v < 1 for v in values.values()):
        return
    if name == "a rack":
        values["racks"] = 1
    if any(getattr(scale, key) is not None and getattr(scale, key) != v for key,
           v in values.items()) and reading.intent != "change":
        return  # a second, different count: left for the person to settle
    gpu = _named_gpu(reading.lexicon, groups)
    if gpu and scale.gpu and gpu != scale.gpu and not values:
        return
    for key, v in values.items():
        setattr(scale, key, v)
    if name.startswith("appliance") and scale.per_node is None:
        scale.per_node = 8  # every DGX and HGX board with SXM GPUs carries eight
    if groups.get("rack") and "gpus" in values and "gb" in groups["core"]:
        scale.racks, scale.gpus = values["gpus"], None
    scale.gpu = gpu or scale.gpu
    if "other" in groups:
        start = next(i for n, i in ((n, match.start(n)) for n in match.groupdict() if n.startswith("other") and match[n]))
        reading.message.take(match.start(), start)
    else:
        scale.spans += [match.span()] if "nodes" in values else []
        scale.rack_spans += [match.span()] if "racks" in values else []
        reading.message.take_match(match)


def _means_nodes(reading: Reading, scale: _Scale, match: re.Match[str]) -> bool:
    """"16 of them" counts what was spoken of last: nodes where their size was, else GPUs."""
    if match.groupdict().get("noun__1") or scale.per_node is not None or scale.nodes is not None or _NODES_BEFORE.search(reading.message.text[:match.start()]):
        return True
    last = reading.context.changed[-1] if reading.context and reading.context.changed else None
    return scale.gpu is None and last == "cluster.gpus_per_node"


def _count(text: str) -> int | None:
    return 1 if text in ("a", "an") else whole(text)


def _named_gpu(lexicon: Lexicon, groups: dict[str, str]) -> str | None:
    if "core" not in groups:
        return None
    core = re.sub(r"[\s\-_./]", "", groups["core"])
    return lexicon.gpu(core, groups.get("form") or groups.get("form_after"), groups.get("gigabytes"))


def _read_instances(reading: Reading, scale: _Scale) -> None:
    """``4 x p5.48xlarge``: an instance names provider, GPU and GPUs per node."""
    counted = re.compile(rf"(?:(?P<nodes>{NUMBER})\s?(?:x\s?|of\s)?)?{reading.lexicon.instance_pattern.pattern}(?:s|"
                         rf"{NODE})?(?:\s?(?:x|\*|times|,)\s?(?P<times>\d+)\b(?!\s?(?:days?|hours?|weeks?|gpus?|%|[a-z]\w*\d)))?")
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
    if scale.gpus is None and scale.nodes is not None:
        known = reading.known("cluster.gpus_per_node") or (gpu.gpus_per_node if gpu else None)
        per_node = scale.per_node or known
        scale.gpus = scale.nodes * per_node if per_node else None
        reading.nodes = scale.nodes * _per_site(reading)
    if scale.gpus is not None:
        reading.set("cluster.gpus", scale.gpus * _per_site(reading))
    if scale.per_node is not None:
        reading.set("cluster.gpus_per_node", scale.per_node)


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
    said = re.search(r"\b(?:each site|per (?:site|data ?cent(?:er|re)|region|location)|at each|in each (?:site|"
                     r"data ?cent(?:er|re)|region|location)|"
                     r"(?:sites|data ?cent(?:er|re)s|dcs|campuses|regions|locations|cities|"
                     r"countries)\b[^.;]{0,60}\beach)\b", reading.message.text)
    return reading.fields.get("cluster.sites", 1) if said else 1
