"""The settings file is short, right for the transport, and repeats none of the bad advice that goes round."""

from __future__ import annotations

import os
import re
import subprocess

import pytest
import yaml
from typer.testing import CliRunner

from assistant import library
from assistant.cli import app
from assistant.network import nccl
from assistant.network.nccl import Host
from assistant.network.nccl.machines import instance_of
from assistant.vocabulary.errors import InputError

from .program import weft

LIBRARY = library.load()
FABRICS, GPUS = LIBRARY.catalog.fabrics, LIBRARY.catalog.gpus
H100 = GPUS["h100-sxm"]
NETWORKED = sorted(fabric for fabric in FABRICS if fabric != "none")


def environment(fabric: str, nodes: int = 8, gpu=H100, **host) -> dict[str, str]:
    return {setting.name: setting.value for setting in nccl.settings(FABRICS[fabric], gpu, nodes, Host(**host))}


@pytest.mark.parametrize("fabric", NETWORKED)
def test_every_line_has_a_reason_and_every_source_exists(fabric):
    for provider in (None, "oci", "azure", "gcp", "aws", "coreweave", "lambda", "crusoe", "nebius"):
        for gpu in (H100, GPUS["gb300"], GPUS["mi300x"]):
            host = Host(provider=provider, sharp=True)
            found = nccl.settings(FABRICS[fabric], gpu, 32, host) + nccl.leave_alone(FABRICS[fabric], gpu, 32, host)
            assert all(len(setting.reason) > 7 for setting in found)
            assert not {setting.claim for setting in found if setting.claim} - LIBRARY.knowledge.claims.keys()
            assert all(setting.claim for setting in found if setting.checked != "memory")
            assert not {setting.source for setting in found if setting.source} - LIBRARY.knowledge.sources.keys()


@pytest.mark.parametrize("fabric", [fabric for fabric in NETWORKED if fabric != "gcp-tcpx"])
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
        assert environment(fabric).get("NCCL_NET") != "Socket"


def test_sharp_only_where_switches_can_add_and_its_plugin_runs():
    assert "NCCL_COLLNET_ENABLE" not in environment("infiniband-ndr-400")
    assert environment("infiniband-ndr-400", sharp=True)["NCCL_COLLNET_ENABLE"] == "1"
    assert "NCCL_COLLNET_ENABLE" not in environment("roce-v2-400", sharp=True)


def test_azure_gets_its_topology_file_and_no_service_level():
    found = environment("infiniband-ndr-400", nodes=32, provider="azure")
    assert found["NCCL_TOPO_FILE"] == "/opt/microsoft/ndv5/topo.xml"
    assert "NCCL_IB_SL" not in found and "NCCL_IB_SL" not in environment("infiniband-ndr-400", nodes=32)
    assert "ndv4" in environment("infiniband-hdr-200", gpu=GPUS["a100-sxm-80gb"], provider="azure")["NCCL_TOPO_FILE"]
    assert "NCCL_TOPO_FILE" not in environment("infiniband-xdr-800", gpu=GPUS["gb300"], provider="azure")


def test_oracle_gets_the_exact_adapters_of_the_shape():
    h100 = environment("roce-v2-200", provider="oci")
    assert h100["NCCL_IB_HCA"].startswith("=mlx5_0,mlx5_1,mlx5_3") and h100["NCCL_IB_HCA"].count("mlx5_") == 16
    assert h100["NCCL_IB_TC"] == "41"
    rack = environment("roce-v2-400", gpu=GPUS["gb200"], provider="oci")
    assert rack["NCCL_IB_HCA"] == "=mlx5_0,mlx5_1,mlx5_3,mlx5_4" and "NCCL_IB_TC" not in rack
    newer = environment("roce-v2-400", gpu=GPUS["gb200"], provider="oci", instance="BM.GPU.GB200-v3.4")
    assert newer["NCCL_IB_TC"] == "41" and newer["NCCL_IB_HCA"].count("mlx5_") == 8


def test_efa_names_its_plugin_so_that_the_job_stops_in_place_of_falling_back():
    assert environment("aws-efa-v2")["NCCL_NET"] == "AWS Libfabric"  # which releases from 1.13 on take too
    assert not environment("aws-efa-v2").keys() & {"FI_PROVIDER", "FI_EFA_USE_DEVICE_RDMA", "NCCL_PROTO"}
    assert environment("aws-efa-v2", plugin="1.12.1")["NCCL_NET"] == "AWS Libfabric"
    assert environment("aws-efa-v1", plugin="1.5.0")["FI_PROVIDER"] == "efa"


def test_google_machines_run_the_script_of_their_plugin_first():
    gib = nccl.as_file(FABRICS["roce-v2-400"], GPUS["h200-sxm"], 4, Host(provider="gcp"))
    assert ". /usr/local/gib/scripts/set_nccl_env.sh" in gib and "export NCCL_NET=gIB" in gib
    assert "export NCCL_IB_TC" not in gib
    tcpx = environment("gcp-tcpx", form="kubernetes")
    assert tcpx["NCCL_GPUDIRECTTCPX_SOCKET_IFNAME"] == "eth1,eth2,eth3,eth4"
    assert tcpx["NCCL_ALGO"] == "Ring" and tcpx["NCCL_MAX_NCHANNELS"] == "8"
    slurm = environment("gcp-tcpx", form="slurm")
    assert slurm["NCCL_SOCKET_IFNAME"] == "enp0s12" and "NCCL_MAX_NCHANNELS" not in slurm
    assert "nccl-env-profile.sh" in nccl.as_file(FABRICS["gcp-tcpxo"], H100, 4)
    assert environment("gcp-tcpxo")["NCCL_FASTRAK_IFNAME"].count("enp") == 8


def test_adaptive_routing_is_switched_on_where_packets_may_be_reordered():
    assert environment("spectrum-x-400")["NCCL_IB_ADAPTIVE_ROUTING"] == "1"
    assert "NCCL_IB_ADAPTIVE_ROUTING" not in environment("roce-v2-400")


def test_what_the_default_of_the_version_is_stands_beside_what_is_left_alone():
    alone = nccl.as_file(FABRICS["infiniband-ndr-400"], H100, 4, Host(nccl="2.20.5"))
    assert "NCCL_COLLNET_ENABLE=1" in alone and "the default is 0" in alone
    roce = nccl.settings(FABRICS["roce-v2-200"], H100, 4, Host(provider="oci", nccl="2.20.5"))
    (once,) = [each for each in roce if each.name == "NCCL_IB_QPS_PER_CONNECTION"]
    assert "the default of NCCL 2.20.5" in once.reason
    assert "the default is 0" in nccl.as_file(FABRICS["roce-v2-400"], H100, 4, Host(nccl="2.20.5"))
    assert "the default is -1, chosen automatically" in nccl.as_file(FABRICS["roce-v2-400"], H100, 4)


def test_networks_that_nobody_in_the_catalog_has_are_known_too():
    slingshot = {s.name: s.value for s in nccl.settings("slingshot", H100, 4, Host(nccl="2.26.2"))}
    assert slingshot["NCCL_NET"] == "AWS Libfabric" and "NCCL_PROTO" not in slingshot
    assert {s.name: s.value for s in nccl.settings("slingshot", H100, 4)}["NCCL_PROTO"] == "^LL128"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--fabric", "infiniband-ndr-400", "--provider", "aws"], "expected a network that Amazon Web Services has"),
        (["--fabric", "aws-efa-v2", "--provider", "oci"], "expected a provider that has AWS EFA v2"),
        (
            ["--fabric", "roce-v2-400", "--provider", "gcp", "--gpu", "h100-sxm"],
            "expected a GPU that Google Cloud lets",
        ),
        (["--fabric", "roce-v2-400", "--provider", "oci", "--instance", "BM.GPU.H1"], "expected one of BM.GPU4.8"),
        (["--provider", "aws"], "expected one of the networks of Amazon Web Services"),
        (["--provider", "vast-ai"], "expected a provider that joins machines by a network, got Vast.ai"),
        (["--fabric", "roce-v2-400", "--for", "pbs"], "expected one of shell, slurm, docker, kubernetes"),
        (["--fabric", "roce-v2-400", "--nccl", "new"], "expected a version such as 2.27.3"),
    ],
)
def test_what_a_provider_does_not_have_is_refused(arguments, said):
    result = CliRunner().invoke(app, ["nccl", "env", *arguments])
    assert isinstance(result.exception, InputError) and said in str(result.exception)


def test_slurm_docker_and_kubernetes_get_what_they_can_read():
    def written(form):
        return nccl.as_file(FABRICS["aws-efa-v2"], H100, 4, Host(form=form))

    assert "export NCCL_NET='AWS Libfabric'" in written("slurm") and "\nNCCL_NET=AWS Libfabric\n" in written("docker")
    found = {one["name"]: one["value"] for one in yaml.safe_load(written("kubernetes"))}
    assert found == environment("aws-efa-v2", nodes=4)


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
    (tmp_path / "nccl-env-profile.sh").write_text("# the provider's own script\n", encoding="utf-8")
    file.write_text(nccl.as_file(FABRICS[fabric], H100, 8, host), encoding="utf-8")
    loaded = subprocess.run(
        ["sh", "-c", f"set -a; . {file}; env"],
        capture_output=True,
        text=True,
        check=True,
        env={"PATH": os.environ["PATH"], "TCPXO_LIB_DIR": str(tmp_path)},
    ).stdout
    values = dict(line.split("=", 1) for line in loaded.splitlines() if line.startswith(("NCCL_", "FI_")))
    wanted = {
        setting.name: setting.value for setting in nccl.settings(FABRICS[fabric], H100, 8, host) if not setting.open
    }
    values.pop("NCCL_LIB_DIR", None)  # of the script
    assert values == wanted


def test_what_must_be_filled_in_is_marked():
    text = nccl.as_file(FABRICS["roce-v2-400"], H100, 8)
    assert re.findall(r"^# fill in: export (\w+)=", text, re.M) == ["NCCL_SOCKET_IFNAME", "NCCL_IB_TC"]
    assert "Using network IB" in text


@pytest.mark.parametrize("name", ["eth0; rm -rf /", "", "eth0\nLD_PRELOAD=x", "$(id)", "a" * 16])
def test_an_interface_name_cannot_smuggle_anything_in(name):
    with pytest.raises(InputError, match="interface: expected the name of a device"):
        Host(interface=name)


def test_a_plan_gets_plain_data():
    found = nccl.advice(FABRICS["infiniband-ndr-400"], H100, 8)
    assert found["using_network"].startswith("IB")
    assert {"name", "value", "reason", "claim", "source", "checked"} == set(found["settings"][0])


@pytest.mark.parametrize("gpu", ["gaudi-3", "trainium2"])
def test_gpus_with_a_library_of_their_own_get_no_settings_of_nccl(gpu):
    fabric = FABRICS["roce-v2-200"]
    assert nccl.settings(fabric, GPUS[gpu], 4) == nccl.leave_alone(fabric, GPUS[gpu], 4) == []
    assert "library of its own" in nccl.as_file(fabric, GPUS[gpu], 4)


@pytest.mark.parametrize(
    ("said", "provider", "instance"),
    [
        ("a3 mega", "gcp", "a3-megagpu-8g"),
        ("A3-High", "gcp", "a3-highgpu-8g"),
        ("p5", "aws", "p5.48xlarge"),
        ("nd96isr_h100_v5", "azure", "Standard_ND96isr_H100_v5"),
        ("bm.gpu.h100.8", "oci", "BM.GPU.H100.8"),
    ],
)
def test_an_instance_goes_by_the_names_people_use(said, provider, instance):
    found, name, offer = instance_of(said, None, LIBRARY.catalog)
    assert (found, name) == (provider, instance) and offer is not None and offer.fabrics[0] != "none"


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (["--fabric", "roce-v2-400"], "InfiniBand from HDR on"),
        (["--fabric", "slingshot"], "InfiniBand from HDR on"),
        (["--fabric", "infiniband-ndr-400", "--gpu", "mi300x"], "GPUs of NVIDIA"),
        (["--fabric", "infiniband-ndr-400", "--nccl", "2.6.4"], "NCCL 2.7.3 or later; got 2.6.4"),
    ],
)
def test_switches_that_cannot_add_up_are_refused(asked, told):
    ran = weft("nccl", "env", "--sharp", *asked)
    assert ran.code == 2
    assert told in ran.err


def test_settings_of_one_makers_adapters_are_for_its_gpus():
    assert "AMD Instinct MI300X" in weft("nccl", "env", "--fabric", "pollara").out
    ran = weft("nccl", "env", "--fabric", "pollara", "--gpu", "h100-sxm")
    assert ran.code == 2
    assert "expected a GPU that goes with pollara: mi250x" in ran.err
