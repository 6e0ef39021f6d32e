"""The settings file is short, right for the transport, and repeats none of the bad advice that goes round."""

from __future__ import annotations

import os
import re
import subprocess

import pytest

from assistant import library
from assistant.network import nccl
from assistant.network.nccl import Host
from assistant.vocabulary.errors import InputError

LIBRARY = library.load()
FABRICS, GPUS = LIBRARY.catalog.fabrics, LIBRARY.catalog.gpus
H100 = GPUS["h100-sxm"]
NETWORKED = sorted(fabric for fabric in FABRICS if fabric != "none")


def environment(fabric: str, nodes: int = 8, gpu=H100, **host) -> dict[str, str]:
    return {setting.name: setting.value for setting in nccl.settings(FABRICS[fabric], gpu, nodes, Host(**host))}


@pytest.mark.parametrize("fabric", NETWORKED)
def test_every_line_has_a_reason_and_every_source_exists(fabric):
    found = nccl.settings(FABRICS[fabric], H100, 32, Host(provider="azure", sharp=True))
    found += nccl.leave_alone(FABRICS[fabric], H100, 32)
    assert all(len(setting.reason) > 10 for setting in found)
    missing = {setting.claim for setting in found if setting.claim} - LIBRARY.knowledge.claims.keys()
    assert not missing


@pytest.mark.parametrize("fabric", NETWORKED)
def test_the_list_is_short_and_contains_no_advice_known_to_be_wrong(fabric):
    found = environment(fabric, nodes=64)
    assert len(found) <= 6
    assert not found.keys() & {
        "NCCL_IB_DISABLE",
        "NCCL_BUFFSIZE",
        "NCCL_NTHREADS",
        "NCCL_TIMEOUT",
        "NCCL_NET_GDR_LEVEL",
        "NCCL_IB_GID_INDEX",
    }
    assert found["NCCL_DEBUG"] == "INFO"
    assert not found.keys() & {setting.name for setting in nccl.leave_alone(FABRICS[fabric], H100, 64)}


def test_one_adapter_is_never_pinned():
    assert "NCCL_IB_HCA" not in environment("infiniband-ndr-400")
    adapters = tuple(f"mlx5_{n}" for n in range(8))
    listed = environment("infiniband-ndr-400", adapters=adapters)["NCCL_IB_HCA"]
    assert listed == "=mlx5_0,mlx5_1,mlx5_2,mlx5_3,mlx5_4,mlx5_5,mlx5_6,mlx5_7"


def test_tcp_is_forced_by_the_network_and_an_exact_interface():
    found = environment("ethernet-tcp-100", interface="eth0")
    assert (found["NCCL_NET"], found["NCCL_SOCKET_IFNAME"]) == ("Socket", "=eth0")
    assert found["NCCL_SOCKET_NTHREADS"] == found["NCCL_NSOCKS_PERTHREAD"] == "4"
    assert "NCCL_SOCKET_NTHREADS" not in environment("ethernet-tcp-25", interface="eth0")


def test_rdma_never_forces_sockets():
    for fabric in ("infiniband-ndr-400", "roce-v2-400", "spectrum-x-400", "aws-efa-v2", "gcp-tcpxo"):
        assert "NCCL_NET" not in environment(fabric)


def test_sharp_only_where_switches_can_add_and_its_plugin_runs():
    assert "NCCL_COLLNET_ENABLE" not in environment("infiniband-ndr-400")
    assert environment("infiniband-ndr-400", sharp=True)["NCCL_COLLNET_ENABLE"] == "1"
    assert "NCCL_COLLNET_ENABLE" not in environment("roce-v2-400", sharp=True)


def test_adaptive_routing_where_it_was_measured_to_pay():
    assert environment("infiniband-ndr-400", nodes=32, provider="azure")["NCCL_IB_SL"] == "2"
    assert "NCCL_IB_SL" not in environment("infiniband-ndr-400", nodes=8, provider="azure")
    assert "NCCL_IB_SL" not in environment("infiniband-ndr-400", nodes=32)


def test_each_cloud_has_its_own_plugin():
    assert environment("aws-efa-v2")["FI_PROVIDER"] == "efa"
    assert environment("gcp-tcpx")["NCCL_GPUDIRECTTCPX_SOCKET_IFNAME"].count("eth") == 4
    assert environment("gcp-tcpxo")["NCCL_FASTRAK_IFNAME"].count("eth") == 8


def test_separate_rails_do_not_cross():
    assert environment("infiniband-ndr-400", separate_rails=True)["NCCL_CROSS_NIC"] == "0"
    assert "NCCL_CROSS_NIC" not in environment("infiniband-ndr-400")


def test_one_node_needs_no_network_settings():
    assert environment("infiniband-ndr-400", nodes=1).keys() == {"NCCL_DEBUG"}
    assert environment("none").keys() == {"NCCL_DEBUG"}


def test_amd_reads_the_same_names():
    amd = environment("roce-v2-400", gpu=GPUS["mi300x"], interface="eth0")
    assert amd == environment("roce-v2-400", interface="eth0")
    assert "RCCL" in nccl.settings(FABRICS["roce-v2-400"], GPUS["mi300x"], 8)[-1].reason


@pytest.mark.parametrize("fabric", sorted(FABRICS))
def test_a_shell_can_load_the_file_and_no_placeholder_is_set(fabric, tmp_path):
    host = Host(interface="eth0")
    file = tmp_path / "nccl.env"
    file.write_text(nccl.as_env_file(FABRICS[fabric], H100, 8, host), encoding="utf-8")
    loaded = subprocess.run(
        ["sh", "-c", f"set -a; . {file}; env"],
        capture_output=True,
        text=True,
        check=True,
        env={"PATH": os.environ["PATH"]},
    ).stdout
    values = dict(line.split("=", 1) for line in loaded.splitlines() if line.startswith(("NCCL_", "FI_")))
    wanted = {
        setting.name: setting.value for setting in nccl.settings(FABRICS[fabric], H100, 8, host) if not setting.open
    }
    assert values == wanted


def test_what_must_be_filled_in_is_marked():
    text = nccl.as_env_file(FABRICS["roce-v2-400"], H100, 8)
    assert re.findall(r"^# fill in: (\w+)=", text, re.M) == ["NCCL_SOCKET_IFNAME", "NCCL_IB_TC"]
    assert "Using network IB" in text


@pytest.mark.parametrize("name", ["eth0; rm -rf /", "", "eth0\nLD_PRELOAD=x", "$(id)", "a" * 16])
def test_an_interface_name_cannot_smuggle_anything_in(name):
    with pytest.raises(InputError, match="interface: expected the name of a device"):
        Host(interface=name)


def test_a_plan_gets_plain_data():
    found = nccl.advice(FABRICS["infiniband-ndr-400"], H100, 8)
    assert found["using_network"].startswith("IB")
    assert {"name", "value", "reason", "claim"} == set(found["settings"][0])


@pytest.mark.parametrize("gpu", ["gaudi-3", "trainium2"])
def test_gpus_with_a_library_of_their_own_get_no_settings_of_nccl(gpu):
    fabric = FABRICS["roce-v2-200"]
    assert nccl.settings(fabric, GPUS[gpu], 4) == nccl.leave_alone(fabric, GPUS[gpu], 4) == []
    assert "library of its own" in nccl.as_env_file(fabric, GPUS[gpu], 4)
