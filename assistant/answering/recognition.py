"""Which number a question asks for, if any. Wording alone decides, and narrowly: a question about a source's figure is no
computation, and neither is one that asks why, who or what something is."""

from __future__ import annotations

import re

from .asked import Asked

COLLECTIVES = {
    "all_reduce": r"all[\s-]?reduces?|all[\s-]?reducing|(?:gradient|grad)s?[\s-]syn(?:c|chroni[sz]ation)|sync(?:hroni[sz]e|"
    r"ing)? (?:the )?gradients",
    "all_gather": r"all[\s-]?gathers?|all[\s-]?gathering",
    "reduce_scatter": r"reduce[\s-]?scatters?",
    "all_to_all": r"all[\s-]?(?:to|2)[\s-]?all",
    "broadcast": r"broadcast(?:s|ing)?",
    "send_receive": r"send[\s/-]?(?:and[\s-])?rec(?:v|eive)|point[\s-]to[\s-]point|p2p|(?:send(?:ing)?|transfer(?:ring)?|"
    r"mov(?:e|ing)|copy(?:ing)?)(?=.{0,12}\d[\d.]*\s?[kmgt]i?b\b)",
}
_COLLECTIVE = re.compile("|".join(COLLECTIVES.values()))

# The question is about what somebody said or measured, not about what follows from arithmetic.
_OF_A_SOURCE = re.compile(
    r"according to|\b(?:articles?|sources?|papers?|claim(?:s|ed)?|guides?|blogs?|authors?|publish\w*|"
    r"report(?:s|ed)?|"
    r"measured?|measurements?|benchmark\w*|says?|said|stated?|spheron|saturn|mlperf|tolly|eantc|superpod|"
    r"documented|documentation|observed)\b"
)
_NO_NUMBER = re.compile(
    r"^\W*(?:(?:and|but|so|ok|okay|hm+)\W+)*(?:why|who|whose|where|what if|explain|compare|what (?:is|are|"
    r"does|do) (?:an? |the )?"
    r"(?:kv[\s-]?cache|all[\s-]?reduce|all[\s-]?gather|reduce[\s-]?scatter|all[\s-]?to[\s-]?all|step time|"
    r"break[\s-]?even)\W*$)"
)
_ASKS = re.compile(
    r"^\W*(?:(?:and|but|so|ok|okay|hm+|please|hey|hi|well|then|now)\W+)*(?:how|what|what's|whats|which|from|at|"
    r"is|are|does|do|can|"
    r"could|will|would|when|compute|calculate|estimate|give|tell|show|in how many|up to)\b|\?\W*$"
)

_TIME = re.compile(
    r"how (?:long|fast|slow|much time|many (?:milli|micro)?seconds)|\b(?:time|times|duration|takes?|taking|"
    r"seconds|minutes)\b"
)
_NAMED_FIRST = re.compile(
    rf"^\W*(?:(?:the|one|a|an|expected|minimum|theoretical|thoretical|theoretic|time|times|duration|of|to|"
    rf"for|single|nccl|ring)\s)*(?:{'|'.join(COLLECTIVES.values())})\b"
)
_PER_STEP = re.compile(
    r"\b(?:bytes|traffic|volume|data|gb|gigabytes|how much|communication)\b.*\b(?:per|each|every|one|a|in "
    r"a)\s?"
    r"(?:\w+\s)?(?:step|iteration|update)|\b(?:per|each|every)[\s-](?:\w+\s)?(?:step|iteration|update)\b.*"
    r"\b(?:bytes|traffic|volume|data|gb|gigabytes)\b"
)
_EXCHANGED = re.compile(
    r"gradient|data[\s-]parallel|\bddp\b|fsdp|zero[\s-]?\d|zero stage|hsdp|shard|sync|between nodes|per "
    r"node|network|nodes"
)
_MEMORY = re.compile(
    r"how much (?:gpu |v|hbm |video )?(?:ram|memory|hbm)|(?:gpu )?memory (?:needed|required|requirements?|"
    r"footprint|needs?|use[ds]?|usage|"
    r"to (?:train|serve|run|host))|\bvram\b|how big (?:is|are) the (?:weights|optimizer)"
)
_HOW_MANY_GPUS = re.compile(
    r"(?<!from )(?<!than )(?<!above )(?:how many|minimum(?: number of)?|fewest|least(?: number of)?|"
    r"number of)\s"
    r"(?:\S+\s){0,3}?(?:gpus?|cards?|accelerators|[abhv]\d{3}s?|mi\d{3}x?s?|nodes?|gb[23]00s?)\b(?![\s-]?(?:hours?|days?|h\b)).{0,60}"
    r"\b(?:need\w*|required?|requires?|train|pre-?train|fine-?tune|serve|serving|fit|host|hold|run)\b|"
    r"\bfit\b.*\bhow many (?:\S+\s){0,3}?(?:gpus?|nodes?)"
)
_FITS = re.compile(
    r"\b(?:does|do|will|would|can|could)\b.{0,60}\bfits?\b.{0,20}\b(?:on|in|into|onto|inside|within)\b|"
    r"\benough memory\b|"
    r"^\W*(?:(?:and|so|but)\W+)*(?:can|could)\b.{0,60}\b(?:run|train|serve|be (?:trained|run|served|hosted|fine-?tuned))\b.{0,12}\b(?:on|with|in|inside)\b.{0,12}\d|"
    r"\bcan (?:i|we|you|one)\b.{0,30}\b(?:serve|host|run|hold|load)\b.{0,60}\b(?:on|with|in)\b.{0,20}\d"
)
_LEAST = re.compile(r"^\W*(?:the )?(?:minimum|fewest|least|number of)\b")
_ADAPTER = re.compile(r"\b(?:q?lora|adapters?|peft)\b")
_PARAMETERS = re.compile(
    r"how many (?:\w+\s)?(?:param(?:eter)?s|weights)|(?:number|count) of (?:active )?param(?:eter)?s|"
    r"param(?:eter)? count|^\W*(?:the )?(?:active )?param(?:eter)?s (?:of|in)\b"
)
_KV = re.compile(r"\bkv[\s-]?cach(?:e|es)\b|key[\s/-]*(?:and[\s-])?value[\s-]cache")
_KV_SIZE = re.compile(
    r"how (?:much|big|large|many)|\b(?:size|memory|bytes|gb|per token|footprint|take|takes|need|needs)\b|"
    r"^\W*(?:the )?kv[\s-]?cache (?:of|for|per|at|size)"
)
_KV_ELSEWHERE = re.compile(
    r"transfer|move|network|cross|disagg|over (?:the )?(?:tcp|rdma|network|infiniband|roce|ethernet)|"
    r"offload|quantiz|page"
)
_FLOPS = re.compile(
    r"\b(?:how many|how much|total|number of|needed|training)\b.{0,30}\b(?:e|z|peta|exa|zetta)?flops?\b|"
    r"^\W*(?:the )?flops? (?:of|to|for|needed)|how much compute"
)
_RUN = re.compile(
    r"how (?:long|many (?:gpu[\s-]?)?(?:days|hours|weeks|months))|\b(?:training time|train time|days|duration)\b"
)
_TRAIN = re.compile(r"\b(?:pre[\s-]?)?train(?:ing|ed)?\b|fine[\s-]?tun|pretrain|\brun\b|tokens")
_IS_TRAINED = re.compile(r"\btrain|fine[\s-]?tun")
_STEP = re.compile(
    r"\bstep[\s-]?times?\b|\biteration times?\b|(?:time|seconds|long|fast|milliseconds|ms)\b.{0,30}\b(?:per|of|"
    r"is|of one|of a|one|a|each|does a|"
    r"does one)\s(?:single\s|training\s|optimi[sz]er\s)*(?:step|iteration)\b|\btokens? (?:per|a|/) ?(?:second|"
    r"sec|s)\b|tokens/s|"
    r"\bthroughput (?:of|for|does|do|can|will)\b|\bmfu (?:of|for)\b|how (?:high|much) .{0,12}\bmfu\b|(?:what|which) mfu|"
    r"what(?: is|'s| will be)? the (?:mfu|throughput)|\btokens? (?:per|a|each|/) ?day\b|\btokens/day\b|\bdaily tokens\b"
)
_PER_DAY = re.compile(r"\btokens? (?:per|a|each|/) ?day\b|\btokens/day\b|\bdaily tokens\b")
_STEP_NAMED = re.compile(r"\b(?:step|iteration)[\s-]?times?\b")
_TWO_SIZES = re.compile(
    r"(?:nodes?|gpus?)\s(?:than|vs\.?|versus|compared)\b.{0,20}\b(?:nodes?|gpus?)\b|\bfrom \S+ to \S+ "
    r"(?:nodes|gpus)"
)
_GPU_HOURS = re.compile(r"how many (?:gpu|[abhv]\d{3})[\s-]?(?:hours|days)\b")
# Money for a run, and not for a network, a card or an hour.
_COSTS = re.compile(
    r"\b(?:costs?|costing|expensive|dollars|money|usd|budget|price)\b|how much (?:is|would|will|does) .{0,20}\btrain"
)
_PRICE_FIRST = re.compile(r"^\W*(?:(?:the|total|expected)\s)*(?:cost|price) (?:to|of|for)\b")
_NO_RUN = re.compile(
    r"\b(?:network|fabric|cabling|wiring|interconnect|switch(?:es)?|nics?|adapters?|cables?|optics|per (?:gpu[\s-]?)?hour (?:of|for)|"
    r"premium|communication|without|versus|vs|compared)\b"
)
_CHECKPOINT = re.compile(r"\bcheckpoints?\b(?!ing)")
_CHECKPOINT_SIZE = re.compile(r"how (?:long|big|large|much|many)|\b(?:size|bytes|gb|tb|time|seconds|minutes|takes?)\b")
_STOPS = re.compile(r"how often|interval|every\b|activation|recomput")
_MOVED = re.compile(r"\b(?:transfer\w*|mov(?:e|es|ing)|send(?:ing)?|ship(?:ping)?|copy(?:ing)?|migrat\w+)\b")
_BANDWIDTH = re.compile(
    r"\b(?:what|which|how (?:much|many|fast|big))\b.{0,30}\b(?:bandwidth|gb(?:it)?/s|gbps|gigabits?|network speed|line rate|"
    r"link speed)\b|\bhow fast (?:a|an|must|should|does|do|has)\b.{0,20}\b(?:network|interconnect|fabric|link)\b"
)
_NEEDS = re.compile(r"\bneed(?:s|ed)?\b|\brequire[ds]?\b|\bnecessary\b|\benough\b|\bsuffic\w+|\bshould\b|\bmust\b")
_POWER = re.compile(
    r"\b(?:how much|what) power\b|\bpower (?:draw|consumption|use|need|budget)|how many (?:kilo)?watts|\bkilowatts?\b|\bkw\b"
)
_NETWORK_PARTS = re.compile(
    r"\b(?:network|fabric|interconnect|switches|leaf|spine|infiniband|roce|ndr|xdr|hdr|ethernet|spectrum)\b"
)
_WORTH = re.compile(r"\bworth\b|break[\s-]?even|\bpay(?:s)? (?:off|for|back)|justif|slowdown|amorti[sz]e")
_DOLLARS = re.compile(r"\$\s?(\d+(?:\.\d+)?|\.\d+)(?![\d,]*\s?(?:k|m|million|thousand)\b)")
_PREMIUM = re.compile(r"premium|\bextra\b|\bmore\b|surcharge|on top|dearer")
_HOURLY = 100.0  # US dollars: no GPU-hour costs as much
_SLOWER = re.compile(
    r"how (?:much|many times) (?:slower|faster|longer)|slow[\s-]?down (?:of|from|for|with|on|over|by|when|"
    r"if)|(?:what|which)(?: is|'s)? (?:the )?slow[\s-]?down|by how much .{0,40}(?:slower|faster)"
)
_THRESHOLD = re.compile(
    r"(?:from|at|above|beyond|after|starting at|past) (?:how many|what number of|which number of|what "
    r"count of) (?:\w+\s)?(?:gpus|accelerators|nodes|h100s?)|"
    r"how many (?:gpus|nodes) (?:before|until|does it take|justify|make)|(?:when|at what (?:scale|size|"
    r"point|number|gpu count|cluster size)|"
    r"from what (?:scale|size)) .{0,40}(?:infiniband|rdma|\bib\b|ndr|roce).{0,40}(?:pays?|worth|need\w*|"
    r"win|makes? sense|justif|better|cheaper)|\bcrossover\b"
)
_WHICH = re.compile(r"\b(?:which|what|how)\b")
_FAST_NETWORK = re.compile(r"infiniband|\brdma\b|\bib\b|\bndr\b|\bxdr\b|\bhdr\b|\broce\b|\befa\b|spectrum")
_NEED = re.compile(
    r"\b(?:do|does|will|would|should|must|can|could|is|are)\b.{0,80}\b(?:needs?|ha(?:ve|s) to|require[ds]?|necessary|worth|enough|"
    r"suffic\w+|good enough|get away|get by|do with(?:out)?|manage|work|runs?|train|trained|fine[\s-]?tuned?|skip|drop|leave out|fine(?![\s-]?tun)|ok|okay|pay for)\b|\b(?:needs?|required?|necessary|enough|"
    r"sufficient)\b.*\?\W*$"
)
# About the job told before, and not about networks or models in general: it says so, or names nothing but a network.
_OURS = re.compile(
    r"\b(?:we|us|ours?|i|me|my|it|this|here|the (?:job|run|training|model))\b|^\W*(?:(?:and|so|but|then|ok|okay)\W+)*"
    r"(?:is|are|would|will|could|can|do|does)\s(?:\S+\s){0,2}?\S+\s(?:not\s)?(?:be\s|really\s|good\s|actually\s)*"
    r"(?:enough|needed|necessary|required|sufficient|suffice|do|ok|okay|fine|work|worth it)\W*$"
)
_FIRST_PERSON = re.compile(r"\b(?:i|we|us|our|my|me)\b")
_PLAIN_NETWORK = re.compile(r"\bethernet\b|\btcp\b|\b\d+\s?(?:gbe|gig\b)")
_PARTS = re.compile(
    r"how many (?:\w+\s){0,2}?(?:switch(?:es)?|cables?|transceivers|optics|nics|adapters|leaf|leaves|spines?|"
    r"ports)\b|(?:number of|count of) (?:switches|cables|optics|nics)|bill of materials|\bbom\b|"
    r"(?:what does|how much (?:does|is|would|will)|what would|what is the (?:cost|price|power) of|cost of|"
    r"price of|capex of|power of) .{0,50}"
    r"\b(?:network|fabric|cabling|wiring|interconnect|switches)\b.{0,40}(?:cost|\bfor \d|draw|\bgpus\b|\d{2,}\s?x?\s?[abhv]\d{3}|"
    r"[abhv]\d{3}s\b)|"
    r"\b(?:cost|price|expensive|dear|much|pay)\b.{0,60}\bto (?:wire|cable|network|connect|interconnect|join)\b"
)


def kinds_of(asked: Asked) -> list[str]:
    """The computations a question may ask for, the most telling first; empty for every other question."""
    text = asked.text
    if _NO_NUMBER.search(text) or _OF_A_SOURCE.search(text):
        return []
    return [kind for kind, asks in _KINDS if asks(asked)]


def asks_per_day(asked: Asked) -> bool:
    """Whether throughput is wanted as tokens of a day."""
    return asked.has(_PER_DAY)


def asks(asked: Asked) -> bool:
    """Whether it is put as a question at all."""
    return asked.has(_ASKS)


def collective_of(text: str) -> str | None:
    """Which collective is named, by the names in ``COLLECTIVES``."""
    return next((name for name, pattern in COLLECTIVES.items() if re.search(pattern, text)), None)


def _collective(asked: Asked) -> bool:
    if not asked.has(_COLLECTIVE) or not (asked.bytes_ or asked.names_model) or asked.has(_PER_STEP):
        return False
    return (asks(asked) and asked.has(_TIME)) or (
        asked.has(_NAMED_FIRST) and bool(asked.has(_TIME) or asked.fabrics or asked.speeds)
    )


def _traffic(asked: Asked) -> bool:
    return asked.has(_PER_STEP) and asked.has(_EXCHANGED) and asked.names_model and not asked.has(_STEP)


def _memory(asked: Asked) -> bool:
    if (
        not asked.names_model
        or asked.has(_ADAPTER)
        or asked.has(_KV)
        or "training.days" in asked.fields
        or "constraints.deadline_days" in asked.fields
    ):
        return False
    wanted = asked.has(_MEMORY) or asked.has(_HOW_MANY_GPUS) or asked.has(_FITS)
    return wanted and not _threshold(asked) and (asks(asked) or asked.has(_MEMORY) or asked.has(_LEAST))


def _deadline(asked: Asked) -> bool:
    timed = "constraints.deadline_days" in asked.fields or "training.days" in asked.fields
    return timed and asked.names_model and asked.has(_HOW_MANY_GPUS) and not asked.has(_ADAPTER)


def _load(asked: Asked) -> bool:
    wanted = asked.has(_HOW_MANY_GPUS) or asked.has(_FITS)
    return wanted and asked.names_model and "inference.requests_per_s" in asked.fields and asks(asked)


def _parameters(asked: Asked) -> bool:
    return asked.has(_PARAMETERS) and "model" in asked.fields and "model" not in asked.told


def _kv_transfer(asked: Asked) -> bool:
    return asked.has(_KV) and asked.names_model and asked.has(_MOVED) and asked.has(_TIME) and asks(asked)


def _checkpoint(asked: Asked) -> bool:
    return asked.has(_CHECKPOINT) and asked.has(_CHECKPOINT_SIZE) and asked.names_model and not asked.has(_STOPS)


def _bandwidth(asked: Asked) -> bool:
    described = asked.names_model and "cluster.gpus" in asked.fields and not asked.fabrics and not asked.speeds
    return described and asked.has(_BANDWIDTH) and asked.has(_NEEDS) and not asked.has(_COLLECTIVE)


def _run_cost(asked: Asked) -> bool:
    described = asked.names_model and ("training.tokens" in asked.fields or "cluster.gpus" in asked.fields)
    a_run = asked.has(_COSTS) and asked.has(_TRAIN) and not asked.has(_NO_RUN)
    return (
        described
        and a_run
        and (asks(asked) or asked.has(_PRICE_FIRST))
        and not asked.has(_COLLECTIVE)
        and not asked.has(_ADAPTER)
    )


def _kv_cache(asked: Asked) -> bool:
    return asked.has(_KV) and asked.has(_KV_SIZE) and not asked.has(_KV_ELSEWHERE) and asked.names_model


def _flops(asked: Asked) -> bool:
    return asked.has(_FLOPS) and asked.names_model and not asked.has(_STEP)


def _days(asked: Asked) -> bool:
    described = asked.names_model and (
        "cluster.gpus" in asked.fields or (asked.has(_GPU_HOURS) and "training.tokens" in asked.fields)
    )
    other = asked.has(_STEP) or asked.has(_COLLECTIVE)
    a_run = asked.has(_RUN) and (asked.has(_IS_TRAINED) or (asked.has(_TRAIN) and "training.tokens" in asked.fields))
    return described and a_run and not other and asks(asked)


def _step(asked: Asked) -> bool:
    described = "cluster.gpu" in asked.fields or asked.fabrics or asked.speeds or asked.has(_STEP_NAMED)
    return asked.has(_STEP) and asked.names_model and "cluster.gpus" in asked.fields and bool(described)


def _break_even(asked: Asked) -> bool:
    return asked.has(_WORTH) and premium_and_price(asked) is not None


def premium_and_price(asked: Asked) -> tuple[float, float] | None:
    """Dollars per GPU-hour on top, and without: as understood, else of two amounts the smaller where one is called a premium."""
    fields = asked.fields
    if "budget.fabric_premium_gpu_hour_usd" in fields and "budget.gpu_hour_usd" in fields:
        return fields["budget.fabric_premium_gpu_hour_usd"], fields["budget.gpu_hour_usd"]
    amounts = [float(amount) for amount in _DOLLARS.findall(asked.text)]
    return (
        (min(amounts), max(amounts)) if len(amounts) == 2 and asked.has(_PREMIUM) and max(amounts) < _HOURLY else None
    )


def _slowdown(asked: Asked) -> bool:
    described = asked.names_model and "cluster.gpus" in asked.fields and bool(asked.fabrics or asked.speeds)
    return described and asked.has(_SLOWER) and not asked.has(_TWO_SIZES)


def _need(asked: Asked) -> bool:
    sized = "cluster.gpus" in asked.fields or (asked.has(_FIRST_PERSON) and not _model_is_told(asked))
    described = asked.names_model and sized and (not _model_is_told(asked) or asked.has(_OURS))
    about_a_network = asked.has(_FAST_NETWORK) or asked.has(_PLAIN_NETWORK) or bool(asked.speeds)
    return described and about_a_network and asked.has(_NEED) and not asked.has(_COLLECTIVE) and not asked.has(_WHICH)


def _model_is_told(asked: Asked) -> bool:
    return any(name == "model" or name.startswith("model.") for name in asked.told)


def _threshold(asked: Asked) -> bool:
    return asked.has(_THRESHOLD) and asked.has(_FAST_NETWORK) and asked.names_model


def _network(asked: Asked) -> bool:
    wanted = asked.has(_PARTS) or (asked.has(_POWER) and asked.has(_NETWORK_PARTS))
    return wanted and "cluster.gpus" in asked.fields and not asked.has(_COLLECTIVE) and not asked.names_model


_KINDS = (
    ("break-even", _break_even),
    ("crossover", _threshold),
    ("collective", _collective),
    ("traffic", _traffic),
    ("kv-transfer", _kv_transfer),
    ("kv-cache", _kv_cache),
    ("checkpoint", _checkpoint),
    ("run-cost", _run_cost),
    ("bandwidth", _bandwidth),
    ("parameters", _parameters),
    ("step-time", _step),
    ("slowdown", _slowdown),
    ("flops", _flops),
    ("run-time", _days),
    ("need", _need),
    ("deadline", _deadline),
    ("load", _load),
    ("memory", _memory),
    ("network", _network),
)
