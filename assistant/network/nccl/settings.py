"""Which settings a job gets, which are better left alone, and what the first run must show."""

from dataclasses import asdict
from functools import lru_cache
from typing import Any

from assistant.vocabulary.catalog import Fabric, Gpu

from .environments import (
    Entry,
    Environment,
    Setting,
    documents,
    environment_of,
    leave_of_vendor,
    named,
    recipes_of_vendor,
)
from .host import ANYWHERE, Host, version
from .versions import needed, too_new, unread

# Who reads these variables; Gaudi and Trainium come with libraries of their own (HCCL, Neuron) that do not.
LIBRARIES = {"nvidia": "NCCL", "amd": "RCCL"}
SEVERAL = 2  # nodes: the least that a network joins; the settings are those of any number


@lru_cache(maxsize=2)
def _entries(part: str) -> list[Entry]:
    """``set`` or ``leave_alone``, in the order of the file."""
    return [Entry(**one) for one in documents()["settings.yaml"][part]]


def settings(fabric: Fabric | str, gpu: Gpu, nodes: int, host: Host = ANYWHERE) -> list[Setting]:
    """What to set for a job on ``nodes`` nodes; nothing but the debug line when the job stays on one, and nothing at
    all for GPUs whose libraries read none of it. ``fabric``: of the catalog, or the word of an environment that is not
    in it."""
    what = LIBRARIES.get(gpu.vendor)
    if what is None:
        return []
    reason = f'first run only: the line "Using network" says what {what} really uses; then take it out'
    debug = Setting("NCCL_DEBUG", "INFO", reason, "nvidia-nccl-user-guide/debug-info-shows-network")
    return [*_set(fabric, gpu, nodes, host), debug]


def _set(fabric: Fabric | str, gpu: Gpu, nodes: int, host: Host) -> list[Setting]:
    if nodes <= 1 or (not isinstance(fabric, str) and fabric.technology == "none"):
        return []
    around = _around(fabric, gpu, host)
    general = [] if isinstance(fabric, str) else [e for e in _entries("set") if e.applies(fabric, host)]
    if around is None:
        return [_noted(entry.setting(host, (), None), gpu, host) for entry in general]
    given = {entry.name: entry for entry in around.set if entry.applies(fabric, host)}
    # Of what holds in general only what was asked for: the provider's list is the whole list for its machines.
    asked = [entry for entry in general if entry.when and entry.name not in given]
    return [_noted(e.setting(host, around.adapters, around.source), gpu, host) for e in [*given.values(), *asked]]


def _around(fabric: Fabric | str, gpu: Gpu, host: Host) -> Environment | None:
    return named(fabric) if isinstance(fabric, str) else environment_of(fabric, gpu, host)


def _noted(setting: Setting, gpu: Gpu, host: Host) -> Setting:
    """The setting; of one that repeats the version's default, or that the version does not read, it is said (of NCCL:
    RCCL's own are not known)."""
    if gpu.vendor != "nvidia":
        return setting
    if since := unread(setting.name, host.nccl):
        note = f"NCCL {host.nccl} does not read it: needs {since}"
    elif host.nccl is not None and default_of(setting.name, host.nccl) == setting.value:
        note = f"the default of NCCL {host.nccl}, so the line may go"
    else:
        return setting
    reason = f"{setting.reason}; {note}"
    return Setting(setting.name, setting.value, reason, setting.claim, setting.source, setting.checked)


def leave_alone(fabric: Fabric | str, gpu: Gpu, nodes: int, host: Host = ANYWHERE) -> list[Setting]:
    """Settings that are often advised and better not set here; ``value`` is the advised one. Of what holds in general
    nothing where the provider's script or tests set the variable: it knows its machines; where a script or file of its
    own holds the values, only what holds everywhere, as not all that it sets is known here."""
    if gpu.vendor not in LIBRARIES:
        return []
    around, given = _around(fabric, gpu, host), _set(fabric, gpu, nodes, host)
    used, assigned = {each.name for each in given}, {f"{each.name}={each.value}" for each in given}
    of_here = around.leave if around else ()
    general = () if isinstance(fabric, str) else _entries("leave_alone")
    says = recipes_of_vendor(gpu) | (around.says if around else frozenset())
    owned = bool(around and around.script)
    anywhere = [e for e in general if e.name not in says and (e.everywhere or not owned)]
    anywhere = [*leave_of_vendor(gpu), *(e for e in anywhere if e.goes_with(assigned, gpu))]
    found: dict[str, Setting] = {}
    for entry, source in [(e, around.source if around else None) for e in of_here] + [(e, e.source) for e in anywhere]:
        if entry.name not in used and entry.name not in found and entry.applies(fabric, host):
            found[entry.name] = entry.setting(host, (), source, left_alone=True)
    return list(found.values())


def default_of(name: str, nccl: str | None = None) -> str | None:
    """The default of a variable in a version of NCCL, the newest where none is given; ``None``: not known."""
    known = documents()["defaults.yaml"]["defaults"].get(name)
    if known is None:
        return None
    holds = [value for since, value in known["values"].items() if nccl is None or _before(since, nccl)]
    return holds[-1] if holds else None


def _before(since: str, held: str) -> bool:
    return (version(since) or ()) <= (version(held) or ())


def default_told(name: str, nccl: str | None = None) -> str:
    """``the default is -1, chosen automatically (since 2.21.5)``; empty where it is not known."""
    known, value = documents()["defaults.yaml"]["defaults"].get(name), default_of(name, nccl)
    if value is None:
        return ""
    since = next(since for since, each in known["values"].items() if each == value)
    newest = list(known["values"].values())[-1]
    meaning = f", {known['meaning']}" if "meaning" in known and value == newest else ""
    return f"the default is {value}{meaning}" + (f" (since {since})" if since != "0" else "")


def expected_network(fabric: Fabric | str, gpu: Gpu | None = None, host: Host = ANYWHERE) -> str:
    """What the line "Using network" of the first run must say: what the settings name or switch off decides before
    what is usual on the network."""
    around = _around(fabric, gpu, host) if gpu else None
    if around and around.using_network:
        return around.using_network
    known = documents()["settings.yaml"]
    given = {each.name: each.value for each in _set(fabric, gpu, SEVERAL, host)} if gpu else {}
    for case in known["using_network_by"]:
        value = given.get(case["name"]) if "name" in case else None
        of_maker = gpu is not None and case.get("vendor") == gpu.vendor
        if of_maker and not isinstance(fabric, str) and fabric.technology in case["technologies"]:
            return case["says"]
        if value is not None and case.get("value", value) == value:
            return case["says"].format(value=value)
    return known["using_network"]["other" if isinstance(fabric, str) else fabric.technology]


def falls_back(fabric: Fabric | str, gpu: Gpu, host: Host = ANYWHERE) -> bool:
    """Whether a job goes on over TCP, with no more than a line in the log, where the network cannot start: NCCL stops
    only where ``NCCL_NET`` names one."""
    sockets = not isinstance(fabric, str) and fabric.technology in ("tcp", "wan", "none")
    return not sockets and "NCCL_NET" not in {each.name for each in _set(fabric, gpu, SEVERAL, host)}


def left_out(fabric: Fabric | str, gpu: Gpu, host: Host) -> str:
    """Lines for newer releases than those that were named, in one sentence; empty where there are none."""
    around = _around(fabric, gpu, host)
    entries = around.set if around else () if isinstance(fabric, str) else tuple(_entries("set"))
    told = too_new(entries, {each.name for each in _set(fabric, gpu, SEVERAL, host)}, host)
    by_plugin = any(e.plugin_since or e.plugin_before for e in entries) or any(
        each.of == "plugin" for each in (around.least if around else ())
    )
    unused = f"nothing, as no line here depends on the plugin's release ({host.plugin})"
    return told or (unused if host.plugin and not by_plugin else "")


def advice(fabric: Fabric, gpu: Gpu, nodes: int, host: Host = ANYWHERE) -> dict[str, Any]:
    """Settings, what to leave alone and what the first run must show, as plain data for a plan."""
    around = environment_of(fabric, gpu, host) if nodes > 1 and gpu.vendor in LIBRARIES else None
    reads = gpu.vendor in LIBRARIES
    return {
        "fabric": fabric.id,
        "nodes": nodes,
        "machines": around.name if around else None,
        "needs": needed(around, gpu),
        "script": list(around.first(host.form)) if around else [],
        "settings": [asdict(setting) for setting in settings(fabric, gpu, nodes, host)],
        "leave_alone": [asdict(setting) for setting in leave_alone(fabric, gpu, nodes, host)],
        "using_network": expected_network(fabric, gpu, host) if reads else not_read(gpu),
    }


def not_read(gpu: Gpu) -> str:
    """Why a GPU gets no settings."""
    return f"{gpu.name} comes with a library of its own, which reads none of NCCL's variables: see its maker's manual"
