"""The network of a plan: topology and bill of materials for the fabric and the size."""

from __future__ import annotations

from assistant.library.checks import known_id
from assistant.network.topology import design
from assistant.vocabulary.answers import FabricDesign
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.errors import InputError, Place

from .entry import Entry
from .resolve import Resolved


def design_of(fabric_id: str, gpu_id: str, gpus: int, catalog: Catalog, *, gpus_per_node: int | None = None,
              nics_per_node: int | None = None) -> FabricDesign:
    """The design for ids a person typed. Raises :class:`InputError` for an unknown id or an impossible size."""
    known_id("fabric", fabric_id, catalog.fabrics, {a: f.id for f in catalog.fabrics.values() for a in f.aliases})
    known_id("--gpu", gpu_id, catalog.gpus, {a: g.id for g in catalog.gpus.values() for a in g.aliases})
    per_node = gpus_per_node or catalog.gpus[gpu_id].gpus_per_node
    if gpus > per_node and gpus % per_node:
        raise InputError(f"expected whole nodes of {per_node} GPUs, got {gpus}", Place(field="--gpus"))
    return design(catalog.fabrics[fabric_id], catalog.gpus[gpu_id], gpus, gpus_per_node, nics_per_node, catalog)


def design_for(entry: Entry, job: Resolved, catalog: Catalog) -> FabricDesign | None:
    """The design of a candidate; ``None`` where none can be drawn (too large, or no known switch)."""
    months = job.questionnaire.budget.amortization_months or 36
    try:
        return design(entry.considered.fabric, job.gpu, job.gpus // job.sites, job.gpus_per_node, entry.considered.nics_per_node, catalog,
                      amortization_months=months)
    except InputError:
        return None


def capex_per_gpu(entries: list[Entry], job: Resolved, catalog: Catalog) -> dict[str, float]:
    """US dollars per GPU of switches, NICs, optics and cables by fabric, when the machines are bought."""
    if job.questionnaire.budget.mode != "buy":
        return {}
    designs = {e.id: design_for(e, job, catalog) for e in entries if e.estimate is not None}
    return {ident: d.capex_usd.mid / (job.gpus // job.sites) for ident, d in designs.items() if d is not None and d.capex_usd.mid > 0}
