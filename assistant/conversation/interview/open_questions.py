"""Which questions are worth asking of a job."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from assistant.present.fields import field_name
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.interview import InterviewQuestion

from ..draft import Draft


def open_questions(questions: Iterable[InterviewQuestion], draft: Draft, catalog: Catalog) -> list[InterviewQuestion]:
    """Those that are neither answered nor left open and matter for this job."""
    return [question for question in questions if is_open(question, draft, catalog)]


def is_open(question: InterviewQuestion, draft: Draft, catalog: Catalog) -> bool:
    """Whether a question is neither answered nor left open and matters for this job."""
    if question.settled(draft.fields) or question.field in draft.left_open:
        return False
    return question.when.met(
        draft.fields,
        across_nodes=crosses_nodes(draft.fields, catalog),
        serves=draft.serves,
        mixture=is_mixture(draft.fields, catalog),
    )


def crosses_nodes(fields: Mapping[str, Any], catalog: Catalog) -> bool:
    """Whether the job is larger than one scale-up domain: else there is no network to choose."""
    gpu = catalog.gpus.get(fields.get("cluster.gpu", ""))
    node = fields.get("cluster.gpus_per_node") or (max(gpu.gpus_per_node, gpu.scale_up_domain) if gpu else 8)
    return fields.get("cluster.gpus", 0) > node or fields.get("cluster.sites", 1) > 1


def is_mixture(fields: Mapping[str, Any], catalog: Catalog) -> bool:
    """Whether the model has experts, by its name or by what was said of it."""
    named = catalog.models.get(fields.get("model", ""))
    return bool(fields.get("model.experts") or (named and named.experts))


def called(question: InterviewQuestion) -> str:
    """What it asks for, in a word or two."""
    return question.called or f"the {field_name(question.field)}"
