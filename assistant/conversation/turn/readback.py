"""How what was taken from a message is read back to the person: fields, what gave way for them, what was assumed with
them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from assistant.present.fields import field_name, field_text, value_text
from assistant.vocabulary.catalog import Catalog

from ..draft import NODES, QUOTES, Change, Draft
from ..events import Understood, UnderstoodField, VariationShown

_NODES_ASSUMED = (
    "how many GPUs that is follows from the GPU and how many are in a node; say both, as in: 8 x H100 per node"
)
_SPLITS = ("parallelism.tp", "parallelism.pp", "parallelism.cp", "parallelism.ep")
# Methods that people run over every GPU, without tensor or pipeline parallelism, unless they say so.
_WITHOUT_SPLIT = ("ddp", "fsdp", "hsdp")


def read_back(
    before: Draft,
    change: Change,
    fields: Mapping[str, Any],
    catalog: Catalog,
    *,
    rest: str = "",
    named: Iterable[str] = (),
    granted: Iterable[str] = (),
) -> Understood:
    """What was taken from a message, what had to give way for it and what was assumed with it, ``granted`` by its words
    too."""
    after = change.draft
    aside = [
        f"{field_text(name, _given_way(name, before, after, fields), catalog)} is set aside: {why}"
        for name, why in change.set_aside.items()
    ]
    aside += _for_so_many(before, after)
    kept = {name: value for name, value in fields.items() if name not in change.set_aside or name in before.fields}
    shown = [_shown(name, value, before, catalog, after) for name, value in _all_set(before, after, kept).items()]
    return Understood(
        fields=tuple(shown), assumed=(*aside, *granted, *_assumed(after, fields, named, catalog)), rest=rest
    )


def _given_way(name: str, before: Draft, after: Draft, fields: Mapping[str, Any]) -> Any:
    """What of a field had to give way: of several quotes those that did."""
    was = before.fields.get(name, fields.get(name))
    return [quote for quote in was or () if quote not in after.fields.get(name, ())] if name == QUOTES else was


def _for_so_many(before: Draft, after: Draft) -> list[str]:
    """That the price of an hour was quoted for another number of GPUs than it is taken for."""
    was, now = (draft.fields.get("cluster.gpus") for draft in (before, after))
    kept = [quote for quote in before.fields.get(QUOTES, ()) if quote in after.fields.get(QUOTES, ())]
    if was in (None, now) or not kept:
        return []
    told = [f"the quoted price of a GPU-hour was for {was:,} GPUs and is taken for {now:,} too: have it confirmed"]
    once = sorted({quote["once_usd"] for quote in kept if quote.get("once_usd")})
    fees = " and ".join(value_text("budget.usd", usd) for usd in once)
    alike = f"what is paid once, {fees}, is counted as for {was:,} GPUs: how it grows with them is not known"
    return [*told, alike] if once else told


def _all_set(before: Draft, after: Draft, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that were said, with the GPUs counted from nodes in the place of the nodes."""
    gpus = after.fields.get("cluster.gpus")
    counted = after.nodes is not None and gpus is not None
    implied = {NODES: counted, "budget.mode": "budget.owned" in fields and "budget.mode" not in after.told}
    shown = {name: value for name, value in fields.items() if not implied.get(name)}
    return {**shown, "cluster.gpus": gpus} if gpus not in (None, before.fields.get("cluster.gpus")) else shown


def _shown(name: str, value: Any, before: Draft, catalog: Catalog, after: Draft) -> UnderstoodField:
    old = before.fields.get(name)
    replaced = value_text(name, old, catalog) if old is not None and old != value else None
    text = field_text(name, value, catalog) if value is not None else f"{field_name(name)}: none"
    if name == "cluster.gpus" and after.nodes is not None and value is not None:
        nodes = f"{after.nodes:,} node{'' if after.nodes == 1 else 's'}"
        text = f"{field_name(name)}: {nodes} × {after.per_node(catalog)} GPUs = {value_text(name, value, catalog)}"
    return UnderstoodField(field=name, value=value, text=text, before=replaced)


def _assumed(draft: Draft, fields: Mapping[str, Any], named: Iterable[str], catalog: Catalog) -> list[str]:
    split = [name for name in _SPLITS if name in draft.fields]
    strategy, decided = draft.fields.get("parallelism.strategy"), draft.fields.get("cluster.fabric")
    assumed = []
    if NODES in fields and draft.nodes is not None and "cluster.gpus" not in draft.fields:
        assumed.append(_NODES_ASSUMED)
    if strategy is None and any(name in fields for name in split):
        assumed.append(_strategy_assumed(draft))
    if fields.get("parallelism.strategy") in _WITHOUT_SPLIT and not split:
        assumed.append(
            f"{value_text('parallelism.strategy', strategy)} over all GPUs, without tensor or pipeline parallelism; "
            f'say for example tp 8 to add some, or "auto" to search'
        )
    compared = [fabric for fabric in named if fabric != decided]
    return assumed + [compared_only(value_text("cluster.fabric", one, catalog)) for one in compared]


def compared_only(network: str) -> str:
    """What is said of a network that was spoken of and decides nothing."""
    return f"{network} is compared like every other network, not taken as decided"


def _strategy_assumed(draft: Draft) -> str:
    """What the planner takes a split for that names no data parallelism."""
    megatron = draft.fields.get("training.framework") in (None, "megatron")
    if megatron and any((draft.fields.get(name) or 1) > 1 for name in ("parallelism.tp", "parallelism.pp")):
        return (
            "data parallelism is taken as ZeRO-1, as Megatron's recipes have it, because none was named, and as ZeRO-2 "
            "or FSDP where it does not fit; say ddp or fsdp if it is that"
        )
    return (
        "data parallelism is taken as DDP, because none was named, and is sharded where it does not fit; say fsdp or "
        "zero-1 if it is that"
    )


def in_words(tried: VariationShown) -> str:
    """What a what-if varies: "GPUs: 128; data parallelism: HSDP"."""
    return "; ".join(field.text for field in tried.fields)


def difference(before: Draft, after: Draft, catalog: Catalog) -> str:
    """What one draft has that another has not, in words."""
    new = [field_text(n, v, catalog) for n, v in after.fields.items() if before.fields.get(n) != v]
    waiting = after.nodes not in (None, before.nodes) and "cluster.gpus" not in after.fields
    new += [field_text(NODES, after.nodes, catalog)] if waiting else []
    gone = [f"{field_name(n)}: none" for n in before.fields if n not in after.fields]
    return ", ".join(new or gone) or 'the answer "not sure"'
