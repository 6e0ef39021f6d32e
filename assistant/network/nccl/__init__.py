"""NCCL settings for a fabric: few, each with its reason and reference, and what is better left alone
(``knowledge/nccl``). What a provider documents for its machines goes before what holds in general.

AMD's RCCL reads the same ``NCCL_`` variables, so one list serves both.
"""

from .environments import Environment, environment_of, environments, named, other_names
from .files import FORMS, as_file, exported
from .host import Host
from .settings import Setting, advice, expected_network, leave_alone, settings

__all__ = [
    "FORMS",
    "Environment",
    "Host",
    "Setting",
    "advice",
    "as_file",
    "environment_of",
    "environments",
    "expected_network",
    "exported",
    "leave_alone",
    "named",
    "other_names",
    "settings",
]
