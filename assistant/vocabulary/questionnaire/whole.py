"""The sections together: what a person said, before anything is assumed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, ModelWrapValidatorHandler, model_validator

from ..fields import About, RegisteredField, registry
from .cluster import Cluster
from .money import Budget, Constraints
from .section import SERVING, Id, Section, Workload, text_of, unbroken
from .serving import Inference
from .shape import ModelShape
from .training import SEARCHED, Parallelism, Reinforcement, Training

_OPEN = {"gpu": "open", "gpus": 1}
_BEGUN = {"training": Training, "rl": Reinforcement, "inference": Inference}  # sections that may be left out


class Questionnaire(Section):
    """What the person said, before anything is assumed."""

    name: Annotated[
        Annotated[str, BeforeValidator(text_of), BeforeValidator(unbroken), Field(min_length=1, max_length=200)] | None,
        About("name", "id", "What is the plan called?", "no name"),
    ] = None
    workload: Annotated[
        Workload, About("workload", "choice", "What is to be done?", "nothing: it is needed", words=("workload", "job"))
    ]
    model: Annotated[
        Id | ModelShape,
        About("model", "id", "Which model?", "nothing: it is needed", words=("model",), span="model"),
    ]
    cluster: Cluster
    training: Training | None = None
    parallelism: Annotated[
        Literal["auto"] | Parallelism,
        About("parallelism", "choice", "How is the model split over the GPUs?", SEARCHED,
              words=("parallelism", "split", "sharding")),
    ] = "auto"  # fmt: skip
    rl: Reinforcement | None = None
    inference: Inference | None = None
    budget: Budget = Field(default_factory=Budget)
    constraints: Constraints = Field(default_factory=Constraints)
    _converted: tuple[tuple[str, str, float], ...] = ()
    _sized_by_load: tuple[str, ...] = ()

    @model_validator(mode="wrap")
    @classmethod
    def _without_gpus(cls, given: Any, handler: ModelWrapValidatorHandler[Questionnaire]) -> Questionnaire:
        """Of a job that serves the GPUs may be left open: their number follows from the load."""
        cluster = given.get("cluster") if isinstance(given, Mapping) and given.get("workload") in SERVING else False
        if cluster is not None and not isinstance(cluster, Mapping):
            return handler(given)
        said = {name: value for name, value in (cluster or {}).items() if name not in _OPEN or value is not None}
        left = tuple(name for name in _OPEN if name not in said)
        made = handler({**given, "cluster": {**_OPEN, **said}} if left else given)
        made._sized_by_load = left
        return made

    def changed(self, path: str, value: Any) -> Questionnaire:
        """With one field of a section changed, ``path`` as in a file ("cluster.gpus"); a section that nobody gave
        begins empty. The value is taken as it is, without a check; of other GPUs no more are there than were said, and
        of another job than it was asked for no quote is."""
        section, name = path.split(".")
        part = getattr(self, section) or _BEGUN[section]()
        budget = self.budget
        if path == "cluster.gpus" and budget.owned != "nothing" and budget.owned_gpus is None:
            budget = budget.model_copy(update={"owned_gpus": self.cluster.gpus})
        elif path == "cluster.gpu":
            budget = budget.model_copy(update={"owned": "nothing", "owned_gpus": None})
        quotes = [quote for quote in budget.quotes if quote.stands(path, getattr(part, name), value)]
        budget = budget.model_copy(update={"quotes": quotes})
        part = budget if section == "budget" else part
        return self.model_copy(update={"budget": budget, section: part.model_copy(update={name: value})})

    @property
    def sized_by_load(self) -> tuple[str, ...]:
        """Which of ``gpu`` and ``gpus`` nobody said: what stands in the cluster then only holds their place."""
        return self._sized_by_load

    def with_gpus_said(self) -> Questionnaire:
        """The same, with what stands in its cluster as said."""
        self._sized_by_load = ()
        return self

    def said(self) -> dict[str, Any]:
        """What was said, nothing else, as a file of its own would have it: read again it is the same questionnaire."""
        told = self.model_dump(mode="json", exclude_unset=True)
        for name in self._sized_by_load:
            told["cluster"].pop(name)
        return {name: value for name, value in told.items() if name != "cluster" or value}

    @property
    def converted(self) -> tuple[tuple[str, str, float], ...]:
        """What was said in another currency: its code, the amount in the person's words, US dollars."""
        return self._converted

    def with_converted(self, converted: Iterable[tuple[str, str, float]]) -> Questionnaire:
        """The same, with what was said in another currency."""
        self._converted = tuple(converted)
        return self

    @property
    def serves(self) -> bool:
        return self.workload in SERVING

    @property
    def open_ended(self) -> bool:
        """Whether it serves without a job that ends: what it costs is told of a month."""
        return self.serves and (self.inference is None or self.inference.job_tokens is None)

    @property
    def owned_gpus(self) -> int:
        """GPUs of the job that are there already, and for which nothing is paid."""
        there, gpus = self.budget.owned_gpus, self.cluster.gpus
        return min(gpus if there is None else there, gpus) if self.budget.machines_there else 0

    def shares_a_machine(self, size: int) -> bool:
        """Whether the GPUs are a part of one machine of ``size`` that is there: the others are no affair of the job."""
        return self.owned_gpus == self.cluster.gpus < size

    @property
    def latest_days(self) -> float | None:
        """Days that the work may take and keeps the deadline; of serving without a job that ends none."""
        if self.open_ended or self.constraints.deadline_days is None:
            return None
        return latest_days(self.constraints.deadline_days, self.training.days if self.training else None)

    @property
    def trainers(self) -> int:
        """GPUs that train: all but those that reinforcement learning leaves to generation."""
        return self.cluster.gpus - ((self.rl.rollout_gpus or 0) if self.rl else 0)

    @model_validator(mode="after")
    def _consistent(self) -> Questionnaire:
        cluster, parallelism = self.cluster, self.parallelism
        if self.serves and self.training is not None:
            raise ValueError(f"expected no training section for workload {self.workload}")
        if not self.serves and self.inference is not None:
            raise ValueError(f"expected no inference section for workload {self.workload}")
        if self.workload != "batch-inference" and self.inference is not None and self.inference.job_tokens:
            said = "tokens" if self.inference.tokens else "requests"
            raise ValueError(f"expected inference.{said} with workload batch-inference alone, got {self.workload}")
        if self.workload != "disaggregated-inference" and self.inference is not None and self.inference.sides:
            said = self.inference.sides[0]
            raise ValueError(f"expected inference.{said} with workload disaggregated-inference, got {self.workload}")
        if self.rl is not None:
            self._check_loop(self.rl)
        if cluster.wan_gbps is not None and cluster.sites == 1:
            raise ValueError("expected cluster.sites of at least 2 beside cluster.wan_gbps, got 1")
        if cluster.sites > 1 and cluster.gpus % cluster.sites:
            raise ValueError(f"expected cluster.gpus divisible by cluster.sites ({cluster.sites}), got {cluster.gpus}")
        if isinstance(parallelism, Parallelism):
            split = parallelism.tp * parallelism.pp * parallelism.cp
            gpus, whose = self.trainers, "the GPUs that train" if self.trainers < cluster.gpus else "cluster.gpus"
            if gpus % split:
                raise ValueError(f"expected tp·pp·cp to divide {whose} ({gpus}), got {split}")
            experts = parallelism.ep * (parallelism.etp or 1)
            if parallelism.etp is not None and (gpus // parallelism.pp) % experts:
                raise ValueError(f"expected ep·etp to divide {whose} ÷ pp ({gpus // parallelism.pp}), got {experts}")
            if parallelism.dp is not None and split * parallelism.dp != gpus:
                raise ValueError(f"expected tp·pp·cp·dp to be {whose} ({gpus}), got {split * parallelism.dp}")
        return self

    def _check_loop(self, rl: Reinforcement) -> None:
        if self.workload != "rlhf":
            raise ValueError(f"expected no rl section for workload {self.workload}")
        if rl.rollout_gpus is not None and rl.rollout_gpus >= self.cluster.gpus:
            raise ValueError(
                f"expected rl.rollout_gpus below cluster.gpus ({self.cluster.gpus}), as somebody must train, "
                f"got {rl.rollout_gpus}"
            )
        if rl.algorithm == "dpo" and (rl.rollout_gpus or rl.asynchronous):
            raise ValueError("expected no rollout_gpus and nothing asynchronous for dpo, which writes no answers")


def latest_days(deadline_days: float, run_days: float | None) -> float:
    """Days that keep a deadline. Where the run is given in days and not in tokens, its work is what the
    recommended network does in them: one that needs no more than a percent longer for it is not late."""
    return deadline_days * (1.0 if run_days is None else 1.01)


FIELDS: Mapping[str, RegisteredField] = registry(Questionnaire)
"""What is known of every field, by its dotted path."""
