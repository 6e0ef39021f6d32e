"""What the person wants: to describe, to ask, to know why, to try a variation, to take something back."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .cue_words import START
from .cues import CUES
from .evidence import spoken_for
from .general import TROUBLE, is_general
from .hints import hinted, reaches
from .message import TAKEN, Message
from .technologies import TECHNOLOGY

_ACCOUNT_WORDS, _ACCOUNT_NUMBERS = 16, 3
_TELLING = 2  # numbers from which a message tells of a job, whatever it asks for besides
_OPENING = 12  # characters: a cue that begins later is not how the message begins
_BY_ITSELF = ("what-if", "ask")  # said in the middle of an account, these still mean what they say
_NUMBERS = re.compile(r"(?<![\w.])\d[\d.,]*\w*")
# "I save my results to disk" tells what they do and asks for no file.
_HABIT = re.compile(
    r"^\W*(?:i|we|they|(?:our|my|the) (?:team|jobs?|scripts?|users|people))(?: always| usually| often| also| just|"
    r" regularly)? (?:saves?|stores?|exports?|downloads?|dumps?|writes?|keeps?|prints?|puts?|sends?|shares?)\b"
)
# A question of few words, without a number, about what was just told.
_CLOSING = re.compile(
    r"(?<=[.;,\n])\s*(?!(?:why|what if|how come|compare)\b)(?=[^?]*\b(?:it|this|that|thoughts?|advice|ideas?|true|right|ok|okay|possible|"
    r"feasible|networks?|fabrics?|interconnects?|recommend\w*|suggest\w*|enough|opinions?|sensible)\b)"
    r"(?:[a-z'\-]+[\s,]*){1,7}\?\W*$"
)
# Which network for so many of these: it describes a job and supposes nothing.
_FOR_A_JOB = re.compile(
    r"(?:\b(?:which|what)\s(?:\w+\s){0,2}?(?:networks?|fabrics?|interconnects?|networking|nics?|switch(?:es)?)\b|"
    r"\b(?:recommend|suggest|advise|propose)\b|\bdo (?:we|i) (?:really )?need\b|\b(?:which|what) (?:would|should|do) (?:you|we|i)\b(?! (?:say|think|get|mean|know)\b))"
    r"[^?]*?\b(?:for|with|on|between|connect\w*)\b[^?]*\d"
)
_CLEARLY_ASKED = 55.0  # the weight from which a question is one, whatever the weak hints say
_LIKELY = 0.5  # the probability from which the words alone decide
_LIKELY_CHANGE = 0.7  # the same for putting right: a plain statement of a fact sounds much alike
_FURTHER = 0.5  # what a second cue of the same intent adds: several weak cues settle between neighbours


def intent_of(message: Message) -> str:
    """The intent by its wording alone; :func:`settle` decides between describing and asking once the facts are read."""
    text = message.open.replace(TAKEN, "_")  # what was set aside stands there as a word
    first, weights = _weighed(_account(text))
    intent = max(weights, key=weights.__getitem__, default="describe")
    if intent == "describe" and _tells_of_a_job(text):
        return intent
    if intent != "ask" or (weights[intent] < _CLEARLY_ASKED and not _FOR_A_JOB.search(text)):
        intent = _sharpened(intent, text)
    if intent == "why-not":
        first.setdefault(intent, first.get("why"))
    intent = _in_its_place(intent, message, text)
    if first.get(intent) is not None:
        _take_asking(message, intent, first[intent])
    return intent


def _account(text: str) -> str:
    """An account of the job without the short question about it at its end: "30 nodes with 8 A100. Keep the network?"."""
    asked = _CLOSING.search(text)
    told = text[: asked.start()] if asked else ""
    return told if len(_NUMBERS.findall(told)) >= _TELLING and "?" not in told else text


def _weighed(text: str) -> tuple[dict[str, re.Match[str]], dict[str, float]]:
    """The first cue of every intent, and how much its cues weigh together."""
    weights: dict[str, float] = {}
    first: dict[str, re.Match[str]] = {}
    for cue in CUES:
        match = cue.pattern.search(text)
        if match is None:
            continue
        first.setdefault(cue.intent, match)
        weights[cue.intent] = max(weights.get(cue.intent, 0.0), cue.weight) + (
            _FURTHER if cue.intent in weights else 0.0
        )
    if _tells_of_a_job(text):
        weights = {
            name: weight for name, weight in weights.items() if first[name].start() <= _OPENING or name in _BY_ITSELF
        }
    if _HABIT.search(text):
        weights.pop("export", None)
    return first, weights


def _sharpened(intent: str, text: str) -> str:
    """What the weak hints make of an intent that no clear cue decides."""
    if intent in ("ask", "describe"):
        intent = hinted(text, question=intent == "ask") or _spoken_for(text) or intent
    if intent == "export" and _HABIT.search(text):
        return "describe"
    if intent == "export" and _networks(text) == 2:
        return "compare"  # "show me a table of RoCE and InfiniBand"
    if intent == "why" and reaches("why-not", _from_why(text)):
        return "why-not"
    return intent


# "Do we need InfiniBand?", "has Meta trained on RoCE?" ask what is so; they suppose nothing.
_PLAIN_QUESTION = re.compile(
    START
    + r"(?:do|does|did|has|have) (?!(?:it|that|this|you(?! know)|the (?:answer|plan|result|recommendation|verdict))\b)(?!.*\b(?:would|if|instead|still|again)\b)"
)

_ADVICE = re.compile(
    r"\b(?:what|which)(?: \w+){0,2}? would you (?!still\b|also\b|say\b|then\b|recommend\b|choose\b|pick\b|change\b)\w+"
)


def _spoken_for(text: str) -> str | None:
    """The intent that the words of a message speak for clearly, where nothing else decides; describing and asking need no such sign."""
    intent, likely = spoken_for(text)
    if intent in ("what-if", "why", "why-not") and (_PLAIN_QUESTION.match(text) or _ADVICE.search(text)):
        return None
    least = _LIKELY_CHANGE if intent == "change" else _LIKELY
    return intent if likely >= least and intent not in ("describe", "unclear", "ask") else None


def _in_its_place(intent: str, message: Message, text: str) -> str:
    """Cues that mean something else beside what is spoken of."""
    start = len(text) - len(text.lstrip())
    network = TECHNOLOGY.match(text, start) if intent == "undo" else None
    if network and message.negation(start, network.end()):
        return "describe"  # "InfiniBand: forget it"
    if intent == "help" and _networks(text):
        return "compare" if _networks(text) == 2 else "ask"
    if intent == "help" and len(_NUMBERS.findall(text)) >= _TELLING:
        return "describe"  # "help me choose: 20 H100s, 5 servers, 12B"
    if intent == "help" and TROUBLE.search(_LOST.sub(" ", text)):
        return "ask"
    if (
        intent == "compare"
        and "?" not in text
        and (_EVALUATES.search(text) or (_BOUND.search(text) and not _networks(text)))
    ):
        return "describe"
    if intent == "ask" and "?" not in text and _PUTS_UP_WITH.match(text):
        return "describe"
    if intent == "what-if" and _TAKES_TIME.match(text):
        return "describe"
    if intent in ("why", "why-not") and is_general(message):
        return "ask"
    return intent


# "At most 3 % loss vs ideal" bounds, "can live with 10 %" tells, "let me check with my team" only takes time.
_BOUND = re.compile(
    r"\b(?:max\w*|at most|up to|less than|under|below|within|no more than)\b[^.;]{0,16}\d\s?(?:%|percent)"
)
_PUTS_UP_WITH = re.compile(
    r"^\W*(?:can|could|would|will|might)(?: easily| also| still| probably)? (?:tolerate|accept|live with|afford|handle|cope with|take|"
    r"wait|stand|spend|pay|run|use|provide|manage)\b"
)
_TAKES_TIME = re.compile(
    r"^\W*(?:(?:ok|okay|hm+|well|right|sure|fine|thanks)\W+)*(?:let me|i(?:'ll| will| need to| have to| must)|gotta|need to)"
    r"(?: just| quickly| first)? (?:check|ask|think|talk|discuss|confirm|see|find out|look|consult|sleep)\b[^\d?]*$"
)


def _networks(text: str) -> int:
    """How many technologies are named."""
    return len({match.lastgroup for match in TECHNOLOGY.finditer(text)})


def _take_asking(message: Message, intent: str, cue: re.Match[str]) -> None:
    """Mask the words that ask, so that what they ask about is left to be read."""
    if intent == "change" and not any(cue.groupdict().values()):
        message.take(cue.start(), _correction_end(cue))
    elif intent in ("why", "why-not", "what-if", "compare"):
        _take_cue(message, cue)


def _from_why(text: str) -> str:
    """The part of a question that "why" asks about: "I do not see why RoCE is chosen" denies nothing of RoCE."""
    why = re.search(r"\bwhy\b", text)
    return text[why.start() :] if why and TECHNOLOGY.search(text, why.end()) else text


def _tells_of_a_job(text: str) -> bool:
    """Whether a message is a long account with several numbers, in which a stray word asks for nothing."""
    return (
        len(text.split()) >= _ACCOUNT_WORDS
        and len(_NUMBERS.findall(text)) >= _ACCOUNT_NUMBERS
        and not text.rstrip().endswith("?")
    )


def _take_cue(message: Message, match: re.Match[str]) -> None:
    """A cue that reaches over the thing it asks about ("why is RoCE not …") leaves that thing to be read."""
    start = match.start()
    for name in sorted((n for n, text in match.groupdict().items() if text), key=match.start):
        message.take(start, match.start(name))
        start = match.end(name)
    message.take(start, match.end())


def _correction_end(match: re.Match[str]) -> int:
    first = re.match(
        r"\W*(?:no\b[\s,.:;!\-]*(?:wait|sorry|actually)?|(?!not\b|remove|lift\b|extend|shorten|lengthen|postpone|push|add\b|"
        r"double|halve|triple|quadruple|"
        r"increase|decrease|reduce|raise|lower|shrink|grow|disable|enable|turn\b|use\b|drop\b|cut\b|replace\b|swap\b|"
        r"change\b|switch\b)[a-z']+)",
        match[0],
    )
    return match.start() + (first.end() if first else 0)


_BESIDE = re.compile(r"\b(?:against|next to|beside|alongside|as opposed to)\b")
_LOST = re.compile(r"\bi(?:'m| am) (?:\w+ )?stuck\b")
_TWO_WEIGHED = re.compile(
    r"\bor\b|\bagainst\b|\bwhich (?:one )?is\b|\bwhich(?: one)?\W*$|\bbeats?\b|\boutperform\w*|\bapart\b|\bgap\b|"
    r"\b(?:any|much|really|so much) (?:better|worse|slower|faster|cheaper|dearer|pricier|costlier|quicker|stronger|weaker) than\b|"
    r"\bthan\b[^.;]{1,30}?\b(?:here|for us|for (?:my|our|this)|in (?:my|our|this)|with (?:my|our|this))\b|\bequivalent\b|\bequal\b|\bthe same\b|\binstead of\b|\bsimilar\b|\bahead\b"
)
_ANYBODY = re.compile(
    r"\b(?:has|have|did|does|do|is|are)(?: there)? (?:anyone|anybody|someone|somebody|other (?:people|companies|teams|labs))\b"
)  # asks for experience
_EITHER = re.compile(r"[\x00\W]*\b(?:or|vs|v|versus|/)\b[\x00\W]*")  # "RoCE or InfiniBand" and nothing else
_THE_TWO = re.compile(
    r"\b(?:two|both|them|candidates|these|those|all|others?|it|options|plans?|networks|fabrics|runner-up|alternatives|"
    r"choices|contenders|winner|"
    r"everything|each|first|second|top|best)\b|compare\W*$"
)
_NOTHING_SAID = re.compile(r"[\x00\W]*")  # all of it was set aside
_JOB = ("workload", "model", "model.params", "cluster.gpu", "cluster.gpus")
JOB_ITSELF = _JOB[1:]
_PLANNING = re.compile(
    r"\b(?:which|what)\b.{0,30}\b(?:network|fabric|interconnect|networking|nics?)\b|\bdo (?:we|"
    r"i) (?:really )?need\b|\bshould (?:we|i)\b|\bis .{2,40} (?:enough|worth|overkill|necessary)\b|"
    r"\b(?:help|recommend|advise|plan|suggest|propose)\b|\b(?:what|which) would you\b"
)


# A question in the middle of a message that states nothing: "nccl timeout where to look first".
_ASKED_INSIDE = re.compile(
    r"\b(?:(?:how|what|where|which|when|who) (?:to|do|does|did|is|are|can|should|would|will|much|many|long|big|fast|"
    r"often|kind|about the)\b(?! (?:i (?:said|mean)|you (?:think|want|like)))|"
    r"(?:is|are) there (?:any|an?)\b|(?:any|some) (?:idea|clue|chance|advice|recommendations?|experience|"
    r"tips?) (?:how|what|why|where|on|about|with|for|if)\b)"
)


_ANSWERING = re.compile(
    r"^\W*(?:well\W+|ok\W+|hm+\W+)*(?:let's |let us |we can |i'd )?(?:say|assume|suppose|take|guess)\b(?! (?:we|i|it|"
    r"that|the|they|you)\b)[^?]*$"
)
# What is weighed at the end of an account of the job: "256 GB200, currently evaluating XDR versus Spectrum-X".
_EVALUATES = re.compile(
    r"\d[^?]*\b(?:evaluating|considering|weighing|deciding|torn|shortlist\w*|undecided|looking at|offers? (?:for|of)|"
    r"quotes? (?:for|of)|choice (?:is|of)|tendering)\b"
)
# What happens in general: nothing of the job is supposed.
_WHAT_HAPPENS = re.compile(
    r"\bwhat (?:exactly )?happens (?:when|if|to|during|after|in)\b(?! (?:we|i|you|it|that|this|they|the (?:price|"
    r"deadline|budget|cluster|plan|answer|recommendation))\b)"
)
# "Can we get by with what we have", "what is the effect of jitter": nothing of the job is supposed either.
_GETS_BY = re.compile(
    r"\b(?:effects?|impacts?|influence|consequences?) of\b|\b(?:get (?:away|by)|make do|survive|manage|cope) (?:with|"
    r"on)\b"
)
_HAS = re.compile(r"(?<!do )(?<!should )(?<!can )(?<!could )\b(?:i|we)(?:'ve| have| got| own| run)\b")
_QUESTION_WORD = re.compile(
    r"\b(?:what|which|who|when|where|how|why|enough|should|better|need|can|could|would|does|do|worth|possible)\b"
)
_SHORT = 6  # words


def is_answer(message: Message, asked: str | None) -> bool:
    """Whether "let's say 500B" answers a question that was asked, rather than supposing something."""
    return asked is not None and len(message.text.split()) <= _SHORT and _ANSWERING.match(message.text) is not None


_OWN = re.compile(
    r"(?<!do )(?<!does )(?<!should )(?<!can )(?<!could )(?<!would )(?<!will )(?<!must )(?<!did )(?<!may )\b(?:we|i|our|my|"
    r"us)\b(?:'(?:re|m|ve))?(?: (?:are|am|have|will|plan to|want to|now|already))* (?:us(?:e|ing)|have|run(?:ning)?|"
    r"train\w*|own|rent\w*|buy\w*|do|plan\w*|chose|chosen|go|went|need|are on|\w+ is)\b"
)
_SAID_BY_NAME = ("cluster.provider", "cluster.fabric", "cluster.gpu", "model")


def states(name: str, value: object, message: Message) -> bool:
    """Whether a question says this of the job: "does FSDP overlap communication?" asks about FSDP and chooses nothing."""
    if name == "cluster.oversubscription" or (isinstance(value, (str, bool)) and name not in _SAID_BY_NAME):
        return _OWN.search(message.text) is not None
    return True


def settle(
    intent: str,
    message: Message,
    fields: dict[str, object],
    fabrics: list[str],
    excluded: list[str],
    unset: Sequence[str] = (),
    nodes: int | None = None,
) -> str:
    """A question that describes a whole job is a description; a statement in which nothing was understood is unclear."""
    if intent == "ask":
        if (
            len(fabrics) == 2
            and not _ANYBODY.search(message.text)
            and _TWO_WEIGHED.search(message.text)
            and not any(name in fields for name in _JOB)
        ):
            return "compare"
        machines = "cluster.gpu" in fields or "cluster.gpus" in fields
        if machines and _HAS.search(message.text) and not _QUESTION_WORD.search(message.text):
            return "describe"  # "not sure if this is the right place, I have 8 V100s?"
        described = sum(name in fields for name in _JOB)
        if described >= 2 and machines and (_PLANNING.search(message.text) or described >= 3):
            return "describe"
        return "ask"
    if (
        intent == "what-if"
        and not (fields or fabrics or excluded or unset)
        and (_WHAT_HAPPENS.search(message.text) or _GETS_BY.search(message.text))
    ):
        return "ask"
    if intent == "compare" and not fabrics and not _THE_TWO.search(message.text):
        return "ask"
    if (
        intent == "describe"
        and len(fabrics) == 2
        and not any(name in fields for name in _JOB)
        and (_BESIDE.search(message.text) or _EITHER.fullmatch(message.open))
    ):
        return "compare"
    if (
        intent == "describe"
        and not (fields or fabrics or excluded or nodes or unset)
        and _ASKED_INSIDE.search(message.text)
    ):
        return "ask"
    if intent in ("describe", "change") and not (fields or fabrics or excluded or nodes):
        return "change" if unset or (intent == "change" and not _NOTHING_SAID.fullmatch(message.open)) else "unclear"
    return intent
