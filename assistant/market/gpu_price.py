"""What one GPU-hour costs: rented what was quoted or is offered, bought what the catalog or a relative says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assistant.vocabulary.catalog import Catalog, Fact, Gpu
from assistant.vocabulary.errors import InputError, Place
from assistant.vocabulary.questionnaire import Budget

from .arithmetic import amortized
from .offered import Offered
from .priced import Freshness, Priced, constant, quoted, unknown


def rent(
    budget: Budget, gpu: Gpu, offers: Sequence[Offered], catalog: Catalog, freshness: Freshness, gpus: int
) -> tuple[Priced, Offered | None]:
    """USD per GPU-hour of renting ``gpus`` GPUs, and the offer whose price it is: the quote, else the cheapest of
    ``offers``, else what the user's own catalog says of the GPU; unknown where there is none of these."""
    if budget.gpu_hour_usd is not None:
        return quoted(gpu.name, budget.gpu_hour_usd, "budget.gpu_hour_usd"), None
    known = ((one, one.price) for one in offers if one.price is not None)
    offered, fact = min(known, key=lambda one: one[1].si * one[0].markup * one[0].paid(gpus), default=(None, None))
    if offered is not None and fact is not None:
        if offered.quote is not None:
            return quoted(f"{gpu.name}, {offered.name}", fact.si, f"budget.quotes.{offered.number}"), offered
        tier = "" if offered.tier == "on-demand" else f", {offered.tier}"
        note = offered.offer.note if offered.markup == 1.0 else _above_the_cheapest(fact, catalog)
        what = f"{gpu.name}{tier}, {offered.name}"
        return freshness.priced(what, fact, "offer", factor=offered.markup, note=note), offered
    own = catalog.overrides.get(f"gpus.{gpu.id}.hour_price")
    return (freshness.priced(gpu.name, own.fact) if own else unknown(gpu.name)), None


def _above_the_cheapest(fact: Fact, catalog: Catalog) -> str:
    markup = constant(catalog.constants, "market-paid-over-cheapest")
    why = markup.source.removeprefix("derived: ")
    return f"its cheapest host asks {fact.si:g} USD/GPU-h, {markup.si:g} times as much is counted: {why}"


def buy(budget: Budget, gpu: Gpu, catalog: Catalog, freshness: Freshness, months: float) -> Priced:
    """USD per GPU-hour of a purchased GPU with its share of the node, over ``months`` months of full use; power not
    included."""
    what = f"{gpu.name}, bought"
    if budget.gpu_hour_usd is not None:
        return quoted(what, budget.gpu_hour_usd, "budget.gpu_hour_usd")
    own = _purchase_price(gpu, catalog)
    if own is not None:
        note = f"{own.value:,.0f} USD over {months:g} months"
        found = freshness.priced(what, own, factor=amortized(1.0, months), unit="USD/GPU-h", note=note)
        return replace(found, device=gpu.id)
    prices = {
        other.id: fact for other in catalog.gpus.values() if (fact := _purchase_price(other, catalog)) is not None
    }
    return _from_relative(what, gpu, prices, catalog, freshness, amortized(1.0, months))


def _purchase_price(gpu: Gpu, catalog: Catalog) -> Fact | None:
    return gpu.purchase_price or catalog.constants.get(f"cost-purchase-price-{gpu.id}")


def _from_relative(
    what: str, gpu: Gpu, prices: dict[str, Fact], catalog: Catalog, freshness: Freshness, factor: float = 1.0
) -> Priced:
    """The price of the GPU nearest in speed, same vendor first, in proportion to the dense 16-bit peak."""
    if not prices:
        problem = f"expected a price: the catalog has none for {gpu.name} or a relative of it"
        raise InputError(problem, Place(field="budget.gpu_hour_usd"))

    def distance(ident: str) -> tuple[bool, float, float, str]:
        other = catalog.gpus[ident]
        ratio = _speed(other) / _speed(gpu)
        return other.vendor != gpu.vendor, max(ratio, 1 / ratio), prices[ident].si, ident

    nearest = min(prices, key=distance)
    ratio = _speed(gpu) / _speed(catalog.gpus[nearest])
    how = f"{catalog.gpus[nearest].name}'s × {ratio:.3g}, the ratio of their 16-bit peaks"
    note = f"no price in the catalog: {how}; give a quote"
    found = freshness.priced(what, prices[nearest], "derived", factor=ratio * factor, unit="USD/GPU-h", note=note)
    return replace(found, device=gpu.id)


def _speed(gpu: Gpu) -> float:
    """Dense 16-bit FLOP/s: BF16 where there are units for it, else FP16."""
    return max(gpu.peak_bf16.si, gpu.peak_fp16.si)
