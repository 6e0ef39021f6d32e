"""What is known of the machines that a settings file is for."""

import re
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from assistant.vocabulary.errors import InputError, Place
from assistant.vocabulary.quantities import shown

Version = tuple[int, ...]
Form = str  # what starts the job: shell, slurm, docker, kubernetes


@dataclass(frozen=True)
class Host:
    """What is known of the machines.

    ``interface``: for TCP and for setting up connections. ``adapters``: the RDMA NICs to use, where not all of them
    are. ``instance``: the provider's name of the machine. ``nccl`` and ``plugin``: versions of the library and of its
    network plugin, ``None``: a current one. Raises :class:`InputError` for what is no name or version.
    """

    interface: str | None = None
    adapters: tuple[str, ...] = ()
    provider: str | None = None
    instance: str | None = None
    nccl: str | None = None
    plugin: str | None = None
    form: Form = "shell"
    sharp: bool = False  # the SHARP plugin is loaded and an aggregation manager runs
    separate_rails: bool = False  # rails are networks of their own, without spines between them

    def __post_init__(self) -> None:
        if self.interface is not None:
            _named(self.interface, "interface", "eth0", most=15)
        for adapter in self.adapters:
            _named(adapter, "adapters", "mlx5_0", most=64)
        for field, given in (("nccl", self.nccl), ("plugin", self.plugin)):
            if given is not None and not re.fullmatch(r"v?\d{1,3}(\.\d{1,3}){1,3}", given):
                raise InputError(f"expected a version such as 2.27.3, got {shown(given)}", Place(field=field))


ANYWHERE = Host()


def version(text: str | None) -> Version | None:
    """``"2.27.3"`` as numbers; ``None``: a current one."""
    return tuple(int(part) for part in text.removeprefix("v").split(".")) if text else None


def within(held: str | None, since: str | None, before: str | None) -> bool:
    """Whether a version lies in [``since``, ``before``); a current one lies after every ``before``."""
    of = version(held)
    if of is None:
        return before is None
    return (since is None or of >= (version(since) or ())) and (before is None or of < (version(before) or ()))


class Runtimes(BaseModel):
    """How people name what starts a job: see ``runtimes`` in ``knowledge/nccl/settings.yaml``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    names: dict[Form, tuple[str, ...]]
    machines: tuple[str, ...]
    denied: str
    denied_after: str

    def named_in(self, text: str) -> Form | None:
        """What starts the job, where somebody's words name it and do not deny it; of several the first in the file, as
        a pod of Kubernetes has names of its own for interfaces whatever runs in it."""
        text = re.sub("|".join(self.machines), "", text, flags=re.IGNORECASE)
        for form, names in self.names.items():
            for said in re.finditer(rf"\b(?:{'|'.join(map(re.escape, names))})\b", text, re.IGNORECASE):
                before, after = text[: said.start()], text[said.end() :]
                if not (re.search(self.denied, before, re.I) or re.search(self.denied_after, after, re.I)):
                    return form
        return None


def _named(name: str, field: str, example: str, most: int) -> None:
    if not re.fullmatch(rf"[A-Za-z0-9_.:-]{{1,{most}}}", name):
        raise InputError(f"expected the name of a device such as {example}, got {shown(name)}", Place(field=field))
