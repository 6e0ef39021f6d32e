"""The training step and the length of the run, and the shape of requests when serving."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from .groups import groups, unique_groups
from .numbers import AMOUNT, NUMBER, binary, plain, value, whole
from .reading import Reading

_TOKENS = r"(?:tokens?|toks?)\b"
_IS = (
    r"(?:\s?(?:=|:|~|->|=>|>|(?:of|is|are|was|were|be|being|at|about|around|roughly|approximately|to|up|down|now|wrong|incorrect|misstated|"
    r"mistaken|actually|really|rather|should|must|will|would|can|equals|just|only|currently|maybe|probably|"
    r"no more than|not more than|at most|maximally|increased|reduced|raised|lowered|changed|grows?|grew|grown|rises?|rose|jumps?|jumped|falls?|fell|drops?|dropped|shrinks?|shrank|"
    r"becomes?|became|extends?|extended|increases?|went|set|has|have|having|runs?|averages?|averaging|typically|usually|contains?|takes?|comes?|"
    r"goes|go|@)\b|\s?@)){0,5}\s?"
)
_NUMBER_K = r"(?<![\w.])(?:\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)\s?[km]?(?![a-z\d])"

_TIMES = re.compile(r"\s?(?:times|fold|-fold)\b")  # "4 times longer" is no number of tokens
_NO_OTHER_UNIT = (
    r"(?!\s?(?:days?|weeks?|months?|hours?|years?|gpus?|nodes?|sites?|percent|%|x\b|ms\b|seconds?|requests?))"
)

_BATCH_TOKENS = re.compile(
    rf"(?P<n>{AMOUNT})[\s\-]?{_TOKENS}[\s\-]?(?:global\s)?(?:batch(?:es)?(?:\ssize)?|(?:per|/|a|in (?:each|a|"
    rf"one))\s?(?:(?:global|optimizer)\s)?(?:step|batch|update|iteration))\b|"
    rf"\b(?:global\s)?batch(?:[\s_]size)?(?:es)?{_IS}(?P<n_>{AMOUNT})[\s\-]?{_TOKENS}|"
    rf"\b{_TOKENS}\s?(?:per|/|in (?:each|a|one))\s?(?:(?:global|optimi[sz]er)\s)?(?:step|batch|update|iteration){_IS}(?P<n__>{AMOUNT})|"
    rf"\b(?:each|every|one|an?|the|per)\s(?:global\s|optimi[sz]er\s)?(?:step|batch|update|iteration)"
    rf"(?:\s(?:is|has|holds|processes|consumes|sees|contains|covers|uses|takes|of|with)|:)?\s(?P<n___>{AMOUNT})[\s\-]?{_TOKENS}"
)
_MICRO_BATCH = re.compile(
    rf"(?:\b(?P<n_>{NUMBER})\s(?:sequences?|samples?)\s(?:per|on (?:each|every|a)|for each)\s(?:gpu|device|rank|"
    rf"card))|"
    rf"\b(?:micro[\s_\-]?batch(?:[\s_]size)?|mbs|per[\s\-](?:gpu|"
    rf"device)[\s\-]batch(?:[\s_]size)?){_IS}(?P<n>{NUMBER})"
)
_GLOBAL_BATCH = re.compile(
    rf"\b(?:(?:global|total|effective)?[\s_\-]?batch(?:es)?(?:[\s_\-]?sizes?)?|gbs|bs|bsz){_IS}(?P<n>{NUMBER})(?:\s(?:sequences|"
    rf"samples|examples))?|"
    rf"(?P<n_>{NUMBER})\s(?:sequences\s|samples\s|examples\s|of (?:them|these|those)\s)?(?:per|/|a|in (?:a|each|every|one))\s?(?:(?:global|"
    rf"optimizer)\s)?(?:step|batch|update)\b|"
    rf"\b(?:each|every|one|an?|the|per)\s(?:optimi[sz]er\s)?(?:step|update|iteration){_IS}(?P<n___>{NUMBER})\s(?:sequences|samples|"
    rf"examples)\b|"
    rf"(?P<n____>{NUMBER})\s(?:sequences|samples|examples)\s(?:make up|make|form|are|in|fill)\s(?:a|one|the|each|"
    rf"every)\s(?:global\s)?(?:batch|step)\b|"
    rf"(?P<n__>{NUMBER})\s(?:global\s)?batch(?:\ssize)?\b"
)
_SEQUENCE = re.compile(
    rf"\b(?:seq(?:uence)?s?[\s_\-]?(?:len(?:gth)?)?|context(?:[\s_\-](?:len(?:gth)?|window|size))?|ctx(?:[\s_\-]?(?:len(?:gth)?|window|size))?|"
    rf"seqlen)(?:\slength)?{_IS}(?P<n>{_NUMBER_K})(?:\s{_TOKENS})?|"
    rf"(?P<n__>{_NUMBER_K})\s?{_TOKENS}\s(?:per|/|in each|a)\s?(?:sequence|sample|document)s?|"
    rf"\b(?:samples?|documents?|sequences?|examples?)(?:\s(?:packed|cut|padded|truncated|chunked))?{_IS}(?P<n____>{_NUMBER_K})\s?{_TOKENS}|"
    rf"\b(?:packed|cut|padded|truncated|chunked)\s(?:in)?to\s(?P<n_____>{_NUMBER_K})(?:\s?{_TOKENS}|(?<=k)\b)|"
    rf"(?<=tokens )at (?P<n_______>\d+k)\b|"
    rf"\bwindows?{_IS}(?P<n_________>{_NUMBER_K})\s?{_TOKENS}|"
    rf"(?P<n______>{_NUMBER_K})[\s\-]?tokens?[\s\-](?:long\s)?(?:sequences?|samples?|documents?|contexts?|windows?)\b|"
    rf"(?P<n___>{_NUMBER_K})[\s\-]?tokens?\slong\b|"
    rf"\b(?:sequences|samples|examples|documents|seqs)\b,?\s(?:(?:of|with|at|having|and|holding|containing)\s)?(?P<n________>{_NUMBER_K})\s?"
    rf"{_TOKENS}\s(?:each|apiece)\b|"
    rf"(?P<n_>{_NUMBER_K})[\s\-]?(?:{_TOKENS}[\s\-])?(?:long[\s\-])?(?:context|ctx|seq(?:uence)?\b|"
    rf"(?<=[km]\s)seq(?:uence)?s\b|(?<=[km]-)sequences\b|seqlen)(?:[\s\-]?(?:len(?:gth)?s?|windows?|size))?\b(?!\s?[=:]|"
    rf"\s?len(?:gth)?\s\d)"
)
_RUN_TOKENS = re.compile(
    rf"(?:\b{_TOKENS}\s?[=:]\s?(?P<n_>{AMOUNT}|\d+(?:\.\d+)?e\d+))|"
    rf"\b(?:tokens?|toks?)\s(?:budget|count|target|total|goal|horizon|number)s?{_IS}(?P<n__>{AMOUNT})(?!\s?(?:per|/|"
    rf"\$|usd|dollars?)\b)|"
    rf"\b{_TOKENS}\s(?P<n____>\d+(?:\.\d+)?\s?(?:t|b|tn|bn|trillion|billion)\b(?![\s\-](?:model|param|dense|moe|llm|"
    rf"weights)))|"
    rf"\b(?:number|amount|total) of (?:training )?tokens{_IS}(?P<n___>{AMOUNT})|"
    rf"(?P<n>{AMOUNT})[\s\-]?(?:training\s|"
    rf"more\s|of\s)?{_TOKENS}\b"
    rf"(?!\s?(?:per|/|a|each)\s?(?:s\b|sec|gpu|param|request|user|step|batch|prompt|sequence|sample|day|hour|hr|week|month|min|"
    rf"document))(?:\sof\s(?:text|"
    rf"data|code))?"
)
_ONLY_TOKENS = re.compile(
    rf"^\W*(?:(?:about|around|roughly|say|it's|we use|maybe|~)\s?)*(?P<n>{AMOUNT})\s?{_TOKENS}\W*$"
)
_MOST_IN_A_BATCH = 1e9  # tokens; what is more is the length of the run
_VOCABULARY = re.compile(rf"\bvocab\w*(?:\ssize)?{_IS}{AMOUNT}\s{_TOKENS}")
_LENGTHS = (
    "training.sequence_length",
    "inference.prompt_tokens",
    "inference.output_tokens",
)  # asked for, a number of tokens is one
_PRECISION = re.compile(
    r"(?<![a-z0-9])(?:(?P<bf16>bf[\s\-]?16|bfloat[\s\-]?16|brain float)|(?P<fp8>fp[\s\-]?8|float[\s\-]?8|"
    r"8[\s\-]bit float\w*)|"
    r"(?P<fp16>(?<!b)fp[\s\-]?16|float[\s\-]?16|half[\s\-]precision)|(?P<fp32>fp[\s\-]?32|float[\s\-]?32|"
    r"full[\s\-]precision|single[\s\-]precision))"
    r"(?:[\s\-](?:precision|mixed precision|training))?(?![a-z0-9])"
)
_RECOMPUTE = re.compile(
    r"(?P<how>full|selective|no|without)?\s?(?:activation|gradient|grad|act)[\s\-]?(?:re)?(?:checkpoint(?:ing|s)?|"
    r"ckpt(?:ing)?|"
    r"computation|compute)\b(?:\s?[:=]?\s?(?:is\s|turned\s|switched\s|set to\s)*(?P<off>off|disabled|none|selective|"
    r"full)\b)?|"
    r"\b(?P<how____>disable[ds]?|turn(?:ed)? off|switch(?:ed)? off|no)\s(?:the\s)?(?:activation\s|"
    r"gradient\s)?(?:recompute|recomputation|"
    r"checkpointing|re-?materiali[sz]ation|remat)\b|\brecompute\s(?P<how_____>nothing|none|off)\b|"
    r"\b(?P<how_>full|selective|no|without)\s(?:activation\s)?(?:recompute?(?:ation)?|ac|re-?materiali[sz]ation|"
    r"remat)\b|"
    r"\brecompute\s?[=:]\s?(?P<how__>full|selective|none)"
)
_SECONDARY = re.compile(
    r"[\s\-](?:master|optimi[sz]er|accumulat\w*|accum|gradients?|grads?|states?|main|reduc\w*|moments?|adam\w*|"
    r"embeddings?|params?|copy|copies|weights?|residuals?|norms?|softmax|logits)\b"
)
_SECONDARY_BEFORE = re.compile(
    r"\b(?:master|optimi[sz]er|accumulat\w*|gradients?|grads?|reductions?|moments?|adam\w*)(?:\s(?:states?|"
    r"weights?|copy|copies))?"
    r"\s(?:(?:are|is|stays?|kept|held|stored|done)\s)*(?:in|at|with)\s$"
)
_FLASH = re.compile(
    r"(?P<no>\b(?:no|without|disable[ds]?|(?:turn|switch)(?:ed|ing)? off|"
    r"un-?fuse[ds]?)\s(?:the\s)?)?\bflash[\s\-]?att(?:entio)?n(?:[\s\-]?\d)?\b"
    r"(?P<off>\s?[:=]?\s?(?:is\s|turned\s|switched\s)*(?:off|disabled|false|no)\b)?|\bunfused attention\b"
)
_FRAMEWORKS = {
    "megatron": r"megatron(?:[\s\-](?:lm|core))?\b(?![\s\-]?(?:\d|turing))|"
    r"(?<!mistral[\s\-])nemo\b",
    "deepspeed": r"deep[\s\-]?speed(?!,?\s(?:zero\s)?stage)",
    "jax": r"\bjax\b|maxtext",
    "fsdp": r"torch[\s\-]?titan",
}
_FRAMEWORK = {name: re.compile(rf"(?:(?:with|using|on|in)\s)?(?:nvidia\s)?(?:{p})") for name, p in _FRAMEWORKS.items()}

_REQUESTS = (
    r"(?:(?:concurrent|api|user|incoming|inference)\s)*(?:requests?|queries|quer(?:y|ies)|reqs?|prompts|calls|hits|completions|"
    r"questions|messages|chats|"
    r"generations|inferences|conversations)"
)
_PER_TIME = r"(?:per|/|an?|each|every)\s?(?P<unit>seconds?|secs?|s|minutes?|mins?|hours?|hrs?|h|days?)\b"
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_RATE = re.compile(
    unique_groups(
        rf"(?P<n>{AMOUNT}|\d+\.\d+)\s?{_REQUESTS}\s?{_PER_TIME}|(?P<n>{AMOUNT}|\d+\.\d+)\s?(?:[rq]p(?P<unit>[smh])\b)|"
        rf"\b(?:rps|qps|requests?[_ ]per[_ ]s(?:econd)?)(?:\s?[=:]\s?|{_IS})(?P<n>\d+(?:\.\d+)?)(?![\w%])|"
        rf"\b(?:(?:request|query|arrival|call|message)[\s\-]?(?:rates?|load)|(?:peak |average |expected |inference )?(?:load|"
        rf"traffic|throughput)|requests|queries|qps|rps)"
        rf"(?:\s(?:now|peaks?|averages?|goes|went|grew|rises?|rose|hits?|reaches|comes|amounts?))?{_IS}(?P<n>{AMOUNT}|"
        rf"\d+\.\d+)\s?{_PER_TIME}"
    )
)
_PROMPT = re.compile(
    rf"(?P<n>{_NUMBER_K})[\s\-]?(?:{_TOKENS}[\s\-])?(?:(?:input|prompt)s?\b(?:\s?{_TOKENS})?|{_TOKENS}\s(?:in\b(?=\s?(?:[,;/+&.]|and\b|"
    rf"\d)|\W*$)|"
    rf"of (?:prompt|input|context)))|"
    rf"\bprefill(?:s|ing)?\s(?:(?:with|of|is|about|around|at|~)\s?)*(?P<n____>{_NUMBER_K})\s?{_TOKENS}|"
    rf"(?P<n__>{_NUMBER_K})\s?in\b(?=\s?(?:,|and|/|\+)?\s?\d[\d.,k]*\s?out\b)|"
    rf"\b(?:users?|clients?|customers?|people|they) (?:typically |usually )?sends?{_IS}(?P<n___>{_NUMBER_K})\s?{_TOKENS}|"
    rf"\b(?:prompts?|inputs?|isl|prompt[_ ]tokens)(?:\s(?:length|size))?{_IS}(?P<n_>{_NUMBER_K}){_NO_OTHER_UNIT}(?:\s?{_TOKENS})?"
)
_OUTPUT = re.compile(
    rf"(?P<n>{_NUMBER_K})[\s\-]?(?:{_TOKENS}[\s\-])?(?:(?:output|completion|answer|response|generated|"
    rf"reply)s?\b(?:\s?{_TOKENS})?|{_TOKENS}\s(?:out\b(?!\sof\b)|of (?:output|answer)))|"
    rf"\b(?:decod(?:e|es|ing)|generat(?:e|es|ing))\s(?:(?:with|of|is|about|around|at|up to|~)\s?)*(?P<n_____>{_NUMBER_K})\s?{_TOKENS}(?!\s?(?:per|/|a)\s?s)|"
    rf"(?P<n__>{_NUMBER_K})\s?out\b(?!\sof\b)|"
    rf"\b(?:gets?|receives?|expects?) (?:back )?{_IS}(?P<n___>{_NUMBER_K})\s?(?:{_TOKENS}\s?back\b|back\b)|\b(?:gets?|"
    rf"receives?) back{_IS}(?P<n____>{_NUMBER_K})(?:\s?{_TOKENS})?|"
    rf"\b(?:outputs?|(?<!the )answer|answers|completions?|responses?|repl(?:y|ies)|osl|output[_ ]tokens)(?:\s(?:length|"
    rf"size))?{_IS}(?P<n_>{_NUMBER_K}){_NO_OTHER_UNIT}(?:\s?{_TOKENS})?"
)


def _number(match: re.Match[str]) -> str:
    return next(text for name, text in match.groupdict().items() if name.startswith("n") and text is not None)


def _take_number(
    reading: Reading,
    pattern: re.Pattern[str],
    field: str,
    parse: Callable[[str], Any],
    held: Sequence[tuple[int, int]] = (),
) -> None:
    """Set ``field`` from every match that is not denied and not inside a held span; the last one stands."""
    for match in reading.message.find(pattern):
        number = parse(_number(match)) if not _TIMES.match(reading.message.text, match.end()) else None
        inside = any(start < match.end() and match.start() < end for start, end in held)
        if number is None or inside or reading.message.negation(match.start(), match.end()):
            continue
        reading.set(field, number)
        reading.message.take_match(match)


_BARE_RATE = re.compile(
    rf"(?P<n>{AMOUNT}|\d+\.\d+)\s?(?:per|/|a|each|every)\s?(?P<unit>seconds?|secs?|s|minutes?|mins?)\b"
)


def _read_bare_rate(reading: Reading) -> None:
    """ "30k in, 1k out, 2 per second": what there are two of are the requests."""
    asked = reading.context is not None and reading.context.asked == "inference.requests_per_s"
    if "inference.requests_per_s" in reading.fields or not (asked or "inference.prompt_tokens" in reading.fields):
        return
    for match in reading.message.find(_BARE_RATE):
        reading.set("inference.requests_per_s", plain(round(value(match["n"]) / _SECONDS[match["unit"][0]], 6)))
        reading.message.take_match(match)


def read_requests(reading: Reading) -> None:
    """Request rate, prompt and answer lengths."""
    for match in reading.message.find(_RATE):
        said = groups(match)
        rate = value(said["n"]) / _SECONDS[said.get("unit", "s")[0]]
        reading.set("inference.requests_per_s", plain(round(rate, 6)))
        reading.message.take_match(match)
    _take_number(reading, _PROMPT, "inference.prompt_tokens", whole)
    _take_number(reading, _OUTPUT, "inference.output_tokens", whole)
    _read_bare_rate(reading)


def read_step(reading: Reading) -> None:
    """Batch, sequence length, tokens of the run, precision, recomputation, framework."""
    _take_number(reading, _SEQUENCE, "training.sequence_length", binary)
    held = [m.span() for m in reading.message.find(_BATCH_TOKENS) if not _take_batch_of_tokens(reading, m)]
    held += [m.span() for m in reading.message.find(_VOCABULARY)]
    _take_number(reading, _MICRO_BATCH, "training.micro_batch", whole, held)
    _take_number(reading, _GLOBAL_BATCH, "training.global_batch", binary, held)
    asked = reading.context.asked if reading.context else None
    if asked == "training.global_batch" and "training.global_batch" not in reading.fields:
        for match in reading.message.find(_ONLY_TOKENS):
            if value(match["n"]) <= _MOST_IN_A_BATCH and not _take_batch_of_tokens(reading, match):
                reading.held.append(match.span())  # a batch said in tokens waits for the sequence length
                reading.message.take_match(match)
    if asked in _LENGTHS:
        _take_number(reading, _RUN_TOKENS, asked, binary if asked == "training.sequence_length" else whole, held)
    else:
        _take_number(reading, _RUN_TOKENS, "training.tokens", lambda text: plain(value(text)), held)
    _read_settings(reading)


def _take_batch_of_tokens(reading: Reading, match: re.Match[str]) -> bool:
    """A batch said in tokens needs the sequence length; ``4M`` is 2²² where that is a whole number of sequences."""
    length, text = reading.known("training.sequence_length"), _number(match)
    if not length:
        return False
    tokens = value(text)
    if text.strip().endswith(("m", "million")) and tokens / 1e6 * 2**20 % length == 0:
        tokens = tokens / 1e6 * 2**20
    reading.set("training.global_batch", max(1, round(tokens / length)))
    reading.message.take_match(match)
    return True


def _read_settings(reading: Reading) -> None:
    for match in reading.message.find(_PRECISION):
        if _SECONDARY.match(reading.message.text, match.end()) or _SECONDARY_BEFORE.search(
            reading.message.text[: match.start()]
        ):
            reading.message.take_match(match)
        elif not reading.message.negation(match.start(), match.end()):
            reading.set("training.precision", next(name for name in ("bf16", "fp8", "fp16", "fp32") if match[name]))
            reading.message.take_match(match)
    for match in reading.message.find(_RECOMPUTE):
        said = match["off"] or next(
            (text for name, text in match.groupdict().items() if name.startswith("how") and text), "full"
        )
        reading.set("training.recompute", said if said in ("full", "selective") else "none")
        reading.message.take_match(match)
    for match in reading.message.find(_FLASH):
        denial = reading.message.negation(match.start(), match.end())
        unfused = match["no"] or match["off"] or denial or "unfused" in match[0]
        reading.set("training.attention", "unfused" if unfused else "flash")
        reading.message.take(min(denial.start, match.start()) if denial else match.start(), match.end())
    for name, pattern in _FRAMEWORK.items():
        for match in reading.message.find(pattern):
            if not reading.message.negation(match.start(), match.end()):
                reading.set("training.framework", name)
                reading.message.take_match(match)
