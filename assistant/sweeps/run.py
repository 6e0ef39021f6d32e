"""Runs a sweep: at each point the same decision that a plan makes, without looking up evidence or flips."""

import contextlib
import datetime
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from assistant.engines import Engine, Work
from assistant.library import Library
from assistant.library.carried import Carried
from assistant.library.questionnaires import from_value
from assistant.planning import Decision, Pipeline, pipeline_of
from assistant.planning.assemble import candidates_of, recommendation_of
from assistant.planning.card import card
from assistant.vocabulary.catalog import Fabric
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.plan import Candidate
from assistant.vocabulary.questionnaire import Questionnaire
from assistant.vocabulary.sweep import Axis, Point, Sweep, SweptFabric

from .grid import changed, combinations
from .turns import turns_of


def sweep(
    questionnaire: Questionnaire,
    axes: Sequence[Axis],
    library: Library,
    done: Callable[[], None] = lambda: None,
    *,
    today: datetime.date | None = None,
    engine: Engine | None = None,
) -> Sweep:
    """Every point of the grid in order; ``done`` hears of each. ``today`` dates the prices. ``engine``: what computes
    them; without one this process.

    A point that cannot be says why. Raises :class:`InputError` with the reason of the first one when no point can be.
    """
    pipeline, points = Pipeline(library, today), list[Point]()
    if engine is None:
        found = (_point(questionnaire, values, pipeline) for values in combinations(axes))
    else:
        asked = Asked(questionnaire, Carried.of(library), today or datetime.date.today())
        work = Work(partial(point_at, asked), asked.files.made_with)
        found = engine.mapped(work, combinations(axes), _lost)
    with contextlib.closing(found):
        for point in found:
            points.append(point)
            done()
    if all(point.error for point in points):
        first = ", ".join(f"{path} {value}" for path, value in points[0].values.items())
        raise InputError(f"no point of the sweep can be planned; the first, {first}: {points[0].error}")
    fabrics = pipeline.catalog.fabrics
    named = (str(point.values["cluster.fabric"]) for point in points if "cluster.fabric" in point.values)
    names = {ident: fabrics[ident].label for ident in (*fabrics, *named) if ident in fabrics}
    return Sweep(name=questionnaire.name, names=names, axes=list(axes), points=points, turns=turns_of(axes, points))


@dataclass(frozen=True)
class Asked:
    """What all points of a sweep are computed with; it is handed to other processes, on other machines too."""

    questionnaire: Questionnaire
    files: Carried
    today: datetime.date


def point_at(asked: Asked, values: dict[str, Any]) -> Point:
    """One point, with what this process has worked out for those before."""
    return _point(asked.questionnaire, values, pipeline_of(asked.files.library(), asked.today))


def _lost(values: dict[str, Any], how: str) -> Point:
    return Point(values=values, error=f"could not be computed: its process ended twice ({how}), for want of memory?")


def _point(questionnaire: Questionnaire, values: dict[str, Any], pipeline: Pipeline) -> Point:
    try:
        made = pipeline.decide(from_value(changed(questionnaire, values), pipeline.catalog))
    except InputError as error:
        return Point(values=values, error=str(error))
    return answered(values, made, pipeline)


def answered(values: dict[str, Any], made: Decision, pipeline: Pipeline) -> Point:
    """The point at which a decision stands."""
    said, chosen = recommendation_of(made, pipeline), made.choice.chosen
    offered = chosen.price.offered if chosen and chosen.priced else None
    return Point(
        values=values,
        fabric=chosen.id if chosen else None,
        verdict=said.verdict,
        kept=made.choice.kept,
        says=" ".join(part for part in (said.headline, said.smallest_change) if part),
        provider=offered.provider if offered else None,
        certainty=said.certainty if chosen else None,
        tied=said.tied,
        card=card(made, said),
        fabrics=[_swept(one, pipeline.catalog.fabrics[one.fabric]) for one in candidates_of(made)],
    )


def _swept(candidate: Candidate, fabric: Fabric) -> SweptFabric:
    same = {name: getattr(candidate, name) for name in SweptFabric.model_fields if name != "kind"}
    return SweptFabric(kind=fabric.kind, **same)
