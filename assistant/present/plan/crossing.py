"""What a service sends between nodes: instances of prefill and decode, caches on each network, or tokens of a copy that
spans nodes; and what the same GPUs do without."""

from assistant.vocabulary.plan import Crossing, Plan, ServedOver

from .. import figures, limits
from ..blocks import Block, Heading, Paragraph, Table
from . import reading

# times as much: a smaller difference is well within the model's own error in the time of a token, which the catalog
# has as serving-error-tpot
NOTICED = 1.1
_ALIKE = 0.98  # of a rate: what a search for it leaves open
_WORTH = {1: "Apart is worth it here", 0: "Apart gains hardly anything here", -1: "Apart is not worth it here"}
_BY_LOAD = "worth it from 10 % more requests on"
_BY_TIME = "worth it where an answer takes 10 % less time at the same load and no fewer are carried"
_MIXED = "Apart answers come sooner and fewer requests are carried here"
TITLE = "What crosses the network"


def section(plan: Plan) -> list[Block]:
    """Every network that was computed."""
    return _told(plan, None)


def in_short(plan: Plan) -> list[Block]:
    """The same with the slowest networks and the recommended one."""
    return _told(plan, limits.CROSSING_IN_SHORT)


def in_talk(plan: Plan) -> list[Block]:
    """The sentences alone."""
    return [Paragraph(" ".join(sentences(plan, plan.crossing)))] if plan.crossing else []


def _told(plan: Plan, most: int | None) -> list[Block]:
    found = plan.crossing
    if found is None:
        return []
    told = _told_of(found)
    shown = [one for n, one in enumerate(found.networks) if most is None or n < most or one is told]
    won = told if told.fabric == plan.recommendation.fabric else None
    return [Heading(TITLE), Paragraph(" ".join(sentences(plan, found))), _table(shown, won)]


def _told_of(found: Crossing) -> ServedOver:
    return next((one for one in found.networks if one.fabric == found.fabric), found.networks[-1])


def sentences(plan: Plan, found: Crossing) -> list[str]:
    """What crosses, how long it takes on the plan's network, and what the same GPUs do without."""
    one = _told_of(found)
    if found.prefill_workers is None:
        return [
            f"A copy spans nodes, so every token waits for {one.fabric}: {_share(one.network_wait_percent)} of a "
            f"request, {_rate(one.network_gb_per_s_per_node)} into each node."
        ]
    cache = figures.bytes_text(1e9 * (found.kv_gb_per_request or 0.0))
    told = [
        f"A prompt's cache of {cache} moves in {figures.seconds(one.kv_transfer_s)} over {one.fabric} and takes "
        f"{_share(one.kv_link_percent)} of what it carries between them.",
    ]
    if one.network_wait_percent >= 1.0:
        told.append(f"{_share(one.network_wait_percent)} of a request is waiting for the network.")
    targets = any(reading.asked(plan, f"inference.{name}") for name in ("ttft_ms", "tpot_ms"))
    answer = reading.lengths(plan)[1]
    return told + ([beside(one, found.chunked, answer, targets=targets)] if found.chunked else [])


def beside(one: ServedOver, other: ServedOver, tokens: int, *, targets: bool) -> str:
    """What prompts and answers apart are worth against prompts between answers on the same GPUs: by the requests that
    both carry within the targets, or where one does not carry the load; else by the time of a whole answer of so many
    tokens."""
    rates = sorted((one.requests_per_s, other.requests_per_s))
    if targets or rates[0] < _ALIKE * rates[1]:
        ratio, by = one.carries_requests_per_s / max(other.carries_requests_per_s, 1e-9), _BY_LOAD
    else:
        ratio, by = _answer(other, tokens) / _answer(one, tokens), _BY_TIME
    fewer = one.carries_requests_per_s * NOTICED <= other.carries_requests_per_s
    verdict = _WORTH[(ratio >= NOTICED) - (ratio <= 1 / NOTICED)] if ratio < NOTICED or not fewer else _MIXED
    much, most = (figures.significant(way.carries_requests_per_s) for way in (one, other))
    return (
        f"{verdict} ({by}): it carries up to {much} requests/s{' within these times' if targets else ''}, and the same "
        "GPUs as copies in their nodes, which read prompts in chunks between the answers and send nothing to each "
        f"other, {most}. {_at(one, other)}"
    )


def _answer(way: ServedOver, tokens: int) -> float:
    return way.ttft_s + tokens * way.tpot_s


def _at(one: ServedOver, other: ServedOver) -> str:
    """The times of both, at one load where both carry it."""
    rates = [figures.significant(way.requests_per_s) for way in (one, other)]
    first, each = ([figures.seconds(getattr(way, name)) for way in (one, other)] for name in ("ttft_s", "tpot_s"))
    there = "" if min(one.requests_per_s, other.requests_per_s) >= _ALIKE * one.requests_per_s else f" at {rates[1]}"
    return (
        f"Apart, at {rates[0]} requests/s, the first token comes after {first[0]} and each further one after "
        f"{each[0]}; as copies{there} after {first[1]} and {each[1]}."
    )


def _share(percent: float | None) -> str:
    return "less than 1 %" if percent is not None and percent < 1 else figures.percent(percent)


def _rate(gb_per_s: float) -> str:
    return f"{figures.significant(gb_per_s)} GB/s"


def _table(shown: list[ServedOver], chosen: ServedOver | None) -> Table:
    caches = any(one.kv_transfer_s is not None for one in shown)
    header = ["", "network", "first token", "per token", "requests/s", "waiting", "into a node"]
    header += ["cache moves", "link used"] if caches else []
    rows = [
        [
            "✓" if one is chosen else "·",
            one.fabric,
            figures.seconds(one.ttft_s),
            figures.seconds(one.tpot_s),
            figures.significant(one.requests_per_s),
            _share(one.network_wait_percent),
            _rate(one.network_gb_per_s_per_node),
            *([figures.seconds(one.kv_transfer_s), _share(one.kv_link_percent)] if caches else []),
        ]
        for one in shown
    ]
    return Table(header, rows, frozenset(range(2, len(header))), shown.index(chosen) if chosen else None, (6, 5))
