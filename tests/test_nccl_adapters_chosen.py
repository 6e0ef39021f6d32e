"""Adapters that NCCL_IB_HCA chooses, against those that the host has by what other tools print of it."""

from __future__ import annotations

import pytest

from assistant import library
from assistant.network.diagnosis import diagnose_text
from assistant.network.diagnosis.tools import Tools
from assistant.vocabulary.answers import DiagnosisFinding
from tests.nccl_logs import channels, debug, table

CATALOG = library.load().catalog
FRONT, BACK = ("eth0", "eth1"), tuple(f"rdma{n}" for n in range(8))
NETDEVS = dict(zip([f"mlx5_{n}" for n in (1, 6, 0, 2, 3, 4, 5, 7, 8, 9)], FRONT + BACK, strict=True))
PLAIN = {name: f"ens{n}np0" for n, name in enumerate(NETDEVS)}
RATES = "ml@node-0:~$ cat /sys/class/net/{eth0,eth1,rdma0,rdma1}/speed\n100000\n100000\n400000\n400000\n"


def ibdev2netdev(netdevs: dict[str, str] = NETDEVS) -> str:
    return "ml@node-0:~$ ibdev2netdev\n" + "".join(f"{a} port 1 ==> {n} (Up)\n" for a, n in netdevs.items())


def rdma_link(netdevs: dict[str, str]) -> str:
    state = "state ACTIVE physical_state LINK_UP netdev"
    return "ml@node-0:~$ rdma link\n" + "".join(f"link {a}/1 {state} {n}\n" for a, n in netdevs.items())


def job(*chosen: str, peak: float = 22.0, setting: bool = True) -> str:
    listed = " ".join(f"[{n}]{name}:1/RoCE" for n, name in enumerate(chosen))
    lines = [f"NCCL_IB_HCA set to ={','.join(chosen)}"] if setting else []
    lines += [f"NET/IB : Using {listed} [RO]; OOB eth0:10.0.16.4<0>", "Using network IB", *channels("IB", len(chosen))]
    return debug(*lines, per_host=8) + (table(peak, device="AMD Instinct MI300X") if peak else "")


def alarms(text: str) -> dict[str, DiagnosisFinding]:
    found = diagnose_text(text, CATALOG).findings
    return {each.code: each for each in found if each.severity != "info"}


@pytest.mark.parametrize(
    "said",
    [
        ibdev2netdev() + RATES,
        ibdev2netdev(),
        rdma_link(PLAIN)
        + "".join(f"/sys/class/net/ens{n}np0/speed:{400000 if n > 1 else 100000}\n" for n in range(10)),
    ],
    ids=["names and rates", "names", "rates"],
)
@pytest.mark.parametrize("peak", [22.0, 0.0], ids=["table", "no table"])
def test_adapters_of_the_front_end_are_named_as_the_cause_and_those_left_out_with_them(said, peak):
    found = alarms(said + job("mlx5_1", "mlx5_6", peak=peak))
    told = found["adapters-not-of-the-back-end"]
    assert "takes mlx5_1 (e" in told.message and "left out: mlx5_0 (" in told.message
    assert "NCCL_IB_HCA==mlx5_0,mlx5_2,mlx5_3,mlx5_4,mlx5_5,mlx5_7,mlx5_8,mlx5_9 (" in told.fix
    assert not {*found} - {told.code, "low-bandwidth"}, "it is told once"
    if peak:
        assert "the other findings name the cause" in found["low-bandwidth"].fix
    assert ("of 100 Gb/s" in told.message) == ("speed" in said)


def test_few_of_many_adapters_that_are_alike_are_named_in_a_slow_job_alone():
    slow = alarms(rdma_link(PLAIN) + job("mlx5_1", "mlx5_6"))["adapters-not-chosen"]
    assert "takes 2 of 10 adapters" in slow.message
    assert not alarms(rdma_link(PLAIN) + job("mlx5_1", "mlx5_6", peak=0.0))


@pytest.mark.parametrize(
    "log",
    [
        ibdev2netdev() + RATES + job(*[name for name, netdev in NETDEVS.items() if netdev in BACK], peak=345.0),
        ibdev2netdev() + RATES + job(*NETDEVS, peak=345.0),
        ibdev2netdev(dict.fromkeys(("mlx5_1", "mlx5_6"), "eth0")) + job("mlx5_1", "mlx5_6", peak=0.0),
        rdma_link({**PLAIN, "irdma0": "ens99"}) + job(*PLAIN, peak=345.0),
    ],
    ids=["back end", "all", "only those", "one left out"],
)
def test_adapters_that_were_chosen_as_meant_are_no_alarm(log):
    assert not alarms(log)


def test_rates_that_a_command_prints_without_names_are_those_of_its_files_in_their_order():
    tools, files = Tools(), "/sys/class/net/a0/speed /sys/class/net/b0/speed"
    printed = f"""[root@n-1 ~]# cat /sys/class/net/rdma{{0..2}}/speed
400000
200000
400000
12345
==> /sys/class/net/eth7/speed <==
25000

[root@n-2 ~]# cat {files}
100000
done
40000"""
    for n, line in enumerate(printed.splitlines(), 1):
        tools.take(n, line)
    rates = {f"{host} {name}": rate for (host, name), (rate, _) in tools.rates.items()}
    assert rates == {"n-1 rdma0": 400, "n-1 rdma1": 200, "n-1 rdma2": 400, "n-1 eth7": 25, "n-2 a0": 100}
