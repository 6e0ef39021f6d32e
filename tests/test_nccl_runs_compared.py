"""Two runs of the same test in one log: the second one slower, and what differs between them; what somebody tried, and
tests that are not the same, are no alarm."""

from __future__ import annotations

import pytest

from assistant import library
from assistant.network.diagnosis import diagnose_text
from assistant.vocabulary.answers import DiagnosisFinding
from tests.nccl_logs import GIB, H100_NAME, MIB, table

CATALOG = library.load().catalog
SIZES: tuple[int, ...] = (MIB, 16 * MIB, 64 * MIB, 256 * MIB, GIB, 8 * GIB)
WHOLE: dict[int, float] = dict(zip(SIZES, (0.02, 0.2, 0.4, 0.7, 0.9, 1.0), strict=True))
HALF: dict[int, float] = dict(
    zip(SIZES, (0.02, 0.17, 0.28, 0.41, 0.5, 0.53), strict=True)
)  # 0.7 of the whole from 64 MiB on


def spoken(pid: int, *more: str, ar: int = 1, speed: int = 400000, release: str = "2.27.5", host: str = "dgx-1") -> str:
    """What the first rank of a job of sixteen nodes prints, as a check before and after a maintenance has it."""
    adapters = [
        f"NET/IB: [{n}] mlx5_{n}:uverbs{n}:1/IB provider=Mlx5 speed={speed} context=0x7f16{pid:x} pciPath=/x ar={ar}"
        for n in range(8)
    ]
    listed = "NET/IB : Using " + " ".join(f"[{n}]mlx5_{n}:1/IB" for n in range(8)) + " [RO]; OOB bond0:10.0.0.1<0>"
    lines = [
        "cudaDriverVersion 12080", f"NCCL version {release}+cuda12.9", *more, *adapters, listed, "Using network IB",
        f"comm 0x55{pid:x} rank 0 nRanks 128 nNodes 16 localRanks 8 localRank 0 MNNVL 0",
        "Connected all rings, use ring PXN 1 GDR 1",
    ]  # fmt: skip
    return "".join(f"{host}:{pid}:{pid + 9} [0] NCCL INFO {line}\n" for line in lines)


def test(
    peak: float = 390.0,
    sweep: dict[int, float] = WHOLE,
    collective: str = "all_reduce",
    hosts: int = 16,
    device: str = H100_NAME,
) -> str:
    return table(peak, collective, hosts=hosts, sweep=sweep, listed=False, named=False, device=device)


test.__test__ = False  # type: ignore[attr-defined]


def found(text: str) -> dict[str, DiagnosisFinding]:
    return {each.code: each for each in diagnose_text(text, CATALOG).findings}


def alarms(text: str) -> set[str]:
    return {code for code, each in found(text).items() if each.severity != "info"}


@pytest.mark.parametrize(
    ("after", "said", "mend"),
    [
        ({"ar": 0}, "adaptive routing (ar) 0 in place of 1", "subnet manager"),
        ({"speed": 200000}, "speed of the adapters (Mb/s) 200000 in place of 400000", "mlxlink"),
        ({"release": "2.29.1"}, "NCCL 2.29.1 in place of 2.27.5", "release from before"),
    ],
)
def test_a_run_that_is_slower_than_the_one_before_names_what_differs_in_their_lines(after, said, mend):
    text = spoken(1440) + test() + "##### maintenance\n" + spoken(2080, **after) + test(sweep=HALF)
    told = found(text)["slower-since-change"]
    assert told.severity == "warning" and "206.7 GB/s at most after 390, slower from 64 MiB on" in told.message
    assert said in told.message and "PXN" not in told.message and mend in told.fix


def test_a_variable_that_appeared_in_nccls_lines_is_named_and_one_that_a_command_gives_was_tried():
    line = "NCCL_IB_ADAPTIVE_ROUTING set by environment to 0."
    told = found(spoken(14) + test() + spoken(20, line) + test(sweep=HALF))["slower-since-change"]
    assert "NCCL_IB_ADAPTIVE_ROUTING 0 in place of none" in told.message
    by_hand = spoken(14) + test() + "$ mpirun -x NCCL_IB_ADAPTIVE_ROUTING=0 ./all_reduce_perf\n"
    text = by_hand + spoken(20, line) + test(sweep=HALF)
    assert not alarms(text) and "was tried" in found(text)["slower-as-tried"].message


def test_values_that_a_script_tries_one_after_the_other_are_no_alarm():
    text = "".join(
        spoken(10 * n, f"NCCL_PROTO set by environment to {value}") + test(sweep=sweep)
        for n, (value, sweep) in enumerate({"Simple": WHOLE, "LL128": WHOLE, "LL": HALF}.items(), 1)
    )
    assert not alarms(text)


def test_a_check_every_night_tells_since_when_it_is_slower():
    nights = [1, 1, 1, 1, 0, 0, 0]
    text = "".join(spoken(100 + n, ar=ar) + test(sweep=WHOLE if ar else HALF) for n, ar in enumerate(nights))
    told = found(text)["slower-since-change"]
    assert "adaptive routing" in told.message
    assert text[: text.index("ar=0")].count("\n") < told.line < text[: text.rindex("Connected")].count("\n")


@pytest.mark.parametrize(
    "second",
    [
        spoken(20, ar=0) + test(collective="all_gather", sweep=HALF),
        spoken(20, ar=0) + test(sweep={**HALF, 4 * GIB: 0.5, 16 * GIB: 0.5}),
        spoken(20, ar=0) + test(sweep=HALF, hosts=4),
        spoken(20, ar=0, host="dgx-7") + test(sweep=HALF),
        spoken(20, ar=0) + test(sweep={size: 0.9 * share for size, share in WHOLE.items()}),
        spoken(20, ar=0) + test(sweep={**WHOLE, 64 * MIB: 0.1}),
    ],
    ids=["collective", "sizes", "ranks", "hosts", "a little slower", "slower at one size"],
)
def test_other_tests_and_what_results_scatter_by_are_no_alarm(second):
    assert not {"slower-since-change", "repeat-slower"} & alarms(spoken(14) + test() + second)


def test_tables_of_which_no_line_names_the_hosts_are_told_without_alarm():
    told = found(test() + test(sweep={size: 0.5 * share for size, share in WHOLE.items()}))["repeat-slower"]
    assert told.severity == "info"
    assert not alarms(spoken(14, ar=0) + test() + spoken(20, ar=1) + test()), "as fast as before"


def test_the_release_of_nccl_is_read_where_it_is_printed_as_any_other_line():
    old = spoken(14, release="2.10.3") + table(60.0, device="NVIDIA H100 80GB HBM3", hosts=16)
    assert "nccl-too-old" in alarms(old)
