"""What a quoted sum makes of the prices of machines that are bought."""

from __future__ import annotations

from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.questionnaire import Questionnaire, Quote

from .arithmetic import amortized
from .offered import Offered
from .priced import Priced, constant, nothing, quoted

SUPPORT = "support"  # of the catalog's quote items


def bought_as_quoted(
    gpu: Priced, fabric: Priced, taken: Offered, questionnaire: Questionnaire, months: float, catalog: Catalog
) -> tuple[Priced, Priced]:
    """GPU and fabric with the sum of a quote, written off over ``months`` months like any purchase: for all of it, or
    for the network alone where the sum is far below what the GPUs cost."""
    quote, field = taken.quote, f"budget.quotes.{taken.number}"
    if quote is None:
        return gpu, fabric
    note = f"{quote.usd:,.0f} USD in one sum, as quoted" if quote.usd else None
    all_of_it = nothing(fabric.what, "in the quote", "included")
    if quote.gpu_hour_usd is not None:
        return quoted(gpu.what, quote.gpu_hour_usd, field), all_of_it
    hourly = (quote.usd or 0.0) / questionnaire.cluster.gpus * amortized(1.0, months)
    there = questionnaire.owned_gpus == questionnaire.cluster.gpus
    if of_the_network(quote, hourly, gpu.value, catalog, there=there):
        # machines that need no network leave it
        return gpu, fabric if fabric.origin == "none" else quoted(fabric.what, hourly, field, note=note)
    return quoted(gpu.what, hourly, field, note=note), all_of_it


def of_the_network(quote: Quote, hourly: float, gpu_hourly: float, catalog: Catalog, *, there: bool = False) -> bool:
    """Whether a quoted sum is that of the network alone: it does not name the servers and is far below their price, or
    these are ``there`` already."""
    share = constant(catalog.constants, "quote-of-network-below").si
    return "gpus" not in quote.includes and (there or hourly < share * gpu_hourly)
