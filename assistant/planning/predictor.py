"""From a questionnaire to predictions: the job, the fabrics that come into question, and what the model says of each.

What is worked out is kept by everything that it depends on, so that what differs in money or people alone is not worked
out again.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from assistant.library import checks
from assistant.model import Machine, Network, Serving, best_times, predict_inference
from assistant.model.collectives import times_faster
from assistant.model.job import SAVINGS
from assistant.model.quickest import ROUNDING, fitting
from assistant.model.reinforcement import Loop
from assistant.model.sizing import Sizing, SizingApart, sizings
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.plan import TIE_PERCENT

from .candidates import Considered, considered
from .entry import Entry
from .estimate import estimate_training, machine, model_job, networks
from .reinforcement import estimate_reinforcement, outcomes
from .resolve import Resolved, resolve
from .rollouts import with_rollouts_for
from .serving import estimate_serving, serving

UNKNOWN: Final = object()  # not worked out yet; an estimate may be None
MOST_KEPT = 4000  # estimates, and as many step times: some 25 MB


class Predictor:
    """The quantitative model over one catalog, with what it has worked out so far. ``today`` dates quotes."""

    def __init__(self, catalog: Catalog, today: datetime.date | None = None) -> None:
        self.catalog, self.today = catalog, today
        self._known: dict[str, dict[Hashable, Any]] = {"estimates": {}, "steps": {}, "layouts": {}, "fits": {}}

    def estimated(self, job: Resolved, only: str | None = None) -> list[Entry]:
        """The fabrics that come into question (or ``only`` one of them), with the model's estimate where there is
        one."""
        entries = [Entry(c) for c in considered(job, self.catalog, self.today)]
        if job.sites == 1:  # between sites one candidate rests on the others: they are worked out together
            entries = [e for e in entries if only in (None, e.id)]
        computable = [e for e in entries if e.considered.computable]

        def work(new: list[Entry]) -> list[Any]:
            if job.loop is not None:
                estimate_reinforcement(new, job, job.loop, self.catalog)
            else:
                (estimate_serving if job.serves else estimate_training)(new, job, self.catalog)
            return [entry.estimated for entry in new]

        found = self._kept("estimates", job, computable, [e.considered for e in computable], work)
        for entry, estimate in zip(computable, found, strict=True):
            entry.estimated = estimate
        return [e for e in entries if only in (None, e.id)]

    def varied(self, job: Resolved, path: str, value: float, *, same_nodes: bool = False) -> Resolved:
        """The job with one number changed, everything assumed from it assumed anew, but for the nodes if they stay the
        same.

        Raises :class:`InputError` where there is no such job.
        """
        changed = job.questionnaire.changed(path, value)
        if path == "cluster.gpus":
            changed = with_rollouts_for(changed, job.gpus)
        checks.check_shape(changed, self.catalog)
        there = resolve(changed, self.catalog)
        return replace(there, gpus_per_node=job.gpus_per_node, domain=job.domain) if same_nodes else there

    def layouts(self, job: Resolved, asked: Serving, joined: Network | None) -> list[Sizing | SizingApart]:
        """Every layout of a copy that keeps the targets, with the copies that the load takes."""
        key = (job.determines_estimates, asked.requests_per_s, asked.concurrency, joined and joined.id)
        return self._once("layouts", key, lambda: sizings(asked, machine(job, self.catalog), joined))

    def _once(self, stage: str, key: Hashable, work: Callable[[], Any]) -> Any:
        known = self._known[stage]
        found = known.get(key, UNKNOWN)
        if found is UNKNOWN:
            if len(known) > MOST_KEPT:
                known.clear()
            found = known[key] = work()
        return found

    def fits(self, job: Resolved) -> bool:
        """Whether the job fits into its GPUs' memory at the split asked for, or at any; how fast it is is not worked
        out."""
        gpus, split = machine(job, self.catalog), job.parallelism
        if job.serves:
            found = considered(job, self.catalog, self.today)
            any_one = sorted(found, key=lambda c: (c.exists, c.fabric.transport == "rdma"))[-1:]  # memory asks for none
            return any(
                one.fits for one in predict_inference(serving(job), gpus, networks(any_one, gpus, job, self.catalog))
            )
        if job.loop is not None:
            return self._loop_fits(job, job.loop)
        if split is not None and job.gpus % (split.tp * split.pp * split.cp):
            return False
        return self._once("fits", job.determines_estimates, lambda: _fits(job, gpus))

    def saving(self, job: Resolved, *, split_kept: bool = False) -> str | None:
        """The least that stacks do besides to save memory with which a job of training fits at its best split, or at
        the one that was given (``split_kept``); ``None`` where it never does."""
        if job.serves or job.loop is not None:
            return None
        return _saving(job if split_kept else replace(job, parallelism=None), machine(job, self.catalog))

    def _loop_fits(self, job: Resolved, loop: Loop) -> bool:
        gpus = machine(job, self.catalog)
        some = [c for c in considered(job, self.catalog, self.today) if c.exists][:1]
        try:
            return any(one.outcome.fits for one in outcomes(job, loop, gpus, networks(some, gpus, job, self.catalog)))
        except InputError:
            return False

    def step_times(self, job: Resolved, found: Sequence[Considered]) -> np.ndarray:
        """Seconds per training step on each fabric at its best split, without bands; NaN where nothing fits.

        Raises :class:`InputError` for a job that cannot be split over its GPUs.
        """

        def work(new: list[Considered]) -> list[Any]:
            gpus = machine(job, self.catalog)
            if job.loop is not None:
                found = outcomes(job, job.loop, gpus, networks(new, gpus, job, self.catalog))
                return [one.outcome.step_time_s if one.outcome.fits else np.nan for one in found]
            return list(best_times(model_job(job), gpus, networks(new, gpus, job, self.catalog), job.parallelism))

        return np.array(self._kept("steps", job, list(found), found, work))

    def cheapest_anyhow(self, job: Resolved, columns: Sequence[Entry], chosen: Entry) -> bool:
        """Whether ``chosen`` costs no more than any other of some entries at the size of ``job``, and ends no later
        where that matters, whatever a step takes there: the network of each is better by less than it is dearer. False
        where that is not known, as with a budget that none may keep."""
        budget, gpus = job.questionnaire.budget, machine(job, self.catalog)
        if job.loop is not None or {budget.usd, budget.usd_per_month, budget.network_share_percent} != {None}:
            return False
        rivals = [e for e in columns if e is not chosen]
        ours, *theirs = networks([e.considered for e in (chosen, *rivals)], gpus, job, self.catalog)
        return all(
            not _gains(rival, chosen, times_faster(one, ours, gpus), job)
            for rival, one in zip(rivals, theirs, strict=True)
        )

    def _kept(
        self,
        stage: str,
        job: Resolved,
        items: list[Any],
        fabrics: Sequence[Considered],
        work: Callable[[list[Any]], list[Any]],
    ) -> list[Any]:
        """One result per item: from what was worked out before; only what is new with this job is worked out now."""
        known = self._known[stage]
        together = tuple(c.fabric.id for c in fabrics) if job.sites > 1 else ()
        keys = [(job.determines_estimates, together, c.fabric.id, c.nics_per_node, c.oversubscription) for c in fabrics]
        found = [known.get(key, UNKNOWN) for key in keys]  # at once: another thread may forget them meanwhile
        new = [at for at, one in enumerate(found) if one is UNKNOWN]
        if new:
            for at, one in zip(new, work([items[at] for at in new]), strict=True):
                found[at] = one
        if len(known) > MOST_KEPT:
            known.clear()
        known.update(zip(keys, found, strict=True))
        return found


def _fits(job: Resolved, gpus: Machine) -> bool:
    """Whether it fits as stacks have it, without anything done besides to save memory: a size that is advised asks for
    none of that."""
    try:
        return fitting(model_job(job), gpus, job.parallelism)[1]
    except InputError:
        return False


def _saving(job: Resolved, gpus: Machine) -> str | None:
    """The first of the savings with which it fits."""
    try:
        asked = model_job(job)
        split = job.parallelism
        return next((kind for kind in SAVINGS if fitting(asked.with_(saving=kind), gpus, split)[1]), None)
    except InputError:
        return None


def _gains(rival: Entry, chosen: Entry, faster: float, job: Resolved) -> bool:
    """Whether an entry whose steps are at most so many times ``faster`` may cost less than another, or be earlier where
    there is a deadline."""
    if rival.costed != chosen.costed:
        return True
    apart = rival.step * faster / chosen.step  # of their steps as predicted, by which both are scaled
    cheaper = rival.ranked_cost * (1.0 + TIE_PERCENT / 100) < chosen.ranked_cost * apart * (1.0 + ROUNDING)
    delivery = [entry.price.delivery_days or 0.0 for entry in (rival, chosen)]
    earlier = rival.median_hours < chosen.median_hours * apart * (1.0 - ROUNDING) or delivery[0] < delivery[1]
    return cheaper or (earlier and job.questionnaire.latest_days is not None)
