"""Starts the recommended split of a plan: the file that a launcher takes, with the framework's arguments and the NCCL
settings in it. What a framework is told, and what a launcher's file looks like, is data in ``knowledge/launch``."""

from .files import LAUNCHERS, frameworks, written

__all__ = ["LAUNCHERS", "frameworks", "written"]
