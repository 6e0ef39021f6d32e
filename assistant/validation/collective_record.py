"""Puts fitted constants of collectives into the catalog's files, each with the rows it comes from and the day."""

from __future__ import annotations

import datetime
import re
from dataclasses import fields
from pathlib import Path

from assistant.model.protocols import CollectiveConstants, protocols_from
from assistant.vocabulary.catalog import Catalog, Fact

from .collective_rows import MEASURED_ONLY, TABLE, measured_only
from .record import fact_text

Values = dict[str, float]
# Fabrics whose latency is fitted, with those that share it and how many times it theirs is.
FITTED = {
    "ethernet-tcp-200": {"ethernet-tcp-10": 1.0, "ethernet-tcp-25": 1.0, "ethernet-tcp-100": 1.0},
    "aws-efa-v2": {"aws-efa-v3": 0.65},
    "gcp-tcpx": {},
    "gcp-tcpxo": {},
    "aws-efa-v1": {},
    "slingshot-11": {},
    "slingshot-11-software-match": {},
}
_SECONDS = {"switch_start": ("us", 1e6), "ll_per_byte": ("ns", 1e9)}
_SOURCE = "derived: fitted to measured collectives"
_ROWS = {
    "aws-efa-v2": "AWS p5",
    "gcp-tcpx": "Google A3 High, two publishers",
    "gcp-tcpxo": "Google A3 Mega, two publishers",
    "aws-efa-v1": "AWS p4d",
    "slingshot-11": "2 and 8 nodes of Polaris and Sirius",
    "ethernet-tcp-200": "2 and 8 nodes of Polaris and Sirius",
    "slingshot-11-software-match": "2 and 8 nodes of Polaris and Sirius with FI_CXI_RX_MATCH_MODE=software",
}


def shipped(catalog: Catalog, measurements: Path) -> Values:
    """The values in use."""
    fabrics = {**catalog.fabrics, **measured_only(measurements)}
    return vars(protocols_from(catalog.constants)) | {
        f"latency/{fabric}": _si(fabrics[fabric].latency) for fabric in FITTED
    }


def _si(fact: Fact | None) -> float:
    return fact.si if fact else 0.0


def record(values: Values, knowledge: Path, day: datetime.date) -> list[Path]:
    """Write ``values`` into ``constants/collectives.yaml`` and the fabrics' ``latency``; returns the files."""
    constants = knowledge / "catalog" / "constants" / "collectives.yaml"
    constants.write_text(collective_constants(values, day), encoding="utf-8")
    fabrics = [knowledge / "catalog" / "fabrics.yaml", knowledge / "measurements" / MEASURED_ONLY]
    for path in fabrics:
        path.write_text(with_latencies(path.read_text(encoding="utf-8"), values, day), encoding="utf-8")
    return [constants, *fabrics]


def collective_constants(values: Values, day: datetime.date) -> str:
    """``collectives.yaml``: constants that all fabrics and GPUs share."""
    lines = [
        "# What NCCL's protocols and algorithms cost beyond its own figures; see assistant/model/protocols.py for "
        "their meaning.",
        "# Written by python -m assistant.validation.collectives --write.",
        "",
    ]
    for field in fields(CollectiveConstants):
        unit, scale = _SECONDS.get(field.name, ("1", 1.0))
        name = "collective-" + field.name.replace("_", "-")
        lines.append(
            f"{name}: "
            + fact_text(values[field.name] * scale, unit, _SOURCE, day, f"calibration rows of measurements/{TABLE}")
        )
    return "\n".join(lines) + "\n"


def with_latencies(text: str, values: Values, day: datetime.date) -> str:
    """The fabrics with their fitted latencies; those that share one follow it."""
    for fabric, others in FITTED.items():
        value = values[f"latency/{fabric}"] * 1e6
        text = _with_latency(
            text,
            fabric,
            fact_text(value, "us", _SOURCE, day, f"calibration rows of {_ROWS[fabric]} in measurements/{TABLE}"),
        )
        for other, times in others.items():
            source = (
                f"derived: taken over from {fabric}"
                if times == 1.0
                else f"derived: {times:g} of {fabric}, AWS announces up to 35 % less"
            )
            text = _with_latency(text, other, fact_text(value * times, "us", source, day))
    return text


def _with_latency(text: str, fabric: str, fact: str) -> str:
    return re.sub(
        rf"(?ms)^({re.escape(fabric)}:\n(?:  .*?\n)*?  latency: )[^\n]*", lambda found: found[1] + fact, text, count=1
    )
