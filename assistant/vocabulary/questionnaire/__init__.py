"""The questionnaire: everything the planner may be told, and what the house knows of each field (:class:`About`).

Only ``workload``, ``model``, ``cluster.gpu`` and ``cluster.gpus`` are needed, of serving the first two. What is missing
stays ``None`` here; the planner fills it in and lists every assumption.
"""

from .cluster import Cluster
from .money import Budget, Constraints, Quote, clauses
from .section import (
    BLOCK_SCALED,
    NARROW,
    PRECISIONS,
    RARELY,
    SERVING,
    STRATEGIES,
    STRATEGY_NAMES,
    TRAINING,
    WORKLOADS,
    Id,
    Positive,
    Precision,
    Section,
    ServedPrecision,
    Strategy,
    Workload,
)
from .serving import Inference
from .shape import ModelShape
from .training import USUAL_SEQUENCE, Parallelism, Reinforcement, Training
from .whole import FIELDS, Questionnaire, latest_days

__all__ = [
    "BLOCK_SCALED",
    "FIELDS",
    "NARROW",
    "PRECISIONS",
    "RARELY",
    "SERVING",
    "STRATEGIES",
    "STRATEGY_NAMES",
    "TRAINING",
    "USUAL_SEQUENCE",
    "WORKLOADS",
    "Budget",
    "Cluster",
    "Constraints",
    "Id",
    "Inference",
    "ModelShape",
    "Parallelism",
    "Positive",
    "Precision",
    "Questionnaire",
    "Quote",
    "Reinforcement",
    "Section",
    "ServedPrecision",
    "Strategy",
    "Training",
    "Workload",
    "clauses",
    "latest_days",
]
