"""The network itself: topology and bill of materials, NCCL settings, log diagnosis."""

from .topology import design

__all__ = ["design"]
