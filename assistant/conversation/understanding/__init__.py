"""Free text to intent and questionnaire fields, by a small grammar over quantities and the catalog's names.

No language model: the domain is small, the same words always give the same answer, and nothing that
was not said is filled in. What is not understood comes back in ``rest``.

The order of the readers matters: what is marked most clearly is read first and masked, so that the
"2.10" of ``$2.10/hr`` is never a count of GPUs and the "70b" of a model never a number of tokens.
"""

from __future__ import annotations

from assistant.vocabulary.answers import Understanding
from assistant.vocabulary.catalog import Catalog

from . import (
    answered,
    cabling,
    constraints,
    corrections,
    demands,
    duration,
    fabrics,
    impossible,
    increments,
    intents,
    keyed,
    lexicon,
    models,
    money,
    others,
    parallelism,
    pools,
    relative,
    scale,
    team,
    training,
    unsetting,
)
from .message import Message
from .reading import Context, Reading

__all__ = ["Context", "understand"]


def understand(text: str, *, context: Context | None = None, catalog: Catalog | None = None) -> Understanding:
    """What ``text`` says. ``context`` is what the conversation knows: it settles bare numbers and corrections.

    ``catalog`` is the shipped one when not given. Values are plain numbers and catalog ids as the
    questionnaire takes them; a fabric that is stated as decided is ``cluster.fabric``, every fabric
    named is in ``fabrics``, one ruled out in ``excluded``.
    """
    if catalog is None:
        from assistant import library

        catalog = library.load().catalog
    message = Message(text)
    reading = Reading(message, lexicon.of(catalog), context)
    unread = impossible.refuse(reading) + impossible.set_links_aside(reading)
    unread += impossible.set_others_aside(reading)
    reading.intent = _intent_at_first(message, context)
    if reading.intent in ("why", "why-not", "compare"):
        _read_names(reading)
    elif reading.intent not in ("help", "undo", "export"):
        _read_beside_others(reading)
    message.give_back(unread + reading.held)
    reading.settle_denied()
    _settle(reading)
    return Understanding(
        intent=reading.intent,
        fields=reading.fields,
        fabrics=reading.fabrics,
        excluded=reading.excluded,
        unset=[name for name in reading.unset if name not in reading.fields],
        nodes=reading.nodes,
        rest="" if reading.intent in ("help", "undo") else message.rest(),
        doubts=reading.doubts,
    )


def _intent_at_first(message: Message, context: Context | None) -> str:
    """The intent by the words alone, and by the question that is open."""
    asked = context.asked if context else None
    if answered.is_yes_or_no(message.text, asked):
        return "describe"
    intent = intents.intent_of(message)
    if intent == "change" and asked and answered.is_a_plain_no(message.text):
        return "describe"
    return "describe" if intent in ("what-if", "change") and intents.is_answer(message, asked) else intent


def _settle(reading: Reading) -> None:
    """What the intent is once it is known which facts were said; of a question, only the facts that it states."""
    message = reading.message
    if reading.unknown_gpus and not reading.fields and reading.intent in ("describe", "change", "what-if"):
        reading.doubts.append(
            f'"{reading.unknown_gpus[0]}" is no GPU of the catalog: name the one of it that comes nearest'
        )
    reading.intent = intents.settle(
        reading.intent, message, reading.fields, reading.fabrics, reading.excluded, reading.unset, reading.nodes
    )
    if reading.intent == "describe" and corrections.is_put_anew(reading):
        reading.intent = "change"
    if reading.intent == "ask" and not any(name in reading.fields for name in intents.JOB_ITSELF):
        reading.fields = {name: value for name, value in reading.fields.items() if intents.states(name, value, message)}


def _read_beside_others(reading: Reading) -> None:
    """All that is said, but of what others did no more than the networks it names."""
    told = others.told_of_others(reading.message, asked=reading.intent == "ask")
    if not told:
        _read(reading)
        return
    if reading.intent != "ask" or others.states_ours(reading.message, told):
        for span in told:
            reading.message.take(*span)
        _read(reading)
        reading.message.give_back(told)
    reading.spoken_of += told
    ours = dict(reading.fields)
    fabrics.read_fabrics(reading)
    reading.fields = ours


def _read_names(reading: Reading) -> None:
    """What a question about the plan may name; it states nothing about the job beyond that."""
    models.read_model(reading)
    scale.read_scale(reading)
    fabrics.read_fabrics(reading)
    reading.fabrics += [f for f in reading.excluded if f not in reading.fabrics][:1] if not reading.fabrics else []
    reading.excluded = []
    constraints.read_providers(reading)


def _read(reading: Reading) -> None:
    corrections.read_replaced(reading)
    keyed.read_keyed(reading)
    increments.read_increments(reading)
    unsetting.read_unset(reading)
    constraints.read_workload(reading)
    cabling.read_cabling(reading)
    money.read_money(reading)
    relative.read_relative(reading)
    relative.read_grown(reading)
    relative.read_of_that(reading)
    training.read_requests(reading)
    training.read_step(reading)
    demands.read_demands(reading)
    team.read_team(reading)
    constraints.read_sites(reading)
    models.read_model(reading)
    parallelism.read_parallelism(reading)
    pools.read_pools(reading)
    scale.read_scale(reading)
    fabrics.read_fabrics(reading)
    constraints.read_providers(reading)
    models.read_sizes(reading)
    constraints.read_plain_training(reading)
    duration.read_time(reading)
    corrections.read_self_correction(reading)
    corrections.read_bare(reading)
