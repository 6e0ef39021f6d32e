"""The state of one reading: the message, the names of the catalog, what the conversation knows, what was found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from .lexicon import Lexicon
from .message import Message


class Context(Protocol):
    """What the conversation knows while a message is read; :class:`assistant.conversation.draft.Draft` is one."""

    fields: dict[str, Any]
    asked: str | None
    changed: tuple[str, ...]


@dataclass
class Reading:
    """``fields`` and ``fabrics`` of the :class:`Understanding` being built."""

    message: Message
    lexicon: Lexicon
    context: Context | None = None
    fields: dict[str, Any] = field(default_factory=dict)
    fabrics: list[str] = field(default_factory=list)
    excluded: list[str] = field(default_factory=list)
    unset: list[str] = field(default_factory=list)
    spoken_of: list[tuple[int, int]] = field(default_factory=list)  # where a network is named, never decided
    held: list[tuple[int, int]] = field(default_factory=list)  # taken for now, given back when all is read
    denied: list[tuple[str, Any, int, int]] = field(
        default_factory=list
    )  # field, value and place of what was only said not to be
    unknown_gpus: list[str] = field(default_factory=list)  # as they were typed
    nodes: int | None = None  # nodes from which the GPUs are counted, or will be
    doubts: list[str] = field(default_factory=list)
    intent: str = "describe"

    def known(self, name: str) -> Any:
        """The value of a field as just read, else as the conversation has it, else ``None``."""
        if name in self.fields:
            return self.fields[name]
        return self.context.fields.get(name) if self.context else None

    def gpu(self) -> Any | None:
        """The catalog entry of the GPU in question, if it is known."""
        return self.lexicon.catalog.gpus.get(self.known("cluster.gpu"))

    @property
    def nodes_waiting(self) -> int | None:
        """Nodes said before, whose GPUs were not known then."""
        if self.context is None or "cluster.gpus" in self.context.fields:
            return None
        return getattr(self.context, "nodes", None)

    def set(self, name: str, value: Any) -> None:
        self.fields[name] = value

    def deny(self, name: str, value: Any, start: int, end: int) -> None:
        """Mask what is said not to be the case; :meth:`settle_denied` gives it back where nothing came in its place."""
        self.denied.append((name, value, start, end))
        self.message.take(start, end)

    def settle_denied(self) -> None:
        """What is only known not to be the case takes back the same fact said before, and is never dropped in silence."""
        said_before = self.context.fields if self.context else {}
        for name, value, start, end in self.denied:
            if name in self.fields or value in self.fields.values():
                continue
            if said_before.get(name) == value:
                self.unset += [name] if name not in self.unset else []
            else:
                self.message.give_back([(start, end)])
                self.message.kept.append((start, end))

    def name_fabric(self, fabric: str) -> None:
        if fabric not in self.fabrics:
            self.fabrics.append(fabric)

    @property
    def serves(self) -> bool:
        return self.known("workload") in ("inference", "disaggregated-inference", "batch-inference")
