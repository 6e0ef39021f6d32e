"""How many NICs a node has: ``8 NICs per node``, ``2x200G RoCE``, ``one NIC per GPU``."""

from __future__ import annotations

import re

from .numbers import NUMBER, whole
from .reading import Reading

_NICS = re.compile(
    rf"(?P<n>{NUMBER})[\s\-]?(?:x\s?)?(?:rdma\s|infiniband\s|ib\s|efa\s|network\s|connectx[\s\-]?\d\s|"
    rf"cx[\s\-]?\d\s|\d{{2,3}}\s?g(?:b/s|bps|be|ig(?:abit)?|bit(?:/s)?)?\s)*"
    r"(?:nics?|hcas?|connectx[\s\-]?\d(?:\s(?:cards?|adapters?))?|network (?:cards?|adapters?|interfaces?)|rails?|"
    r"(?:uplinks?|ports?)(?=\s(?:per|in each|/)\s?(?:node|server|machine|host|box)))\b(?:\s?(?:per|/|a|in (?:each|every|a)|"
    r"for (?:each|"
    r"every)|"
    r"each)\s?(?:node|server|machine|host|box)|\seach)?"
    r"(?P<per_gpu>\s?(?:per|/|for (?:each|every)|each|a|every)\s?(?:(?P<share>two|three|four|[2-8])\s)?(?:gpu|card|accelerator)s?)?"
)
_SHARES = {"two": 2, "three": 3, "four": 4}


def read_nics(reading: Reading) -> None:
    """Sets ``cluster.nics_per_node``; the speed of the NICs is left to be read as that of the network."""
    for match in reading.message.find(_NICS):
        count = whole(match["n"])
        if count and not reading.message.negation(match.start(), match.end()):
            gpu = reading.gpu()
            per_node = reading.known("cluster.gpus_per_node") or (gpu.gpus_per_node if gpu else 8)
            shared = _SHARES.get(match["share"] or "") or int(match["share"] or 1)
            reading.set("cluster.nics_per_node", max(1, count * per_node // shared) if match["per_gpu"] else count)
            speed = re.search(r"\d{2,3}\s?g(?:b/s|bps|be|ig(?:abit)?|bit(?:/s)?)?\s", match[0])
            if speed is None:
                reading.message.take_match(match)
