"""One questionnaire with parallelism auto: the model alone on twelve fabrics, the decision, the whole plan."""

from __future__ import annotations

from assistant.library import Library
from assistant.library.questionnaires import read_one
from assistant.model import Machine, Network, machine_of, network_of, predict_training
from assistant.planning import decide, plan, with_crossover
from assistant.planning.estimate import model_job
from assistant.planning.resolve import resolve
from assistant.vocabulary.benchmark import Measurement
from assistant.vocabulary.catalog import Catalog

from .timing import timed

FABRICS = 12
_MODEL = f"best parallelism on {FABRICS} fabrics, with bands"


def twelve(catalog: Catalog, machine: Machine) -> list[Network]:
    """The first twelve fabrics of the catalog that join nodes."""
    between = [fabric for fabric in catalog.fabrics.values() if fabric.technology not in ("none", "wan")]
    return [network_of(fabric, fabric.nics_per_node, machine) for fabric in between[:FABRICS]]


def measure(library: Library, repeats: int) -> list[Measurement]:
    """Seconds for the 70B example, in this process, once everything is loaded."""
    catalog = library.catalog
    questionnaire = read_one(library.examples["llama-70b-pretraining"], catalog)
    job = resolve(questionnaire, catalog)
    machine = machine_of(job.gpu, job.scale_up, job.gpus, job.gpus_per_node, catalog.constants)
    fabrics = twelve(catalog, machine)
    made = plan(questionnaire, library)
    runs = {
        _MODEL: lambda: predict_training(model_job(job), machine, fabrics, None),
        "a decision: prices and rules besides": lambda: decide(questionnaire, library),
        "a plan: evidence and flips besides": lambda: plan(questionnaire, library),
        "its crossover: the same job at other sizes": lambda: with_crossover(made, library),
    }
    return [
        Measurement(part="plan", what=what, values=timed(run, repeats), against=None if what == _MODEL else _MODEL)
        for what, run in runs.items()
    ]
