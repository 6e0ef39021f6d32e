"""Checks that need the catalog: ids that must exist, and splits that an architecture or a node does not allow."""

from __future__ import annotations

from collections.abc import Mapping

from assistant.vocabulary.catalog import Catalog, Fabric, Gpu, Model, Provider
from assistant.vocabulary.errors import InputError, Place, did_you_mean
from assistant.vocabulary.quantities import count, shown
from assistant.vocabulary.questionnaire import BLOCK_SCALED, Inference, ModelShape, Parallelism, Questionnaire
from assistant.vocabulary.rates import Fabrics


def check(questionnaire: Questionnaire, catalog: Catalog) -> None:
    """Raise :class:`InputError` for the first id or combination that cannot be."""
    _check_ids(questionnaire, catalog)
    if questionnaire.sized_by_load:  # the GPUs are checked when they are known
        if questionnaire.inference is not None:
            _check_copy(questionnaire.inference, _shape(questionnaire, catalog))
        return
    check_shape(questionnaire, catalog)


def check_shape(questionnaire: Questionnaire, catalog: Catalog) -> None:
    """The combinations alone, for a questionnaire whose ids are known to be in the catalog."""
    _check_nodes(questionnaire, catalog)
    _check_precision(questionnaire, catalog)
    if isinstance(questionnaire.parallelism, Parallelism):
        _check_split(questionnaire, questionnaire.parallelism, catalog)
    _check_serving(questionnaire, catalog)


def _refuse(field: str, message: str) -> None:
    raise InputError(message, Place(field=field))


def _check_ids(questionnaire: Questionnaire, catalog: Catalog) -> None:
    cluster = questionnaire.cluster
    if isinstance(questionnaire.model, str):
        known_id("model", questionnaire.model, catalog.models)
    if "gpu" not in questionnaire.sized_by_load:
        known_id("cluster.gpu", cluster.gpu, catalog.gpus)
    if cluster.fabric is not None:
        known_id("cluster.fabric", cluster.fabric, catalog.fabrics)
    if cluster.provider is not None:
        known_id("cluster.provider", cluster.provider, catalog.providers)
    for name in ("critic", "reward_model"):
        if (given := getattr(questionnaire.rl, name, None)) is not None:
            model_named(f"rl.{name}", given, catalog)
    gpus = questionnaire.budget.quoted_gpus if "gpus" in questionnaire.sized_by_load else cluster.gpus
    for number, quote in enumerate(questionnaire.budget.quotes):
        if quote.fabric is not None:
            known_id(f"budget.quotes.{number}.fabric", quote.fabric, catalog.fabrics)
        if quote.gpu is not None:
            known_id(f"budget.quotes.{number}.gpu", quote.gpu, catalog.gpus)
            if "gpu" not in questionnaire.sized_by_load and quote.gpu != cluster.gpu:
                _refuse(
                    f"budget.quotes.{number}.gpu",
                    f"expected a quote for the GPU of the cluster, {cluster.gpu}, got {quote.gpu}: leave it out",
                )
        if gpus is not None and not quote.stands("cluster.gpus", gpus, gpus):
            _refuse(
                f"budget.quotes.{number}.gpus",
                f"expected a sum for the GPUs of the cluster, {gpus}, got one for {quote.gpus}: ask for a new one, "
                "or give its price of a GPU-hour",
            )
        for item in quote.includes:
            if item not in catalog.quote_items:
                hint = did_you_mean(item, catalog.quote_items, f"known: {', '.join(catalog.quote_items)}")
                _refuse(
                    f"budget.quotes.{number}.includes", f"expected what a quote may include, got {shown(item)}{hint}"
                )


def model_named(field: str, given: str, catalog: Catalog) -> Model | ModelShape:
    """A model of the catalog by its id or another name, or one of a number of parameters. Raises :class:`InputError`
    for what is neither."""
    by_alias = {alias.lower(): model for model in catalog.models.values() for alias in model.aliases}
    known = catalog.models.get(given) or by_alias.get(given.lower())
    if known is not None:
        return known
    try:
        return ModelShape(params=count(given))
    except ValueError:
        hint = did_you_mean(given.lower(), catalog.models, "or a number of parameters such as 7B", most=3)
        raise InputError(f"expected an id of the catalog, got {shown(given)}{hint}", Place(field=field)) from None


def known_id(field: str, given: str, known: Mapping[str, Gpu | Model | Fabric | Provider]) -> None:
    """Refuse an id that is not in the catalog, with the nearest ones that are."""
    if given in known:
        return
    aliases = {alias.lower(): entry.id for entry in known.values() for alias in entry.aliases}
    meant = aliases.get(given.lower(), given.lower())
    if isinstance(known, Fabrics):
        meant = known.spelled(given) or meant
    hint = did_you_mean(meant, [meant] if meant in known else known, f"known: {', '.join(known)}", most=3)
    _refuse(field, f"expected an id of the catalog, got {shown(given)}{hint}")


def _check_nodes(questionnaire: Questionnaire, catalog: Catalog) -> None:
    cluster = questionnaire.cluster
    per_node = cluster.gpus_per_node
    at_each = cluster.gpus // cluster.sites
    if per_node is not None and at_each % per_node and (at_each > per_node or cluster.sites > 1):
        there = f" at each of {cluster.sites} sites" if cluster.sites > 1 else ""
        said = f"expected whole nodes, a multiple of gpus_per_node ({per_node}){there}, got {at_each}"
        _refuse("cluster.gpus", said)
    if cluster.fabric == "none" and cluster.gpus > max(catalog.gpus[cluster.gpu].scale_up_domain, per_node or 0):
        holds = f"a scale-up domain of {cluster.gpu} holds {catalog.gpus[cluster.gpu].scale_up_domain}"
        _refuse("cluster.fabric", f"expected a fabric between nodes for {cluster.gpus} GPUs, got none: {holds}")


def _check_precision(questionnaire: Questionnaire, catalog: Catalog) -> None:
    gpu = catalog.gpus[questionnaire.cluster.gpu]
    for section, said in (("training", questionnaire.training), ("inference", questionnaire.inference)):
        if said is not None and said.precision == "fp8" and gpu.peak_fp8 is None:
            _refuse(f"{section}.precision", f"expected fp32, fp16 or bf16: {gpu.name} has no FP8 units, got fp8")
    training = questionnaire.training
    if training is not None and training.precision in BLOCK_SCALED and not gpu.scales_blocks:
        instead = "fp32, fp16, bf16 or fp8" if gpu.peak_fp8 else "fp32, fp16 or bf16"
        why = f"of numbers that share a scale block by block no training run is known on {gpu.name}, only on Blackwell"
        _refuse("training.precision", f"expected {instead}: {why}, got {training.precision}")


def _shape(questionnaire: Questionnaire, catalog: Catalog) -> Model | ModelShape:
    return catalog.models[questionnaire.model] if isinstance(questionnaire.model, str) else questionnaire.model


def _without_experts(model: Model | ModelShape, degree: int) -> str:
    """What is wrong with a degree over experts of which nobody said how many there are."""
    if isinstance(model, ModelShape) and model.active_params and model.active_params < (model.params or 0):
        return f"expected the number of experts (model.experts) beside {degree}: the parameters alone do not tell it"
    return f"expected 1 for a model without experts, got {degree}"


def _check_split(questionnaire: Questionnaire, split: Parallelism, catalog: Catalog) -> None:
    model, training = _shape(questionnaire, catalog), questionnaire.training
    gpus, together, stages = questionnaire.trainers, split.tp * split.pp * split.cp, split.pp * split.interleave
    if gpus % together:
        _refuse("parallelism", f"expected tp·pp·cp to divide cluster.gpus ({gpus}), got {together}")
    if model.heads and model.heads % split.tp:
        _refuse("parallelism.tp", f"expected a divisor of the model's {model.heads} heads, got {split.tp}")
    # Embedding and head may each be a chunk: Llama 3 405B has 126 layers in 16 × 8 chunks (2407.21783, 3.3.2).
    most = (model.layers or 0) + (2 if split.interleave > 1 else 0)
    if model.layers and (stages > most or split.pp > model.layers):
        beside = ", embedding and head" if split.interleave > 1 else ""
        said = f"expected at most the model's {model.layers} layers{beside} as pp·interleave ({most}), got {stages}"
        _refuse("parallelism.pp", said)
    if split.interleave > 1 and split.pp == 1:
        _refuse("parallelism.interleave", f"expected pp of at least 2 beside interleave {split.interleave}, got pp 1")
    if split.ep > 1 and not model.experts:
        _refuse("parallelism.ep", _without_experts(model, split.ep))
    if split.ep > 1 and model.experts % split.ep:
        _refuse("parallelism.ep", f"expected a divisor of the model's {model.experts} experts, got {split.ep}")
    replicas, sharing = gpus // together, gpus // split.pp
    if split.ep > 1 and sharing % split.ep:
        _refuse("parallelism.ep", f"expected a divisor of dp·cp·tp ({sharing}), got {split.ep}")
    if split.strategy == "hsdp" and gpus == 1:
        _refuse("parallelism.strategy", "expected at least 2 GPUs for hsdp, got 1")
    if training is None:
        return
    if split.interleave > 1 and training.framework == "deepspeed":
        said = f"expected 1 with framework deepspeed, whose stages are whole, got {split.interleave}"
        _refuse("parallelism.interleave", said)
    length = training.sequence_length
    if length and length % split.cp:
        _refuse("parallelism.cp", f"expected a divisor of training.sequence_length ({length}), got {split.cp}")
    _check_batch(questionnaire, replicas, split.rounds)


def _check_batch(questionnaire: Questionnaire, replicas: int, rounds: int) -> None:
    """The batch divides among the replicas, and with interleaving into ``rounds`` of as many micro-batches as there are
    stages, as Megatron asks for (2104.04473, 2.2)."""
    training = questionnaire.training
    if training is None or training.global_batch is None:
        return
    each = training.micro_batch or 1
    needed = replicas * each * rounds
    if training.global_batch % needed:
        plain = f"dp·micro_batch ({replicas}·{each} = {needed})"
        interleaved = f"dp·micro_batch·pp with interleave above 1 ({replicas}·{each}·{rounds} = {needed})"
        what = interleaved if rounds > 1 else plain
        _refuse("training.global_batch", f"expected a multiple of {what}, got {training.global_batch}")


def _check_serving(questionnaire: Questionnaire, catalog: Catalog) -> None:
    said = questionnaire.inference
    if said is None:
        return
    model = _shape(questionnaire, catalog)
    _check_copy(said, model)
    together = (said.tensor_parallel or 1) * (said.pipeline_parallel or 1) * (said.data_parallel or 1)
    gpus = questionnaire.cluster.gpus
    if together > gpus:
        names = ("tensor_parallel", "pipeline_parallel", "data_parallel")
        first = next(name for name in names if (getattr(said, name) or 1) > 1)
        _refuse(f"inference.{first}", f"expected a copy of at most cluster.gpus ({gpus}), got {together}")
    _check_sides(said, gpus)
    if said.cache_store == "remote" and not said.cached_percent:
        _refuse("inference.cache_store", "expected inference.cached_percent above 0 beside it, got none")


def _check_sides(said: Inference, gpus: int) -> None:
    """Prefill and decode have room beside each other on ``gpus``."""
    if not said.sides:
        return
    one, other = said.prefill_gpus or 1, said.decode_gpus or 1
    together = one * (said.prefill_workers or 1) + other * (said.decode_workers or 1)
    if together > gpus:
        what = f"prefill and decode together on at most cluster.gpus ({gpus})"
        _refuse(f"inference.{said.sides[0]}", f"expected {what}, got {together}")


def _check_copy(said: Inference, model: Model | ModelShape) -> None:
    """The degrees of a copy that its model does not allow."""
    split, stages, replicas, experts = (
        said.tensor_parallel or 1,
        said.pipeline_parallel or 1,
        said.data_parallel or 1,
        said.expert_parallel or 1,
    )
    if model.heads and model.heads % split:
        _refuse("inference.tensor_parallel", f"expected a divisor of the model's {model.heads} heads, got {split}")
    if model.layers and stages > model.layers:
        _refuse("inference.pipeline_parallel", f"expected at most the model's {model.layers} layers, got {stages}")
    for name, degree in (("data_parallel", replicas), ("expert_parallel", experts)):
        if degree > 1 and not model.experts:
            _refuse(f"inference.{name}", _without_experts(model, degree))
