"""Workload, provider, sites and what must hold whatever the price."""

from __future__ import annotations

import re

from .lexicon import squeezed
from .numbers import NUMBER, whole
from .reading import Reading

_WORKLOADS = (
    (
        "disaggregated-inference",
        r"dis[\s\-]?agg(?:regat(?:ed|ion|e)|reg)?(?:[\s\-](?:inference|serving|llm))*(?:\s(?:with|"
        r"into|of))?(?:\s(?:separate\s)?prefill(?:\s(?:and|from|/)\s?decod\w*)?)?|(?:separat\w*|"
        r"split\w*)\s(?:the\s)?prefill\s(?:and|from|/)\s?decod\w*|"
        r"prefill[\s\-/]*(?:and\s)?decode\s(?:dis\w+|separat\w+|split)|pd[\s\-]disagg\w*|"
        r"(?:from|between)\s(?:the\s)?prefill\s(?:nodes?\s)?(?:to|and)\s(?:the\s)?decode|"
        r"prefill\b[^.;]{1,30}\bdecod\w+\b[^.;]{1,20}\b(?:other|another|separate\w*|different|apart|dedicated|own|"
        r"split)\b(?:\s\w+)?|"
        r"separat\w*\sprefill\w*\s(?:and|from|/)\sdecod\w*",
    ),
    (
        "batch-inference",
        r"(?:batch|offline|bulk|nightly|overnight|mass)[\s\-](?:inference|inferencing|generation|scoring|processing|"
        r"embeddings?|embedding|labell?ing|classification|summari[sz]ation|annotation|translation|extraction|"
        r"transcription)|"
        r"(?:summari[sz]e|classify|label|translate|annotate|score|embed|process|tag|extract)\b[^.;]{1,40}\b(?:overnight|"
        r"over night|nightly|offline|in bulk|in batch(?:es)?)\b|"
        r"(?:nightly|overnight|offline|batch|bulk)\s(?:batch\s)?jobs?\s(?:that|which|to|for)\s(?:summari[sz]\w+|"
        r"classif\w+|label\w*|"
        r"translat\w+|generat\w+|annotat\w+|score|scoring|extract\w*|embed\w*)|(?:inference|"
        r"generation) in (?:batch|bulk)|(?:generat\w+ |creat\w+ |produc\w+ )?synthetic data(?: generation| offline)?",
    ),
    (
        "rlhf",
        r"rlhf|rlaif|rlvr|ppo|grpo|reinforcement[\s\-]learning(?:\s(?:from|with) human feedback)?|"
        r"\brl\b(?:[\s\-](?:training|fine[\s\-]?tuning|post[\s\-]?training))?",
    ),
    (
        "finetuning",
        r"(?:full\s|supervised\s|instruction\s|parameter[\s\-]efficient\s)?fine[\s\-]?tun(?:e|es|ed|ing)|\bsft\b|"
        r"q?lora\b|\bdpo\b|\bpeft\b|(?:instruction|preference|alignment)[\s\-]tun(?:e|ing)|domain[\s\-]adapt(?:ation|ing|ed)?|"
        r"post[\s\-]?train(?:ing)?",
    ),
    (
        "pretraining",
        r"(?:continued\s)?pre[\s\-]?train(?:s|ed|ing)?|train(?:ing)?(?=(?:\s[\w.\-]+){0,4}?\sfrom\s(?:scratch|zero|"
        r"the ground up|nothing))|from[\s\-](?:scratch|zero)|from the ground up|"
        r"(?:foundation|base)[\s\-]model training",
    ),
    (
        "inference",
        r"(?:online\s|llm\s|model\s)?(?:inferenc(?:e|ing)|infer\b)(?:\s(?:server|serving|endpoint))?|serv(?:e|es|ed|"
        r"ing)\b(?!ers?)|deploy(?:ing|ment)?(?!\s(?:any\s|an?\s|the\s|our\s)?(?:infini|ib\b|ro?ce\b|spectrum|efa\b|ethernet|rdma|"
        r"ultra|[nhx]dr\b|switch|network|fabric|gpu|cluster|\d))|(?:(?:to|we|we'll|will|would|i)\s|^)host\b|hosting|"
        r"behind an (?:api|"
        r"endpoint)|chat ?(?:bot|app|application|assistant|service|session)s?|(?:concurrent|simultaneous|parallel)\susers?|"
        r"users?\schat(?:ting)?\b|vllm|sglang|tensorrt[\s\-]llm|\bendpoint|"
        r"(?:latency[\s\-](?:sensitive|critical|bound)|low[\s\-]latency|real[\s\-]?time|interactive|customer[\s\-]facing|user[\s\-]facing|production|"
        r"chat|completions?)\s(?:\w+\s)?(?:apis?|endpoints?|services?(?!\s(?:networks?|levels?|providers?|mesh|for training))|assistants?|chat ?bots?)",
    ),
)
# Of several that are named, the one they lean to.
_LIKELY = re.compile(
    r"\b(?:probably|likely|presumably|preferably|rather|ideally|most probably|lean(?:ing|s)? (?:to|towards?)|tend(?:ing|s)? (?:to|towards?)|"
    r"prefer(?:ably|red|ence is)?|favou?r(?:ing|ite is)?|i guess|i think)\s(?:it(?:'ll| will)? be\s|with\s|the\s|we go with\s|we take\s)?$"
)
_OWN_STAGE = re.compile(
    r"\b(?:sft|supervised|instruction[\s\-]tun\w+|lora|qlora|peft)\b"
)  # a stage beside reinforcement learning
_WORKLOAD = [(name, re.compile(rf"(?<![a-z0-9])(?:{pattern})(?![a-z0-9])")) for name, pattern in _WORKLOADS]
_TRAIN = re.compile(r"(?<![a-z0-9\-])(?<!\bthe )(?<!\ba )(?<!\bby )train(?:s|ing)?(?![a-z0-9])(?:\s(?:run|job))?")

_SERVING = ("inference", "disaggregated-inference", "batch-inference")
SITE = (
    r"(?:sites?|hospitals?|clinics?|universit(?:y|ies)|plants?|factor(?:y|ies)|data[\s\-]?cent(?:er|re)s?|dcs?|regions?|locations?|"
    r"campus(?:es)?|buildings?|cit(?:y|ies)|countr(?:y|ies))"
)
_SITES = re.compile(
    rf"\b(?P<label>sites)\s?[:=]\s?(?P<n_>\d+)\b|(?P<n>{NUMBER})\s(?:(?:different|separate|remote|distant|"
    rf"geographic(?:al)?)\s)?(?P<noun>{SITE})\b"
)
_WAN = re.compile(
    r"(?P<n>\d+(?:\.\d+)?)\s?(?P<unit>tbps|tb/s|gbps|gb/s|gbit/s|gbit|gig(?:abit)?s?|gbe|g|mbps|mb/s|mbit/s|"
    r"mbit)(?![a-z0-9])(?:\s(?:of\s)?(?P<noun>\w+))?"
)
_WAN_CUE = re.compile(
    r"\bwan\b|between (?:them|the (?:two |three )?(?:sites|data ?cent(?:er|re)s|regions|locations))|"
    r"inter[\s\-]?(?:site|dc|region|data[\s\-]?cent(?:er|re))|leased line|"
    r"(?:sites?|data[\s\-]?cent(?:er|re)s?|regions?|locations?)\s?(?:are\s)?(?:linked|connected|joined|with|"
    r"over|apart|,)|\bapart\b|dark fib(?:er|re)|internet"
)


def read_workload(reading: Reading) -> None:
    """The workload that is named; plain "train" means pretraining when nothing more exact is said."""
    found: list[tuple[int, str]] = []
    for name, pattern in _WORKLOAD:
        for match in reading.message.find(pattern):
            denial = reading.message.negation(match.start(), match.end())
            if denial:
                reading.deny("workload", name, denial.start, denial.end)
                continue
            reading.message.take_match(match)
            found.append((match.start(), name))
    if any(name == "rlhf" for _, name in found) and not _OWN_STAGE.search(reading.message.text):
        found = [(start, name) for start, name in found if name != "finetuning"]  # "fine-tuning with PPO", "DPO + GRPO"
    if found:
        names = [name for _, name in sorted(found)]
        reading.set("workload", names[-1] if reading.intent == "change" else _most_telling(names))


def read_plain_training(reading: Reading) -> None:
    """ "Train" with a model or GPUs means pretraining when nothing more exact was said; "training" alone says nothing."""
    matches = list(reading.message.find(_TRAIN))
    known = str(reading.context.fields.get("workload", "")) if reading.context else ""
    for match in matches:
        denial = reading.message.negation(match.start(), match.end())
        reading.message.take(denial.start if denial else match.start(), denial.end if denial else match.end())
        verb = not match[0].startswith(("training", "trains")) and reading.intent != "ask"
        told = verb or any(n.startswith(("model", "cluster.gpu")) for n in reading.fields)
        if not denial and told and "workload" not in reading.fields and known in ("", *_SERVING):
            reading.set("workload", "pretraining")


def _most_telling(names: list[str]) -> str:
    """ "Disaggregated serving" is both disaggregated and serving: the more exact name stands."""
    for exact in ("disaggregated-inference", "batch-inference"):
        if exact in names:
            return exact
    return names[0]


def read_sites(reading: Reading) -> None:
    """Sites and the link between them."""
    for match in reading.message.find(_SITES):
        count = whole(match["n"] or match["n_"])
        if count and not reading.message.negation(match.start(), match.end()):
            reading.set("cluster.sites", count)
            reading.message.take_match(match)
    apart = (reading.known("cluster.sites") or 1) > 1
    for match in reading.message.find(_WAN):
        near = reading.message.text[max(0, match.start() - 40) : match.end() + 40]
        cue = _WAN_CUE.search(near) or (apart and re.search(r"\blinks?\b|\bconnect\w*", near))
        if cue and (apart or "wan" in near or "site" in near):
            scale = {"t": 1000.0, "g": 1.0, "m": 0.001}[match["unit"][0]]
            rate = float(match["n"]) * scale
            reading.set("cluster.wan_gbps", int(rate) if rate == int(rate) else rate)
            reading.message.take(match.start(), match.end("unit"))


_ANY_PROVIDER = re.compile(
    r"\b(?:any|whichever|whatever|no particular|no fixed|an open)\s(?:cloud\s)?(?:provider|cloud|hyperscaler)s?\b|"
    r"\bprovider\s(?:is\s|stays\s|remains\s|left\s)?(?:open|undecided|not fixed)\b|\bprovider[\s-]agnostic\b"
)


def _take_back(reading: Reading, provider: str | None = None) -> None:
    """The provider that was said before is not it any more."""
    told = reading.context.fields.get("cluster.provider") if reading.context is not None else None
    if told is not None and provider in (None, told) and "cluster.provider" not in reading.unset:
        reading.unset.append("cluster.provider")


def read_providers(reading: Reading) -> None:
    """The one provider that is named; ruling one out rules out what only it sells."""
    for match in reading.message.find(_ANY_PROVIDER):
        _take_back(reading)
        reading.message.take_match(match)
    named = _providers_named(reading)
    if reading.excluded and not named and not reading.fields and reading.intent == "change":
        reading.intent = "describe"  # "not AWS, and not GCP either" puts nothing in its place
    likely = [pair for pair in named if _LIKELY.search(reading.message.text[: pair[1].start()])]
    if len({provider for provider, _ in likely}) == 1:
        meant = likely[0][0]
    elif len({provider for provider, _ in named}) == 1 or (named and reading.intent == "change"):
        meant = named[-1][0]
    else:
        return
    reading.set("cluster.provider", meant)
    for _, match in named:
        reading.message.take_match(match)


def _providers_named(reading: Reading) -> list[tuple[str, re.Match[str]]]:
    """Every provider that is named and not denied; what is denied is ruled out, or put right by another."""
    found = [
        (reading.lexicon.providers[squeezed(match[0])], match)
        for match in reading.message.find(reading.lexicon.provider_pattern)
    ]
    others = (
        any(not reading.message.negation(*match.span()) for _, match in found)
        and len({provider for provider, _ in found}) > 1
    )
    named: list[tuple[str, re.Match[str]]] = []
    previous: tuple[int, bool] | None = None
    for provider, match in found:
        denial = reading.message.negation(match.start(), match.end())
        if denial and reading.intent == "change" and others:
            reading.message.take(denial.start, denial.end)
            continue  # "not AWS - Azure" puts right, it rules nothing out
        denied = denial is not None or bool(
            previous and previous[1] and reading.message.lists_on(previous[0], match.start())
        )
        previous = (match.end(), denied)
        if not denied:
            named.append((provider, match))
            continue
        reading.excluded += [f.id for f in reading.lexicon.catalog.fabrics.values() if f.providers == [provider]]
        _take_back(reading, provider)
        reading.message.take(*((denial.start, denial.end) if denial else match.span()))
    return named
