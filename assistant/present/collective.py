"""The time of one collective as plain lines."""

from assistant.vocabulary.collective import CollectiveQuery, CollectiveTime

from . import figures


def collective_lines(query: CollectiveQuery, answer: CollectiveTime) -> list[str]:
    """Time with its band, bandwidths, algorithm, and what was assumed."""
    over = "inside one scale-up domain" if answer.fabric == "none" else f"over {answer.fabric}"
    at, shown = query.cluster, figures.seconds
    band = f"{shown(answer.time_p10_s)} to {shown(answer.time_p90_s)}"
    rates = (answer.busbw_gb_per_s, answer.algbw_gb_per_s)
    bus, alg = (f"{figures.significant(rate)} GB/s" for rate in rates)
    return [
        f"{query.kind} of {at.gpus:,} {at.gpu} {over}: {shown(answer.time_s)}",
        f"in eight of ten cases {band}",
        f"bus bandwidth {bus}, algorithm bandwidth {alg}",
        f"algorithm: {answer.algorithm}",
        *(f"assumed: {one}" for one in answer.assumptions),
    ]
