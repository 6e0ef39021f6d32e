"""Quotes for one job, and the plans made of them."""

from __future__ import annotations

import datetime
import re

import pytest

from assistant import library, planning
from assistant.conversation import Conversation, at_once
from assistant.library import questionnaires
from assistant.planning import pipeline
from assistant.planning.card import _do
from assistant.present.plan import formats
from assistant.present.plan.changes import _unlike
from assistant.present.plan.flips import turn
from assistant.understanding import Listener
from assistant.understanding.text import in_one_line
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.plan import Plan
from assistant.vocabulary.questionnaire import Questionnaire

TODAY = datetime.date(2026, 11, 20)

CATALOG = library.load().catalog

JOB = {"workload": "pretraining", "model": "llama-3.1-70b", "cluster": {"gpu": "h100-sxm", "gpus": 64},
       "training": {"tokens": 2e9}}  # fmt: skip

THREE = [
    {"provider": "CoreWeave", "fabric": "infiniband-ndr-400", "gpu_hour_usd": 2.20, "includes": ["support"]},
    {"provider": "Lambda", "fabric": "roce-v2-400", "gpu_hour_usd": 2.49, "oversubscription": 2},
    {"provider": "Joe's Rack", "fabric": "ethernet-tcp-100", "usd": "50k", "months": 1},
]


def asked(*quotes: dict, model: str = "llama-3.1-70b", gpus: int = 64, **budget) -> Questionnaire:
    cluster = {"gpu": "h100-sxm", "gpus": gpus}
    said = {**JOB, "model": model, "cluster": cluster, "budget": {"quotes": list(quotes), **budget}}
    return questionnaires.from_value(said, CATALOG)


def planned(*quotes: dict, **budget) -> Plan:
    return planning.plan(asked(*quotes, **budget), library.load(), index=None)


def decided(*quotes: dict, **budget) -> pipeline.Decision:
    return pipeline.Pipeline(library.load(), TODAY).decide(asked(*quotes, **budget), pipeline.CHOICE_ALONE)


IB, ROCE = "infiniband-ndr-400", "roce-v2-400"
