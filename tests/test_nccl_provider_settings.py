"""What a settings file says of a provider's machines contradicts nothing that the provider sets itself, and says what
releases, orchestrators and names it holds for."""

from __future__ import annotations

import re

import pytest
import yaml

from assistant import library
from assistant.answering import computed_answer
from assistant.conversation.searching import understood
from assistant.network import nccl
from assistant.network.nccl import FORMS, Environment, Host
from assistant.network.nccl.machines import instance_of
from assistant.present.answers import answer_lines
from assistant.vocabulary.catalog import Fabric
from assistant.vocabulary.errors import InputError

from .program import weft

LIBRARY = library.load()
CATALOG = LIBRARY.catalog
FABRICS, GPUS = CATALOG.fabrics, CATALOG.gpus


def network(fabric: str) -> Fabric | str:
    """The catalog's, or the word of one that is not in it."""
    return FABRICS.get(fabric) or fabric


def machines() -> list[tuple[Environment, str, str, Host]]:
    """Every environment with a network and a GPU of the catalog that lead to it, or with its word."""
    found = list[tuple[Environment, str, str, Host]]()
    for one in nccl.environments():
        if one.word:
            found.append((one, one.word, "mi300x" if one.vendor == "amd" else "h100-sxm", Host()))
            continue
        instance = one.instances[0] if one.instances else None
        host = Host(provider=one.provider, instance=instance)
        for gpu in one.gpus or ("h100-sxm", "a100-sxm-80gb"):
            joins = [f for f in FABRICS if FABRICS[f].technology not in ("none", "wan")]
            joins.sort(key=lambda f: FABRICS[f].technology == "tcp")
            fabric = next((f for f in joins if nccl.environment_of(FABRICS[f], GPUS[gpu], host) is one), None)
            if fabric:
                found.append((one, fabric, gpu, host))
                break
    return found


MACHINES = machines()


def written(fabric: str, gpu: str, host: Host) -> str:
    return nccl.as_file(network(fabric), GPUS[gpu], 4, host)


def asked(question: str) -> str:
    found = computed_answer(understood(question, LIBRARY), LIBRARY)
    assert found is not None, question
    return "\n".join(answer_lines(found, 80))


def test_every_release_of_the_plugin_for_efa_takes_the_name_that_is_asked_for():
    """It is the network's only name up to 1.12, and one of two from 1.13 on; p5 needs 1.7.3 alone."""
    for more in ((), ("--plugin", "1.7.3"), ("--plugin", "1.21.1")):
        text = weft("nccl", "env", "--instance", "p5.48xlarge", *more).out
        assert "export NCCL_NET='AWS Libfabric'" in text and "Using network AWS Libfabric\n" in text


def test_a_machine_with_efa_that_is_listed_as_tcp_says_so():
    text = weft("nccl", "env", "--instance", "g5.48xlarge").out
    assert "NCCL_NET=AWS Libfabric takes the place of Socket" in text and "without GPUDirect" in text
    text = weft("nccl", "env", "--instance", "g6e.48xlarge").out
    assert "400 Gb/s in all: from memory, not checked" in text


def test_runpods_roce_says_roce_and_asks_for_its_traffic_class():
    roce = weft("nccl", "env", "--provider", "runpod", "--gpu", "h100-sxm").out
    assert "eight devices /RoCE" in roce and "/IB," not in roce and "# fill in: export NCCL_IB_TC=" in roce
    other = weft("nccl", "env", "--provider", "runpod", "--gpu", "h100-sxm", "--fabric", "infiniband-ndr-400").out
    assert "eight devices /IB" in other and "fill in: export NCCL_IB_TC" not in other


@pytest.mark.parametrize("instance", ["a3-highgpu-8g", "BM.GPU.B4.8", "ND H100 v5", "a3-ultragpu-8g"])
def test_on_one_node_no_network_has_to_start(instance):
    text = weft("nccl", "env", "--instance", instance, "--nodes", "1").out
    assert "must print" not in text and "export NCCL_NET=" not in text
    assert "On one node Using network tells nothing that matters" in text
    assert ("Leave NCCL_NET=" in text) == instance.startswith("a3")


def test_the_test_of_a_network_says_what_the_machines_need(tmp_path):
    plan = tmp_path / "gcp.yaml"
    job = (LIBRARY.knowledge_folder / "examples" / "llama-70b-pretraining.yaml").read_text(encoding="utf-8")
    questionnaire = yaml.safe_load(job)
    questionnaire["cluster"] |= {"provider": "gcp", "fabric": "gcp-tcpx"}
    plan.write_text(yaml.safe_dump(questionnaire), encoding="utf-8")
    assert "# These machines need: the receive daemon (RxDM) on every node" in weft("nccl", "bench", str(plan)).out


def test_a_container_is_told_its_devices_and_its_memory():
    docker = weft("nccl", "env", "--instance", "BM.GPU.H100.8", "--for", "docker").out
    assert "--device /dev/infiniband" in docker and "--ulimit memlock=-1" in docker and "--shm-size" in docker
    pod = weft("nccl", "env", "--instance", "BM.GPU.H100.8", "--for", "kubernetes").out
    assert "IPC_LOCK" in pod and "hostNetwork" in pod and "/dev/shm" in pod
    tcp = weft("nccl", "env", "--fabric", "ethernet-tcp-100", "--for", "docker").out
    assert "/dev/infiniband" not in tcp and "container needs" not in weft("nccl", "env", "--instance", "a3 mega").out


def test_what_is_to_be_filled_in_in_kubernetes_is_valid_without_its_sign_of_a_comment():
    text = weft("nccl", "env", "--provider", "crusoe", "--fabric", "infiniband-ndr-400", "--for", "kubernetes").out
    head, _, rest = text.partition("# fill in:\n")
    opened = "\n".join([*head.splitlines(), *(line.removeprefix("# ") for line in rest.splitlines()[:2])])
    [one] = yaml.safe_load(opened)
    assert one["name"] == "NCCL_TOPO_FILE" and one["value"].endswith("-cloud-hypervisor.xml")


def test_the_profile_of_a3_mega_is_told_where_its_libraries_lie():
    lines = weft("nccl", "env", "--instance", "a3 mega").out.splitlines()
    at = next(number for number, line in enumerate(lines) if "nccl-env-profile.sh" in line)
    before = "\n".join(lines[:at])
    assert "export NCCL_LIB_DIR=" in before and "from memory, not checked" in before and "LD_LIBRARY_PATH=" in before


def test_nothing_is_said_of_eight_adapters_where_there_are_four():
    for machine in (["--provider", "azure", "--gpu", "gb200"], ["--provider", "azure", "--gpu", "gb300"]):
        assert "one adapter of eight" not in weft("nccl", "env", "--fabric", "infiniband-ndr-400", *machine).out
    assert "eth9" not in weft("nccl", "env", "--instance", "a4x-highgpu-4g", "--for", "kubernetes").out


def test_every_environment_can_be_asked_for():
    assert {one.name for one, *_ in MACHINES} == {one.name for one in nccl.environments()}


def test_oracles_file_expects_ib_alone_where_it_switches_plugins_off():
    """ "IB or IBext" beside NCCL_NET_PLUGIN=none."""
    text = weft("nccl", "env", "--instance", "BM.GPU.H100.8").out
    assert "export NCCL_NET_PLUGIN=none" in text and "# The first run must print: Using network IB\n" in text
    older = weft("nccl", "env", "--instance", "BM.GPU4.8").out
    assert "NCCL_NET_PLUGIN" not in older and "Using network IB or IBext\n" in older


@pytest.mark.parametrize(("one", "fabric", "gpu", "host"), MACHINES, ids=[one.name for one, *_ in MACHINES])
def test_what_the_first_run_prints_is_what_the_lines_name(one, fabric, gpu, host):
    given = {each.name: each.value for each in nccl.settings(network(fabric), GPUS[gpu], 4, host)}
    said = nccl.expected_network(network(fabric), GPUS[gpu], host)
    if "NCCL_NET" in given:
        assert said == given["NCCL_NET"]
    if given.get("NCCL_NET_PLUGIN") == "none":
        assert said.startswith("IB") and "IBext" not in said


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("one", "fabric", "gpu", "host"), MACHINES, ids=[one.name for one, *_ in MACHINES])
def test_no_line_that_is_left_alone_contradicts_the_providers_own(one, fabric, gpu, host, form):
    """A3 Mega: NCCL_BUFFSIZE 8388608 in Google's script; A3 Ultra: GPUDirect level PIX."""
    host = Host(provider=host.provider, instance=host.instance, form=form)
    left = nccl.leave_alone(network(fabric), GPUS[gpu], 4, host)
    own = {(each.name, each.value) for each in one.leave}
    documented = one.says | {each.name for each in nccl.settings(network(fabric), GPUS[gpu], 4, host)}
    assert not {each.name for each in left if (each.name, each.value) not in own} & documented
    values = {tuple(each.split("=", 1)) for each in one.script_sets}
    assert not {(each.name, each.value) for each in left if "script sets it" not in each.reason} & values


def test_a_script_that_owns_the_values_gets_no_advice_on_other_values():
    for instance in ("a3-megagpu-8g", "a3-ultragpu-8g", "a4x-maxgpu-4g-metal"):
        left = weft("nccl", "env", "--instance", instance).out.partition("# Left alone:")[2]
        assert left and "NCCL_BUFFSIZE" not in left and "NCCL_NET_GDR_LEVEL" not in left and "NCCL_NTHREADS" not in left


def test_what_a_providers_tests_set_is_not_advised_against():
    for instance in ("nd96asr_v4", "BM.GPU.GB300.4"):
        text = weft("nccl", "env", "--instance", instance).out
        assert "Its own tests add, a job needs none of it: NCCL_NET_GDR_LEVEL" in text
        assert "NCCL_NET_GDR_LEVEL" not in text.partition("# Left alone:")[2]


@pytest.mark.parametrize(("one", "fabric", "gpu", "host"), MACHINES, ids=[one.name for one, *_ in MACHINES])
def test_a_file_says_whether_the_job_stops_or_goes_on_over_tcp(one, fabric, gpu, host):
    text = written(fabric, gpu, host)
    names = bool(re.search(r"^export NCCL_NET=", text, re.M))
    assert ("the job stops" in text) is names and ("goes on over TCP and says so" in text) is not names


def test_the_handbook_promises_a_stop_for_those_alone_whose_files_name_the_network():
    page = (LIBRARY.knowledge_folder / "handbook" / "nccl.md").read_text(encoding="utf-8")
    (told,) = re.findall(r"names the network \(`NCCL_NET`\) for (.+?); with the other", page.replace("\n", " "))

    def stops(form: str) -> list[str]:
        rdma = [m for m in MACHINES if m[1] not in FABRICS or FABRICS[m[1]].technology != "tcp"]
        hosts = [(m, Host(provider=m[3].provider, instance=m[3].instance, form=form)) for m in rdma]
        return [m[0].name for m, host in hosts if not nccl.falls_back(network(m[1]), GPUS[m[2]], host)]

    but = "A3 High (GPUDirect-TCPX)"
    assert told.split(", ") == stops("shell") == stops("slurm") == stops("docker")
    assert [name for name in stops("shell") if name != but] == stops("kubernetes") and f"(not {but} in Kube" in page


@pytest.mark.parametrize(
    ("question", "there", "not_there"),
    [
        ("NCCL settings for A3 Mega on GKE", "eth1,eth2,eth3,eth4,eth5,eth6,eth7,eth8", "enp0s12"),
        ("which NCCL variables for an A3 Mega pod on Kubernetes?", "/usr/local/nvidia/lib64", "/var/lib/tcpxo"),
        ("NCCL env for a3 high with k8s", "eth1,eth2,eth3,eth4", "enp6s0"),
        ("NCCL settings on A3 Mega under Slurm", "enp0s12", "eth1"),
        ("NCCL settings for A3 Mega, not on Kubernetes", "enp0s12", "eth1"),
        ("NCCL settings for A3 Mega, we don't use Kubernetes", "enp0s12", "eth1"),
        ("NCCL settings on A3 Mega for a pod of 256 H100", "enp0s12", "eth1"),
    ],
)
def test_what_starts_the_job_is_heard(question, there, not_there):
    said = asked(question)
    assert there in said and not_there not in said


def test_a_machine_of_google_is_heard_by_its_short_name():
    assert "A4 (gIB)" in asked("NCCL settings for A4") and "A4X (gIB" in asked("which NCCL variables on an A4X?")
    assert not understood("does W4A4 need RoCE on a 4-node cluster of H100?", LIBRARY).named("instance")


def test_where_nothing_says_what_starts_the_job_the_other_names_are_pointed_at():
    assert "On Kubernetes NCCL_SOCKET_IFNAME" in " ".join(asked("which NCCL settings on a3 mega").split())
    assert "On Kubernetes" not in asked("NCCL variables for BM.GPU.H100.8")


@pytest.mark.parametrize(
    "question", ["NCCL variables for BM.GPU4.8", "NCCL settings on A3 Mega", "nccl env for nebius"]
)
def test_a_list_of_adapters_stays_whole_on_a_line_of_its_own(question):
    lines = asked(question).splitlines()
    found = computed_answer(understood(question, LIBRARY), LIBRARY)
    assert found is not None and found.computed is not None and found.computed.lines
    assert set(found.computed.lines) <= set(lines)
    assert max(map(len, found.computed.lines)) > 80
    commands = [line for line in lines if line.startswith("weft ")]
    assert [one.split()[1] for one in commands] == ["nccl", "sources"] and "--gpu" in commands[0]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--instance", "p5", "--plugin", "1.6.0"], "--plugin: expected the network plugin 1.7.3 or later"),
        (["--instance", "p5", "--nccl", "2.18.0"], "--nccl: expected NCCL 2.18.5 or later"),
        (["--instance", "p6-b200", "--plugin", "1.14.2"], "the network plugin 1.15 or later"),
        (["--instance", "a4x max", "--nccl", "2.22.3"], "older ones do not read NCCL_CONF_FILE"),
    ],
)
def test_a_release_with_which_the_file_does_not_work_is_refused(options, told):
    ran = weft("nccl", "env", *options)
    assert ran.code == 2 and told in ran.err


def test_which_line_needs_which_release_is_said():
    assert "NCCL 2.18.5 or later" in weft("nccl", "env", "--instance", "p5").out
    rack = weft("nccl", "env", "--instance", "BM.GPU.GB200.4", "--nccl", "2.18.0").out
    assert "NCCL 2.18.0 does not read it: needs 2.21.5" in rack and "needs 2.26.2" in rack
    older = weft("nccl", "env", "--fabric", "slingshot", "--nccl", "2.26.2").out
    assert "# Left out for the releases given: NCCL_PROTO=^LL128 is for NCCL 2.27 and later" in older
    idle = weft("nccl", "env", "--fabric", "infiniband-ndr-400", "--plugin", "1.6.0").out
    assert "no line here depends on the plugin's release (1.6.0)" in idle
    assert "Left out" not in weft("nccl", "env", "--instance", "p4d", "--plugin", "1.12.1").out


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("ND H100 v5", "Standard_ND96isr_H100_v5"),
        ("nd-h200-v5", "Standard_ND96isr_H200_v5"),
        ("ND GB300 v6", "Standard_ND128isr_GB300_v6"),
        ("ND MI300X v5", "Standard_ND96isr_MI300X_v5"),
        ("NDm A100 v4", "Standard_ND96amsr_A100_v4"),
    ],
)
def test_azures_families_are_understood(said, name):
    assert instance_of(said, None, CATALOG)[:2] == ("azure", name)


def test_an_unknown_instance_is_told_which_are_near():
    with pytest.raises(InputError, match="such as ND H100 v5"):
        instance_of("NDv5 H100", None, CATALOG)
    with pytest.raises(InputError, match="weft catalog offers lists all"):
        instance_of("quux", None, CATALOG)


@pytest.mark.parametrize("fabric", ["infiniband-ndr-400", "ethernet-tcp-100", "spectrum-x-400", "ultra-ethernet-800"])
def test_what_is_to_be_filled_in_says_where_to_find_it(fabric):
    text = written(fabric, "h100-sxm", Host())
    reason = text.partition("# fill in: export NCCL_SOCKET_IFNAME==<interface>")[0].splitlines()[-1]
    assert "ip route get ADDRESS" in reason and "name exact" in reason
    assert "ip route get" not in written(fabric, "h100-sxm", Host(interface="eth0"))


def test_the_test_of_infiniband_says_what_to_put_for_the_interface():
    example = LIBRARY.knowledge_folder / "examples" / "llama-70b-pretraining.yaml"
    script = weft("nccl", "bench", str(example)).out
    before = script.partition("# fill in: export NCCL_SOCKET_IFNAME==<interface>")[0].splitlines()[-1]
    assert before.startswith("# ") and "ip route get ADDRESS" in before and "name exact" in before


def test_what_is_said_of_switching_infiniband_off_goes_with_the_plugins_that_are_there():
    """Without plugins the built-in transport is the only one, and NCCL_IB_DISABLE=1 means TCP."""
    alone = weft("nccl", "env", "--instance", "BM.GPU.H100.8").out.partition("# Left alone:")[2]
    assert "the job would run over TCP" in alone and "a plugin in the image" not in alone
    other = weft("nccl", "env", "--instance", "BM.GPU4.8").out.partition("# Left alone:")[2]
    assert "a plugin in the image still uses InfiniBand" in other and "would run over TCP" not in other


@pytest.mark.parametrize("instance", ["BM.GPU.MI300X.8", "BM.GPU.MI355X-v1.8", "ND MI300X v5"])
def test_nothing_of_nvidias_plugins_or_defaults_is_said_of_amds_gpus(instance):
    text = weft("nccl", "env", "--instance", instance).out
    assert "# The first run must print: Using network IB\n" in text
    assert not re.search(r"IBext|sharp_am|NCCL_NTHREADS|NCCL_BUFFSIZE|NCCL_IB_GID_INDEX=3: chosen", text)


def test_a_name_of_a_network_that_was_not_checked_is_said_to_be_so():
    for instance in ("a3 mega", "a4x max"):
        [line] = re.findall(r"^# The first run must print: .*", weft("nccl", "env", "--instance", instance).out, re.M)
        assert "could not be checked" in line
