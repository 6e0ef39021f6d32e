"""NCCL settings for a fabric: few, each with its reason and reference, and what is better left alone
(``knowledge/nccl``). What a provider documents for its machines goes before what holds in general.

AMD's RCCL reads the same ``NCCL_`` variables, so one list serves both.
"""

from .environments import Environment, documents, environment_of, environments, named, other_names, runtimes
from .files import FORMS, as_file, exported, sourced, written
from .host import Host
from .settings import SEVERAL, Setting, advice, expected_network, falls_back, leave_alone, settings
from .versions import needed, new_enough

__all__ = [
    "FORMS",
    "SEVERAL",
    "Environment",
    "Host",
    "Setting",
    "advice",
    "as_file",
    "documents",
    "environment_of",
    "environments",
    "expected_network",
    "exported",
    "falls_back",
    "leave_alone",
    "named",
    "needed",
    "new_enough",
    "other_names",
    "runtimes",
    "settings",
    "sourced",
    "written",
]
