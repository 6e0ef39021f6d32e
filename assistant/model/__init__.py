"""The quantitative model: does it fit, how long is a step, what does nothing hide, how sure is that.

Pure functions over NumPy arrays, everything in bytes, seconds, FLOP and US dollars; no input or output.
"""

from __future__ import annotations

from .adapters import Adapters
from .architecture import Architecture
from .described import architecture_of
from .inference import InferenceOutcome, Serving
from .job import Job
from .low_communication import synchronise
from .machine import Machine, machine_of
from .network import Cabling, Network, Networks, leaf_nodes, network_of
from .prefill_decode import predict_inference
from .single_collectives import all_gather_time, all_reduce_time, all_to_all_time, bus_bandwidth, collective_time
from .training import Outcome, best_times, predict_training, sweep

__all__ = [
    "Adapters",
    "Architecture",
    "Cabling",
    "InferenceOutcome",
    "Job",
    "Machine",
    "Network",
    "Networks",
    "Outcome",
    "Serving",
    "all_gather_time",
    "all_reduce_time",
    "all_to_all_time",
    "architecture_of",
    "best_times",
    "bus_bandwidth",
    "collective_time",
    "leaf_nodes",
    "machine_of",
    "network_of",
    "predict_inference",
    "predict_training",
    "sweep",
    "synchronise",
]
