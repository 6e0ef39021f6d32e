"""The answer: the plan (contract ``weft/plan/1``) and the prediction."""

from .evidence import Crossover, CrossoverPoint, Evidence, Finding, PlanConflict, PlanConflictSide, SourceNumber
from .measured import MeasuredNetwork, MeasuredRun
from .offers import Alternative, QuotedOffer, RentalOffer, RivalOffer, tier_told
from .parts import (
    CLOSE_PERCENT,
    QUOTE_WARNINGS,
    TIE_PERCENT,
    Assumption,
    Band,
    Barred,
    Certainty,
    Contract,
    Verdict,
    Warning_,
)
from .prediction import PHASES, Breakdown, LearningStep, Prediction, ServingFigures
from .purchase import PowerUse, Purchase, PurchaseItem, RackPower, RentOrBuy
from .recommendation import Candidate, Card, Flip, Medians, Mover, Outcome, Recommendation
from .serving import Crossing, KindOfGpu, ServedOver, Sizing
from .whole import MadeWith, Plan

__all__ = [
    "CLOSE_PERCENT",
    "PHASES",
    "QUOTE_WARNINGS",
    "TIE_PERCENT",
    "Alternative",
    "Assumption",
    "Band",
    "Barred",
    "Breakdown",
    "Candidate",
    "Card",
    "Certainty",
    "Contract",
    "Crossing",
    "Crossover",
    "CrossoverPoint",
    "Evidence",
    "Finding",
    "Flip",
    "KindOfGpu",
    "LearningStep",
    "MadeWith",
    "MeasuredNetwork",
    "MeasuredRun",
    "Medians",
    "Mover",
    "Outcome",
    "Plan",
    "PlanConflict",
    "PlanConflictSide",
    "PowerUse",
    "Prediction",
    "Purchase",
    "PurchaseItem",
    "QuotedOffer",
    "RackPower",
    "Recommendation",
    "RentOrBuy",
    "RentalOffer",
    "RivalOffer",
    "ServedOver",
    "ServingFigures",
    "Sizing",
    "SourceNumber",
    "Verdict",
    "Warning_",
    "tier_told",
]
