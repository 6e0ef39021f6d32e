"""Weft for programs and notebooks: what the commands do, as functions with types.

    from pathlib import Path
    from assistant.api import ask, plan

    made = plan({"workload": "pretraining", "model": "llama-3.1-70b", "cluster": {"gpu": "h100-sxm", "gpus": 64}})
    made.recommendation.fabric, made.recommendation.card.cost

A ``str`` is always something in words or the text of a log, a ``Path`` always a file. What ``__all__`` names stays
within a version of the contracts (``weft/plan/1``). Whatever is wrong with what is given is an :class:`InputError`: one
sentence with its place. Nothing is written but the program's own cache.
"""

from __future__ import annotations

import contextlib
import datetime
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from assistant.vocabulary import plan as contracts
from assistant.vocabulary.answers import Answer, DiagnosedFile, Diagnosis, FabricDesign, Understanding
from assistant.vocabulary.errors import InputError, Place
from assistant.vocabulary.plan import Prediction
from assistant.vocabulary.plan.diff import PlanDiff
from assistant.vocabulary.questionnaire import Questionnaire

if TYPE_CHECKING:
    from assistant.conversation.exporting import Target
    from assistant.library import Library

__all__ = [
    "Answer",
    "Diagnosis",
    "FabricDesign",
    "InputError",
    "Job",
    "Plan",
    "PlanDiff",
    "Prediction",
    "Questionnaire",
    "Understanding",
    "answers",
    "ask",
    "design",
    "diagnose",
    "diff",
    "plan",
    "planned",
    "predict",
    "questionnaire",
    "saved",
    "understand",
]

# A questionnaire, its fields as a file has them, a file that holds one, or a job in words.
Job: TypeAlias = "Questionnaire | Mapping[str, object] | Path | str"
_REST = "Everything: plan.written()."
_OF_FILES = (".yaml", ".yml", ".json", ".jsonl", ".csv")  # of questionnaires
Form = Literal["text", "markdown", "html", "json"]


class Plan(contracts.Plan):
    """The contract ``plan`` (``weft schema plan``), which a notebook shows in short."""

    def written(self, form: Form = "text", *, width: int = 100) -> str:
        """The whole plan as ``weft plan --format`` writes it; ``width``: columns of a text."""
        from assistant.present.plan.formats import written

        return written(self, form, width=width)

    def in_short(self, form: Literal["markdown", "html"] = "markdown", *, more: str = "") -> str:
        """What is decided, cost, why, how sure, where it turns, sources; as HTML elements for a page that has its own
        looks. ``more``: a last sentence that says how to see the rest."""
        from assistant.present.plan.formats import brief_written

        return brief_written(self, form, more)

    def _repr_markdown_(self) -> str:
        return self.in_short(more=_REST)

    def _repr_html_(self) -> str:
        return self.in_short("html", more=_REST)


def plan(
    job: Job,
    *,
    catalog: Path | None = None,
    profile: Path | None = None,
    today: datetime.date | None = None,
    measured: Iterable[Path] = (),
    crossover: bool = False,
) -> Plan:
    """The plan of a job.

    ``catalog``: your own facts and prices over the shipped ones; ``profile``: factors of your own runs, as ``weft
    calibrate`` writes; ``today`` dates the prices; ``measured``: output of nccl-tests on this network, for the plan
    with the network as it is; ``crossover``: also from how many GPUs on this job asks for RDMA, some dozen searches
    more.
    """
    from assistant import planning
    from assistant.retrieval import ready_index

    day, library = today or datetime.date.today(), _library(catalog, profile)
    asked, logs = questionnaire(job, catalog=catalog), list(measured)
    with contextlib.suppress(InputError):  # without a search a plan cites the claims of its rules alone
        ready_index(library)
    if logs:
        from assistant.network.diagnosis import diagnose as read
        from assistant.planning.measured import plan_as_measured

        made = plan_as_measured(asked, library, read(logs, library.catalog), today=day)
    else:
        made = planning.plan(asked, library, today=day)
    told = planning.with_crossover(made, library, today=day) if crossover else made
    return _shown(told)


def _shown(plan: contracts.Plan) -> Plan:
    return Plan.model_construct(plan.model_fields_set, **vars(plan))


def saved(file: Path) -> Plan:
    """A plan that was saved as JSON; ``Path("-")`` is standard input."""
    from assistant.library.saved_plans import read

    return _shown(read(file))


def planned(
    file: Path, *, catalog: Path | None = None, profile: Path | None = None, today: datetime.date | None = None
) -> Plan:
    """A plan that was saved, or the plan of a questionnaire: whichever the file holds."""
    from assistant.library.saved_plans import is_one

    return saved(file) if is_one(file) else plan(file, catalog=catalog, profile=profile, today=today)


def diff(
    before: contracts.Plan,
    after: contracts.Plan | None = None,
    *,
    catalog: Path | None = None,
    today: datetime.date | None = None,
) -> PlanDiff:
    """What is different between two plans, and which input, price, rule or constant did it. Without ``after``:
    between a plan and what its questionnaire comes to ``today``, with ``catalog`` over the shipped one."""
    from assistant import review

    later = after or plan(review.said(before), catalog=catalog, today=today)
    return review.compared(before, later, _library(catalog))


def questionnaire(job: Job, *, catalog: Path | None = None) -> Questionnaire:
    """A job as a checked questionnaire; of a sentence what it says, and what is likeliest where it leaves open what
    must be known."""
    from assistant.library.questionnaires import from_value, read_one

    known = _library(catalog).catalog
    if isinstance(job, str):
        return from_value(_told(job, catalog), known)
    if isinstance(job, Path):
        return read_one(job, known)
    return from_value(job.said() if isinstance(job, Questionnaire) else job, known)


def _told(sentence: str, catalog: Path | None) -> Mapping[str, object]:
    from assistant.conversation import at_once, opening

    if not sentence.strip():
        raise InputError("expected a sentence that tells the job, got nothing")
    if sentence.strip().lower().endswith(_OF_FILES) and len(sentence.split()) == 1:
        raise InputError(f'expected a sentence that tells the job, got the name of a file: give Path("{sentence}")')
    talk = opening.begin(_library(catalog), kept=False, exporter=_nothing_written)
    found = at_once.tell(talk, sentence)
    if found.plan is None:
        raise InputError(found.missing or "expected a job, as in: pretrain 70B on 64 H100")
    return talk.draft.questionnaire(talk.library.catalog).said()


def _nothing_written(text: str, target: Target) -> str:
    raise InputError("expected a job; a file is written by whoever asked for the plan")


def predict(job: Job, *, catalog: Path | None = None, profile: Path | None = None) -> Prediction:
    """The quantitative model alone, for the network and the split that the job names: seconds per step, memory, where
    the time goes."""
    from assistant.planning.prediction import predict as predicted

    return predicted(questionnaire(job, catalog=catalog), _library(catalog, profile).catalog)


def ask(question: str, *, top: int = 5) -> Answer:
    """The answer to a question: computed, or what claims say, with up to ``top`` passages and their sources."""
    return next(answers([(None, question)], top=top))


def answers(
    questions: Iterable[tuple[str | None, str]], *, top: int = 5, own_documents: bool = True
) -> Iterator[Answer]:
    """The answers to many ``(id, question)``, in their order. ``own_documents``: also from those that ``weft knowledge
    add`` took in."""
    from assistant.answering import answer_many
    from assistant.conversation.searching import understood
    from assistant.retrieval import index_with_yours, ready_index

    library, opened = _library(), index_with_yours if own_documents else ready_index
    asked = [(name, understood(text, library)) for name, text in questions]
    yield from answer_many(asked, library, lambda: opened(library), top)


def understand(sentence: str, *, id: str | None = None) -> Understanding:
    """What a sentence was taken to mean: what it wants, and the fields of a questionnaire that it tells."""
    from assistant.understanding import Listener

    library = _library()
    return Listener.of(library.language, library.catalog, library.listener).hear(sentence).contract(id)


def diagnose(*logs: Path | str, unread: list[InputError] | None = None) -> Diagnosis:
    """What output of nccl-tests or of a job with ``NCCL_DEBUG=INFO`` says, and how to repair it. Raises
    :class:`InputError` where none of the logs is either, nor that of a job whose steps can be compared, nor has a table
    of GPUs, adapters or hosts. A log that cannot be read raises it too, or, where ``unread`` is given, is told there
    beside what the others say; where there are no others the last one is raised."""
    from assistant.network.diagnosis import diagnose as read
    from assistant.network.diagnosis import diagnose_text

    known, files = _library().catalog, list[DiagnosedFile]()
    for one in logs:
        try:
            files.append(read([one], known).files[0] if isinstance(one, Path) else diagnose_text(one, known))
        except InputError as error:
            if unread is None:
                raise
            unread.append(error)
    if unread and not files:
        raise unread.pop()
    if not any(map(_is_known, files)):
        raise InputError(
            "expected output of nccl-tests (all_reduce_perf and its siblings) or of a job run with NCCL_DEBUG=INFO; "
            f"there is none in {'it' if len(files) == 1 else 'any of these'}",
            Place(", ".join(file.path for file in files if file.path != "-") or None),
        )
    return Diagnosis(files=files)


def _is_known(file: DiagnosedFile) -> bool:
    """Whether a file has something of NCCL, says what its adapters speak, or has a table that was read."""
    if file.kind != "unknown" or file.checked or file.transport != "unknown":
        return True
    return any(each.code != "not-recognised" or each.severity == "info" for each in file.findings)


def design(
    fabric: str,
    gpus: int,
    *,
    gpu: str = "h100-sxm",
    gpus_per_node: int | None = None,
    nics_per_node: int | None = None,
    switch: str | None = None,
    planes: int | None = None,
    pair: bool = False,
    oversubscription: float = 1.0,
    topology: str | None = None,
) -> FabricDesign:
    """The topology of a network and its bill of materials; ``weft fabric --help`` says what each wish means."""
    from assistant.planning.design import design_of

    return design_of(
        fabric,
        gpu,
        gpus,
        _library().catalog,
        gpus_per_node=gpus_per_node,
        nics_per_node=nics_per_node,
        switch=switch,
        planes=planes or 0,
        pair=pair,
        oversubscription=oversubscription,
        topology=topology,
    )


def _library(catalog: Path | None = None, profile: Path | None = None) -> Library:
    from assistant.library import load

    return load(user_catalog=catalog, profile=profile)
