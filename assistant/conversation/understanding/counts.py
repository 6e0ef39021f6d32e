"""The ways to say how many GPUs: racks, nodes, GPUs per node, GPUs, each with the groups it fills."""

from __future__ import annotations

import re
from functools import lru_cache

from .groups import unique_groups
from .numbers import NUMBER

NODE = (
    r"(?:[\s\-]?(?:(?:compute|gpu|worker|physical|bare[\s\-]metal|training|big|dense|such|identical|rented|linux|old|new|existing|"
    r"used|spare|air[\s\-]cooled|liquid[\s\-]cooled)\s)?(?:nodes?|servers?|machines?|hosts?|boxes|box|instances?|vms?|systems?|trays?|"
    r"pods?|chassis|computers?|workstations?|desktops?|rigs?|pcs(?=,|\s(?:with|each|having|holding|containing|that|which)))\b|"
    r"(?<=\d)n\b(?=\s?(?:x|of|\*|,)))"
)
_RACK = r"(?:\s?(?:full\s|complete\s)?(?:racks?|cabinets?)\b)"
_ANY_GPU = r"(?:gpus?|cards?|accelerators?|graphics cards)"
_NODES = rf"(?:(?P<nodes>{NUMBER}|\ba(?=\s(?:single\s)?(?:gpu\s)?(?:node|server|machine|box|host|instance)\b)))\s?"
_PIECES = r"(?:(?:pieces?|peaces?|pcs|units?|copies|times)\b\.?\s?(?:of\s)?)?"
# What stands between nodes and what is in them: "12 servers, in each of which are installed 8 H100".
_HOLDING = (
    r"(?:having|has|have|contain(?:ing|s)?|hold(?:ing|s)?|carry(?:ing)?|carries|pack(?:ing|s)?|hous(?:ing|es?)|hosting|"
    r"featur(?:ing|es?)|"
    r"(?:equipped|fitted|populated|loaded|filled|full|stuffed|installed|built|comes?|come) (?:with|of)|got|runs?|sports?)"
)
_OF = (
    r"(?:\s(?:only|in total|total|altogether))?\s?(?:[,;:(]\s?)?(?:(?:x|\*|of|with|by|"
    rf"{_HOLDING}|at|@|à|per|which|that|in|inside|within|is|are|there|we|installed|sit|"
    r"(?:each|every)(?:\s(?:one|of (?:them|which|these|those)|node|server|box|machine))?)[\s:]{1,2}|(?:x|\*|@|:)\s?){0,7}"
)
_WORD_OF_TIME = r"(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?)\b"
_WHAT_ELSE = r"(?:(?!\b(?:we|i|in all|in total|total|cluster)\b)[^.;\n]){0,40}?"  # "4 NICs and" of "each node has 4 NICs and 8 GPUs"
_APPROXIMATE = r"(?:~|about |around |roughly |approximately |some |up to |nearly )?"
# GPUs people have that are not in the catalog: the number counts, the name stays in the rest.
OTHER_GPU = (
    r"(?:(?:geforce\s|quadro\s)?rtx[\s\-]?(?:pro[\s\-]?)?\w+(?:[\s\-](?:ada|blackwell|ti|super|pro)\b)*|quadro\s\w+|titan(?:\s(?:v|rtx|xp?))?|"
    r"(?:geforce\s)?(?:gtx\s?)?\d0[5-9]0(?:\s?(?:ti|super))?|6000\sada|g[bh]\d{3}|[abhlv]\d{2,4}[sgx]?|l4|t4|[kmp]\d{2,3}|mi\d{2,3}[xa]?|"
    r"tpu\s?v?\d\w*|tpus?|gaudi[\s\-]?\d?|trainium[\s\-]?\d?|inferentia[\s\-]?\d?|trn\d|ascend(?:[\s\-]?\d{3}\w?)?|(?:gpu )?max\s?1[15]50|"
    r"ponte vecchio|cerebras(?:\scs-?\d)?|wafers?|groq(?:\s?cards?)?|sambanova)s?"
)


def _counted(name: str) -> str:
    return rf"(?<![a-z]-)(?<!\bper )(?<!\bevery )(?P<{name}>{NUMBER})(?:\+|-?ish\b)?\s?"


@lru_cache(maxsize=4)
def patterns(gpu: str) -> dict[str, re.Pattern[str]]:
    """Every way by name, the most telling first. ``gpu`` is the regular expression for a GPU's name."""
    thing = rf"(?:{gpu}|{_ANY_GPU}\b)"
    per = rf"(?P<per_node>{NUMBER})[\s\-]?(?:x\s?|\*\s?)?{_PIECES}"
    ways = {
        **_racks(gpu),
        **_appliances(gpu),
        **_nodes_of(gpu, thing, per),
        **_per_node(gpu, thing, per),
        **_gpus(gpu),
        **_alone(gpu),
    }
    return {name: re.compile(unique_groups(way)) for name, way in ways.items()}


def _racks(gpu: str) -> dict[str, str]:
    """Racks, each one scale-up domain."""
    return {
        "racks": rf"{_counted('racks')}(?:x\s?)?(?:{_RACK}\s?(?:of\s|with\s|x\s)?(?:the\s)?{gpu}|{gpu}{_RACK})",
        "pods": rf"{_counted('racks')}(?:x\s?)?(?:pods?|units?|systems?|domains?)\s(?:of\s|with\s|"
        rf"x\s)?{gpu.replace('(?P<rack>', '(?P<rack>').replace('(?:72|144))?', '(?:72|144))')}",
        "a rack": rf"\b(?<!half )(?:an?|one|single|full|our|my)\s(?:full\s)?(?:rack\s(?:of\s)?{gpu}|{gpu}{_RACK})",
        "racks alone": rf"{_counted('racks')}(?:x\s?)?(?:(?:nvl[\s\-]?72\s?)?(?:racks\b|rack\b)|nvl[\s\-]?72s?(?:\s(?:systems?|units?|"
        rf"pods?|domains?))?\b)",
    }


def _appliances(gpu: str) -> dict[str, str]:
    """DGX and HGX."""
    return {
        "appliances": rf"{_counted('nodes')}(?:x\s?)?{_PIECES}(?:nvidia\s)?(?:dgx|hgx)(?!-\d)(?:[\s\-]+{gpu}(?:{NODE})?|{NODE}|es|s)?"
        rf"(?:\s?[,(]\s?(?:with\s|of\s)?(?P<per_node>{NUMBER})\s(?:{_ANY_GPU}\s?)?(?:each|apiece|per (?:node|system|box|"
        rf"unit))\)?)?",
        "appliances times N": rf"(?:nvidia\s)?(?:dgx|hgx)[\s\-]+{gpu}\s?(?:x|\*|times)\s?(?P<nodes>\d+)\b",
        "appliance nodes": rf"{_NODES}{NODE}\s?(?:of\s|with\s)?(?:nvidia\s)?(?:dgx|hgx)[\s\-]{gpu}",
    }


def _nodes_of(gpu: str, thing: str, per: str) -> dict[str, str]:
    """Nodes and what is in each."""
    return {
        "nodes of N": rf"{_NODES}(?:x\s?)?(?:identical\s|dgx(?:-\d)?\s|hgx(?:-\d)?\s)?{NODE}{_OF}{per}{thing}(?:\s(?:each|per node|apiece|"
        rf"in each|inside each|inside))?",
        "nodes of G, N each": rf"{_NODES}{NODE}[\s,:(]*(?:of\s|with\s)?{gpu}[\s,(]*{per}(?:{thing}\s?)?(?:each|apiece|per node)\)?",
        "nodes, N each": rf"{_NODES}{NODE}\s?(?:,\s?)?(?:with|of|at|having|and|containing)?\s?(?P<per_node>{NUMBER})\s?(?:each|apiece|"
        rf"in each|per (?:node|box|server|machine))\b",
        "each of N nodes has N": rf"(?:each|every|all) (?:one )?of (?:the |our |my |these |"
        rf"those )?(?P<nodes>{NUMBER})\s?{NODE}\s?(?:(?:is|are)\s)?"
        rf"(?:{_HOLDING}|with|:)\s(?:got\s)?{per}{thing}",
        "in each of": rf"{per}{thing}\s?(?:,\s?)?(?:in|on|for)?\s?(?:each|every)\s(?:of\s(?:the\s)?)?(?P<nodes>{NUMBER})\s?"
        rf"{NODE}",
        "per node, N nodes": rf"{per}{thing}\s?(?:per|/|a|each)\s?(?:node|server|machine|box|host|instance)s?\s?(?:,|x|on|"
        rf"across|and|with|in|;)*\s*"
        rf"(?P<nodes>{NUMBER})\s?{NODE}",
        "each node has N": rf"(?:(?:each|every|per|an?)(?=\s){NODE}|(?:each|every) one(?: of (?:them|these|those|which))?)"
        rf"(?:\s(?:is|are))?\s?(?:{_HOLDING}|with|:)\s(?:got\s)?(?:{_WHAT_ELSE}(?:and|plus|,|\+|&)\s)?{per}{thing}",
        "every node N": rf"(?:(?P<nodes>{NUMBER})\s?{NODE}[\s,;]*(?:and\s)?)?(?:each|every|per)(?=\s){NODE}\s?{per}{thing}",
        "across N nodes": rf"{_counted('gpus')}(?:x\s?)?{thing}\s?,?\s?(?:\(|in|on|across|over|spread over|spread across|"
        rf"split across|distributed over|="
        rf"|as)\s?(?:the\s)?(?P<nodes>{NUMBER}|a(?=\s(?:single\s)?node))\s?{NODE}",
    }


def _per_node(gpu: str, thing: str, per: str) -> dict[str, str]:
    """What is in a node, with or without the number of nodes."""
    return {
        "G x N x N": rf"{gpu}\s?[x*]\s?(?P<per_node>\d+)\s?[x*]\s?(?P<nodes>\d+)(?:\s?{NODE})?(?!\w)|"
        rf"(?P<per_node_>{NUMBER})\s?[x*]\s?{gpu}\s?[x*]\s?(?P<nodes_>\d+)(?:\s?{NODE})?(?!\w)",
        "N x N": rf"{_counted('nodes')}(?:(?:x|\*|of|by)\s?|(?=\d+x))(?P<per_node>{NUMBER})\s?(?:x|\*)?\s?{gpu}(?:{NODE})?|"
        rf"(?P<nodes_>{NUMBER})\s?(?:x|\*)\s?(?P<per_node_>{NUMBER})\s?(?:x\s?)?{_ANY_GPU}\b",
        "N per node": rf"(?<!\$)(?P<per_node>(?<!\$){NUMBER})\s(?:{_ANY_GPU}\s)?(?:per|to (?:a|each|every|the)|in (?:a|each|every|one)|(?:for )?each)\s"
        rf"(?:node|server|machine|box|host|instance|chassis|tray)\b|"
        rf"\bgpus?[\s_\-]per[\s_\-](?:node|server|machine|box|host)\s?(?:=|:|is|are)?\s?(?P<per_node_>{NUMBER})|"
        rf"(?<![$\w./])(?P<per_node__>[1-9]|1[06])\s?/\s?(?:node|server|machine|box|host)\b",
        "nodes with N": rf"(?<!\d)(?<!\d\s)\b(?:nodes|servers|machines|hosts|boxes)\s(?:with|of|having|have|hold|holding|carry|carrying|"
        rf"contain|got|come with)\s(?P<per_node>(?:[1-9]|1[06]|"
        rf"two|four|eight|sixteen)\b)\s?(?:x\s?)?{_PIECES}{thing}(?:\s(?:each|apiece|inside|per node))?",
        "per node": rf"{per}{thing}\s?(?:per|/|a|each|in (?:each|every|a|one))\s?(?:node|server|machine|box|host|instance)\b",
        "N each": rf"{per}(?:{thing}\s?)?(?:each|apiece|in (?:each|every one)(?: of (?:them|these|those))?)\b(?!\s(?:of|{_WORD_OF_TIME}|site))",
        "in every node N": rf"(?:in|inside|within)(?: of)? (?:each|every|a|one|any)(?: single)?{NODE}(?:,| there| is| are| sits?| we| you|"
        rf" have| has| find| comes?| come| live| i| put| got){{0,4}}\s{per}{thing}",
        "N-GPU nodes": rf"(?:(?P<nodes>{NUMBER}|\ban?\b)\s?(?:x\s?)?)?(?:single\s)?(?P<per_node>{NUMBER})[\s\-x]?(?:{_ANY_GPU}"
        rf"|way)\s?(?:{gpu}\s)?{NODE}",
        "GPU nodes": rf"{_NODES}(?:x\s?)?(?:{NODE}\s?(?:of\s|with\s|x\s|,\s)?{gpu}|{gpu}{NODE})",
    }


def _gpus(gpu: str) -> dict[str, str]:
    """GPUs, whatever they stand in."""
    return {
        "of them": rf"(?P<them>{NUMBER})\sof\s(?:them|these|those|such)\b(?P<noun>{NODE})?(?:\s{_ANY_GPU}\b)?",
        "GPUs": rf"{_APPROXIMATE}{_counted('gpus')}(?:x\s?|\*\s?|of\s(?:the\s|these\s|them\s)?)?{_PIECES}(?:(?!\d|gi?b\b|gigs?\b|"
        rf"g\b)\w+\s)??{gpu}",
        "N-GPU cluster": rf"(?P<gpus>{NUMBER})[\s\-](?:{gpu}|{_ANY_GPU})\s(?:clusters?|systems?|jobs?|runs?|setups?|pools?|fleets?|"
        rf"superpods?|fabrics?)\b",
        "cluster of N": rf"{gpu}\s(?:cluster|system|machine|fleet|pool|superpod|supercomputer)\s(?:of|"
        rf"with)\s(?P<gpus>{NUMBER})(?:\s{_ANY_GPU})?",
        "rack unit": rf"(?P<unit>{gpu})\s?[x*]\s?(?P<gpus>\d[\d,]*k?)(?![\w.])",
        "GPU, about N": rf"{gpu}\s?,\s?(?:maybe|about|around|roughly|approximately|say|in total|total(?:\sof)?|~)\s?(?P<gpus>{NUMBER})"
        rf"(?!\s?(?:[a-z%$]|gb))",
        "other GPUs": rf"{_APPROXIMATE}{_counted('gpus')}(?:x\s?)?(?:nvidia\s|amd\s|google\s|"
        rf"intel\s)?(?P<other>{OTHER_GPU})(?![a-z0-9])",
        "plain GPUs": rf"{_APPROXIMATE}{_counted('gpus')}(?:-(?=gpu)|x\s?|of\s)?(?:(?:more|identical|nvidia|amd|such|big|data center|"
        rf"datacenter)\s)?{_ANY_GPU}\b(?!\s?(?:(?:per|/)\s?node|worth of))",
        "listed": rf"{gpu}\s?[:=]\s?(?P<gpus>\d[\d,]*k?)(?![\w.%])|\b(?:(?:quantity|qty|count)\b\s?[:=]?|(?:number|amount|"
        rf"how many)\s?[:=])\s?(?P<gpus_>\d[\d,]*)\b",
        "labelled": rf"\b(?:gpus?|world[\s_]size|gpu count|number of gpus|gpu[\s\-](?:number|quantity|amount|total|size)|ngpus?|n_gpus|"
        rf"#gpus)[\"']?\s?(?:(?:=|:|to|is|of|are|was|has|have|now|changed|grown|increased|dropped|went|up|"
        rf"down)\s?){{0,4}}{_counted('gpus')}(?![\s\-]?(?:gb|g\b|%|nodes?))",
    }


def _alone(gpu: str) -> dict[str, str]:
    """A number of nodes or a GPU, and nothing else."""
    return {
        "nodes": rf"{_NODES}(?:x\s?)?(?:identical\s|dgx\s|hgx\s|more\s)?{NODE}",
        "labelled nodes": rf"\b(?:(?:number of |num_?|n_?)?nodes?|node[\s_](?:count|number))\s?(?:=|:|to|is)\s?{_counted('nodes')}|"
        rf"\bnode count\s(?:of\s)?{_counted('nodes')}",
        "GPU": rf"(?<![a-z0-9])(?:an?\s|the\s)?{gpu}",
        "taken": rf"\b(?:take|taking|rent|renting|buy|buying|reserve|lease|book|order)\s{_APPROXIMATE}(?P<gpus>[1-9]\d{{0,4}})(?=\W*$|[.,;](?:\s|$))",
    }
