"""The report that nccl-tests writes as JSON (``-J FILE``, since 2.17.3): the same run as its table, with names."""

import json
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ValidationError

from .runs import Half, Row, Run

LARGEST = 32 << 20  # bytes: ten thousand ranks fill a tenth of it

# A rate that could not be measured stands there as the text "nan".
Number = Annotated[float | None, BeforeValidator(lambda said: None if said in ("nan", "-nan", "inf") else said)]


class _Side(BaseModel):
    time: Number = None
    cpu_time: Number = None
    alg_bw: Number = None
    bus_bw: Number = None
    nwrong: Number = None

    def half(self) -> Half | None:
        time = self.cpu_time if self.time is None else self.time
        if time is None or self.alg_bw is None or self.bus_bw is None:
            return None
        return Half(time * 1e-6, self.alg_bw, self.bus_bw, self.nwrong)


class _Result(BaseModel):
    size: int
    redop: str | None = None
    root: int | None = None
    out_of_place: _Side | None = None
    in_place: _Side | None = None


class _Device(BaseModel):
    rank: int
    group: int = 0
    hostname: str
    device_info: str = ""


class _Average(BaseModel):
    bandwidth: Number = None


class _Report(BaseModel):
    devices: list[_Device]
    results: list[_Result]
    average_bus_bandwidth: _Average | None = None


def run_of(text: bytes) -> Run | None:
    """The run that a report tells of, every row at line 1; ``None`` where the text is no such report."""
    try:
        report = _Report.model_validate(json.loads(text))
    except (ValueError, ValidationError, RecursionError):
        return None
    first = report.devices[0].group if report.devices else 0
    listed = [(each.rank, each.hostname.split(".")[0], each.device_info) for each in report.devices]
    listed = [rank for rank, each in zip(listed, report.devices, strict=True) if each.group == first]
    run = Run(1, header_line=1, counts_wrong=True, ranks_listed=listed, ranks_listed_line=1)
    run.average = report.average_bus_bandwidth.bandwidth if report.average_bus_bandwidth else None
    for result in report.results:
        sides = [side.half() for side in (result.out_of_place, result.in_place) if side is not None]
        halves = tuple(half for half in sides if half is not None)
        if halves:
            run.rows.append(Row(1, result.size, result.redop, result.root, halves, max(half.busbw for half in halves)))
    return run
