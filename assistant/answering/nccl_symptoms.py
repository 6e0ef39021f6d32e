"""A question that quotes a line of a log, or tells what it shows, is answered from the failures that ``weft nccl
diagnose`` knows; one that asks how something is checked by what a log shows of it (``knowledge/nccl/asked.yaml``)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from assistant.library import Library, nccl_claims
from assistant.network.diagnosis.signatures import (
    COMPLETION,
    Failure,
    completions,
    judgements,
    pinned,
    signatures,
)
from assistant.network.nccl import documents
from assistant.network.nccl.environments import Environment, environments
from assistant.network.nccl.variables import variables_in
from assistant.vocabulary.answers import DirectLine
from assistant.vocabulary.utterance import Utterance

from .nccl_variables import Place, value_after

_MOST = 3
_FILLED_IN = re.compile(r"\{[^}]{0,40}\}")
_SOURCE = "nccl-failures"  # of a line that only says where to look
_SURE = {"confirmed": "confirmed", "reported": "reported by others", "inferred": "our inference"}


def symptom_lines(said: Utterance, library: Library) -> list[DirectLine]:
    """What the failure is that a question quotes or tells of, and what to do; empty where it does neither, or asks for
    something else."""
    named = bool(variables_in(said.text))  # a question on a setting, unless it has a line of a log too
    found = [*_quoted(said.text), *([] if named else _told(said.text))]
    if not found:
        return []
    lines = [
        _line(*each, library) for each in {failure.code: (failure, said_of) for failure, said_of in found}.values()
    ]
    around = _around(said, library) if any(words.get("needs") for words in _symptoms(said.text)) else []
    pointer = "A log shows which of it holds (NCCL_DEBUG=INFO from the start of the job): weft nccl diagnose LOG"
    return [*lines[: _MOST + 1], *map(_needed, around[:_MOST]), DirectLine(text=pointer, source=_SOURCE)]


def check_lines(said: Utterance) -> list[DirectLine]:
    """How what a question asks after is seen in a log; empty where it asks for nothing of that kind."""
    text = said.text
    known = _asked()
    if not any(one.search(text) for one in known["asks_how"]):
        return []
    found = [
        DirectLine(
            text=f"{one['about'][0].upper()}{one['about'][1:]}: run with NCCL_DEBUG=INFO and look for {one['look']}. "
            f"[{one.get('claim') or one['source']}]",
            claims=[one["claim"]] if "claim" in one else [],
            source=(one.get("claim") or one["source"]).partition("/")[0],
        )
        for one in known["checks"]
        if _holds(one["says"], text)
    ]
    variables = [
        DirectLine(
            text=f'Whether {name} is read: with NCCL_DEBUG=INFO the log says "{name} set by environment to …" '
            "(NCCL_DEBUG_SUBSYS with ENV in it); without that line it is not set where the ranks start.",
            source="nvidia-nccl-source-2-30",
        )
        for name, _, _ in variables_in(text)[:1]
    ]
    if not found and not variables:
        return []
    pointer = "All of it is read from a log by: weft nccl diagnose LOG"
    return [*variables, *found[:1], DirectLine(text=pointer, source=_SOURCE)]


def of_a_log(text: str) -> bool:
    """Whether a question tells of a log, so that it may quote a line of it."""
    return any(one.search(text) for one in _asked()["of_a_log"])


def _quoted(text: str) -> Iterator[tuple[Failure, Mapping[str, Any]]]:
    """The failures whose line a question quotes, as it tells of a log."""
    known = _asked()
    if not of_a_log(text):
        return
    ended = COMPLETION.search(text)
    name, number = (ended[1], ended[2]) if ended else (None, None)
    if not ended and any(one.search(text) for one in known["of_a_completion"]):
        short = known["completion"].search(text)
        number = short[1] if short else None
    for each in completions():
        if (number and each.status == int(number)) or f"IBV_WC_{each.name}" in text or (name and each.name == name):
            yield each, {"status": each.status}
    named = {name: end for name, _, end in variables_in(text)}
    for each in pinned():
        if each.setting in named and number and each.status == int(number):
            value = value_after(text, named[each.setting])
            if value and value not in each.usual:
                yield each, {"value": value}
    for each in signatures():
        told = each.said_in(text, text.lower()) if not each.sign and each.severity != "info" else None
        if told is not None:
            yield each, {"said": told}


def _told(text: str) -> Iterator[tuple[Failure, Mapping[str, Any]]]:
    """What a question tells of in other words than a line's, and what is to be looked for."""
    for one in _symptoms(text):
        first = _failure(one["found"])
        yield first.model_copy(update={"fix": one.get("do", first.fix)}), {}
        yield from ((_failure(code), {}) for code in one.get("causes", ()))


def _symptoms(text: str) -> list[dict[str, Any]]:
    return [one for one in _asked()["symptoms"] if _holds(one["says"], text)]


def _failure(code: str) -> Failure:
    return judgements()[code] if code in judgements() else next(each for each in signatures() if each.code == code)


def _line(failure: Failure, said: Mapping[str, Any], library: Library) -> DirectLine:
    message = _filled(failure.message, said).replace(" (…)", "")
    claim = nccl_claims.of_failure(failure.source, failure.code) if failure.source else None
    claim = claim if claim in library.knowledge.claims else None
    rests = "; ".join(part for part in (failure.rests, _SURE[failure.sure] if failure.rests else "", claim) if part)
    fix = f" What to do: {_filled(failure.fix, said)}." if failure.fix else ""
    text = f"{message[0].upper()}{message[1:]}.{fix}{f' [{rests}]' if rests else ''}"
    return DirectLine(text=text, claims=[claim] if claim else [], source=failure.source or _SOURCE)


def _filled(text: str, said: Mapping[str, Any]) -> str:
    """With what the question says in the braces, and dots where only a whole log tells it."""
    return _FILLED_IN.sub(lambda hole: str(said.get(hole[0][1:-1]) or "…"), text)


def _around(said: Utterance, library: Library) -> list[Environment]:
    """The documents on the machines that a question names."""
    place = Place.of(said, library, variables_in(said.text))
    return [one for one in environments() if place.named and place.has(one)]


def _needed(around: Environment) -> DirectLine:
    """What machines need, and what a log of theirs shows."""
    needs = f" they need {around.needs};" if around.needs else ""
    named = " and ".join(dict.fromkeys(f"NCCL_NET={one.value}" for one in around.set if one.name == "NCCL_NET"))
    stops = f" {named} makes the job stop in place of falling back;" if named else ""
    text = f"{around.name} ({around.provider or around.word}):{needs}{stops} a healthy log: {around.seen}."
    return DirectLine(text=f"{text} [{around.source}]", source=around.source or _SOURCE)


def _holds(alternatives: Iterable[Iterable[re.Pattern[str]]], text: str) -> bool:
    return any(all(one.search(text) for one in words) for words in alternatives)


@lru_cache(maxsize=1)
def _asked() -> dict[str, Any]:
    """``asked.yaml`` with its patterns compiled."""
    known = dict(documents()["asked.yaml"])
    for name in ("of_a_log", "of_a_completion", "asks_how"):
        known[name] = [_pattern(one) for one in known[name]]
    known["completion"] = _pattern(known["completion"])
    for name in ("symptoms", "checks"):
        known[name] = [one | {"says": [[*map(_pattern, words)] for words in one["says"]]} for one in known[name]]
    return known


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)
