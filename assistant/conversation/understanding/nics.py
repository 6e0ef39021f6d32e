"""How many NICs a node has: ``8 NICs per node``, ``2x200G RoCE``, ``one NIC per GPU``."""

from __future__ import annotations

import re

from .numbers import NUMBER, whole
from .reading import Reading

_NICS = re.compile(rf"(?P<n>{NUMBER})[\s\-]?(?:x\s?)?(?:rdma\s|infiniband\s|ib\s|efa\s|network\s|connectx[\s\-]?\d\s|"
                   rf"cx[\s\-]?\d\s|\d{{2,3}}\s?g(?:b/s|bps|be|ig(?:abit)?|bit(?:/s)?)?\s)*"
                   r"(?:nics?|hcas?|connectx[\s\-]?\d(?:\s(?:cards?|adapters?))?|network (?:cards?|adapters?|interfaces?)|rails?|"
                   r"(?:uplinks?|ports?)(?=\s(?:per|in each|/)\s?(?:node|server|machine|host|box)))\b(?:\s?(?:per|/|a|in (?:each|every|a)|"
                   r"for (?:each|"
                   r"every)|"
                   r"each)\s?(?:node|server|machine|host|box)|\seach)?"
                   r"(?P<per_gpu>\s?(?:per|/|for (?:each|every)|each|a)\s?(?:gpu|card|accelerator))?")


def read_nics(reading: Reading) -> None:
    """Sets ``cluster.nics_per_node``; the speed of the NICs is left to be read as that of the network."""
    for match in reading.message.find(_NICS):
        count = whole(match["n"])
        if count and not reading.message.negation(match.start(), match.end()):
            gpu = reading.gpu()
            per_node = reading.known("cluster.gpus_per_node") or (gpu.gpus_per_node if gpu else 8)
            reading.set("cluster.nics_per_node", count * per_node if match["per_gpu"] else count)
            speed = re.search(r"\d{2,3}\s?g(?:b/s|bps|be|ig(?:abit)?|bit(?:/s)?)?\s", match[0])
            if speed is None:
                reading.message.take_match(match)
