"""What a quoted sum makes of the prices of machines that are bought."""

from __future__ import annotations

from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.questionnaire import Questionnaire, Quote

from .arithmetic import amortized
from .offered import Offered
from .priced import Priced, constant, nothing, quoted

Parts = tuple[Priced, Priced, Priced | None, Priced | None]  # GPU, fabric, and the power of each


def bought_as_quoted(parts: Parts, taken: Offered, questionnaire: Questionnaire, catalog: Catalog) -> Parts:
    """The parts with the sum of a quote, written off like any purchase: for all of it, or for the network alone where
    the sum is far below what the GPUs cost. Power stays as it is."""
    gpu, fabric, gpu_power, fabric_power = parts
    quote, field = taken.quote, f"budget.quotes.{taken.number}"
    if quote is None:
        return parts

    def whole(hourly: float) -> Parts:
        network = nothing(fabric.what, "in the quote", "included")
        return quoted(gpu.what, hourly, field), network, gpu_power, fabric_power

    if quote.gpu_hour_usd is not None:
        return whole(quote.gpu_hour_usd)
    usual = constant(catalog.constants, "cost-amortization").value
    months = questionnaire.budget.amortization_months or usual
    hourly = (quote.usd or 0.0) / questionnaire.cluster.gpus * amortized(1.0, months)
    there = questionnaire.owned_gpus == questionnaire.cluster.gpus
    if of_the_network(quote, hourly, gpu.value, catalog, there=there):
        if fabric.origin == "none":  # machines that need no network leave it
            return parts
        return gpu, quoted(fabric.what, hourly, field), gpu_power, fabric_power
    return whole(hourly)


def of_the_network(quote: Quote, hourly: float, gpu_hourly: float, catalog: Catalog, *, there: bool = False) -> bool:
    """Whether a quoted sum is that of the network alone: it does not name the servers and is far below their price, or
    these are ``there`` already."""
    share = constant(catalog.constants, "quote-of-network-below").si
    return "gpus" not in quote.includes and (there or hourly < share * gpu_hourly)
