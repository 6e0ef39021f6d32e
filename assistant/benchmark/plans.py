"""One questionnaire with parallelism auto: the model alone on twelve fabrics, the decision, the whole plan."""

from collections.abc import Callable

from assistant.library import Library
from assistant.library.questionnaires import read_one
from assistant.model import Job, Machine, Network, architecture_of, machine_of, network_of, predict_training
from assistant.planning import decide, forget, plan, with_crossover
from assistant.planning.estimate import model_job
from assistant.planning.resolve import resolve
from assistant.vocabulary.benchmark import Measurement
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.questionnaire import Questionnaire

from .timing import timed

FABRICS, GPUS = 12, 1024
_MODEL = f"best parallelism on {FABRICS} fabrics, with bands"
_MIXTURE = "the same for a mixture of experts, which may be split in more ways"


def between_nodes(catalog: Catalog, machine: Machine) -> list[Network]:
    """Every fabric of the catalog that joins nodes of one site."""
    fabrics = [fabric for fabric in catalog.fabrics.values() if fabric.technology not in ("none", "wan")]
    return [network_of(fabric, fabric.nics_per_node, machine) for fabric in fabrics]


def large_job(catalog: Catalog, framework: str | None = None) -> tuple[Job, Machine]:
    """GPT-3 175B on 1,024 A100: what the searches of other programs were measured with."""
    gpu, shape = catalog.gpus["a100-sxm-80gb"], architecture_of(catalog.models["gpt-3-175b"])
    machine = machine_of(gpu, catalog.scale_ups[gpu.scale_up], GPUS, gpu.gpus_per_node, catalog.constants)
    return Job(shape, GPUS, sequence_length=2048, global_batch=3072, framework=framework), machine


def measure(library: Library, repeats: int) -> list[Measurement]:
    """Seconds for the 70B example, and of a prediction for the mixture, in this process, once everything is loaded."""
    catalog = library.catalog
    questionnaire = read_one(library.examples["llama-70b-pretraining"], catalog)
    made = plan(questionnaire, library)
    runs = {
        _MODEL: _prediction(questionnaire, catalog),
        _MIXTURE: _prediction(read_one(library.examples["mixtral-moe"], catalog), catalog),
        "a decision: prices and rules besides": _anew(lambda: decide(questionnaire, library)),
        "a plan: evidence and flips besides": _anew(lambda: plan(questionnaire, library)),
        "its crossover: the same job at other sizes": _anew(lambda: with_crossover(made, library)),
    }
    return [
        Measurement(part="plan", what=what, values=timed(run, repeats), against=None if what == _MODEL else _MODEL)
        for what, run in runs.items()
    ]


def _prediction(questionnaire: Questionnaire, catalog: Catalog) -> Callable[[], object]:
    """What the model alone does for a questionnaire with parallelism auto."""
    job = resolve(questionnaire, catalog)
    machine = machine_of(job.gpu, job.scale_up, job.gpus, job.gpus_per_node, catalog.constants)
    fabrics = between_nodes(catalog, machine)[:FABRICS]
    return lambda: predict_training(model_job(job), machine, fabrics, None)


def _anew(run: Callable[[], object]) -> Callable[[], None]:
    """As the first one in a process: nothing is kept from the run before."""

    def measured() -> None:
        forget()
        run()

    return measured
