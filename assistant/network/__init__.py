"""The network itself: topology and bill of materials, NCCL settings, log diagnosis."""

from __future__ import annotations

from .topology import design

__all__ = ["design"]
