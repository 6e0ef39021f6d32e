"""The JSON contracts by name, and their JSON Schemas."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from .answers import Answer, Diagnosis, FabricDesign, NcclBench, SourceLine, Understanding
from .batch import BatchSummary
from .benchmark import Benchmark
from .collective import CollectiveQuery, CollectiveTime
from .plan import Plan, Prediction
from .plan.diff import PlanDiff
from .profile import Profile
from .questionnaire import Questionnaire
from .sweep import Sweep

CONTRACTS: dict[str, type[BaseModel]] = {
    "questionnaire": Questionnaire,
    "plan": Plan,
    "prediction": Prediction,
    "plan-diff": PlanDiff,
    "batch-summary": BatchSummary,
    "answer": Answer,
    "understanding": Understanding,
    "fabric-design": FabricDesign,
    "diagnosis": Diagnosis,
    "nccl-bench": NcclBench,
    "collective": CollectiveQuery,
    "collective-time": CollectiveTime,
    "source": SourceLine,
    "sweep": Sweep,
    "profile": Profile,
    "benchmark": Benchmark,
}


def schema_of(name: str) -> dict[str, Any]:
    """The JSON Schema of a contract; for the questionnaire and a collective of what may be written, for the others
    of what is printed."""
    model = CONTRACTS[name]
    mode = "validation" if name in ("questionnaire", "collective") else "serialization"
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **model.model_json_schema(by_alias=True, mode=mode),
    }
