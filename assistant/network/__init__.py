"""The network itself: topology and bill of materials, NCCL settings, log diagnosis."""

from .topology import design, planes_of_adapter

__all__ = ["design", "planes_of_adapter"]
