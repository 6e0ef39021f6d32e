"""Numbers as a formula shows them."""

from __future__ import annotations

from assistant.present.figures import bytes_text as bytes_
from assistant.present.figures import significant


def rate(value: float) -> str:
    """Bytes per second."""
    return f"{bytes_(value)}/s"


def count(value: float) -> str:
    """``70.6 B``, ``1.5 T``, ``16 M``: parameters and tokens."""
    for limit, unit in ((1e12, "T"), (1e9, "B"), (1e6, "M")):
        if value >= limit:
            return f"{significant(value / limit, 4)} {unit}"
    return significant(value)


def flops(value: float) -> str:
    """FLOP with the prefix people use, else a power of ten."""
    return f"{significant(value / 1e18)} EFLOP" if 1e18 <= value < 1e21 else f"{value:.3g} FLOP"


__all__ = ["bytes_", "count", "flops", "rate"]
