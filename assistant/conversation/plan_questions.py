"""Which question a message asks of the plan at hand: "how long does it take", "what does it cost over InfiniBand".

A topic has cues; all words besides must be ones that say nothing of their own. So a question that names another job, a
collective or what somebody measured is none of these, and is left to the computation and the search.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

_UNITS = r"(?:per|an?|each|every|/) ?"
# What must stand in the message, all of one alternative; the first topic that leaves nothing unexplained is meant.
_CUES: tuple[tuple[str, tuple[tuple[str, ...], ...]], ...] = (
    ("prices", ((r"prices",), (r"where|from where|how (?:old|recent|current|up[- ]to[- ]date|fresh)|sources?", r"price|costs?"))),
    ("step", ((r"latency", r"(?:per|each|a|of (?:a|one|each)) (?:output )?token"), (r"steps?|iterations?", r"how (?:long|fast|slow|quick|much time)|times?|seconds|ms|milliseconds|duration"),)),
    ("load", ((r"requests?|rps|qps|queries|users|concurren\w+|prompts", r"how many|per second|rps|qps|a second|load|capacity|max\w*"), (r"capacity",))),
    ("cost", ((r"how much|costs?|price|dollars?", r"(?:(?:million|billion|trillion|thousand|1m|1b|m|b) )?tokens?"),)),
    ("throughput", ((r"throughput",), (r"tokens?|tok", rf"{_UNITS}(?:second|sec|s|day|hour|minute|gpu)"), (r"how (?:fast|quick(?:ly)?)",))),
    ("mfu", ((r"mfu|utili[sz]ation|(?:the|our) efficiency|how efficient(?:ly)?",),)),
    ("memory", ((r"memory|v?ram|hbm|headroom",), (r"fits?|oom",), (r"how full",))),
    ("waiting", ((r"expos\w+|bottlenecks?|breakdown|hidden|overlap\w*",), (r"where", r"time"), (r"what", r"takes|eats|time"),
                 (r"lost|lose|losing|wast\w+|spen[dt]\w*|wait\w*|idle|overhead|share|time|percent\w*", r"communicat\w+|comms?|network"),
                 (r"how much", r"communicat\w+|comms?"))),
    ("split", ((r"split|parallelism|paralleli[sz]\w+|layout|shard\w*|strategy",),
               (r"why", r"(?:(?:zero|fsdp|hsdp|ddp|tp|pp|cp|ep|dp|tensor|pipeline|expert|context|recompute|recomputation|interleav\w+)"
                        r"[\s-]?(?:parallel(?:ism)?|\d+)?\s?)+"),
               (r"what|which|how (?:big|large)", r"(?:tp|pp|dp|ep|cp|micro-?batch)(?: size| degree)?"))),
    ("nccl", ((r"nccl", r"settings?|env\w*|variables?|config\w*|flags|parameters|set|tune"),)),
    ("network", ((r"switch(?:es)?|cables|nics|optics|transceivers|bom|bill of materials|hardware|gear|topology|power|electricity|energy|kilowatts?|kw",),
                 (r"network|fabric", r"design|look"))),
    ("network-cost", ((r"network|fabric|interconnect", r"how much|costs?|price|premium|share|part|expensive|pay"),)),
    ("need", ((r"needs?|necessary|required?|require|enough|suffic\w+|overkill|good enough|worth it",),)),
    ("win", ((r"what (?:would|does|must|will|has|needs?)|when|how cheap|under what (?:conditions|circumstances)",
              r"wins?|better|best|cheap\w*|recommended|chosen|preferred|worth|makes? sense|pays?(?: off)?"),)),
    ("apart", ((r"how much (?:more|less|cheaper|dearer|slower|faster|longer|better|worse|extra)|differences?|gap",),
               (r"is|are|would|does", r"cheaper|dearer|slower|faster|more expensive|cost more|cost less|take longer"))),
    ("better", ((r"cheaper|faster|better|slower|dearer|worse|more expensive|an improvement|worth it",),)),
    ("cheapest", ((r"cheapest|least expensive|lowest cost|most economical",),)),
    ("fastest", ((r"fastest|quickest",),)),
    ("second", ((r"second(?: best| place| choice)?|runner[- ]?up|next best|plan b",),)),
    ("options", ((r"alternatives?|options|choices",), (r"what|which", r"other|else|all", r"networks?|fabrics?|is there"))),
    ("summary", ((r"summari[sz]e|summary|recap|tl;?dr|bottom line|conclusion|in short",), (r"what|which", r"recommend\w*|suggest\w*|advise|advice|propose|buy|answer|verdict|rent"))),
    ("trust", ((r"trust|rely on|believe|accura\w+|reliable|precise|trustworthy|how far off|how wrong|uncertain\w*|margin of error|error(?: band| bars?)?",),)),
    ("duration", ((r"how (?:long|many (?:days|hours|weeks|months)|much time)",), (r"when", r"done|finish\w*|ready|over|complete\w*|ends?"),
                  (r"duration|length|run ?time|eta|time to (?:train|completion|finish)|training time|wall[- ]?clock(?: time)?",))),
    ("cost", ((r"how (?:much|expensive|costly|dear|many (?:gpu[- ]?hours|dollars))|costs?|price(?: tag)?|bill|tco|gpu[- ]?hours?",),
              (r"why", r"expensive|costs?|dear|costly|much"))),
)
_COMPILED = tuple((topic, tuple(tuple(re.compile(rf"(?<![\w-])(?:{cue})(?![\w-])") for cue in cues) for cues in alternatives))
                  for topic, alternatives in _CUES)
# Words that say nothing of their own here.
_FILLER = frozenset("""a about actually again all alone also altogether always am an and any anyway approximately are as assume assumed at
available away back be been being best better bit boss both but by calculated can card cards cfo choose chose chosen cluster come comes complete
compute computed consume cost costs could current currently day days deal definitely did do does doing done draw draws each eat else end enough entire even every
everything exactly expect expected fair final finally for from full fully get gets getting give given go goes going good gpu gpus had has have
having here high hm hour hours how i if in inside instead into is it its itself job just kind know left less like likely list long look looks lot
low make many may maybe me mean minute model money month months more most much must my near need needed needs network networks node nodes now number numbers of
off ok okay old on once one ones only option options or order our out over overall own part pay per plan planned please possible predict predicted
pretrain price prices pretraining project quite rather reach reached real really recommended result right rough roughly run running runs same say second see seems serve serving set
setup share should show so some spare spend still stuff sure take taken takes taking talk tell than thanks that the their them then there these they thing
think this those time to today together told total totally train training trained tune tuning finetune finetuning under up us use used uses using usually want was watch way
we week weeks well were what what's whats when where which while who whole why will with within without would year yet you your
yours""".split())
_NETWORK_WORDS = re.compile(r"infiniband|ib|[nhxe]dr|roce|rocev2|tcp|tcpxo?|ethernet|efa|spectrum|spectrum-x|ultra|rdma|sockets?|plain|gig|gigabit|"
                            r"gbe|gbps|gb/s|fabric|interconnect|\d+ ?(?:g|gb|gbe|gbps|gig)?|v2|nvidia|aws|google|gcp")
# "What is MFU" asks for the word, "what is our MFU" for the figure.
_DEFINITION = re.compile(r"(?:what(?:'s| is| are| does)|define|explain)(?: an?)? (?:mfu|throughput|exposed communication|hidden communication|overlap|sharding|"
                         r"(?:\w+ )?parallelism|hbm|tco|micro-?batch(?:es)?|\w+ utili[sz]ation)(?: mean| stand for)?")
# "Can we do it in two weeks?", "how many GPUs for ten days?"; a deadline that is stated, or tried, changes the plan instead.
_IN_TIME = re.compile(r"(?:(?:so|and|ok|okay|but|then)\s)*(?:can|could|will|would|is|are|do|does|how many (?:\w+\s){0,2}(?:gpus?|nodes?|machines?|cards?|more)|"
                      r"what (?:would it take|do we need|does it take))\b(?!.*\b(?:what if|instead|price|cost|dollars?)\b)")
_DAYS = ("constraints.deadline_days", "training.days")
_NEEDS_A_NETWORK = ("need", "win", "apart")
_LONGEST = 120


def topic_of(said: str, fabrics: Sequence[str] = (), facts_besides: str | None = None) -> str | None:
    """The name of what a whole message asks of the plan, or ``None``; ``fabrics`` are those it names.

    ``facts_besides``: of a message that names facts as well, what is left of it without them; words that are not in there
    are explained.
    """
    text = _plain(said)
    if len(said) > _LONGEST or _DEFINITION.fullmatch(text):
        return None
    if facts_besides is not None:
        left = set(_plain(facts_besides).split())
        text = " ".join(word for word in text.split() if word in left or word in _FILLER)
    return next((topic for topic, alternatives in _COMPILED if (fabrics or topic not in _NEEDS_A_NETWORK)
                 for cues in alternatives if _asks(text, cues, bool(fabrics))), None)


def _plain(said: str) -> str:
    """Lower case, words and single spaces."""
    return " ".join(re.sub(r"[?!,;:()\"…]|\.(?!\d)", " ", said.lower().replace("’", "'")).split())


def days_asked(said: str, fields: Mapping[str, Any]) -> float | None:
    """The days within which a question wants the run done; ``None`` where it says anything else, or is none."""
    if len(fields) != 1 or next(iter(fields)) not in _DAYS or not _IN_TIME.match(_plain(said)):
        return None
    return float(next(iter(fields.values())))


def _asks(text: str, cues: Sequence[re.Pattern[str]], named: bool) -> bool:
    """Whether every cue stands in the text, and nothing else that means something; with ``named``, but for a network's name."""
    for cue in cues:
        if not cue.search(text):
            return False
    for cue in cues:
        text = cue.sub(" ", text)
    return all(word in _FILLER or (named and _NETWORK_WORDS.fullmatch(word)) for word in text.split())
