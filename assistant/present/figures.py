"""Figures as a reader wants them: three significant digits, the unit that fits."""

import math
from collections.abc import Mapping

from assistant.vocabulary.catalog import Fact
from assistant.vocabulary.plan import Band
from assistant.vocabulary.quantities import DAYS_PER_YEAR, limit_in_dollars, told_apart
from assistant.vocabulary.questionnaire import STRATEGY_NAMES

UNKNOWN = "–"
# Below so many seconds a time is told in a unit of so many.
_SHORT_TIMES = (1e-3, "µs", 1e-6), (1.0, "ms", 1e-3), (120.0, "s", 1.0)
_TIMES = (*_SHORT_TIMES, (7200.0, "min", 60.0), (172800.0, "h", 3600.0), (86.4e6, "days", 86400.0))


def significant(value: float, digits: int = 3) -> str:
    """``1234.5`` → ``1,230``; ``0.01234`` → ``0.0123``. Whole numbers below 10,000 keep their digits."""
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else UNKNOWN
    if value == int(value) and abs(value) < 10_000:
        return f"{int(value):,}"
    places = digits - 1 - math.floor(math.log10(abs(value)))
    return f"{round(value, places):,.{max(0, places)}f}"


def about(value: float) -> str:
    """What is expected of a network, ``about 480``: no more digits than the two that are known of it."""
    return f"about {float(f'{value:.2g}'):,.4g}"


def seconds(value: float | None) -> str:
    """A duration: ``412 µs``, ``35.2 ms``, ``2.31 s``, ``4.2 min``, ``13.5 h``, ``11.2 days``, ``5.55 years``."""
    if value is None:
        return UNKNOWN
    if value == 0:
        return "0 s"
    for limit, unit, scale in _TIMES:
        if value < limit:
            return f"{significant(value / scale)} {unit}"
    return f"{significant(value / 86400 / DAYS_PER_YEAR)} years"


def counted(many: int, one: str, more: str) -> str:
    """``1 switch``, ``1,200 switches``."""
    return f"{many:,} {one if many == 1 else more}"


def bytes_text(value: float) -> str:
    """An amount of data: ``140 GB``, ``328 kB``, ``640 B``."""
    for limit, unit in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if abs(value) >= limit:
            return f"{significant(value / limit)} {unit}"
    return f"{significant(value)} B"


def hours(value: float | None) -> str:
    """A duration given in hours."""
    return UNKNOWN if value is None else seconds(value * 3600)


def usd(value: float | None) -> str:
    """An amount: ``$0.19``, ``$2.90``, ``$12,300``, ``$1.2 M``."""
    if value is None:
        return UNKNOWN
    if abs(value) >= 1e9:
        return f"${significant(value / 1e9)} bn"
    if abs(value) >= 1e6:
        return f"${significant(value / 1e6)} M"
    if abs(value) >= 100:
        return f"${significant(round(value) if value < 1000 else value)}"
    return f"${value:.2f}"


def in_currency(value: float, code: str) -> str:
    """An amount of another currency than dollars: ``EUR 2.32 M``."""
    return usd(value).replace("$", f"{code} ")


def usd_per_kwh(price: float) -> str:
    """A price of electricity with the digits that it is counted with: ``$0.19``, ``$0.0884``."""
    return f"${price:.2f}" if round(price, 2) == price else f"${price:g}"


def usd_against(value: float, limit: float | None) -> str:
    """An amount beside a limit that it is held against: told with more digits where both would read the same."""
    return told_apart(value, limit, usd)


def usd_limit(limit: float) -> str:
    """A limit as it was given."""
    return limit_in_dollars(limit, usd)


def sum_usd(value: float | None) -> str:
    """What something comes to: as :func:`usd`, without cents from $10 on, which no estimate has."""
    return f"${value:,.0f}" if value is not None and 10 <= abs(value) < 100 else usd(value)


def usd_band(band: Band | None, limit: float | None = None) -> str:
    """An amount with its tenth and ninetieth percentile, beside a limit that it is held against."""
    if band is None:
        return UNKNOWN
    middle, low, high = (told_apart(value, limit, sum_usd) for value in (band.p50, band.p10, band.p90))
    return f"{middle} ({low}–{high})"


def percent(value: float | None) -> str:
    """A percentage; small ones keep a digit."""
    if value is None:
        return UNKNOWN
    if abs(value) >= 1000:
        return f"{significant(value)} %"
    return f"{value:.1f} %" if abs(value) < 10 else f"{value:.0f} %"


def slowdown(value: float | None) -> str:
    """How much slower than the fastest that is possible: ``fastest``, ``+3.2 %``, ``3.0 % faster``, ``26× as long``."""
    if value is None:
        return UNKNOWN
    if abs(value) < 0.05:
        return "fastest"
    if value < 0:
        return f"{percent(-value)} faster"
    return f"+{percent(value)}" if value < 200 else f"{significant(value / 100 + 1, 2)}× as long"


def serving_error(constants: Mapping[str, Fact]) -> str:
    """How far what is said of serving was from measured runs that nothing was fitted to."""
    names = ("tpot", "ttft", "rate", "burst")
    token, first, rate, burst = (percent(100 * constants[f"serving-error-{name}"].si) for name in names)
    return (
        f"At measured runs that nothing was fitted to, half of these predictions were off by more than {token} "
        f"in the time of a token, {rate} in throughput and {first} in the time to the first token; "
        f"where all requests come at once by more than {burst} in throughput: measure one copy before buying."
    )


SIDES = ("prefill", "decode")


def strategy(name: str) -> str:
    """How people write a way of sharing the training state: ``ZeRO-2``, ``FSDP``."""
    return STRATEGY_NAMES.get(name, name.upper())


_LOSS, _HOST, _TILES = "loss in chunks", "inputs on the host", "MLP in tiles"
_SAVED = {"chunked-loss": (_LOSS,), "offload": (_LOSS, _HOST), "tiled-mlp": (_LOSS, _HOST, _TILES)}


def layout(parallelism: dict[str, object]) -> str:
    """A parallel split in one short phrase: ``ZeRO-1 · TP 8 · PP 4 in 2 chunks · DP 2 · micro-batch 1``; of what is
    served ``TP 8 · 3 copies``."""
    parts = [strategy(str(parallelism["strategy"]))] if parallelism.get("strategy") else []
    copies = parallelism.get("replicas")  # of a model that is served
    if "prefill_workers" in parallelism:
        sides = [f"{parallelism[f'{side}_workers']} × {parallelism[f'{side}_gpus']} GPUs {side}" for side in SIDES]
        return " · ".join([*sides, *([f"EP {parallelism['ep']} decode"] if parallelism.get("ep") else [])])
    for key in ("tp", "pp", "cp", "ep", "dp"):
        value = parallelism.get(key) if key != "dp" or copies is None else None
        if isinstance(value, (int, float)) and value > 1:
            chunks = parallelism.get("interleave")
            in_chunks = f" in {chunks} chunks" if key == "pp" and isinstance(chunks, int) and chunks > 1 else ""
            parts.append(f"{key.upper()} {value:g}{in_chunks}")
    if copies is not None:
        replicas = parallelism.get("attention_replicas")
        parts += [f"{replicas} attention replicas"] if replicas else []
        parts += [f"{copies:,} copies"] if isinstance(copies, int) and copies > 1 else []
    if parallelism.get("micro_batch"):
        parts.append(f"micro-batch {parallelism['micro_batch']}")
    if parallelism.get("recompute") not in (None, "none"):
        part = parallelism.get("recomputed_layers_percent")
        of = f" of {part:.3g} % of the layers" if part else ""
        parts.append(f"{parallelism['recompute']} recompute{of}")
    parts += list(_SAVED.get(str(parallelism.get("saving")), ()))
    return " · ".join(parts) or UNKNOWN
