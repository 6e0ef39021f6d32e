"""The limits of a job that a candidate does not keep, and in a sentence what keeps a job from being run as asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import ceil, floor, log10

from assistant.vocabulary.quantities import HOURS_PER_MONTH, days_said, limit_in_dollars
from assistant.vocabulary.questionnaire import Questionnaire

from .budgets import network_share_percent, usd_per_month
from .entry import Entry
from .headline import lasting, usd
from .resolve import Resolved


@dataclass(frozen=True)
class Missed:
    """A limit that an entry does not keep, and what it needs of it; ``field``: the limit's in the questionnaire,
    ``words``: how a value of it is told, ``name`` as the limit of the job."""

    field: str
    needs: float
    limit: float
    words: str
    name: str
    in_usd: bool = False

    @property
    def enough(self) -> str:
        """:attr:`least` as it is told."""
        return self.words.format(limit_in_dollars(self.least, usd) if self.in_usd else f"{self.least:,.10g}")

    @property
    def rounded_up(self) -> float:
        """What it needs in three digits: what is alike in these is one change."""
        return ceil(self.needs / self._step) * self._step

    @property
    def _step(self) -> float:
        digit = floor(log10(self.needs)) - 2
        return 10.0 ** (max(digit, 0) if self.in_usd else digit)

    @property
    def least(self) -> float:
        """The least value of three digits that is kept; of a sum that is told rounded down the thousandth above it, so
        that it is none that looks larger."""
        value, step = self.rounded_up, self._step
        if self.in_usd and usd(value) != usd(self.needs):
            value = ceil(10 * self.needs / step) * step / 10 if step >= 10 else value
        return value

    @property
    def given(self) -> str:
        """The limit as it was given, to the last digit."""
        unit = next((unit for unit in (" %", " kW", " ms") if unit in self.words), "")
        monthly = " a month" if self.name.endswith(" a month") and not self.words.endswith(" a month") else ""
        return f"{self._value}{monthly}" if self.in_usd else f"{self._value.removesuffix(' days')}{unit}"

    @property
    def named(self) -> str:
        """``the budget of $60,000``."""
        return self.name.format(self._value)

    @property
    def _value(self) -> str:
        if self.in_usd:
            return limit_in_dollars(self.limit, usd)
        return days_said(self.limit) if " days" in self.words else f"{self.limit:,.10g}"


def missed(entry: Entry, q: Questionnaire) -> list[Missed]:
    """The limits that the entry does not keep, those of time first."""
    return [one for one in _limits(entry, q) if one.needs > one.limit]


def _limits(entry: Entry, q: Questionnaire) -> Iterator[Missed]:
    """Every limit of the job, with what the entry needs of it; what is not known of an entry, it needs nothing of."""
    budget, limits, targets, serving = q.budget, q.constraints, q.inference, entry.estimate.serving
    if limits.deadline_days is not None and q.latest_days is not None and entry.days > q.latest_days:
        days = limits.deadline_days
        yield Missed("constraints.deadline_days", entry.days, days, "a deadline of {} days", "the deadline of {}")
    if entry.costed and budget.usd is not None:
        yield Missed("budget.usd", entry.outlay, budget.usd, "a budget of {}", "the budget of {}", in_usd=True)
    if entry.costed and budget.usd_per_month is not None:
        a_month, most = usd_per_month(entry, q), budget.usd_per_month
        words = f"{{}} for the run of {lasting(entry.median_hours)}" if _costs_itself(entry, q) else "{} a month"
        yield Missed("budget.usd_per_month", a_month, most, words, "the budget of {} a month", in_usd=True)
    if entry.costed and budget.network_share_percent is not None:
        share, most = network_share_percent(entry) or 0.0, budget.network_share_percent
        of_share = "{} % for the network"
        yield Missed("budget.network_share_percent", share, most, of_share, f"the share of {of_share}")
    if serving and targets and targets.ttft_ms is not None:
        first = "{} ms to the first token"
        yield Missed("inference.ttft_ms", serving.ttft_s * 1e3, targets.ttft_ms, first, first)
    if serving and targets and targets.tpot_ms is not None:
        further = "{} ms for each further token"
        yield Missed("inference.tpot_ms", serving.tpot_s * 1e3, targets.tpot_ms, further, further)
    if limits.max_power_kw is not None:
        yield Missed("constraints.max_power_kw", entry.power_kw or 0.0, limits.max_power_kw, "{} kW", "{} kW")
    if limits.max_slowdown_percent is not None:
        slower, most = entry.slowdown_percent or 0.0, limits.max_slowdown_percent
        words, name = "a slowdown of {} % accepted", "the accepted slowdown of {} %"
        yield Missed("constraints.max_slowdown_percent", slower, most, words, name)


def _costs_itself(entry: Entry, q: Questionnaire) -> bool:
    """Whether a rented run is shorter than a month and costs itself alone, no longer term being paid for."""
    short = q.budget.mode != "buy" and not q.serves and entry.median_hours < HOURS_PER_MONTH
    return short and usd_per_month(entry, q) >= entry.median_cost


def kept_by_none(entries: Iterable[Entry], q: Questionnaire) -> list[str]:
    """The limits that none of the entries keeps; where each keeps what others do not, all that any of them misses.
    Empty where one of them keeps every limit."""
    each = [{one.named: None for one in missed(entry, q)} for entry in entries]
    if not each or not all(each):
        return []
    by_all = [name for name in each[0] if all(name in some for some in each)]
    return by_all or list(dict.fromkeys(name for some in each for name in some))


def not_as_asked(job: Resolved, entries: Iterable[Entry]) -> str:
    """Why nothing can be recommended: what no network keeps, or that the job does not fit, or is let by nobody."""
    what = f"{job.gpus:,} {job.gpu.name}"
    fits = [e for e in entries if e.estimated is not None and e.estimate.fits]
    if not fits:
        return f"{job.model_name} does not fit on {what} as asked."
    sold = [e for e in fits if e.considered.sold is not False]
    if not sold and not job.questionnaire.budget.quotes:
        by = job.provider.name if job.provider else "Nobody in the catalog"
        return f"{by} lets {'no ' if job.provider else ''}{what} for {job.model_name} at a price that is known."
    able = [e for e in sold if e.verdict != "impossible"]
    carrying = [e for e in able if e.estimate.copies_short <= 1]
    limits = kept_by_none(carrying, job.questionnaire)
    if limits:
        return f"On {what} nothing that runs {job.model_name} keeps {' and '.join(limits)}."
    return f"Nothing runs {job.model_name} on {what} as asked."
