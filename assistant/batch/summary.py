"""What the rows of a batch come to, counted as they are written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from assistant.vocabulary.batch import BatchSummary, FabricCount, Refusal

from .results import Result

Counted = dict[str, Any]  # what of a row is counted, small enough to be kept beside it


def counted(result: Result) -> Counted:
    """What of a plan, or of an error, the summary needs."""
    if "error" in result:
        error = result["error"]
        return {"refused": error["field"], "message": error["message"][:300]}
    answer = result["recommendation"]
    chosen = next((one for one in result["candidates"] if one["fabric"] == answer["fabric"]), {})
    cost = (chosen.get("cost_usd") or {}).get("p50")
    stands_ready = chosen.get("serving") and not (result["questionnaire"].get("inference") or {}).get("tokens")
    told = {"fabric": answer["fabric"], "usd": cost, "warnings": sorted({one["code"] for one in result["warnings"]})}
    if answer["verdict"] == "infeasible":
        return {"infeasible": True, "warnings": told["warnings"]}
    return told | ({"month": True} if stands_ready else {})


class Summing:
    """A summary that grows row by row."""

    def __init__(self) -> None:
        self.so_far = BatchSummary()
        self._fabrics: dict[str, FabricCount] = {}
        self._warnings = Counter[str]()
        self._refusals: dict[str | None, Refusal] = {}

    def add(self, row: Counted) -> None:
        """One more row."""
        found = self.so_far
        found.rows += 1
        self._warnings.update(row.get("warnings", ()))
        if "refused" in row:
            found.refused += 1
            first = Refusal(field=row["refused"], first=row["message"])
            self._refusals.setdefault(row["refused"], first).rows += 1
            return
        found.planned += 1
        if row.get("infeasible"):
            found.infeasible += 1
            return
        one = self._fabrics.setdefault(row["fabric"], FabricCount(fabric=row["fabric"]))
        one.plans += 1
        self._cost(one, row["usd"], monthly=row.get("month", False))

    def _cost(self, one: FabricCount, usd: float | None, *, monthly: bool) -> None:
        found = self.so_far
        if usd is None:
            found.without_a_price += 1
        elif monthly:
            found.services += 1
            found.usd_per_month += usd
            one.usd_per_month += usd
        else:
            found.runs += 1
            found.cost_usd += usd
            one.cost_usd += usd

    def whole(self, names: Mapping[str, str]) -> BatchSummary:
        """The summary; ``names``: how people call a network."""
        return self.so_far.model_copy(
            update={
                "fabrics": sorted(self._fabrics.values(), key=lambda one: (-one.plans, one.fabric)),
                "warnings": dict(sorted(self._warnings.items(), key=lambda one: (-one[1], one[0]))),
                "refusals": sorted(self._refusals.values(), key=lambda one: (-one.rows, one.field or "")),
                "names": {name: names[name] for name in sorted(self._fabrics) if name in names},
            }
        )
