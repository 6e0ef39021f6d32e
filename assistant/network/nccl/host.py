"""What is known of the machines that a settings file is for."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

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
_DENIED = re.compile(
    r"\b(?:no|not|without|never|instead of|rather than)(?: (?:on|in|with|use|using|under|the|a))* $", re.I
)


def version(text: str | None) -> Version | None:
    """``"2.27.3"`` as numbers; ``None``: a current one."""
    return tuple(int(part) for part in text.removeprefix("v").split(".")) if text else None


def within(held: str | None, since: str | None, before: str | None) -> bool:
    """Whether a version lies in [``since``, ``before``); a current one lies after every ``before``."""
    of = version(held)
    if of is None:
        return before is None
    return (since is None or of >= (version(since) or ())) and (before is None or of < (version(before) or ()))


def form_named(text: str, words: Mapping[str, Sequence[str]]) -> Form | None:
    """What starts the job, where somebody's words name it and do not deny it; ``words``: of each form, the first that
    is named goes first, as a pod of Kubernetes has names of its own for interfaces whatever runs in it."""
    for form, names in words.items():
        for said in re.finditer(rf"\b(?:{'|'.join(map(re.escape, names))})\b", text, re.IGNORECASE):
            if not _DENIED.search(text[: said.start()]):
                return form
    return None


def _named(name: str, field: str, example: str, most: int) -> None:
    if not re.fullmatch(rf"[A-Za-z0-9_.:-]{{1,{most}}}", name):
        raise InputError(f"expected the name of a device such as {example}, got {shown(name)}", Place(field=field))
