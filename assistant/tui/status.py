"""The top line: what is being planned, what is recommended, what that costs and how certain it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from textual.content import Content
from textual.widget import Widget

from .drawing import headline_sign
from .flow import cleaned

if TYPE_CHECKING:
    from assistant.vocabulary.catalog import Catalog
    from assistant.vocabulary.plan import Plan


class StatusLine(Widget):
    """One row: the job on the left, the answer on the right."""

    DEFAULT_CSS = "StatusLine { height: 1; }"

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._job: tuple[str, ...] = ()
        self._plan: Plan | None = None
        self._what_if = False
        self._catalog: Catalog | None = None

    def show(
        self, fields: Mapping[str, Any], plan: Plan | None, what_if: bool = False, catalog: Catalog | None = None
    ) -> None:
        """Show a job and the newest plan by the names of a catalog; ``what_if`` when the plan is not the accepted
        one."""
        self._job, self._plan, self._what_if, self._catalog = job_parts(fields, catalog), plan, what_if, catalog
        self.refresh()

    def render(self) -> Content:
        """Job and answer; the job gives way, whole words at a time."""
        answer = self._answer()
        room = max(0, self.content_size.width - answer.cell_length - 8)
        job = next((text for text in self._jobs() if cell_len(text) <= room), "")
        name = Content.assemble(("weft", "$weft bold"), (f"  {cleaned(job)}" if job else "", "$quiet"))
        return name + Content(" " * max(2, self.content_size.width - name.cell_length - answer.cell_length)) + answer

    def _jobs(self) -> Iterator[str]:
        """The job in fewer and fewer words."""
        if not self._job:
            yield "plan the fabric before you buy it"
        for start in range(len(self._job)):
            yield " · ".join(self._job[start:])
            if start == 1 and self._plan is not None:
                yield " · ".join([*self._job[1:-1], f"{self._plan.questionnaire['cluster']['gpus']:,} GPUs"])

    def _answer(self) -> Content:
        if self._plan is None:
            return Content("")
        answer = self._plan.recommendation
        from assistant.present import figures
        from assistant.present.plan.reading import chosen, ends, is_given

        sign, style = headline_sign(self._plan)
        tried = ("what if  " if self._what_if else "", "$weft")
        if answer.verdict == "infeasible":
            return Content.assemble(tried, (f"{sign} not feasible", style))
        known = self._catalog.fabrics.get(answer.fabric) if self._catalog else None
        fabric = (
            "no network needed" if answer.verdict == "no-network-needed" else known.name if known else answer.fabric
        )
        found = chosen(self._plan)
        month = "" if ends(self._plan) else " a month"
        cost = f"  {figures.usd(found.cost_usd.p50)}{month}" if found and found.cost_usd else ""
        given = "given, " if is_given(self._plan) else ""
        sure = f"  {given}{answer.certainty}" if answer.verdict == "recommended" else ""
        return Content.assemble(tried, (f"{sign} {fabric}", style), (cost, ""), (sure, "$quiet"))


def job_parts(fields: Mapping[str, Any], catalog: Catalog | None = None) -> tuple[str, ...]:
    """``pretraining``, ``Llama 3.1 70B``, ``64 × NVIDIA H100 SXM5 80 GB`` from dotted questionnaire fields; what is
    unknown is left out, and an id stands where there is no ``catalog``."""
    gpus, gpu, model = fields.get("cluster.gpus"), fields.get("cluster.gpu"), fields.get("model")
    if catalog is not None:
        gpu = catalog.gpus[gpu].name if gpu in catalog.gpus else gpu
        model = catalog.models[model].name if model in catalog.models else model
    machines = f"{gpus:,} × {gpu}" if gpus and gpu else f"{gpus:,} GPUs" if gpus else gpu
    parts = (fields.get("workload"), model or _size(fields.get("model.params")), machines)
    return tuple(str(part) for part in parts if part)


def _size(params: Any) -> str | None:
    return f"{params / 1e9:g}B parameters" if isinstance(params, (int, float)) else None
