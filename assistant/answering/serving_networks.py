"""What a served model asks of the network: caches that go from prefill to decode, and copies whose ranks lie on several
nodes."""

from __future__ import annotations

from typing import Any

from assistant.library.questionnaires import from_value
from assistant.planning.crossing import as_copies, served_over
from assistant.planning.prediction import predict
from assistant.planning.resolve import resolve
from assistant.present.figures import percent, seconds, significant
from assistant.present.plan.crossing import beside
from assistant.vocabulary.answers import Computed
from assistant.vocabulary.catalog import Fabric
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.plan import Prediction, ServingFigures

from . import written
from .case import Case
from .network_verdicts import longer

_USUAL_MODEL = "llama-3.1-70b"
_COMPARED = ("ethernet-tcp-100", "roce-v2-400", "infiniband-ndr-400")
_NOTICED = 1.1  # times as long: less than the error of a predicted token
_APART = (
    "As many requests as keep the GPUs busy unless a rate is said; the cache goes when the whole prompt is read. TCP "
    "as it does at its best: first tokens after tens of seconds were published with it."
)
_OVER = "One copy at its usual batch; a faster network does not make up for links inside a node."


def prefill_decode(case: Case) -> Computed | None:
    """Whether prefill and decode on nodes of their own need InfiniBand, or RDMA, or do on the network named."""
    usual = with_usual(case, "disaggregated-inference")
    made = [(fabric, _served(usual, fabric)) for fabric in compared_networks(usual)]
    found = [(fabric, one) for fabric, one in made if one is not None]
    if len(found) < 2:
        return None
    on, best = min(found, key=lambda pair: pair[1].ttft_s)
    enough = [f for f, one in found if _carries(one) and one.ttft_s <= _NOTICED * best.ttft_s]
    for fabric, one in found:
        share = one.kv_link_wanted_percent or 0.0
        usual.figure(f"link used, {fabric.id}", share, "%", "caches per second ÷ what the network carries between them")
        usual.figure(f"first token, {fabric.id}", one.ttft_s, "s", f"of it {seconds(one.kv_transfer_s)} for the cache")
    cache = written.bytes_(1e9 * found[0][1].kv_gb_per_request)
    sides = f"{best.prefill_workers} × {best.prefill_gpus} GPUs of prefill"
    sides += f", {best.decode_workers} × {best.decode_gpus} of decode"
    text = (
        f"{_verdict(enough)} {usual.name} on {usual.bare().where}, {sides}, a cache of {cache} per prompt: "
        f"{'; '.join(_told(fabric, one) for fabric, one in found)}."
    )
    worth = _as_copies(usual, on, best)
    text = f"{worth} {text}" if worth and case.says("worth") else f"{text} {worth}".rstrip()
    return usual.answer(text, _APART, **usual.job_inputs([fabric for fabric, _ in found]))


def _as_copies(case: Case, fabric: Fabric, apart: ServingFigures) -> str:
    """The same GPUs as copies that read prompts in chunks between the tokens of answers, where a copy fits a node."""
    job = resolve(from_value(_facts(case, fabric), case.catalog), case.catalog)
    found = as_copies(job, apart.requests_per_s, fabric.id, case.catalog, case.today)
    if found is None:
        return ""
    one = served_over(fabric.id, apart)
    for name, way in (("apart", one), ("as copies", found)):
        case.figure(f"per token, {name}", way.tpot_s, "s", f"at {way.requests_per_s:.3g} requests/s")
        case.figure(f"carried, {name}", way.carries_requests_per_s, "requests/s", "at most")
    return beside(one, found, job.served.output_tokens, targets=bool(job.served.ttft_ms or job.served.tpot_ms))


def tensor_over_nodes(case: Case) -> Computed | None:
    """How long a token takes where the ranks of one copy lie on several nodes, on the network named and on others."""
    usual = with_usual(case, "inference")
    node = usual.fields.get("cluster.gpus_per_node") or usual.gpu.gpus_per_node
    nodes = case.utterance.nodes or 2
    degree = usual.fields.get("inference.tensor_parallel") or usual.fields.get("parallelism.tp") or nodes * node
    if degree <= node:
        return None
    usual.fields |= {"cluster.gpus": degree, "inference.tensor_parallel": degree}
    made = [(fabric, _served(usual, fabric)) for fabric in compared_networks(usual)]
    found = [(fabric, one) for fabric, one in made if one is not None]
    if len(found) < 2:
        return None
    best = min((one for _, one in found), key=lambda one: one.tpot_s)
    for fabric, one in found:
        usual.figure(
            f"per token, {fabric.id}", one.tpot_s, "s", f"{longer(one.tpot_s / best.tpot_s)} against the fastest"
        )
    first, slow = found[0]
    verdict = "No" if slow.tpot_s > _NOTICED * best.tpot_s else "Yes"
    where = f"{degree // node} nodes of {node} {usual.gpu.name}"
    text = (
        f"{verdict}: TP {degree} of {usual.name} over {where}: over {first.name} a token "
        f"takes {seconds(slow.tpot_s)} and the first one {seconds(slow.ttft_s)}; "
        f"{', '.join(f'over {f.name} {seconds(one.tpot_s)} and {seconds(one.ttft_s)}' for f, one in found[1:])}."
    )
    inside = _inside(usual, node)
    return usual.answer(text + inside, _OVER, **usual.job_inputs([fabric for fabric, _ in found]))


def _inside(case: Case, node: int) -> str:
    """The same model with a copy in one node, where it fits."""
    there = case.again(cluster__gpus=node, inference__tensor_parallel=node)
    found = _served(there, case.catalog.fabrics["none"])
    if found is None:
        return f" It does not fit one node with TP {node}."
    return f" Inside one node, with TP {node}, a token takes {seconds(found.tpot_s)} and no network is crossed."


def with_usual(case: Case, workload: str) -> Case:
    """The case as serving, with the model and the size that nobody said."""
    usual = case.again(workload=workload)
    if case.model is None:
        usual = case.again(workload=workload, model=_USUAL_MODEL)
        usual.take("model", _USUAL_MODEL, "not said: a model that many serve")
    if workload == "disaggregated-inference":
        usual.assume_size()
    return usual


def compared_networks(case: Case) -> list[Fabric]:
    """Those named first, then TCP, RoCE and InfiniBand, each kind once."""
    named = case.networks() if case.names_network else []
    kinds = {one.technology for one in named}
    return [*named, *(f for f in (case.catalog.fabrics[name] for name in _COMPARED) if f.technology not in kinds)]


def _served(case: Case, fabric: Fabric) -> ServingFigures | None:
    """What the job delivers on a network; ``None`` where it cannot be there."""
    try:
        made: Prediction = predict(from_value(_facts(case, fabric), case.catalog), case.catalog)
    except InputError:
        return None
    case.take_over(made.assumptions)
    return made.serving if made.fits else None


def _facts(case: Case, fabric: Fabric) -> dict[str, Any]:
    """The job on a network."""
    on: dict[str, Any] = {} if fabric.technology == "none" else {"cluster__fabric": fabric.id}
    facts = case.questionnaire(cluster__gpu=case.gpu.id, **on)
    load = {name.removeprefix("inference."): v for name, v in case.fields.items() if name.startswith("inference.")}
    facts.pop("parallelism", None)
    return facts | {"inference": load}


def _carries(one: ServingFigures) -> bool:
    return (one.kv_link_wanted_percent or 0.0) <= 90.0


def _told(fabric: Fabric, one: ServingFigures) -> str:
    share = one.kv_link_wanted_percent or 0.0
    used = "less than 1 %" if share < 1 else percent(share)
    carried = "" if _carries(one) else f", so that it carries {significant(one.requests_per_s)} requests/s"
    return f"over {fabric.name} the first token after {seconds(one.ttft_s)}, {used} of the network used{carried}"


def _verdict(enough: list[Fabric]) -> str:
    kinds = {fabric.technology for fabric in enough}
    if "tcp" in kinds:
        return "No: at this load even TCP carries the caches."
    if kinds - {"infiniband"}:
        return "RDMA is needed, InfiniBand is not: RoCE does as well."
    return "Yes: no other network here is as fast."
