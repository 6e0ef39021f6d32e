"""What everything that is read from a file or handed on as a record is built on."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Entry(BaseModel):
    """Unknown keys are refused, and nothing is changed once it is made."""

    model_config = ConfigDict(extra="forbid", frozen=True, protected_namespaces=())
