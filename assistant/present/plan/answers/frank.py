"""To who doubts or has to defend it: what to bet on, round figures, why one is ahead, a kind no, a slide."""

from __future__ import annotations

from assistant.vocabulary.added import added
from assistant.vocabulary.plan import Candidate

from ... import figures
from .. import reading
from .asked import Asked, lasts, money, slower, usable

_ALIKE = 5.0  # percent of a step
_ROUND = 2  # digits


def solid(asked: Asked) -> list[str]:
    """What of the plan one may bet on."""
    best = asked.best
    if best is None:
        return []
    sure = asked.plan.recommendation.certainty
    firm = ["what fits the memory"]
    if best.fabric == "none":
        firm.append("that nothing crosses a network")
    else:
        plain = [
            c for c in asked.plan.candidates if c.step_time_s and c.fabric.startswith("ethernet-tcp") and c is not best
        ]
        worst = min(plain, key=lambda c: c.median_step, default=None)
        firm += [f"that a step on plain {asked.name(worst.fabric)} takes {lasts(slower(worst, best))}"] if worst else []
    if sure == "clear":
        firm.append("the choice, which is clear")
    return [f"Solid: {'; '.join(firm)}."]


def weak(asked: Asked) -> list[str]:
    """What of it one should not, and where it would be attacked."""
    best = asked.best
    if best is None or best.step_time_s is None:
        return []
    band, tied = best.step_time_s, asked.plan.recommendation.tied
    unit = "token" if reading.serves(asked.plan) else "step"
    low, high = 1 - band.p10 / band.p50, band.p90 / band.p50 - 1
    open_ = [f"the time of a {unit}, computed: {low:.0%} less to {high:.0%} more"]
    stale = [w for w in asked.plan.warnings if w.code.startswith("stale-price")]
    open_ += ["prices, some of them old"] if stale else ["prices: lists, no quotes"]
    if len(tied) > 1 and asked.plan.recommendation.certainty != "clear":
        open_.append(f"the order of the first {len(tied)} networks, a tie")
    guessed = [a for a in asked.plan.assumptions if a.field in ("training.tokens", "training.global_batch")]
    named = {
        "training.tokens": "the tokens, which nobody said",
        "training.global_batch": "the batch, which nobody said",
    }
    open_ += [named[guessed[0].field]] if guessed else []
    return [f"Weak: {'; '.join(open_)}."]


def show_verdict(asked: Asked) -> str | None:
    """Whether it may be shown to somebody critical."""
    if asked.best is None:
        return None
    tie = len(asked.plan.recommendation.tied) > 1 and asked.plan.recommendation.certainty != "clear"
    how = "as a tie, not as a ranking" if tie else "with its ranges"
    return f'Yes, {how}; "sources" names where each figure is from.'


def rounded(asked: Asked) -> list[str]:
    """The same figures with as many digits as they have."""
    best = asked.best
    if best is None or best.step_time_s is None:
        return []
    said = "They are estimates, computed and not measured; read them with two digits at most"
    cost = best.cost_usd
    about = []
    if reading.ends(asked.plan) and best.run_hours:
        quick, slow = reading.run_band(best)
        about.append(f"about {_length(best.run_hours)}, {_length(quick)} to {_length(slow)}")
    if cost is not None:
        about.append(
            f"about {_about(cost.p50)} for {reading.bill(asked.plan)}, {_about(cost.p10)} to {_about(cost.p90)}"
        )
    counted = sum(e.grade == "measured" for e in asked.plan.evidence)
    rest = f" and {counted} measured results" if counted else ""
    return [
        f"{said}{': ' if about else ''}{'; '.join(about)} in eight of ten cases.",
        f"They rest on published measured runs{rest}, makers' data and list prices; 20 steps of yours beat all of it.",
    ]


def _length(hours: float) -> str:
    """Days or hours with as many digits as an estimate has."""
    days = hours > _DAYS
    return f"{figures.significant(hours / 24 if days else hours, _ROUND)} {'days' if days else 'hours'}"


_DAYS = 72.0  # hours from which days are told


def _about(usd: float) -> str:
    return figures.usd(float(figures.significant(usd, _ROUND).replace(",", "")))


def ahead(asked: Asked) -> list[str]:
    """Why the first network is ahead of another, or that it is not, and what parity would do."""
    best = asked.best
    if best is None or best.fabric == "none":
        return []
    other = _beside(asked, best)
    if other is None:
        return _ahead_elsewhere(asked, best)
    step, more = (
        lasts(slower(other, best)),
        (other.median_cost - best.median_cost) if other.cost_usd and best.cost_usd else None,
    )
    cost = f", {figures.usd(abs(more))} {'more' if more > 0 else 'less'}" if more is not None else ""
    tied = other.fabric in asked.plan.recommendation.tied
    name, second = asked.name(best.fabric), asked.name(other.fabric)
    found = asked.plan.recommendation.card
    because = found.because if found and found.because and tied else ""
    behind = more is not None and more < -reading.APART * best.median_cost
    verdict = (
        f"Hardly ahead: {name} and {second} tie."
        if tied
        else f"{second} is ahead: {name} is what was given."
        if behind
        else f"{name} is ahead of {second}."
    )
    reach = [
        f"{fact.si:.0%} of the line on {asked.name(c.fabric)}"
        for c in (best, other)
        if (fact := asked.catalog.fabrics[c.fabric].bandwidth_efficiency) is not None
    ]
    parity = (
        "At full parity price and people decide"
        if tied or abs(slower(other, best)) < _ALIKE
        else "At parity it would be open"
    )
    rest = f"Counted from measurements: {', '.join(reach)}. {parity}." if reach else f"{parity}."
    return [verdict, f"On {second} a step takes {step}{cost}.", rest, *([because] if because else [])]


def _ahead_elsewhere(asked: Asked, best: Candidate) -> list[str]:
    """The network beside one of another kind where it could be had: at the provider that is named no other is let."""
    limits: tuple[str, ...] = ("cluster.provider", "cluster.fabric", "budget.usd", "budget.usd_per_month")
    made = asked.tried(dict.fromkeys(limits))
    kind = lambda c: asked.catalog.fabrics[c.fabric].technology
    able = [c for c in (made.candidates if made else ()) if c.step_time_s and kind(c) not in ("none", kind(best))]
    other = min((c for c in able if c.cost_usd), key=lambda c: c.median_cost, default=next(iter(able), None))
    plain = next((c for c in able if kind(c) == "tcp" and c is not other), None)
    if other is None:
        return []
    name = asked.name(best.fabric)
    waits = figures.percent(reading.waited(asked.plan, best))
    pays = slower(other, best) > _ALIKE
    verdict = (
        f"It pays here: {waits} of a step waits on {name}."
        if pays
        else f"Here it hardly pays for its speed: {waits} of a step waits on {name}."
    )
    cost = f", {money(other)} against {money(best)}" if other.cost_usd and best.cost_usd else ""
    said = [verdict, f"On {asked.name(other.fabric)}, let elsewhere, a step takes {lasts(slower(other, best))}{cost}."]
    return [*said, *([f"On {asked.name(plain.fabric)}: {lasts(slower(plain, best))}."] if plain else [])]


def _beside(asked: Asked, best: Candidate) -> Candidate | None:
    """The network that is spoken of beside the first one: named, tied, or second."""
    kind = lambda c: asked.catalog.fabrics[c.fabric].technology
    named = [
        c for f in asked.fabrics if (c := reading.candidate(asked.plan, f)) and c.step_time_s and kind(c) != kind(best)
    ]
    tied = [c for f in asked.plan.recommendation.tied if (c := reading.candidate(asked.plan, f)) and c is not best]
    near = [c for c in usable(asked) if c is not best and kind(c) not in ("tcp", kind(best))]
    real = [c for c in named if kind(c) != "tcp"]
    return next(iter([*real, *tied, *near]), None)


def kindly(asked: Asked) -> list[str]:
    """What to say, kindly, to who asks for a network that is not needed, or is."""
    best = asked.best
    if best is None:
        return []
    named = next((c for f in asked.fabrics if (c := reading.candidate(asked.plan, f)) and c.step_time_s), None)
    name = asked.name(asked.fabrics[0]) if asked.fabrics else "a faster network"
    if best.fabric == "none":
        found = asked.plan.recommendation.card
        why = found.because.rstrip(".") if found else "nothing crosses a network"
        return [
            f"It is not needed here: {why[:1].lower()}{why[1:]}.",
            f'Say: "{name} is right for training over many nodes. This job never leaves the node, so it would not be a '
            'day faster; let us put the money into GPUs."',
        ]
    if named is best:
        return [
            f"They are right: {name} is what the plan takes, {money(best)}.",
            'Say: "I checked it, and you are right."',
        ]
    if named is None:
        return []
    more = slower(best, named)
    return [
        f"Not wrong, but not needed: on {asked.name(best.fabric)} a step takes {lasts(more)}.",
        f'Say: "{name} would do well. {asked.name(best.fabric)} does the same work for {money(best)}'
        + (f', against {money(named)}."' if named.cost_usd else '."'),
    ]


def cannot_get(asked: Asked) -> list[str]:
    """What to take, and to say, where the network that is wished for cannot be had in time."""
    best = asked.best
    if best is None or best.fabric == "none":
        return []
    kind = lambda c: asked.catalog.fabrics[c.fabric].technology
    wished = next((c for f in asked.fabrics if (c := reading.candidate(asked.plan, f)) and c.step_time_s), best)
    able = [c for c in usable(asked) if kind(c) not in (kind(wished), "tcp")]
    other = min(able, key=lambda c: (c.median_step, c.median_cost), default=None)
    if other is None:
        return [f"Nothing but {asked.name(wished.fabric)} with RDMA can be had for this job: rent until it comes."]
    more = other.median_cost - wished.median_cost if other.cost_usd and wished.cost_usd else None
    cost = (
        f", {figures.usd(abs(more))} {'more' if more > 0 else 'less'} for {reading.bill(asked.plan)}"
        if more is not None
        else ""
    )
    than = lasts(slower(other, wished), asked.name(wished.fabric))
    said = [f"Say: {asked.name(other.fabric)} can be had instead; on it a step takes {than}{cost}."]
    bought = asked.plan.purchase
    if bought is not None:
        month = figures.usd(added(bought.monthly_usd.values()))
        said.append(f"Every month that the machines wait for switches costs {month} of write-off, power and support.")
    return [*said, "Delivery times are not in the plan: have both sellers write the week."]


def slide(asked: Asked) -> list[str]:
    """A title and four points, in the language that is named where its words are known."""
    best = asked.best
    forms = asked.words.get("slides", {})
    form = next(
        (one for one in forms.values() if any(word in asked.text for word in one["asked"])), forms.get("english")
    )
    if best is None or form is None:
        return []
    offer = asked.plan.taken
    gpu = asked.catalog.gpus[asked.plan.questionnaire["cluster"]["gpu"]].name
    bought = asked.plan.purchase
    cost = figures.usd(bought.capital_usd) if bought else money(best)
    waits = figures.percent(best.exposed_communication_percent)
    network = form["none"] if best.fabric == "none" else asked.name(best.fabric)
    facts = {
        "gpus": f"{reading.gpus(asked.plan):,}",
        "gpu": gpu,
        "seller": (offer.provider_name or offer.provider) if offer else form["nobody"],
        "network": network,
        "cost": cost,
        "low": figures.usd(best.cost_usd.p10) if best.cost_usd else cost,
        "high": figures.usd(best.cost_usd.p90) if best.cost_usd else cost,
        "time": figures.hours(best.run_hours),
        "waits": waits,
    }
    if form.get("decimal"):
        facts |= {name: _figures_of(facts[name], form) for name in ("gpus", "cost", "low", "high", "time", "waits")}
    time = form["time"] if reading.ends(asked.plan) else form["service"]
    why = form["no-network"] if best.fabric == "none" else form["why"]
    deed = form["buy"] if bought else form["rent"]
    sure = form[asked.plan.recommendation.certainty]
    return [
        form["title"].format(deed=deed.format(**facts)),
        *(line.format(**facts) for line in (form["cost"], time, why, sure)),
    ]


def _figures_of(text: str, form: dict[str, object]) -> str:
    """Figures with the words and the marks of another language."""
    words = form.get("units")
    for one, other in words.items() if isinstance(words, dict) else ():
        text = text.replace(one, other)
    return text.translate(str.maketrans({",": ".", ".": ","})) if any(sign.isdigit() for sign in text) else text
