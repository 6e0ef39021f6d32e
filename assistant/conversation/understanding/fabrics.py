"""Networks: a technology with or without a speed, named, decided or ruled out."""

from __future__ import annotations

import re

from .cue_words import TURNING_POINTS
from .message import Negation
from .nics import read_nics
from .numbers import DECIMAL, value
from .reading import Reading
from .ruled_out import OWNED, denials, is_owned
from .technologies import GENERATIONS, TECHNOLOGIES, TECHNOLOGY, Mention

_GENERATION_RATE = re.compile(r"[hnxe]dr[\s\-]?(100|200|400|800)$")  # NDR200 is NDR at half its rate
_SPEED = re.compile(
    rf"(?:(?<![\w.])(?P<times>\d+)\s?x\s?|(?<![\w.]))(?P<rate>{DECIMAL}|\b(?:ten|twenty[\s\-]five|forty|fifty|(?:(?:one|a|two|four|"
    rf"eight)\s)?hundred)(?=[\s\-]gig))[\s\-]?(?P<unit>tbps|tb/s|tbit/s|tbit|tb(?= per)|gbps|gb/s|gbit/s|"
    rf"gbits|gbit|"
    rf"gbe|gige|"
    r"gig(?:abit)?s?(?:\sper\ssecond)?(?:[\s\-]e(?:thernet)?\b)?|ge|gb(?=[\s\-](?:eth|infini|ib\b|roce|rdma|nic|link|net|"
    r"per s))|g)(?![a-z0-9/])"
    r"(?P<node>\s?(?:per|/|a|each)\s?(?:node|server|machine|host|box))?(?P<port>\s?(?:per|/|a)\s?(?:gpu|port|nic|link|hca))?"
)
_BARE_SPEED = re.compile(
    r"(?:\s(?:at\s)?|,\s(?=\d+\W*$))(?P<n>10|25|100|200|400|800)\b(?!\s?(?:gpus?|nodes?|servers?|machines?|x\b|%|[a-z]\w*\d))(?![.,]\d)"
)
_TIMES_BEFORE = re.compile(r"(?<![\w.])(?P<n>[1-9]|1[0-6])\s?x\s?$")
_OF_A_NODE = re.compile(
    r"(?:\s(?:infiniband|ib|links?|ports?|nics?|hcas?))?\s?(?:per|/|a|each|in (?:each|every|a)|on (?:each|every))\s?(?:node|server|machine|"
    r"host|box)\b"
)
_BETWEEN = re.compile(
    r"^[\s\-,/()@:=]*(?:(?:of|at|per|with|over|on|the|a|in|is|running|port|ports|gpu|node|nics?|hcas?|links?|"
    r"fabric|network|networking|"
    r"interconnect|rdma|each|based|bandwidth|speed|adapters?|class|plain|standard|total|"
    r"aggregate)[\s\-,/()@:=]*)*$"
)
_HEDGE = re.compile(
    r"\b(?:maybe|perhaps|possibly|consider\w*|think\w* (?:of|about)|might|could|offer\w*|quot\w+|vs|versus|whether|worth|if|unless|"
    r"need\w*|should|enough|"
    r"suggest\w*|recommend\w*|evaluat\w*|compar\w*|look\w* (?:at|into)|interest\w* in|prefer\w*|hop\w+|wonder\w*|not sure|"
    r"don't know|would like|"
    r"wish|heard|read|says?|told|about|instead|rather|either|options?|candidates?|ideally|sells?|pitch\w*|push\w*|swears?|loves?|insists?|"
    r"fan of|raves?|sold on|praises?|advertis\w+|keen|favou?r\w*|curious|thinks|believes|dream\w*|premium|prices?|"
    r"costs?|cheaper|expensive|surcharge|than|seen|no (?:problems?|issues?|trouble|concerns?) (?:with|about))\b"
)
_WISHED = re.compile(r"\b(?:consider|instead|rather|would like|prefer|wish|need|should)\b")
# "When does InfiniBand pay off" asks for a turning point; it supposes nothing.
_TURNING_POINT = re.compile(
    r"\b(?:pays? off|break[\s\-]?even|tipping point|threshold|cross-?over|wins?|worth|better|makes? sense|flip|"
    r"tip|change your mind|at what|when (?:would|"
    r"does|will|is)|time to)\b"
)
_TURNING_POINTS = [_TURNING_POINT, *(re.compile(pattern) for pattern in TURNING_POINTS)]
_HEDGE_AFTER = re.compile(
    r"\s(?:can't|cannot|can not) be (?:that|so|as|right|true)\b|\s(?:is|are|was|were|would be) (?:what|the one|the thing|something) (?:that )?(?:\w+ ){1,4}?(?:wants?|offer\w*|"
    r"quot\w*|propos\w*|push\w*|suggest\w*|recommend\w*|sells?|sold|pitch\w*|tr(?:y|ies|ied)|likes?|prefers?|favou?rs?|"
    r"insists?|loves?)\b|\s(?:\w+ )?(?:is|are|would be|comes?(?: out)?|was) (?:about |around |roughly |some |"
    r"up to )?(?:\d[\d.]*\s?(?:%|percent|x|times)\s)?(?:much |far |more |a bit |slightly )*"
    r"(?:expensive|dearer|costlier|pricier|cheaper|faster|slower|better|worse)\b|\s(?:(?:is|are)(?:n't|"
    r" not)(?: yet)?|(?:can't|cannot|can not|must not|mustn't|should not|shouldn't) be) (?:an? (?:problem|"
    r"no-go|obstacle)|an issue|(?:yet )?ruled out|excluded|banned|forbidden|prohibited|dismissed|off the table|"
    r"vetoed)\b|\s*(?:(?:must|should|can|may)(?: not|n't)|costs?|premium|prices?|surcharge|is (?:offered|quoted|"
    r"expensive|an option)|would|might|"
    r"could|may|perhaps|maybe|\?)\b|\s*\?|,?\s(?:but |though )?(?:(?:i'm|we're|i am|we are) )?not (?:\w+ )?(?:sure|"
    r"certain)\b|"
    r",?\s(?:i think|i guess|i believe|if i remember)\b"
)


def read_fabrics(reading: Reading) -> None:
    """Fills ``fabrics``, ``excluded``, ``cluster.fabric`` (when decided) and ``cluster.nics_per_node``."""
    found = _by_id(reading) + _mentions(reading)
    read_nics(reading)
    found.sort(key=lambda pair: pair[0].start)
    decided: list[str] = []
    for (mention, ids), denial in zip(found, denials(reading, [mention for mention, _ in found])):
        if not ids:
            continue  # no such network in the catalog: it stays in the rest
        if denial and (reading.intent in ("why", "why-not", "compare") or _is_asked(reading, mention, denial)):
            reading.message.take(mention.start, mention.end)
            reading.name_fabric(ids[0])
            continue
        if not denial and _said_again(mention, [m for m, _ in found]):
            reading.message.take(mention.start, mention.end)
            continue
        if denial:
            reading.message.take(min(denial.start, mention.start), max(denial.end, mention.end))
            reading.excluded += [i for i in _all_of(reading, mention, ids) if i not in reading.excluded]
            continue
        spoken_of = any(start <= mention.start < end for start, end in reading.spoken_of)
        hedged = not is_owned(reading, mention) and (
            reading.message.is_kept(mention.start, mention.end)
            or spoken_of
            or _is_priced(reading, mention)
            or _HEDGE.search(_before(reading, mention))
            or _HEDGE_AFTER.match(reading.message.text, mention.end)
        )
        reading.message.take(mention.start, mention.end)
        reading.name_fabric(ids[0])
        if not hedged or (reading.intent == "what-if" and not _is_priced(reading, mention)):
            decided.append(ids[0])
    if reading.intent == "what-if" and any(p.search(reading.message.text) for p in _TURNING_POINTS):
        decided = []
    if reading.intent in ("describe", "change", "what-if") and len(set(decided)) == 1 and len(reading.fabrics) == 1:
        reading.set("cluster.fabric", decided[0])


def _before(reading: Reading, mention: Mention) -> str:
    """What the clause says before a mention; who puts something right wishes it so, whatever the words for wishing."""
    before = reading.message.clause_before(mention.start)
    return _WISHED.sub(" ", before) if reading.intent == "change" else before


def _is_asked(reading: Reading, mention: Mention, denial: Negation) -> bool:
    """ "Is RoCE off the table?" rules nothing out."""
    return reading.intent == "ask" and denial.start == mention.start and reading.message.text.rstrip().endswith("?")


def _said_again(mention: Mention, mentions: list[Mention]) -> bool:
    """ "RoCE is fine, take RoCE 800": the one with the speed is meant."""
    return (
        mention.gbps is None
        and not mention.version
        and any(m.technology == mention.technology and m.gbps for m in mentions)
    )


def _is_priced(reading: Reading, mention: Mention) -> bool:
    """What it costs on top was said, not that it is there."""
    if "budget.fabric_premium_gpu_hour_usd" not in reading.fields:
        return False
    return not re.search(
        r"\b(?:have|own|use|using|installed|already|our(?! (?:provider|vendor|cloud|supplier|quote|offer))|got|running|run|chose|chosen|decided|take|took)\b",
        reading.message.clause_before(mention.start),
    )


def _by_id(reading: Reading) -> list[tuple[Mention, list[str]]]:
    return [
        (Mention(m.start(), m.end(), reading.lexicon.catalog.fabrics[m[0]].technology, gbps=0.0), [m[0]])
        for m in reading.message.find(reading.lexicon.fabric_id_pattern)
    ]


def _mentions(reading: Reading) -> list[tuple[Mention, list[str]]]:
    """Technologies with the speeds that belong to them, and Ethernet speeds that stand alone ("100 gig")."""
    taken = [m.span() for m in reading.message.find(reading.lexicon.fabric_id_pattern)]
    free = lambda m: not any(a < m.end() and m.start() < b for a, b in taken)
    speeds = [m for m in reading.message.find(_SPEED) if free(m)]
    mentions = _merge_generations(
        [_mention(m) for m in reading.message.find(TECHNOLOGY) if free(m)], reading.message.text
    )
    for mention in mentions:
        speed = _nearest(reading, mention, speeds)
        if speed is not None:
            speeds.remove(speed)
            _attach(reading, mention, speed)
        elif mention.gbps is None:
            _attach_bare(reading, mention)
        _count_links(reading, mention)
    alone = [
        Mention(m.start(), m.end(), "tcp", _gbps(m))
        for m in speeds
        if _is_ethernet_speed(m) and not _is_of_a_card(reading, m)
    ]
    return [(m, _ids(reading, m)) for m in mentions + alone]


def _count_links(reading: Reading, mention: Mention) -> None:
    """The 4 of "4x HDR per node": links of a node, each with a NIC; "4x HDR" alone may be the lanes of one."""
    before = _TIMES_BEFORE.search(reading.message.open[: mention.start])
    after = _OF_A_NODE.match(reading.message.text, mention.end)
    if before and after and "cluster.nics_per_node" not in reading.fields:
        reading.set("cluster.nics_per_node", int(before["n"]))
        mention.start = before.start()


def _attach_bare(reading: Reading, mention: Mention) -> None:
    """The 400 of "RoCE 400" is its speed."""
    bare = _BARE_SPEED.match(reading.message.open, mention.end)
    if bare is not None:
        mention.gbps, mention.end = float(bare["n"]), bare.end()


def _mention(match: re.Match[str]) -> Mention:
    if match["generation"]:
        technology, gbps = next(known for name, known in GENERATIONS.items() if re.fullmatch(name, match["generation"]))
        said = _GENERATION_RATE.search(match[0])
        return Mention(match.start(), match.end(), technology, float(said[1]) if said else gbps)
    name = next(n for n in TECHNOLOGIES if match[n.replace("-", "_")])
    return Mention(match.start(), match.end(), name, version=match["efa_version"])


def _merge_generations(mentions: list[Mention], text: str) -> list[Mention]:
    """ "NDR InfiniBand" is one network, and so is "RoCE v2 Ethernet" or "Spectrum-X Ethernet"."""
    merged: list[Mention] = []
    for mention in mentions:
        last = merged[-1] if merged else None
        touching = last is not None and re.fullmatch(r"[\s\-(]*(?:over\s)?", text[last.end : mention.start])
        generations = last is not None and last.gbps and mention.gbps and last.gbps != mention.gbps
        if (
            last
            and touching
            and not generations
            and (
                last.technology == mention.technology
                or mention.technology == "tcp"
                or last.technology == "tcp"
                and mention.technology != "infiniband"
            )
        ):
            technology = last.technology if last.technology != "tcp" else mention.technology
            merged[-1] = Mention(
                last.start, mention.end, technology, last.gbps or mention.gbps, last.version or mention.version
            )
        else:
            merged.append(mention)
    return merged


def _nearest(reading: Reading, mention: Mention, speeds: list[re.Match[str]]) -> re.Match[str] | None:
    """The speed that belongs to a technology: next to it, or a node total anywhere in the message."""
    text = reading.message.text
    for speed in speeds:
        gap = text[speed.end() : mention.start] if speed.end() <= mention.start else text[mention.end : speed.start()]
        if mention.technology in ("infiniband", "efa") and _is_ethernet_speed(speed) and gap.strip():
            continue  # "InfiniBand or 100 gig": the speed is the other network's
        if len(gap) < 40 and _BETWEEN.match(re.sub(r"\s+and\s+,", ",", OWNED.sub("", gap))):
            return speed
    return next((s for s in speeds if s["node"] or s["unit"].startswith("t")), None)


def _attach(reading: Reading, mention: Mention, speed: re.Match[str]) -> None:
    rate = _gbps(speed)
    gpu = reading.gpu()
    usual_nics = gpu.nics_per_node if gpu else 8
    if speed["times"]:
        reading.set("cluster.nics_per_node", int(speed["times"]))
    elif speed["node"] or rate > 800:
        nics = reading.known("cluster.nics_per_node") or usual_nics
        shared = rate / nics if mention.technology != "tcp" else rate
        rate = rate if reading.lexicon.fabric(mention.technology, shared, gpu) is None else shared
    mention.gbps = rate if mention.technology not in ("efa", "tcpx", "tcpxo") else None
    near = speed.start() - mention.end < 40 and mention.start - speed.end() < 40
    if near:
        mention.start, mention.end = min(mention.start, speed.start()), max(mention.end, speed.end())
    else:
        reading.message.take_match(speed)


def _gbps(speed: re.Match[str]) -> float:
    return value(speed["rate"]) * (1000.0 if speed["unit"].startswith("t") else 1.0)


def _is_ethernet_speed(speed: re.Match[str]) -> bool:
    """ "100 gig" and "25GbE" are Ethernet; "400G" alone could be anything and is asked about."""
    return bool(re.match(r"gig|gbe|ge$", speed["unit"])) or (speed["unit"] == "g" and _gbps(speed) in (10.0, 25.0))


def _is_of_a_card(reading: Reading, speed: re.Match[str]) -> bool:
    """ "Eight 400 gig NICs" names no network: from 200 Gb/s on a card may be Ethernet or InfiniBand."""
    return (
        _gbps(speed) >= 200
        and re.match(r"\s?(?:nics?|hcas?|ports?|adapters?|cards?)\b", reading.message.text[speed.end() :]) is not None
    )


def _ids(reading: Reading, mention: Mention) -> list[str]:
    lexicon, gpu = reading.lexicon, reading.gpu()
    if mention.technology == "efa" and mention.version:
        wanted = f"aws-efa-v{mention.version}"
        return [wanted] if wanted in lexicon.catalog.fabrics else []
    found = lexicon.fabric(mention.technology, mention.gbps, gpu)
    if found is None and mention.technology == "tcp":
        # 400 and 800 Gb/s Ethernet between GPU nodes is sold for RDMA only.
        found = lexicon.fabric("roce", mention.gbps, gpu)
    return [found] if found else []


def _all_of(reading: Reading, mention: Mention, ids: list[str]) -> list[str]:
    """Ruling out a technology without a speed rules out all of it."""
    if mention.gbps is not None or mention.version:
        return ids
    return [f.id for f in reading.lexicon.catalog.fabrics.values() if f.technology == mention.technology]
