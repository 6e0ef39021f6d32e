"""The tools: each checks how much was said, asks :mod:`assistant.api` and words the answer for a reader.

The docstring of a tool is what a client's model reads of it.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable
from functools import wraps
from threading import Lock
from typing import Annotated, Any, ParamSpec, TypeVar

from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from pydantic import Field

from assistant import api
from assistant.vocabulary.answers import Answer, Diagnosis, FabricDesign, Understanding
from assistant.vocabulary.errors import InputError, Place
from assistant.vocabulary.plan import Assumption, Candidate, Prediction, Recommendation, RentalOffer, Warning_
from assistant.vocabulary.plan.parts import Contract

from .limits import MOST_LOG, MOST_SAID, within

P = ParamSpec("P")
R = TypeVar("R")

# Every tool computes from what ships: the same input gives the same answer, and nothing is changed by asking.
READS_ONLY = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
Fields = Annotated[
    dict[str, Any] | None,
    Field(
        description="The job as a questionnaire: workload, model, cluster (gpu, gpus), training, budget, constraints; "
        "the resource weft://schema/questionnaire has every field. Give this or `sentence`."
    ),
]
Sentence = Annotated[
    str | None,
    Field(max_length=MOST_SAID, description="The job in English words: pretrain 70B on 64 H100, two weeks, Lambda."),
]
Day = Annotated[str | None, Field(max_length=10, description="The day prices are taken at, as 2026-11-20; else today.")]
_REST = "Everything: the tool plan with everything: true."
_computing = Lock()  # one at a time: the engine of the rules and what was kept are shared


class PlanAnswer(Contract):
    """A plan without its proof: the contract of ``weft schema plan`` has these parts under the same names."""

    questionnaire: dict[str, Any]
    recommendation: Recommendation
    candidates: list[Candidate]  # those that are not impossible
    offers: list[RentalOffer]  # the cheapest of them
    warnings: list[Warning_]
    assumptions: list[Assumption]


def one_at_a_time(tool: Callable[P, R]) -> Callable[P, R]:
    """A tool that waits for the one before; what is wrong with its input is said to the model, not logged as a
    crash."""

    @wraps(tool)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            with _computing:
                return tool(*args, **kwargs)
        except InputError as error:
            raise ToolError(str(error)) from None

    return checked


@one_at_a_time
def plan(
    questionnaire: Fields = None,
    sentence: Sentence = None,
    today: Day = None,
    everything: Annotated[bool, Field(description="The whole report with its proof, some 20 pages.")] = False,
) -> Annotated[CallToolResult, PlanAnswer]:
    """Which network between the GPU nodes a job needs: recommendation, cost, time, certainty, offers, why, where the
    answer flips, warnings, what was assumed, sources. Tell the person what was assumed."""
    made = api.plan(_job(questionnaire, sentence), today=_day(today))
    answer = PlanAnswer(
        questionnaire=made.questionnaire,
        recommendation=made.recommendation,
        candidates=[one for one in made.candidates if one.verdict != "impossible"],
        offers=made.offers[:10],
        warnings=made.warnings,
        assumptions=made.assumptions,
    )
    return _told(made.written("markdown") if everything else made.in_short(more=_REST), answer)


@one_at_a_time
def predict(questionnaire: Fields = None, sentence: Sentence = None) -> Annotated[CallToolResult, Prediction]:
    """The performance model alone, for the network (cluster.fabric) and the split (parallelism) that the job names:
    seconds per step with its band, memory per GPU, share of time that waits for the network, where the time goes."""
    made = api.predict(_job(questionnaire, sentence))
    return _told(made.model_dump_json(indent=1, exclude_none=True), made)


@one_at_a_time
def compare(
    left: Annotated[str, Field(max_length=100, description="A network's id, as in weft://catalog/fabrics.")],
    right: Annotated[str, Field(max_length=100, description="Another one's.")],
    questionnaire: Fields = None,
    sentence: Sentence = None,
    today: Day = None,
) -> str:
    """Two networks for one job, point by point: time, waiting, cost, skills, vendors, maturity."""
    from assistant.library import load
    from assistant.present.markdown import blocks_markdown
    from assistant.present.plan import comparison
    from assistant.present.plan.names import named

    made = api.plan(_job(questionnaire, sentence), today=_day(today))
    known = [one.fabric for one in made.candidates]
    for name, given in (("left", left), ("right", right)):
        if given not in known:
            raise InputError(f"expected one of {', '.join(known)}, got {given!r}", Place(field=name))
    return blocks_markdown(named(comparison.blocks(comparison.compare(made, left, right, load().catalog)), made))


@one_at_a_time
def ask(
    question: Annotated[str, Field(min_length=1, max_length=MOST_SAID, description="In English.")],
    top: Annotated[int, Field(ge=1, le=20, description="How many passages.")] = 5,
) -> Annotated[CallToolResult, Answer]:
    """A question about GPU networks, prices, settings or sources: computed where it asks for a number, else what
    checked claims say, with the passages, their sources, dates and verdicts, and where sources disagree. Cite them."""
    from assistant.present.answers import answer_lines

    [found] = api.answers([(None, question)], top=top, own_documents=False)
    return _told("\n".join(answer_lines(found, 100)), found)


@one_at_a_time
def read_nccl_log(
    log: Annotated[str, Field(max_length=MOST_LOG, description="The text itself, not a path.")],
) -> Annotated[CallToolResult, Diagnosis]:
    """What output of nccl-tests or of a job run with NCCL_DEBUG=INFO says: which network was used, how fast it is
    beside what it should be, what is wrong and how to repair it, with the line of the log."""
    from assistant.present.diagnosis import diagnosis_lines

    found = api.diagnose(log)
    return _told("\n".join(diagnosis_lines(found)[1:]), found)


@one_at_a_time
def design_network(
    fabric: Annotated[str, Field(max_length=100, description="A network's id, as in weft://catalog/fabrics.")],
    gpus: Annotated[int, Field(ge=1)],
    gpu: Annotated[str, Field(max_length=100, description="A GPU's id, as in weft://catalog/gpus.")] = "h100-sxm",
    oversubscription: Annotated[float, Field(description="1 is non-blocking.")] = 1.0,
    topology: Annotated[str, Field(max_length=20, description="fat-tree, rail, rail-only or plane.")] = "rail",
) -> Annotated[CallToolResult, FabricDesign]:
    """The topology of a network and its bill of materials: switches, cables, optics, power, dated prices."""
    from assistant.network.topology import TOPOLOGIES
    from assistant.present.design import written

    if topology not in TOPOLOGIES:
        raise InputError(f"expected one of {', '.join(TOPOLOGIES)}, got {topology!r}", Place(field="topology"))
    made = api.design(fabric, gpus, gpu=gpu, oversubscription=oversubscription, topology=topology)
    return _told(written(made, "text"), made)


@one_at_a_time
def understand(
    sentence: Annotated[str, Field(min_length=1, max_length=MOST_SAID, description="In English.")],
) -> Understanding:
    """Which questionnaire fields a sentence tells (fields), what was not understood (rest), what cannot be meant
    (doubts): to check before a plan what was taken in."""
    return api.understand(sentence)


TOOLS: tuple[Callable[..., object], ...] = (
    plan,
    predict,
    compare,
    ask,
    read_nccl_log,
    design_network,
    understand,
)


def _job(questionnaire: dict[str, Any] | None, sentence: str | None) -> api.Job:
    if (questionnaire is None) == (sentence is None):
        raise InputError("expected a questionnaire or a sentence, and not both")
    return within(questionnaire) if questionnaire is not None else str(sentence)


def _day(given: str | None) -> datetime.date | None:
    try:
        return datetime.date.fromisoformat(given) if given else None
    except ValueError:
        raise InputError(f"expected a day as 2026-11-20, got {given!r}", Place(field="today")) from None


def _told(text: str, contract: Contract) -> CallToolResult:
    """The answer twice: for who reads it, and as the contract."""
    content = TextContent(type="text", text=text)
    return CallToolResult(content=[content], structured_content=contract.model_dump(mode="json", by_alias=True))
