"""How many GPUs carry a load, what so many carry, and which of several clusters does it better: sized as a plan for
serving is."""

from __future__ import annotations

from assistant.library.questionnaires import from_value, nested
from assistant.planning.predictor import Predictor
from assistant.planning.sized import Sized, on_each_kind, sized, with_price
from assistant.present.figures import layout, seconds, serving_error, significant, usd
from assistant.vocabulary.answers import Computed
from assistant.vocabulary.counted import counted
from assistant.vocabulary.plan import KindOfGpu
from assistant.vocabulary.questionnaire import Questionnaire

from .case import Case
from .serving_networks import with_usual

_ON_TOP = " Peaks above the average load, and copies in reserve, come on top."
_KINDS = 4  # told where nobody said on which GPU
_OF_SERVING = ("model", "inference", "budget")


def load(case: Case) -> Computed | None:
    """The fewest GPUs that carry a load, and whether those named do; without a kind of GPU on each that is let."""
    if case.model is None and not case.fields.get("model"):
        case = with_usual(case, case.fields.get("workload", "inference"))
    asked, predictor = _asked(case), Predictor(case.catalog, case.today)
    if asked is None or not (asked.inference and (asked.inference.rate or asked.inference.concurrency)):
        return None
    if "cluster.gpu" not in case.fields:
        return _on_each_kind(case, asked, predictor)
    found = sized(asked, case.gpu.id, predictor)
    if found is None:
        return _none_keeps(case, asked, predictor)
    said = case.fields.get("cluster.gpus")
    priced = _figures(case, found, predictor)
    text = (
        f"Serving {case.name} at {_load(asked)} takes about {found.gpus:,} {case.gpu.name}: {_copies(found)} carry up "
        f"to {significant(found.carries)} requests per second.{_times(found)}{_price(case, priced)}"
    )
    if said is not None:
        carried = found.layout.with_gpus(said)
        case.figure(f"carried by {said:,}", carried, "requests/s", "as many copies as the GPUs named hold")
        enough = "enough" if said >= found.layout.gpus else "not enough"
        carry = f" {said:,} carry {significant(carried)} requests per second: {enough}."
        text += carry if carried else f" On {said:,} it does not fit."
    return _answer(case, text, gpus=said)


def capacity(case: Case) -> Computed | None:
    """The requests per second that the GPUs named carry."""
    asked, said = _asked(case), case.fields.get("cluster.gpus")
    if asked is None or said is None:
        return None
    predictor = Predictor(case.catalog, case.today)
    found = sized(_one_copy(asked), case.gpu.id, predictor, said)
    if found is None:
        return None
    _take_over(case, found)
    case.figure("carried", found.carries, "requests/s", f"{_copies(found)}, each at the most that it carries")
    answer = found.job.served.output_tokens
    case.figure("output tokens", found.carries * answer, "tokens/s", f"× {answer:,} tokens per answer")
    text = (
        f"{said:,} {case.gpu.name} carry up to {significant(found.carries)} requests per second of {case.name}: "
        f"{_copies(found)}.{_times(found)}"
    )
    return _answer(case, text, gpus=said)


def versus(case: Case) -> Computed | None:
    """Several numbers of GPUs of several kinds for one model: what each carries, how fast it answers, what it costs."""
    asked, named = _asked(case), _clusters(case)
    if asked is None or len(named) < 2:
        return None
    predictor = Predictor(case.catalog, case.today)
    lines, best, notes = [], [], []
    for gpus, gpu in named:
        name = f"{gpus:,} {case.catalog.gpus[gpu].name}"
        found = sized(_one_copy(asked), gpu, predictor, gpus)
        if found is None:
            lines.append(f"{name}: no copy fits within what was asked.")
            continue
        notes.append(found)
        priced = with_price(found, predictor)
        cost = f", {usd(priced.usd_per_million_output_tokens)} per million output tokens" if priced else ""
        over = f" over {case.catalog.fabrics[found.network].name}" if found.layout.crosses else ", no network needed"
        lines.append(
            f"{name}: {_copies(found)}{over}, up to {significant(found.carries)} requests per second{cost}."
            f"{_times(found)}"
        )
        case.figure(f"{gpus} {gpu}", found.carries, "requests/s", f"{_copies(found)}, each at the most that it carries")
        if priced:
            best.append((priced.usd_per_million_output_tokens, name))
    if not notes:
        return None
    _take_over(case, notes[0], but=("cluster.gpus_per_node",))
    cheapest = f" Per token {min(best)[1]} cost least." if len(best) > 1 else ""
    return _answer(case, f"{case.name}: {' '.join(lines)}{cheapest}")


def _asked(case: Case) -> Questionnaire | None:
    """The question as a job that serves, its GPUs open; ``None`` of a job that trains."""
    workload = case.fields.get("workload", "inference")
    if case.fields.get("workload") and case.trains:
        return None
    said = {n: v for n, v in case.fields.items() if n.split(".")[0] in _OF_SERVING}
    return from_value(nested({"workload": workload} | said), case.catalog)


def _one_copy(asked: Questionnaire) -> Questionnaire:
    """The same without a load: the layout that carries most on few GPUs."""
    if asked.inference is None:
        return asked
    free: dict[str, None] = dict.fromkeys(("requests_per_s", "tokens_per_s", "concurrency"))
    return asked.model_copy(update={"inference": asked.inference.model_copy(update=free)})


def _clusters(case: Case) -> list[tuple[int, str]]:
    """``8 H200 or 16 H100``: each kind of GPU with the number before it."""
    utterance, found = case.utterance, []
    for entity in utterance.entities:
        before = [a for a in utterance.amounts if a.kind == "number" and 0 <= entity.start - a.end <= _BETWEEN]
        if entity.kind == "gpu" and not entity.denied and before:
            found.append((int(before[-1].value), entity.id))
    return found


_BETWEEN = 3  # characters between a number and its GPU: a space, "× "


def _none_keeps(case: Case, asked: Questionnaire, predictor: Predictor) -> Computed | None:
    """Where no number of these GPUs keeps the times: what one copy would do without them."""
    inference = asked.inference
    if inference is None or not (inference.ttft_ms or inference.tpot_ms):
        return None
    free = inference.model_copy(update={"ttft_ms": None, "tpot_ms": None, "requests_per_s": 1e-3, "concurrency": None})
    found = sized(asked.model_copy(update={"inference": free}), case.gpu.id, predictor)
    if found is None:
        return None
    _take_over(case, found)
    served = found.layout.at_load()
    case.figure("first token", served.ttft, "s", "of a request alone")
    case.figure("per token", served.tpot, "s", "of a request alone")
    text = (
        f"No number of {case.gpu.name} answers {case.name} as fast as that: even alone a request waits "
        f"{seconds(served.ttft)} for its first token and {seconds(served.tpot)} for each further one."
    )
    return _answer(case, text)


def _on_each_kind(case: Case, asked: Questionnaire, predictor: Predictor) -> Computed | None:
    found = on_each_kind(asked, predictor)
    if not found:
        return None
    _figures(case, found[0][0], predictor)
    lines = [
        f"{k.gpus:,} {case.catalog.gpus[k.gpu].name} ({usd(k.usd_per_month)} a month{_where(case, k)}, "
        f"{usd(k.usd_per_million_output_tokens)} per million output tokens)"
        for _, k in found[:_KINDS]
    ]
    text = f"Serving {case.name} at {_load(asked)} takes, cheapest first: {'; '.join(lines)}."
    return _answer(case, text)


def _figures(case: Case, found: Sized, predictor: Predictor) -> KindOfGpu | None:
    _take_over(case, found)
    case.figure("GPUs", found.gpus, "GPUs", f"fewest that carry it, of whole nodes beyond one: {_copies(found)}")
    each = f"{counted(found.copies, 'copy')} × {significant(found.layout.carries)} requests/s of one"
    case.figure("carried", found.carries, "requests/s", found.instances if found.apart else each)
    priced = with_price(found, predictor)
    if priced is not None:
        hourly = f"${priced.usd_per_gpu_hour:.2f} per GPU-hour{_where(case, priced)}"
        if priced.paid_over_listed > 1:
            hourly = f"from {hourly}, of which {priced.paid_over_listed:g} times is counted"
        case.figure("a month", priced.usd_per_month, "USD", hourly)
        case.figure("per million output tokens", priced.usd_per_million_output_tokens, "USD", hourly)
    return priced


def _take_over(case: Case, found: Sized, but: tuple[str, ...] = ()) -> None:
    gone = ("inference.requests_per_s", "cluster.topology", "cluster.oversubscription", *but)
    case.take_over([one for one in found.job.assumptions if one.field not in gone])


def _load(asked: Questionnaire) -> str:
    """``10 requests per second``, ``200 requests at once, each token within 33.3 ms (30 tokens/s)``."""
    load = asked.inference
    if load is None:
        return ""
    told = [
        f"{load.requests_per_s:g} requests per second" if load.requests_per_s else "",
        f"{significant(load.tokens_per_s)} output tokens per second" if load.tokens_per_s else "",
        f"{load.concurrency:,} requests at once" if load.concurrency else "",
        f"the first token within {seconds(load.ttft_ms / 1e3)}" if load.ttft_ms else "",
        f"each token within {seconds(load.tpot_ms / 1e3)} ({1e3 / load.tpot_ms:.3g} tokens/s)" if load.tpot_ms else "",
    ]
    return ", ".join(text for text in told if text)


def _copies(found: Sized) -> str:
    shape = layout({**found.parallelism, "replicas": 1})
    plain = found.gpus_per_copy == 1 or found.apart
    return found.instances if plain else f"{found.instances} ({shape})"


def _times(found: Sized) -> str:
    served = found.layout.at_load(found.gpus)
    return f" The first token comes after {seconds(served.ttft)}, each further one after {seconds(served.tpot)}."


def _price(case: Case, priced: KindOfGpu | None) -> str:
    if priced is None:
        return ""
    each = usd(priced.usd_per_million_output_tokens)
    network = " No network between nodes is needed." if priced.network == "none" else ""
    return (
        f" A month costs {usd(priced.usd_per_month)}{_where(case, priced)}, {each} per million output tokens.{network}"
    )


def _where(case: Case, kind: KindOfGpu) -> str:
    seller = case.catalog.providers[kind.provider].name if kind.provider else ""
    return f" at {seller}" if seller else " of machines that are bought"


def _answer(case: Case, text: str, gpus: int | None = None) -> Computed:
    told, rate = serving_error(case.catalog.constants) + _ON_TOP, case.fields.get("inference.requests_per_s")
    gpu = case.fields.get("cluster.gpu")
    return case.answer(text, told, model=case.name, gpu=gpu, gpus=gpus, requests_per_s=rate)
