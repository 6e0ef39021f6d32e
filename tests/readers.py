"""Everything that reads what others wrote, each as a function of a text, for what nobody would write."""

from __future__ import annotations

import contextlib
import datetime
import functools
import json
import pathlib
import tempfile
from collections.abc import Callable, Mapping
from typing import Any, cast

from assistant.answering import answer_many
from assistant.answering.answers import computed_answer
from assistant.conversation import Conversation, at_once
from assistant.conversation.events import Event, Failure
from assistant.conversation.planner import dated_planner
from assistant.conversation.transcript import document
from assistant.conversation.wording import markdown
from assistant.library import Library, json_lines, price_lists, profiles, questionnaires, saved_plans, text_batches
from assistant.library import catalog as catalogs
from assistant.library.documents import reading
from assistant.network.diagnosis import diagnose, diagnose_text
from assistant.planning.collective import answers as of_collectives
from assistant.present.answers import answer_lines
from assistant.present.diagnosis import diagnosis_lines
from assistant.present.plan.formats import plan_html
from assistant.retrieval import ready_index
from assistant.sweeps import grid
from assistant.understanding import Listener
from assistant.validation import runs
from assistant.vocabulary import quantities
from assistant.vocabulary.answers import Diagnosis
from assistant.vocabulary.errors import InputError, KnowledgeError
from assistant.vocabulary.plan import Plan
from assistant.web import access, messages

TODAY = datetime.date(2026, 11, 20)
Reader = Callable[[str], object]
# What a reader may say instead of reading: a sentence for whoever wrote it.
REFUSED = (InputError, KnowledgeError, reading.NotADocument, reading.Unreadable, messages.NotUnderstood)
_QUANTITIES = ("count", "whole", "size", "gbps", "usd", "days", "percent", "ratio", "yes_or_no")
_QUESTIONNAIRES = (".yaml", ".json", ".jsonl", ".csv")
_DOCUMENTS = (".html", ".md", ".txt", ".pdf")
_JOB = {"workload": "pretraining", "model": "llama-3.1-70b", "cluster.gpu": "h100-sxm", "cluster.gpus": 64}
_QUOTES = [
    {
        "provider": "CoreWeave",
        "fabric": "infiniband-ndr-400",
        "gpu_hour_usd": 2.2,
        "months": 3,
        "includes": ["support"],
    },
    {"provider": "Lambda", "fabric": "roce-v2-400", "gpu_hour_usd": 2.49, "oversubscription": 2.0},
    {"provider": "Joe's Rack", "fabric": "ethernet-tcp-100", "usd": 50_000.0, "months": 1, "delivery_days": 30},
]
# What a message may be said beside: nothing yet, or a plan, each by the fields that were told before.
_TALKS: dict[str, Mapping[str, Any]] = {
    "first message": {},
    "beside a plan": {**_JOB, "training.tokens": 2e10, "budget.usd": 200_000.0, "constraints.deadline_days": 30.0},
    "beside quotes": {**_JOB, "training.tokens": 2e9, "budget.quotes": _QUOTES},
    "beside a purchase": {**_JOB, "budget.mode": "buy", "constraints.max_power_kw": 200.0},
    "beside serving": {"workload": "inference", "model": "llama-3.1-8b", "cluster.gpu": "h100-sxm", "cluster.gpus": 8},
}


def readers(library: Library) -> dict[str, Reader]:
    """All of them by name, for one library."""
    catalog, listener = library.catalog, Listener.of(library.language, library.catalog, library.listener)
    of_files = {
        **{
            f"questionnaire{ending}": (ending, lambda path: list(questionnaires.read(path, catalog)))
            for ending in _QUESTIONNAIRES
        },
        "prices.csv": (".csv", lambda path: price_lists.read(path, provider="lambda")),
        "runs.csv": (".csv", lambda path: runs.read_measured(path, catalog)),
        "profile.yaml": (".yaml", lambda path: profiles.read(path, catalog)),
        "catalog.yaml": (".yaml", lambda path: catalogs.read(library.knowledge_folder / "catalog", path)),
        "texts.jsonl": (".jsonl", lambda path: list(text_batches.read(path))),
        "transcript.md": (".md", document.read),
        "report.json": (".json", lambda path: _told(diagnose([path], catalog))),
        "plan.json": (".json", saved_plans.read),
        "collectives.jsonl": (".jsonl", lambda path: list(of_collectives(json_lines.read(path, "a line"), catalog))),
    }
    return {
        "message": lambda text: listener.hear(text, today=TODAY),
        "question": lambda text: computed_answer(listener.hear(text, today=TODAY), library, today=TODAY),
        "log": lambda text: _told(Diagnosis(files=[diagnose_text(text, catalog)])),
        "axis": lambda text: list(grid.combinations(grid.axes_of([text], list(catalog.fabrics)))),
        "web message": messages._parts,
        "web address": lambda text: (access.same_origin(text, "a"), access.Access("x" * 16, 1).serves(text)),
        **{f"quantity {name}": _refusing(getattr(quantities, name)) for name in _QUANTITIES},
        **{f"document{ending}": _document(ending) for ending in _DOCUMENTS},
        **{name: _file(ending, read) for name, (ending, read) in of_files.items()},
        **{name: _said(library, fields) for name, fields in _TALKS.items()},
        "sentence": lambda text: at_once.tell(_conversation(library, {}), text),
        "changed plan": _changed_plan(library),
    }


def searching_readers(library: Library) -> dict[str, Reader]:
    """Those that load the embedding model, which takes some seconds."""

    def answered(text: str) -> object:
        asked = Listener.of(library.language, library.catalog, library.listener).hear(text, today=TODAY)
        return [answer_lines(one) for one in answer_many([(None, asked)], library, lambda: ready_index(library))]

    return {"answer": answered}


def _told(found: Diagnosis) -> object:
    return diagnosis_lines(found)


def _conversation(library: Library, fields: Mapping[str, Any]) -> Conversation:
    planner = dated_planner(TODAY, searched=False)
    written = lambda text, target: "nothing is written"
    return Conversation(library, planner=planner, exporter=written, fields=fields, today=TODAY)


def _said(library: Library, fields: Mapping[str, Any]) -> Reader:
    """A message in a conversation in which ``fields`` were told; each is the first one beside the same plan."""

    @functools.cache
    def begun() -> Conversation:
        conversation = _conversation(library, fields)
        conversation.start()
        return conversation

    def of(text: str) -> object:
        before, talk = begun().parts, _conversation(library, fields)
        talk.parts.state, talk.parts.interviewer.thread = before.state, before.interviewer.thread
        return [_worked_out(event) for event in talk.say(text)]

    return of


def _changed_plan(library: Library) -> Reader:
    """A saved plan in which fields were set by hand, ``{"offers.0.fabric": 7}``, read and drawn as a page."""

    @functools.cache
    def made() -> str:
        talk = _conversation(library, _TALKS["beside quotes"])
        talk.start()
        return cast(Plan, talk.plan).model_dump_json(by_alias=True)

    def of(text: str) -> object:
        changes, plan = _json(text), json.loads(made())
        for path, value in changes.items() if isinstance(changes, dict) else ():
            _set(plan, path.split("."), value)
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "plan.json"
            file.write_text(json.dumps(plan))
            return plan_html(saved_plans.read(file))

    return of


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _set(part: Any, path: list[str], value: object) -> None:
    """Put a value where a path leads, as far as it does."""
    first, *rest = path
    key = int(first) if isinstance(part, list) and first.isdecimal() and int(first) < len(part) else first
    if isinstance(part, dict) or isinstance(key, int):
        if rest and (key in part if isinstance(part, dict) else True):
            _set(part[key], rest, value)
        else:
            part[key] = value


def _worked_out(event: Event) -> str:
    """An event as a person reads it. Raises where it tells of an error of the program within it."""
    if isinstance(event, Failure) and "could not be worked out (" in event.text and "(InputError:" not in event.text:
        raise AssertionError(event.text)
    return markdown(event)


def _refusing(read: Reader) -> Reader:
    """A quantity is refused with a ``ValueError``, which pydantic makes a sentence of."""

    def of(text: str) -> object:
        with contextlib.suppress(ValueError):
            return read(text)

    return of


def _document(ending: str) -> Reader:
    return lambda text: reading.read(pathlib.PurePath(f"a{ending}"), _bytes(text))


def _file(ending: str, read: Callable[[pathlib.Path], object]) -> Reader:
    def of(text: str) -> object:
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / f"a{ending}"
            file.write_bytes(_bytes(text))
            return read(file)

    return of


def _bytes(text: str) -> bytes:
    """What no UTF-8 can be is written as the byte that it stands for."""
    return text.encode("utf-8", "surrogateescape" if text.isascii() else "surrogatepass")
