"""Which of the networks that are named are ruled out, and which are theirs already."""

from __future__ import annotations

import re

from .denial import HEADING, LATER
from .message import Negation
from .reading import Reading
from .technologies import TECHNOLOGY, Mention

# What they have is decided, whoever recommended it: "the vendor pushes InfiniBand, and we already own it".
OWNED = re.compile(
    r"(?<!if )(?<!do )(?<!should )(?<!whether )(?<!once )(?<!unless )(?<!when )\b(?:(?:we|i)(?:'ve)?(?: already| also| now| still|"
    r" actually| even| both)*"
    r" (?:have|got|own|bought|installed|run|use|operate)(?: got| bought)? (?:it|that|one|some)\b(?! (?:quoted|offered|on offer|"
    r"as an option|recommended|priced))"
    r"(?: (?:all |already )?(?:installed|in place|running|deployed|here|there|in production))?|"
    r"(?:it|which|that|they)(?:'s|'re| is| are) (?:already |now |all )*(?:installed|in place|running|deployed|in use|in production|cabled|"
    r"ours|"
    r"there already|here already|already (?:here|there)|paid for)\b(?: here)?)"
)
_HEADING_REACH = 30  # characters
_AS_WELL = re.compile(r",?\s(?:as|so) (?:is|are|was|were|does|do) (?:the\s)?$")
_COMMA = re.compile(r"\s*[,;/+&]\s*(?:and\s|or\s)?")
# "No need to buy InfiniBand, it is installed": what is denied is the purchase.
_NOT_BOUGHT = re.compile(r"\b(?:need\w*|buy\w*|order\w*|purchas\w+|procure\w*|get|pay\w*|acquire)\b")


def denials(reading: Reading, mentions: list[Mention]) -> list[Negation | None]:
    """The denial of every mention, in order: its own, that of the list it stands in, or one said of it later in the sentence."""
    found: list[Negation | None] = []
    headed = False
    for n, mention in enumerate(mentions):
        previous = mentions[n - 1] if n else None
        headed = (
            headed
            or HEADING.search(reading.message.text[max(0, mention.start - _HEADING_REACH) : mention.start]) is not None
        )
        if (
            previous
            and found[-1]
            and (
                reading.message.lists_on(previous.end, mention.start)
                or (_AS_WELL.search(reading.message.text[previous.end : mention.start]))
                or (headed and _COMMA.fullmatch(reading.message.text[previous.end : mention.start]))
            )
        ):
            found.append(Negation(mention.start, mention.end))
            continue
        denial = reading.message.negation(mention.start, mention.end)
        if (
            denial
            and _NOT_BOUGHT.search(reading.message.text[denial.start : mention.start])
            and is_owned(reading, mention)
        ):
            denial = None
        following = mentions[n + 1].start if n + 1 < len(mentions) else len(reading.message.text)
        found.append(denial or _denied_later(reading, mention, following))
    for n in range(len(mentions) - 1, 0, -1):
        if _denies_the_list(reading, mentions[n], found[n]) and reading.message.lists_on(
            mentions[n - 1].end, mentions[n].start
        ):
            found[n - 1] = found[n - 1] or Negation(mentions[n - 1].start, mentions[n - 1].end)
    return found


def _denied_later(reading: Reading, mention: Mention, following: int) -> Negation | None:
    """ "RoCE burned us, never again": what the rest of the sentence says of it, before it names another network."""
    said = LATER.match(reading.message.open, mention.end, following)
    if said is None or reading.message.text.rstrip().endswith("?"):
        return None
    reading.message.take(*said.span("said"))
    return Negation(mention.start, mention.end)


def _denies_the_list(reading: Reading, mention: Mention, denial: Negation | None) -> bool:
    """ "RoCE and InfiniBand are both out": a plural denial that follows is said of all of the list."""
    if denial is None or denial.start != mention.start:
        return False
    return (
        re.match(r"\s(?:are|were|aren't|don't|both|all|won't|neither)\b", reading.message.text[mention.end :])
        is not None
    )


def is_owned(reading: Reading, mention: Mention) -> bool:
    """Whether the sentence goes on to say that they have it, before it names another network."""
    text = reading.message.text
    after = re.split(r"[;!?\n]|\.(?=\s|$)", text[mention.end :])[0]
    other = TECHNOLOGY.search(after)
    return OWNED.search(text[mention.start : mention.end] + (after[: other.start()] if other else after)) is not None
