"""A plan as a report: titled sections of paragraphs, lists and tables, with numbered sources.

The content is decided here once; :mod:`text`, :mod:`terminal`, :mod:`markdown` and :mod:`page` only draw it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from assistant.vocabulary.plan import Candidate, Crossover, Evidence, Finding, Plan, SourceNumber

from . import figures, reading
from .fields import assumed_text, field_name, value_text

SIGNS = {"recommended": "✓", "acceptable": "·", "avoid": "!", "impossible": "✗"}
_WHY_STAGES = ("demand", "choose", "classify")  # what the job asks of a network, then what speaks for the choice
MOST_REASONS = 10


@dataclass(frozen=True)
class Paragraph:
    """Running text; ``strong`` is the sentence to read when only one is read."""

    text: str
    strong: bool = False


@dataclass(frozen=True)
class Bullets:
    """A list; each item is a sentence."""

    items: list[str]


@dataclass(frozen=True)
class Table:
    """Rows of text under a header; ``right`` are the columns of numbers; ``emphasis`` the index of the row that won.

    Where there is little room columns give way in the order of ``first_to_go``, after ``shorter`` cells (header first)
    have taken the place of a column's own. ``each_named``: in plain text every value stands beside the name of its column.
    """

    header: list[str]
    rows: list[list[str]]
    right: frozenset[int] = frozenset()
    emphasis: int | None = None
    first_to_go: tuple[int, ...] = ()
    shorter: dict[int, list[str]] = field(default_factory=dict)
    each_named: bool = False


def whole(table: Table) -> dict[int, list[str]]:
    """Every column by its number: header, then cells."""
    return {i: [table.header[i], *(row[i] for row in table.rows)] for i in range(len(table.header))}


def fitting_columns(table: Table, width: int, gap: int) -> dict[int, list[str]] | None:
    """The columns that fit in ``width`` with ``gap`` cells between two: as they are, with one after another gone, then
    with shorter cells; ``None`` when nothing fits.
    """
    full = whole(table)
    for kept, most in ((full, min(3, len(table.first_to_go))), ({**full, **table.shorter}, len(table.first_to_go))):
        for gone in range(most + 1):
            columns = {i: cells for i, cells in kept.items() if i not in table.first_to_go[:gone]}
            if sum(max(map(len, cells)) for cells in columns.values()) + gap * (len(columns) - 1) <= width:
                return columns
    return None


Block = Paragraph | Bullets | Table


@dataclass(frozen=True)
class Section:
    """A titled part of the report. An empty title is the opening."""

    title: str
    blocks: list[Block]


@dataclass
class Citations:
    """Numbers the sources in the order in which they are first cited."""

    evidence: dict[str, Evidence]
    order: list[str] = field(default_factory=list)

    def marks(self, ids: list[str], most: int = 2) -> str:
        """`` [1][4]`` for a sentence that rests on these pieces of evidence."""
        marks = []
        for ident in [i for i in ids if i in self.evidence][:most]:
            if ident not in self.order:
                self.order.append(ident)
            marks.append(f"[{self.order.index(ident) + 1}]")
        return " " + "".join(marks) if marks else ""


def report(plan: Plan) -> list[Section]:
    """The whole plan, the answer first, the sources last."""
    return cited_report(plan)[0]


def citation_numbers(plan: Plan) -> dict[str, int]:
    """The numbers by which the report cites pieces of evidence, by their ids, ascending."""
    return {ident: number for number, ident in enumerate(cited_report(plan)[1].order, start=1)}


def cited_report(plan: Plan) -> tuple[list[Section], Citations]:
    """The whole plan, and the numbers under which it cites its sources."""
    cites = Citations({e.id: e for e in plan.evidence})
    sections = [
        _opening(plan),
        _candidates(plan),
        _why(plan, cites),
        _why_not(plan, cites),
        _flips(plan),
        _conflicts(plan),
        _warnings(plan),
        _bullets("Measure first", plan.measure_first),
        _bullets("Ask the provider", plan.questions_for_provider),
        _design(plan),
        _settings(plan),
        _assumptions(plan),
    ]
    sections.append(_sources(cites))
    return [section for section in sections if section.blocks], cites


def _opening(plan: Plan) -> Section:
    answer = plan.recommendation
    blocks: list[Block] = [Paragraph(answer.headline, strong=True)]
    details = [reading.confidence(plan)] if reading.confidence(plan) else []
    if answer.runner_up:
        details.append(f"Runner-up: {answer.runner_up}.")
    if answer.smallest_change:
        details.append(answer.smallest_change)
    chosen = next((c for c in plan.candidates if c.fabric == answer.fabric), None)
    if chosen and chosen.parallelism:
        need = (
            f"; {chosen.memory_gb_per_gpu * 1e9 / 2**30:.0f} GiB on the fullest GPU, margin included"
            if chosen.memory_gb_per_gpu and chosen.fits
            else ""
        )
        details.append(f"Split: {figures.layout(chosen.parallelism)}{need}.")
    kept = reading.limits(plan)
    details += [kept] if kept else []
    blocks += [Paragraph(" ".join(details))] if details else []
    return Section("", blocks + ([Paragraph(answer.not_the_likeliest)] if answer.not_the_likeliest else []))


def _candidates(plan: Plan) -> Section:
    computed = [c for c in plan.candidates if c.step_time_s is not None]
    if not computed:
        return Section("Candidates", [])
    serving = "inference" in str(plan.questionnaire.get("workload", ""))
    header = ["", "fabric", "per token" if serving else "step", "slower by", "exposed", "run", "cost, P10–P90", "best"]
    rows = [_row(c) for c in computed]
    won = next((i for i, c in enumerate(computed) if c.verdict == "recommended"), None)
    medians = [
        figures.usd(c.cost_usd.p50) if c.cost_usd and c.fits is not False else row[6]
        for c, row in zip(computed, rows, strict=True)
    ]
    blocks: list[Block] = [
        Table(header, rows, frozenset({2, 3, 4, 5, 6, 7}), won, (5, 4, 7, 2, 3), {6: ["cost", *medians]}),
        Paragraph(
            f"✓ {'given' if reading.is_given(plan) else 'recommended'}   · acceptable   ! avoid   ✗ impossible. "
            "Exposed: communication that nothing hides, inside nodes too. Best: the probability of being the cheapest."
        ),
    ]
    blocks += [Paragraph(note) for note in (reading.splits(computed), reading.middle(plan)) if note]
    left_out = [c.fabric for c in plan.candidates if c.step_time_s is None]
    if left_out:
        blocks.append(Paragraph("Not possible here: " + ", ".join(left_out) + "."))
    return Section("Candidates", blocks)


def _row(candidate: Candidate) -> list[str]:
    step = candidate.step_time_s.p50 if candidate.step_time_s else None
    best = f"{candidate.probability_best:.0%}" if candidate.probability_best is not None else figures.UNKNOWN
    fits = candidate.fits is not False
    return [
        SIGNS[candidate.verdict],
        candidate.fabric,
        figures.seconds(step),
        figures.slowdown(candidate.slowdown_percent),
        figures.percent(candidate.exposed_communication_percent),
        figures.hours(candidate.run_hours),
        figures.usd_band(candidate.cost_usd) if fits else "does not fit",
        best,
    ]


def _why(plan: Plan, cites: Citations) -> Section:
    chosen = plan.recommendation.fabric
    said = [f for stage in _WHY_STAGES for f in plan.findings if f.stage == stage and f.fabric in (None, chosen)]
    return Section("Why", [Bullets([_sentence(f, cites) for f in said[:MOST_REASONS]])] if said else [])


def _sentence(finding: Finding, cites: Citations) -> str:
    return f"{finding.because}{cites.marks(finding.evidence)} ({finding.rule})"


def _why_not(plan: Plan, cites: Citations) -> Section:
    """One line per reason; fabrics that the same rule speaks against stand together."""
    groups: dict[str, tuple[list[str], str]] = {}
    by_rule = {(f.rule, f.fabric): f for f in plan.findings}
    for candidate in plan.candidates:
        if candidate.verdict == "recommended":
            continue
        finding = next(
            (by_rule[r, candidate.fabric] for r in candidate.reasons if (r, candidate.fabric) in by_rule), None
        )
        text = _sentence(finding, cites) if finding else _cost_reason(candidate, plan)
        names, first = groups.setdefault(finding.rule if finding else text, ([], text))
        names.append(candidate.fabric)
    items = [
        f"{', '.join(names)}: {text if len(names) == 1 else text.replace(names[0], 'it')}"
        for names, text in groups.values()
    ]
    return _bullets("Why not the others", items)


def _cost_reason(candidate: Candidate, plan: Plan) -> str:
    chosen = next((c for c in plan.candidates if c.verdict == "recommended"), None)
    if candidate.cost_usd is None:
        return "nothing was computed for it."
    if chosen is None or chosen.cost_usd is None:
        return "the job does not run on it as asked either."
    more = candidate.cost_usd.p50 - chosen.cost_usd.p50
    share = more / chosen.cost_usd.p50
    if abs(share) < 0.0005:
        return "it costs the same."
    if more > 0:
        return f"the run costs {figures.usd(more)} more ({share:.1%}){_at_another_price(candidate, chosen)}."
    if plan.questionnaire["cluster"].get("fabric"):
        return f"the run would cost {figures.usd(-more)} less ({-share:.1%}), but the network is already there."
    return f"its cost cannot be told apart from the choice ({figures.usd(-more)} less in the median)."


def _at_another_price(candidate: Candidate, chosen: Candidate) -> str:
    """A fabric that comes with one cloud's machines has that cloud's price."""
    here, there = chosen.gpu_usd_per_hour, candidate.gpu_usd_per_hour
    return "" if here is None or there is None or here == there else f", at {figures.usd(there)} per GPU-hour there"


def _flips(plan: Plan) -> Section:
    flips = plan.recommendation.flips
    items = [
        f"{field_name(f.input)}: from {value_text(f.input, f.from_)} to {value_text(f.input, f.at)}, then "
        f"{'no network' if f.to_fabric == 'none' else f.to_fabric}."
        for f in flips
    ]
    return Section("What would flip it", [Bullets(items)] if items else [])


def _conflicts(plan: Plan) -> Section:
    items = [
        f"{c.topic} "
        + "; ".join(f"{s.says.rstrip('.')} ({s.claim.split('/')[0]})" for s in c.sides)
        + f". What holds: {c.resolution}"
        for c in plan.conflicts
    ]
    blocks: list[Block] = [Bullets(items)] if items else []
    return Section("Where the sources disagree", blocks + (_crossover(plan.crossover) if plan.crossover else []))


def _crossover(found: Crossover) -> list[Block]:
    """Each source's number of GPUs beside what this job would take there, then where it really turns."""
    by_size: dict[int, list[SourceNumber]] = {}
    for number in sorted(found.sources, key=lambda number: number.gpus):
        by_size.setdefault(number.gpus, []).append(number)
    rows = [
        [f"{gpus:,}", ", ".join(dict.fromkeys(n.claim.split("/")[0] for n in numbers)), _taken(numbers[0])]
        for gpus, numbers in by_size.items()
    ]
    beside: list[Block] = (
        [Table(["GPUs", "named by", "cheapest for this job there"], rows, frozenset({0}))] if rows else []
    )
    largest = f"up to {found.points[-1].gpus:,} GPUs, the largest size tried"
    said = []
    if {"tcp"} < set(found.compared):
        said.append(_turn("a fabric with RDMA", "plain TCP", found.rdma_from, found, largest))
    if {"ethernet_rdma", "infiniband"} <= set(found.compared):
        said.append(_turn("InfiniBand", "RDMA over Ethernet", found.infiniband_from, found, largest))
    opening = "Computed for this job at other sizes, by cost at this plan's prices."
    said = [f"{one[0].upper()}{one[1:]}" for one in said]
    return [*beside, Paragraph(" ".join([opening, *said]))] if said else beside


def _taken(number: SourceNumber) -> str:
    if number.fabric == "none":
        return "none: nothing crosses nodes"
    return number.fabric or "it cannot run there"


def _turn(kind: str, other: str, at: int | None, found: Crossover, largest: str) -> str:
    if at is None:
        return f"No size {largest}, is one from which on {kind} stays clearly cheaper than {other}."
    if at == found.points[0].gpus:
        few = (
            "as soon as it leaves one scale-up link"
            if at <= 2 * found.gpus_per_domain
            else "on the smallest size it runs on"
        )
        return f"{kind} is clearly cheaper than {other} {few}, {at:,} GPUs, and on every larger size tried."
    before = max(point.gpus for point in found.points if point.gpus < at)
    return f"{kind} is clearly cheaper than {other} from {at:,} GPUs on; on {before:,} it is not."


def _warnings(plan: Plan) -> Section:
    return _bullets("Warnings", [warning.message for warning in plan.warnings])


def _bullets(title: str, items: list[str]) -> Section:
    return Section(title, [Bullets(list(items))] if items else [])


def _assumptions(plan: Plan) -> Section:
    items = [f"{assumed_text(a)} – {a.why}." for a in plan.assumptions]
    return _bullets("Assumed, because nobody said", items)


def _design(plan: Plan) -> Section:
    d = plan.fabric_design
    if not d or not d.get("switches"):
        return Section("The network", [Bullets(list(d.get("notes", [])))] if d.get("notes") else [])
    lines = [
        f"{d['nodes']} nodes, {d['nics']} NICs, {_count(d['switches'], 'switch', 'switches')} in {_count(d['tiers'], 'tier', 'tiers')}: {d['leaf']} leaf, {d['spine']} spine, "
        f"{d['core']} core; {d['optics']} optics; {figures.significant(d['power_w'] / 1000)} kW.",
        f"About {figures.usd(d['capex_usd']['mid'])} to buy ({figures.usd(d['capex_usd']['low'])}–{figures.usd(d['capex_usd']['high'])}), "
        f"{figures.usd(d['usd_per_gpu_hour'])} per GPU-hour over the amortisation.",
    ]
    return Section("The network", [Bullets(lines + list(d.get("notes", [])))])


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def _settings(plan: Plan) -> Section:
    settings = plan.nccl.get("settings") or []
    rows = [[f"{s['name']}={s['value']}", s["reason"]] for s in settings]
    return Section("NCCL settings", [Table(["setting", "why"], rows)] if rows else [])


def _sources(cites: Citations) -> Section:
    return _bullets(
        "Sources", [source_line(number, cites.evidence[ident]) for number, ident in enumerate(cites.order, start=1)]
    )


def source_line(number: int, e: Evidence, *, said: bool = True) -> str:
    """A source under its number, with its verdict and, with ``said``, what it says; what holds instead is never left out."""
    line = f"[{number}] {e.source}, “{e.section}” ({e.date or 'no date'}; {e.grade}; {e.verdict})" + (
        f": {e.text}" if said else ""
    )
    return line + (f" — What holds: {e.correction}" if e.correction else "")
