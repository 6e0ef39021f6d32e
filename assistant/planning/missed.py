"""The limits of a job that a candidate does not keep, and in a sentence what keeps a job from being run as asked."""

from __future__ import annotations

from collections.abc import Iterable
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
    budget, limits, power = q.budget, q.constraints, entry.power_kw or 0.0
    late = q.latest_days is not None and entry.days > q.latest_days
    at = "constraints.deadline_days"
    asked: list[tuple[str, float | None, float, str, str, bool]] = [
        (at, limits.deadline_days if late else None, entry.days, "a deadline of {} days", "the deadline of {}", False)
    ]
    if entry.costed:
        share, network = budget.network_share_percent, network_share_percent(entry) or 0.0
        # A rented run that is shorter than a month costs itself alone, but where a longer term is paid for.
        alone = budget.mode != "buy" and not q.serves and entry.median_hours < HOURS_PER_MONTH
        alone = alone and usd_per_month(entry, q) >= entry.median_cost
        month = f"{{}} for the run of {lasting(entry.median_hours)}" if alone else "{} a month"
        a_month, of_share = budget.usd_per_month, "{} % for the network"
        asked += [
            ("budget.usd", budget.usd, entry.outlay, "a budget of {}", "the budget of {}", True),
            ("budget.usd_per_month", a_month, usd_per_month(entry, q), month, "the budget of {} a month", True),
            ("budget.network_share_percent", share, network, of_share, f"the share of {of_share}", False),
        ]
    serving, targets = entry.estimate.serving, q.inference
    if serving and targets:
        first, further = "{} ms to the first token", "{} ms for each further token"
        asked += [
            ("inference.ttft_ms", targets.ttft_ms, serving.ttft_s * 1e3, first, first, False),
            ("inference.tpot_ms", targets.tpot_ms, serving.tpot_s * 1e3, further, further, False),
        ]
    slower = limits.max_slowdown_percent, entry.slowdown_percent or 0.0
    asked += [
        ("constraints.max_power_kw", limits.max_power_kw, power, "{} kW", "{} kW", False),
        (
            "constraints.max_slowdown_percent",
            *slower,
            "a slowdown of {} % accepted",
            "the accepted slowdown of {} %",
            False,
        ),
    ]
    return [
        Missed(field, needs, limit, words, name, in_usd)
        for field, limit, needs, words, name, in_usd in asked
        if limit is not None and needs > limit
    ]


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
