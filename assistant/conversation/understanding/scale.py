"""How many of which GPU: ``8 nodes of 8xH100``, ``16k h100s``, ``2 racks of GB200``, ``p5.48xlarge``."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from assistant.vocabulary.catalog import Gpu

from .lexicon import Lexicon
from .numbers import NUMBER, whole
from .reading import Reading

_NODE = r"(?:[\s\-]?(?:compute\s|gpu\s)?(?:nodes?|servers?|machines?|hosts?|boxes|box|instances?|vms?|systems?|trays?|pods?)\b)"
_RACK = r"(?:\s?(?:full\s)?racks?\b)"
_ANY_GPU = r"(?:gpus?|cards?|accelerators?|graphics cards)"
_NODES = rf"(?:(?P<nodes>{NUMBER}|\ba(?=\s(?:single\s)?(?:gpu\s)?(?:node|server|machine|box|host|instance)\b)))\s?"
_PIECES = r"(?:(?:pieces?|pcs|units?)\b\.?\s?(?:of\s)?)?"
_OF = (r"\s?(?:,\s?)?(?:(?:x|\*|of|with|by|having|has|have|containing|holding|carrying|at|@|per|which|that|"
       r"each(?:\s(?:one|of them))?)\s?){0,4}")
_APPROXIMATE = r"(?:~|about |around |roughly |approximately |some |up to |nearly )?"
# GPUs people have that are not in the catalog: the number counts, the name stays in the rest.
_OTHER_GPU = (r"(?:rtx\s?(?:pro\s?)?\w+|l40s?|l4|t4|a10g?|a30|a40|a6000|p100|h20|h800|a800|tpu\s?v?\d\w*|tpus?|gaudi\s?\d?|"
              r"trainium\s?\d?|trn\d|"
              r"\d0[789]0(?:\s?ti)?)s?")
_RANGE = re.compile(rf"(?:between\s+{NUMBER}\s*(?:-|to|and)|{NUMBER}\s*(?:-(?=\s*\d)|to|or|\.\.))\s*{NUMBER}\s*(?:x\s*)?(?:\w+\s)?(?:gpus?|nodes?|"
                    rf"[hab]\d{{2,3}}s?)\b")
_FROM_TO = re.compile(rf"\bfrom\s+{NUMBER}\s*(?:gpus?|nodes?|\w\d{{3}}s?)?\s*(?=to\b|>)")


_EACH_RACK = re.compile(r"\beach\b|\bper rack\b|\ba rack\b|\bin every rack\b")
_NODES_BEFORE = re.compile(_NODE)


def _counted(name: str) -> str:
    return rf"(?P<{name}>{NUMBER})(?:\+|-?ish\b)?\s?"


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


@lru_cache(maxsize=4)
def _patterns(gpu: str) -> dict[str, re.Pattern[str]]:
    """The ways to say a scale, the most telling first. Each names the groups it fills."""
    thing = rf"(?:{gpu}|{_ANY_GPU}\b)"
    per = rf"(?P<per_node>{NUMBER})[\s\-]?(?:x\s?|\*\s?)?{_PIECES}"
    patterns = {
        "racks": rf"{_counted('racks')}(?:x\s?)?(?:{_RACK}\s?(?:of\s|with\s|x\s)?(?:the\s)?{gpu}|{gpu}{_RACK})",
        "a rack": rf"\b(?<!half )(?:an?|one|single|full)\s(?:full\s)?(?:rack\s(?:of\s)?{gpu}|{gpu}{_RACK})",
        "racks alone": rf"{_counted('racks')}(?:nvl[\s\-]?72\s?)?(?:racks\b|rack\b)",
        "appliances": rf"{_counted('nodes')}(?:x\s?|units?\sof\s|pieces?\sof\s|pcs\.?\s(?:of\s)?)?(?:nvidia\s)?(?:dgx|hgx)(?:[\s\-]+{gpu}(?:{_NODE})?|{_NODE}|es|s)?",
        "appliance nodes": rf"{_NODES}{_NODE}\s?(?:of\s|with\s)?(?:nvidia\s)?(?:dgx|hgx)[\s\-]{gpu}",
        "nodes of N": rf"{_NODES}(?:x\s?)?(?:identical\s|dgx\s|hgx\s)?{_NODE}{_OF}{per}{thing}(?:\s(?:each|per node|apiece|"
                      rf"in each))?",
        "nodes of G, N each": rf"{_NODES}{_NODE}\s?(?:of\s|with\s)?{gpu}[\s,(]*{per}(?:{thing}\s?)?(?:each|apiece|per node)\)?",
        "in each of": rf"{per}{thing}\s?(?:,\s?)?(?:in|on|for)?\s?(?:each|every)\s(?:of\s(?:the\s)?)?(?P<nodes>{NUMBER})\s?"
                      rf"{_NODE}",
        "per node, N nodes": rf"{per}{thing}\s?(?:per|/|a|each)\s?(?:node|server|machine|box|host|instance)s?\s?(?:,|x|on|"
                             rf"across|and|with|in|;)*\s*"
                             rf"(?P<nodes>{NUMBER})\s?{_NODE}",
        "each node has N": rf"(?:each|every|per|an?)(?=\s){_NODE}\s?"
                           rf"(?:has|have|with|having|contains?|holds?|carries|comes with|:)\s(?:got\s)?{per}{thing}",
        "across N nodes": rf"{_counted('gpus')}(?:x\s?)?{thing}\s?,?\s?(?:\(|in|on|across|over|spread over|spread across|"
                          rf"split across|distributed over|="
                          rf"|as)\s?(?:the\s)?(?P<nodes>{NUMBER}|a(?=\s(?:single\s)?node))\s?{_NODE}",
        "N x N": rf"{_counted('nodes')}(?:(?:x|\*|of|by)\s?|(?=\d+x))(?P<per_node>{NUMBER})\s?(?:x|\*)?\s?{gpu}(?:{_NODE})?|"
                 rf"(?P<nodes_>{NUMBER})\s?(?:x|\*)\s?(?P<per_node_>{NUMBER})\s?(?:x\s?)?{_ANY_GPU}\b",
        "N per node": rf"(?<!\$)(?P<per_node>(?<!\$){NUMBER})\sper\s(?:node|server|machine|box|host|instance)\b",
        "per node": rf"{per}{thing}\s?(?:per|/|a|each|in (?:each|every|a|one))\s?(?:node|server|machine|box|host|instance)\b",
        "N-GPU nodes": rf"(?:(?P<nodes>{NUMBER}|\ban?\b)\s?(?:x\s?)?)?(?:single\s)?(?P<per_node>{NUMBER})[\s\-x]?(?:{_ANY_GPU}"
                       rf"|way)\s?(?:{gpu}\s)?{_NODE}",
        "GPU nodes": rf"{_NODES}(?:x\s?)?(?:{_NODE}\s?(?:of\s|with\s|x\s|,\s)?{gpu}|{gpu}{_NODE})",
        "of them": rf"(?P<them>{NUMBER})\sof\s(?:them|these|those|such)\b(?P<noun>{_NODE})?(?:\s{_ANY_GPU}\b)?",
        "GPUs": rf"{_APPROXIMATE}{_counted('gpus')}(?:x\s?|\*\s?|of\s(?:the\s|these\s|them\s)?)?{_PIECES}(?:\w+\s)??{gpu}",
        "cluster of N": rf"{gpu}\s(?:cluster|system|machine|fleet|pool|superpod|supercomputer)\s(?:of|"
                        rf"with)\s(?P<gpus>{NUMBER})(?:\s{_ANY_GPU})?",
        "rack unit": rf"(?P<unit>{gpu})\s?[x*]\s?(?P<gpus>\d[\d,]*k?)(?![\w.])",
        "GPU, about N": rf"{gpu}\s?,\s?(?:maybe|about|around|roughly|approximately|say|in total|total(?:\sof)?|~)\s?(?P<gpus>{NUMBER})"
                        rf"(?!\s?(?:[a-z%$]|gb))",
        "other GPUs": rf"{_APPROXIMATE}{_counted('gpus')}(?:x\s?)?(?:nvidia\s|amd\s|google\s|"
                      rf"intel\s)?(?P<other>{_OTHER_GPU})(?![a-z0-9])",
        "plain GPUs": rf"{_APPROXIMATE}{_counted('gpus')}(?:x\s?|of\s)?(?:(?:more|identical|nvidia|amd|such|big|data center|"
                      rf"datacenter)\s)?{_ANY_GPU}\b(?!\s?(?:(?:per|/)\s?node|worth of))",
        "listed": rf"{gpu}\s?[:=]\s?(?P<gpus>\d[\d,]*k?)(?![\w.%])|\b(?:quantity|qty|count)\b\s?[:=]?\s?(?P<gpus_>\d[\d,]*)\b",
        "labelled": rf"\b(?:gpus?|world[\s_]size|gpu count|number of gpus|ngpus?|n_gpus|#gpus)[\"']?\s?(?:=|:|to|is|of|"
                    rf"are)?\s?{_counted('gpus')}(?![\s\-]?(?:gb|g\b|%|nodes?))",
        "nodes": rf"{_NODES}(?:x\s?)?(?:identical\s|dgx\s|hgx\s|more\s)?{_NODE}",
        "labelled nodes": rf"\bnodes?\s?(?:=|:|to|is)\s?{_counted('nodes')}",
        "GPU": rf"(?<![a-z0-9])(?:an?\s|the\s)?{gpu}",
    }
    return {name: re.compile(_unique_groups(pattern)) for name, pattern in patterns.items()}


def _unique_groups(pattern: str) -> str:
    """Number the groups that occur twice, so that alternatives may use the same names."""
    seen: dict[str, int] = {}

    def rename(match: re.Match[str]) -> str:
        name = match[1].rstrip("_")
        seen[name] = seen.get(name, 0) + 1
        return f"(?P<{name}__{seen[name]}>"

    return re.sub(r"\(\?P<(\w+)>", rename, pattern)


def _groups(match: re.Match[str]) -> dict[str, str]:
    return {name.split("__")[0]: text for name, text in match.groupdict().items() if text}


def read_scale(reading: Reading) -> None:
    """Sets ``cluster.gpu``, ``cluster.gpus``, ``cluster.gpus_per_node``; a range is not a number and stays."""
    scale = _Scale()
    _read_instances(reading, scale)
    for match in list(reading.message.find(_FROM_TO)):
        reading.message.take_match(match)
    ranges = [] if reading.intent == "compare" else [m.span() for m in reading.message.find(_RANGE)]
    for name, pattern in _patterns(reading.lexicon.gpu_expression).items():
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
                         rf"{_NODE})?(?:\s?x\s?(?P<times>\d+))?")
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
    if scale.gpus is None and scale.nodes is not None:
        known = reading.known("cluster.gpus_per_node") or (gpu.gpus_per_node if gpu else None)
        per_node = scale.per_node or known
        scale.gpus = scale.nodes * per_node if per_node else None
        if scale.gpus is None:
            reading.message.give_back(scale.spans)
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
                     r"(?:sites|data ?cent(?:er|re)s|regions|locations)\b[^.;]{0,40}\beach)\b", reading.message.text)
    return reading.fields.get("cluster.sites", 1) if said else 1
