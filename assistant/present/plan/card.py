"""The card: do what, what it costs, when it is done, why, what would change it, and how certain that is."""

from assistant.vocabulary.plan import Candidate, Plan, ServingFigures

from .. import figures
from ..blocks import Block, Bullets, Paragraph
from ..fields import value_text
from . import reading

LINES = (("Cost: ", "cost"), ("", "finish"), ("Because: ", "because"), ("Changes if ", "changes_if"))
_OFTEN = 0.1  # probability from which on a network is named beside a choice that nothing ties with


def section(plan: Plan) -> list[Block]:
    """The first thing that is read, everywhere in the same lines; a plan of an older version has its headline alone."""
    found = plan.recommendation.card
    if found is None:
        return [Paragraph(plan.recommendation.headline, strong=True)]
    nothing = plan.recommendation.verdict == "infeasible"  # then what would change it is a sentence of its own
    lines = [f"{'' if nothing else label}{getattr(found, part)}" for label, part in LINES if getattr(found, part)]
    lines[2:2] = [] if nothing else _work(plan)  # below cost and time
    unasked = [f"Worth knowing: {plan.volunteered}"] if plan.volunteered else []
    told = Bullets([*lines, *certain(plan), *unasked])
    return [Paragraph(found.do, strong=True, doubt=nothing or costs_more(plan)), told]


def _work(plan: Plan) -> list[str]:
    """How many tokens the run was taken to have, where nobody said it: what it takes goes with them."""
    days = reading.asked(plan, "training.days")  # of which they follow
    tokens = next((a.value for a in plan.assumptions if a.field == "training.tokens" and not days), None)
    what = "the time goes" if plan.purchase else "cost and time go"
    return [f"Counted for {value_text('training.tokens', tokens)} tokens, assumed: {what} with them."] if tokens else []


def costs_more(plan: Plan) -> bool:
    """Whether it is kept because it was given, and something else is likely the cheaper one."""
    return reading.is_given(plan) and plan.recommendation.confidence < 0.5


def certain(plan: Plan) -> list[str]:
    """How certain the choice is, in a word and what it means; nothing where nothing works or nothing was chosen."""
    answer, best = plan.recommendation, reading.chosen(plan)
    alone = answer.verdict == "no-network-needed"
    if answer.verdict == "infeasible" or best is None or (best.cost_usd is None and not alone):
        return []
    sure = "clear that no network is needed: nothing crosses." if alone else _meaning(plan)
    told = (sure, _next_kind(plan), _band(plan, best))
    return [f"Certainty: {' '.join(text for text in told if text)}"]


def _next_kind(plan: Plan) -> str:
    """Where nobody said the GPU, how near the next kind comes."""
    kinds = plan.sizing.kinds[:2] if plan.sizing and any(a.field == "cluster.gpu" for a in plan.assumptions) else []
    if len(kinds) < 2:
        return ""
    first, second = (kind.usd_per_million_output_tokens for kind in kinds)
    more = f"{100 * (second / first - 1):.2g} % more per token"
    return f"Of the kinds of GPU {reading.name(plan, kinds[1].gpu)} comes next, at {more}."


def _band(plan: Plan, best: Candidate) -> str:
    """Between which times a service answers, or a job in bulk is done."""
    one = best.serving
    if one is None:
        return ""
    if reading.ends(plan):
        short, long = map(figures.hours, reading.run_band(best))
        return f"In eight of ten cases it is done in {short}–{long}."
    first, each = (
        f"{figures.seconds(low)}–{figures.seconds(high)}"
        for low, high in ((one.ttft_s_p10, one.ttft_s_p90), (one.tpot_s_p10, one.tpot_s_p90))
    )
    return f"In eight of ten cases the first token takes {first} and each further one {each}{_kept(plan, one)}."


def _kept(plan: Plan, one: ServingFigures) -> str:
    """Whether so many GPUs keep the times that were asked for in the worst tenth of cases as well."""
    found = plan.sizing
    if found is None or not (found.ttft_ms or found.tpot_ms) or one.meets_targets is False:
        return ""
    late = [
        1e3 * slow > limit
        for slow, limit in ((one.ttft_s_p90, found.ttft_ms), (one.tpot_s_p90, found.tpot_ms))
        if limit
    ]
    keep = f"so {found.gpus:,} GPUs keep" if found.gpus > 1 else "so one GPU keeps"
    return f"; {keep} the times asked for {'at the middle, not in the worst tenth' if any(late) else 'in nine of ten'}"


def _meaning(plan: Plan) -> str:
    """The word, and why it is that one; with what the choice is one among where something that was left out costs no
    more, or hardly."""
    answer, given = plan.recommendation, reading.is_given(plan)
    among, left = reading.among(plan), reading.left_out(plan)
    others = [reading.name(plan, fabric) for fabric in answer.tied if fabric != answer.fabric]
    likely = [] if others else _likeliest(plan)
    others = others or [reading.name(plan, c.fabric) for c in likely]
    if unread := reading.unread(plan):
        return f"open until it is said whose {unread} is, told with the quotes, and for what."
    if reading.asks_of_quotes(plan):
        return f"{answer.certainty}; it rests on what is still to be asked of a quote."
    if not _compared(plan):
        return "nothing was compared, as no other network has a price to compare."
    if answer.certainty == "clear" and not costs_more(plan):
        if among:
            return f"clear among {among}; {left}."
        if any(warning.code == "more-than-anybody-says" for warning in plan.warnings):
            return "no other network comes within the error, if so many are let at all: nobody says so."
        slower = _same_and_slower(plan)
        are = ("costs", "is") if len(slower) == 1 else ("cost", "are")
        least = f"{_listed(slower)} {are[0]} the same and {are[1]} slower" if slower else ""
        return f"clear; {least or 'no other network comes within the error'}."
    those = f" That is among {among}; {left}." if among else ""
    if answer.certainty == "toss-up":
        same = f"costs the same as {_listed(others)} within the error"
        return f"toss-up; it {f'was given, and {same}' if given else f'{same}: pick by who runs it'}.{those}"
    if costs_more(plan):
        cheaper = reading.name(plan, answer.runner_up) if answer.runner_up else _listed(others)
        how = "costs less" if answer.certainty == "clear" else "likely costs less"
        return f"{answer.certainty}; it was given, and {cheaper} {how}.{those}"
    kept = ", and within the budget then" if any(c.limits_missed for c in likely) else ""
    return f"close; {_listed(others) if others else 'another'} may turn out cheaper{kept}.{those}"


def _same_and_slower(plan: Plan) -> list[str]:
    """What costs no less and takes longer, as where the rent is that of a whole term."""
    best = reading.chosen(plan)
    others = [c for c in plan.candidates if c is not best and c.cost_usd and c.fits is not False and not c.barred]
    if best is None or best.cost_usd is None:
        return []
    same = [c for c in others if abs(c.median_cost / best.median_cost - 1) < reading.EQUAL and not c.limits_missed]
    pace = lambda c: (c.run_hours or 0.0) if not reading.serves(plan) else c.step_time_s.p50 if c.step_time_s else 0.0
    return [reading.name(plan, c.fabric) for c in same if pace(c) > 1.01 * pace(best)]


def _compared(plan: Plan) -> bool:
    """Whether anything was: another network with a price, or quotes, be they of one network."""
    others = [c for c in plan.candidates if c.cost_usd and c.fabric != plan.recommendation.fabric]
    able = any(c.verdict != "impossible" and c.fits is not False for c in others)
    return bool(plan.questionnaire["budget"].get("quotes")) or able


def _likeliest(plan: Plan) -> list[Candidate]:
    """Beside a choice that nothing ties with, what else is the cheapest more often than in a tenth of the worlds, or
    the one that most often is."""
    others = [c for c in plan.candidates if c.fabric != plan.recommendation.fabric and c.probability_best]
    others.sort(key=lambda c: -(c.probability_best or 0.0))
    return [c for c in others if (c.probability_best or 0.0) > _OFTEN] or others[:1]


def _listed(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1]))) if names else "others"
