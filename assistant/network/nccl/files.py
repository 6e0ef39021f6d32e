"""The settings as a file that a shell, Slurm, Docker or Kubernetes takes, every line below its reason."""

import json
import shlex
from collections.abc import Callable, Mapping, Sequence

from assistant.vocabulary.catalog import Fabric, Gpu
from assistant.vocabulary.counted import counted
from assistant.vocabulary.knowledge import Source
from assistant.vocabulary.printing import one_line

from .environments import Setting, documents, environment_of, named
from .host import ANYWHERE, Host
from .settings import (
    LIBRARIES,
    SEVERAL,
    default_told,
    expected_network,
    falls_back,
    leave_alone,
    left_out,
    not_read,
    settings,
)
from .versions import needed

FORMS = ("shell", "slurm", "docker", "kubernetes")
_HEADS = {
    "shell": "Load it where the job starts: . FILE",
    "slurm": "Into the sbatch script, before srun; srun hands the environment on (--export=ALL is its default)",
    "docker": "docker run --network host --env-file FILE, with what stands below (interfaces have the host's names); "
    "what must be sourced belongs into the container's entry point",
    "kubernetes": "Into the container of the pod, under env:",
}
_CHECKED = {"documented": "", "sample": "; from a sample job", "memory": "; not checked against documentation"}


def as_file(
    fabric: Fabric | str,
    gpu: Gpu,
    nodes: int,
    host: Host = ANYWHERE,
    sources: Mapping[str, Source] | None = None,
) -> str:
    """The settings in the form that ``host.form`` names, each below its reason and what it rests on.

    Lines with a value to fill in are commented out, so that the file never sets a placeholder.
    """
    if gpu.vendor not in LIBRARIES:
        return f"# {not_read(gpu)}\n"
    around = named(fabric) if isinstance(fabric, str) else environment_of(fabric, gpu, host) if nodes > 1 else None
    of = around.name if isinstance(fabric, str) and around else fabric if isinstance(fabric, str) else fabric.name
    lines = [f"# {of}, {counted(nodes, 'node')} of {gpu.name}", f"# {_HEADS[host.form]}"]
    if around:
        lines += [f"# Machines: {around.name}"] * (not isinstance(fabric, str))
        lines += [f"# Documented in: {_source(around.source, sources)}"] if around.source else []
        lines += [f"# It needs: {needs}"] if (needs := needed(around, gpu)) else []
        lines += [f"# Its own tests add, a job needs none of it: {', '.join(around.tests_add)}"] * bool(
            around.tests_add
        )
    older = left_out(fabric, gpu, host) if nodes > 1 else ""
    lines += [f"# Left out for the releases given: {older}"] if older else []
    lines += [f"# The container needs: {each}" for each in _beside(fabric, host)] if nodes > 1 else []
    lines += _first_run(fabric, gpu, host) if nodes > 1 else _on_one_node(fabric, gpu, host)
    lines += [f"# Healthy: {around.seen}"] if around and around.seen else []
    script = around.first(host.form) if around else ()
    if script:
        lines += ["", *sourced(script, host.form)]
        lines += [f"#   it sets {each}" for each in around.script_sets] if around else []
    for setting in settings(fabric, gpu, nodes, host):
        lines += ["", f"# {setting.reason}{_cited(setting)}", *_line(setting, _WRITTEN[host.form])]
    lines += ["", "# Left alone:"]
    for each in leave_alone(fabric, gpu, nodes, host):
        told = default_told(each.name, host.nccl) if gpu.vendor == "nvidia" else ""  # RCCL's own are not known
        lines.append(f"#   {each.name}={each.value}: {each.reason}" + (f"; {told}" if told else "") + _cited(each))
    return "\n".join(map(one_line, lines)) + "\n"


def _beside(fabric: Fabric | str, host: Host) -> list[str]:
    """What a container needs beside the variables."""
    technology = "other" if isinstance(fabric, str) else fabric.technology
    return [
        f"{each['says']} [{each['rests']}]"
        for each in documents()["settings.yaml"]["containers"]
        if host.form in each["runtimes"] and technology in each.get("technologies", [technology])
    ]


def _first_run(fabric: Fabric | str, gpu: Gpu, host: Host) -> list[str]:
    must = f"# The first run must print: Using network {expected_network(fabric, gpu, host)}"
    return [must, _without(fabric, gpu, host)]


def _on_one_node(fabric: Fabric | str, gpu: Gpu, host: Host) -> list[str]:
    """That no network has to start there, nor be asked for."""
    line = f"# On one node Using network tells {documents()['settings.yaml']['using_network']['none']}"
    named = {each.value for each in settings(fabric, gpu, SEVERAL, host) if each.name == "NCCL_NET"}
    unset = f"# Leave NCCL_NET={', '.join(named)} of several nodes out: the job stops where that network cannot start"
    return [line, *[unset] * bool(named)]


def _without(fabric: Fabric | str, gpu: Gpu, host: Host) -> str:
    """What happens where that network cannot start."""
    if falls_back(fabric, gpu, host):
        return (
            "# Where it cannot start the job goes on over TCP and says so in that line alone: nothing documented here "
            "names the network (NCCL_NET), so read it"
        )
    return "# Where it cannot start the job stops: NCCL_NET names it"


def _cited(setting: Setting) -> str:
    """The claim that a line rests on, and whether that was read."""
    rests = setting.claim or setting.source
    return f" [{rests}{_CHECKED[setting.checked]}]" if rests else _CHECKED[setting.checked]


def _source(ident: str | None, sources: Mapping[str, Source] | None) -> str:
    source = (sources or {}).get(ident or "")
    if source is None:
        return ident or ""
    when = source.date or source.date_note
    return ", ".join(str(part) for part in (source.publisher, source.title, when, source.url) if part)


def _line(setting: Setting, written: Callable[[Setting], list[str]]) -> list[str]:
    lines = written(setting)
    if len(lines) > 1 and setting.open:  # valid without "# ", as lines of YAML have to keep their columns
        return ["# fill in:", *(f"# {line}" for line in lines)]
    return [f"# fill in: {lines[0]}"] if setting.open else lines


def _exported(setting: Setting) -> list[str]:
    return [f"export {setting.name}={setting.value if setting.open else shlex.quote(setting.value)}"]


def sourced(script: Sequence[str], form: str) -> list[str]:
    """The provider's own script as lines that come first; where what starts the job takes variables alone they are
    comments, for the container's command."""
    if not script:
        return []
    runs = form in ("shell", "slurm")
    where = "" if runs else ": into the container's command, before the program"
    told = f"# The provider's own script first{where}; it owns the values below it."
    return [told, *(script if runs else [f"#   {line}" for line in script])]


def written(setting: Setting, form: str) -> list[str]:
    """The setting as what starts the job takes it, a comment where its value has to be filled in."""
    return _line(setting, _WRITTEN[form])


def exported(setting: Setting) -> list[str]:
    """The line of a shell that sets it; where its value has to be filled in the reason and where to find the value, as
    comments."""
    return [f"# {setting.reason}"] * setting.open + _line(setting, _exported)


_WRITTEN: dict[str, Callable[[Setting], list[str]]] = {
    "shell": _exported,
    "slurm": _exported,
    "docker": lambda setting: [f"{setting.name}={setting.value}"],
    "kubernetes": lambda setting: [f"- name: {setting.name}", f"  value: {json.dumps(setting.value)}"],
}
