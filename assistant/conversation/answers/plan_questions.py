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
    (
        "prices",
        (
            (r"prices",),
            (r"prices?", r"accura\w+|reliable|trust\w*|right|precise"),
            (r"where|from where|how (?:old|recent|current|up[- ]to[- ]date|fresh)|sources?", r"price|costs?"),
        ),
    ),
    ("latency", ((r"latency",), (r"latency", r"(?:per|each|a|of (?:a|one|each)) (?:output )?token"))),
    (
        "step",
        ((r"steps?|iterations?", r"how (?:long|fast|slow|quick|much time)|times?|seconds|ms|milliseconds|duration"),),
    ),
    (
        "load",
        (
            (
                r"requests?|rps|qps|queries|users|concurren\w+|prompts",
                r"how many|per second|rps|qps|a second|load|capacity|max\w*",
            ),
            (r"capacity",),
        ),
    ),
    ("cost", ((r"how much|costs?|price|dollars?", r"(?:(?:million|billion|trillion|thousand|1m|1b|m|b) )?tokens?"),)),
    (
        "throughput",
        (
            (r"throughput",),
            (r"tokens?|tok", rf"{_UNITS}(?:second|sec|s|day|hour|minute|gpu)"),
            (r"how (?:fast|quick(?:ly)?)",),
        ),
    ),
    ("mfu", ((r"mfu|utili[sz]ation|(?:the|our) efficiency|how efficient(?:ly)?",),)),
    ("memory", ((r"memory|v?ram|hbm|headroom",), (r"fits?|oom",), (r"how full",))),
    (
        "waiting",
        (
            (r"expos\w+|bottlenecks?|breakdown|hidden|overlap\w*",),
            (r"where", r"time"),
            (r"what", r"takes|eats", r"time"),
            (
                r"lost|lose|losing|wast\w+|spen[dt]\w*|wait\w*|idle|overhead|share|time|percent\w*",
                r"communicat\w+|comms?|network",
            ),
            (r"how much", r"communicat\w+|comms?"),
        ),
    ),
    (
        "split",
        (
            (r"split|parallelism|paralleli[sz]\w+|layout|shard\w*|strategy",),
            (
                r"why",
                r"(?:(?:zero|fsdp|hsdp|ddp|tp|pp|cp|ep|dp|tensor|pipeline|expert|context|recompute|recomputation|interleav\w+)"
                r"[\s-]?(?:parallel(?:ism)?|\d+)?\s?)+",
            ),
            (r"what|which|how (?:big|large)", r"(?:tp|pp|dp|ep|cp|micro-?batch)(?: size| degree)?"),
        ),
    ),
    ("nccl", ((r"nccl", r"settings?|env\w*|variables?|config\w*|flags|parameters|set|tune"),)),
    (
        "network",
        (
            (
                r"switch(?:es)?|cables|nics|optics|transceivers|hardware|gear",
                r"how many|number of|what|which|needs?|buy",
            ),
            (r"bom|bill of materials|topology",),
            (r"power|energy|kilowatts?|kw", r"how much|what|draws?|consumes?|uses?|needs?"),
            (r"network|fabric", r"design|look"),
        ),
    ),
    (
        "cheapest",
        ((r"cheapest|least expensive|lowest cost|most economical",), (r"best|lowest|least", r"price|cost|money")),
    ),
    (
        "options",
        (
            (r"alternatives?|options|choices",),
            (r"what|which", r"other|else|all", r"networks?|fabrics?|is there"),
            (r"most expensive|dearest|priciest",),
        ),
    ),
    ("network-cost", ((r"network|fabric|interconnect", r"how much|costs?|price|premium|share|part|expensive|pay"),)),
    ("need", ((r"needs?|needed|necessary|required?|require|enough|suffic\w+|overkill|good enough|worth it",),)),
    (
        "win",
        (
            (
                r"what (?:would|does|must|will|has|needs?)|when|how cheap|under what (?:conditions|circumstances)",
                r"wins?|better|best|cheap\w*|recommended|chosen|preferred|worth|makes? sense|pays?(?: off)?",
            ),
        ),
    ),
    (
        "apart",
        (
            (r"how much (?:more|less|cheaper|dearer|slower|faster|longer|better|worse|extra)|differences?|gap",),
            (
                r"is|are|would|does",
                r"cheaper|dearer|slower|faster|better|worse|more expensive|cost more|cost less|take longer",
            ),
        ),
    ),
    ("better", ((r"cheaper|faster|better|slower|dearer|worse|more expensive|an improvement|worth it",),)),
    ("fastest", ((r"fastest|quickest",),)),
    ("second", ((r"second (?:best|place|choice)|runner[- ]?up|next best|plan b",), (r"what|which|who", r"second"))),
    (
        "summary",
        (
            (r"summari[sz]e|summary|recap|tl;?dr|bottom line|conclusion|in short",),
            (r"what|which", r"recommend\w*|suggest\w*|advise|advice|propose|buy|answer|verdict|rent"),
            (r"needs?|needed|required?", r"network|fabric|interconnect"),
        ),
    ),
    (
        "trust",
        (
            (
                r"trust|rely on|believe|accura\w+|reliable|precise|trustworthy|how far off|how wrong|uncertainty|margin of error|error(?: band| bars?)?",
            ),
        ),
    ),
    (
        "duration",
        (
            (r"how (?:long|many (?:days|hours|weeks|months|steps)|much time)",),
            (r"when|what time", r"done|finish\w*|ready|over|complete\w*|ends?"),
            (
                r"duration|length|run ?time|eta|time to (?:train|completion|finish)|training time|wall[- ]?clock(?: time)?",
            ),
        ),
    ),
    (
        "cost",
        (
            (
                r"how (?:much|expensive|costly|dear|many (?:gpu[- ]?hours|dollars))|costs?|price(?: tag)?|bill|tco|gpu[- ]?hours?|budget|afford",
            ),
            (r"why", r"expensive|costs?|dear|costly|much"),
        ),
    ),
)
_COMPILED = tuple(
    (topic, tuple(tuple(re.compile(rf"(?<![\w-])(?:{cue})(?![\w-])") for cue in cues) for cues in alternatives))
    for topic, alternatives in _CUES
)
# Words that say nothing of their own here.
_FILLER = frozenset(
    """worst case p90 p10 percentile p50 median fabric fabrics interconnect a about actually again all alone also altogether always am an and any anyway approximately are as assume assumed at available away
back be been being best better bit boss both but by calculated can card cards cfo choose chose chosen cluster come comes complete
compute computed consume could current currently day days deal definitely did do does doing done draw draws each eat else end
enough entire even every everything exactly expect expected fair final finally finetune finetuning for from full fully get gets
getting give given go goes going good gpu gpus had has have having here high hm hour hours how i if in inside instead into is it
its itself job just kind know left less like likely list long look looks lot low make many may maybe me mean minute model money
month months more much must my near need needed needs network networks node nodes now number numbers of off ok okay old on once
one ones only option options or order our out over overall own part pay per plan planned please possible predict predicted
pretrain pretraining project quite rather reach reached real really recommended result right rough roughly run running runs same
say see seems serve serving set setup share should show so some spare spend still stuff such sure take taken takes taking talk
tell than thanks that the their them then there these they thing think this those time to today together told total totally train
trained training tune tuning under up us use used uses using usually want was watch way we week weeks well were what what's whats
when where which while who whole why will with within without would year yet you your yours""".split()
)
_ALSO = {
    "apart": ("cost", "costs", "price"),
    "cost": ("cost", "price"),
    "waiting": ("most",),
    "split": ("not", "no"),
    "cheapest": ("cost", "price"),
    "network-cost": ("cost", "price", "costs"),
    "prices": ("price", "cost", "costs"),
    "win": ("cost", "price"),
    "options": ("most",),
}
_NETWORK_WORDS = re.compile(
    r"infiniband|ib|[nhxe]dr|roce|rocev2|tcp|tcpxo?|ethernet|efa|spectrum|spectrum-x|ultra|rdma|sockets?|plain|gig|gigabit|"
    r"gbe|gbps|gb/s|fabric|interconnect|\d+ ?(?:g|gb|gbe|gbps|gig)?|v2|nvidia|aws|google|gcp"
)
# "What is MFU" asks for the word, "what is our MFU" for the figure.
_DEFINITION = re.compile(
    r"(?:what(?:'s| is| are| does)|define|explain)(?: an?)? (?!the\b|our\b|my\b|your\b|its?\b|this\b|that\b|left\b|used\b)"
    r"\S+(?: \S+)?(?: mean| stand for)?"
)
# An order, or a statement, is none of these: "take the cheapest", "our memory is full".
_NO_QUESTION = re.compile(
    r"(?:(?:so|and|ok|okay|but|then|please|well|no|yes|just)\s)*(?:take|make|go (?:with|for)|use|choose|pick|set|shard|buy|rent|keep|give me a|just a|"
    r"our|we|i|my|it|they|the|there|this|that)\b(?!.*\?)"
)
_ASKED_ALL_THE_SAME = re.compile(
    r"(?:what|which|how|when|where|why|who|tell|show|give|want to know|need to know|wonder\w*|summar\w+)\b|^the (?:runner|second|cheapest|fastest|bottom|summary|answer)\b"
)
# "Can we do it in two weeks?", "how many GPUs for ten days?"; a deadline that is stated, or tried, changes the plan instead.
_IN_TIME = re.compile(
    r"(?:(?:so|and|ok|okay|but|then)\s)*(?:"
    r"(?:can|could|will|would|shall|do|does) (?:we|it|this|that|i|you|they|the (?:whole )?(?:run|job|training|model|thing))(?: \w+){0,3} "
    r"(?:do|done|finish\w*|train\w*|pretrain\w*|complete\w*|ready|through|over|fit|manage|make it|get it done|end)\b.*|"
    r"(?:is|are) (?:it|this|that|we|the (?:whole )?(?:run|job|training|thing)) (?:\w+ ){0,2}(?:done|finished|possible|ready|feasible|doable|through|complete|over)\b.*|"
    r"(?:is|are) (?:\S+ ){1,4}(?:enough|possible|feasible|doable|realistic)\b.*|"
    r"how many (?:\w+\s){0,2}(?:gpus?|nodes?|machines?|cards?|more)\b.*|what (?:would it take|do we need|does it take)\b.*)"
)
_STATED = re.compile(r"\b(?:what if|instead|price|cost|dollars?|deadline|outage|delay)\b")
_DAYS = ("constraints.deadline_days", "training.days")
_NEEDS_A_NETWORK, _NEEDS_NONE = ("need", "win", "apart"), ("trust", "better", "prices")
_TERMS = (
    "mfu",
    "memory",
    "waiting",
    "split",
    "network",
    "nccl",
    "load",
    "throughput",
)  # whose words stand in the glossary
_LONGEST = 120


def topic_of(said: str, fabrics: Sequence[str] = (), facts_besides: str | None = None) -> str | None:
    """The name of what a whole message asks of the plan, or ``None``; ``fabrics`` are those it names.

    ``facts_besides``: of a message that names facts as well, what is left of it without them; words that are not in there
    are explained.
    """
    text = _plain(said)
    if len(said) > _LONGEST or (_NO_QUESTION.match(said.lower()) and not _ASKED_ALL_THE_SAME.search(text)):
        return None
    defines = _DEFINITION.fullmatch(text) is not None
    if facts_besides is not None:
        left = set(_plain(facts_besides).split())
        text = " ".join(word for word in text.split() if word in left or word in _FILLER)
    return next(
        (
            topic
            for topic, alternatives in _COMPILED
            if topic not in (_NEEDS_NONE if fabrics else _NEEDS_A_NETWORK)
            if not (defines and topic in _TERMS)
            for cues in alternatives
            if _asks(text, cues, bool(fabrics), topic)
        ),
        None,
    )


def _plain(said: str) -> str:
    """Lower case, words and single spaces."""
    text = re.sub(r"\b(network|fabric|plan|cluster)'s\b", r"\1", said.lower().replace("’", "'"))
    return " ".join(re.sub(r"[?!,;:()\"…]|\.(?!\d)", " ", text).split())


# What a questionnaire holds, in the words in which it is asked back.
_VALUES = {
    "training.global_batch": r"(?:global )?batch(?: size)?",
    "training.sequence_length": r"(?:sequence length|context(?: (?:length|window|size))?)",
    "training.tokens": r"(?:number of )?tokens(?: of the run)?",
    "training.precision": r"precision",
    "training.framework": r"framework",
    "cluster.provider": r"provider|cloud",
    "cluster.gpus": r"(?:number of )?gpus",
    "cluster.gpu": r"gpu|kind of gpu",
    "model": r"model",
    "inference.prompt_tokens": r"prompt length",
    "inference.output_tokens": r"answer length",
    "inference.requests_per_s": r"load",
    "constraints.deadline_days": r"deadline",
    "budget.usd": r"budget",
}
_ASKED_BACK = {
    field: re.compile(
        rf"(?:what|which|how (?:many|big|large|long))(?:'s| is| are| was)? ?(?:the |our |my )?(?:{words})"
        r"(?: (?:again|is it|do (?:we|i) have|(?:did|do|have) (?:i|we|you) (?:say|said|assumed?|use|used|take|taken|plan with)))?"
    )
    for field, words in _VALUES.items()
}


def value_asked(said: str) -> str | None:
    """The field whose value a message asks back: "what is the global batch?"."""
    text = _plain(said)
    return next((field for field, pattern in _ASKED_BACK.items() if pattern.fullmatch(text)), None)


def days_asked(said: str, fields: Mapping[str, Any]) -> float | None:
    """The days within which a question wants the run done; ``None`` where it says anything else, or is none."""
    text = _plain(said)
    if len(fields) != 1 or next(iter(fields)) not in _DAYS or not _IN_TIME.fullmatch(text) or _STATED.search(text):
        return None
    return float(next(iter(fields.values())))


def _asks(text: str, cues: Sequence[re.Pattern[str]], named: bool, topic: str) -> bool:
    """Whether every cue stands in the text, and nothing else that means something; with ``named``, but for a network's name."""
    for cue in cues:
        if not cue.search(text):
            return False
    for cue in cues:
        text = cue.sub(" ", text)
    also = _ALSO.get(topic, ())
    return all(word in _FILLER or word in also or (named and _NETWORK_WORDS.fullmatch(word)) for word in text.split())
