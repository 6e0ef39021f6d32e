"""What a service sends between nodes: instances of prefill and decode, caches on each network, or tokens of a copy that
spans nodes; and what the same GPUs do without."""

from assistant.vocabulary.plan import Crossing, Plan, ServedOver

from .. import figures, limits
from ..blocks import Block, Heading, Paragraph, Table

# times as long: a smaller difference is well within the model's own error in the time of a token, which the catalog
# has as serving-error-tpot
NOTICED, SAME = 1.1, 0.97
_VERDICTS = {  # whether tokens come noticeably faster apart, and whether fewer requests are carried
    (True, False): "Apart is worth it here",
    (True, True): "Apart the tokens come faster and fewer requests are carried",
    (False, False): "Apart gains hardly anything here",
    (False, True): "Apart is not worth it here",
}
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
    chosen = _chosen(plan, found)
    shown = [one for n, one in enumerate(found.networks) if most is None or n < most or one is chosen]
    return [Heading(TITLE), Paragraph(" ".join(sentences(plan, found))), _table(shown, chosen)]


def _chosen(plan: Plan, found: Crossing) -> ServedOver:
    return next((one for one in found.networks if one.fabric == plan.recommendation.fabric), found.networks[-1])


def sentences(plan: Plan, found: Crossing) -> list[str]:
    """What crosses, how long it takes on the plan's network, and what the same GPUs do without."""
    one = _chosen(plan, found)
    if found.prefill_workers is None:
        return [
            f"A copy spans nodes, so every token waits for {one.fabric}: {_share(one.network_wait_percent)} of a "
            f"request, {_rate(one.network_gb_per_s_per_node)} into each node."
        ]
    cache = figures.bytes_text(1e9 * (found.kv_gb_per_request or 0.0))
    told = [
        f"{_instances(found.prefill_workers, found.prefill_gpus)} read prompts and "
        f"{_instances(found.decode_workers, found.decode_gpus)} write answers.",
        f"A prompt's cache of {cache} moves in {figures.seconds(one.kv_transfer_s)} over {one.fabric} and takes "
        f"{_share(one.kv_link_percent)} of what it carries between them.",
    ]
    return told + ([_beside(one, found.chunked)] if found.chunked else [])


def _instances(many: int | None, gpus: int | None) -> str:
    return f"{many or 0:,} {'instance' if many == 1 else 'instances'} of {gpus or 0:,} GPU{'s' if gpus != 1 else ''}"


def _beside(one: ServedOver, other: ServedOver) -> str:
    """What prompts and answers apart are worth against prompts between answers on the same GPUs."""
    times = [f"{figures.seconds(way.ttft_s)} and {figures.seconds(way.tpot_s)} per token" for way in (one, other)]
    carried = [f"{way.requests_per_s:.3g} requests/s" for way in (one, other)]
    faster, fewer = other.tpot_s > NOTICED * one.tpot_s, one.requests_per_s < SAME * other.requests_per_s
    verdict = _VERDICTS[faster, fewer]
    return (
        f"{verdict}: the first token after {times[0]} at {carried[0]}; as copies in their nodes, prompts in chunks "
        f"between the answers, the same GPUs take {times[1]} at {carried[1]} and send nothing."
    )


def _share(percent: float | None) -> str:
    return "less than 1 %" if percent is not None and percent < 1 else figures.percent(percent)


def _rate(gb_per_s: float) -> str:
    return f"{figures.significant(gb_per_s)} GB/s"


def _table(shown: list[ServedOver], chosen: ServedOver) -> Table:
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
    return Table(header, rows, frozenset(range(2, len(header))), shown.index(chosen), (6, 5))
