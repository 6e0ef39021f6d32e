"""Bytes and seconds of collectives at a given rate, and latencies step by step."""

from __future__ import annotations

from math import log2

from assistant.model import bus_bandwidth, synchronise

from .registry import formula


@formula
def transfer_time(bytes: float, rate: float, links: float = 1) -> float:
    """bytes ÷ (rate · links): one pass, nothing else"""
    return bytes / (rate * links)


@formula
def collective_volume(kind: str, bytes: float, members: float) -> float:
    """bytes into each member: all-reduce 2(n−1)/n, all-gather and reduce-scatter (n−1)/n of the payload"""
    return bus_bandwidth(kind, bytes, 1.0, int(members))


@formula
def collective_time(kind: str, bytes: float, members: float, rate: float, links: float = 1) -> float:
    """bytes into each member ÷ (rate · links)"""
    return collective_volume(kind, bytes, members) / (rate * links)


@formula
def ring_latency(
    nodes: float, network_step: float, gpus_per_node: float = 1, inside_step: float = 0.0, base: float = 0.0
) -> float:
    """ring all-reduce: base + 2(nodes−1) network steps + the rest of 2(ranks−1) steps inside nodes"""
    network = 2.0 * (nodes - 1.0)
    return base + network * network_step + (2.0 * (nodes * gpus_per_node - 1.0) - network) * inside_step


@formula
def tree_latency(
    nodes: float, network_step: float, gpus_per_node: float = 1, inside_step: float = 0.0, base: float = 0.0
) -> float:
    """tree all-reduce: base + 2·log₂(nodes) network steps + 2(GPUs per node−1) steps inside nodes"""
    return base + 2.0 * (log2(nodes) * network_step + (gpus_per_node - 1.0) * inside_step)


@formula
def exchange_time(parameters: float, sites: float, link: float) -> float:
    """one exchange of BF16 parameters between sites: 2(k−1)/k of 2 bytes per parameter over the link"""
    return synchronise(2.0 * parameters, int(sites), link, 1, latency=0.0).seconds


@formula
def exchange_share(parameters: float, sites: float, link: float, inner_steps: float, step: float) -> float:
    """one exchange ÷ the inner steps between two of them"""
    return synchronise(2.0 * parameters, int(sites), link, int(inner_steps), latency=0.0).per_step / step


@formula
def exchange_saving(inner_steps: float) -> float:
    """bytes of an exchange in every step ÷ bytes per step of one in so many inner steps"""
    often, rarely = (synchronise(1.0, 2, 1.0, int(every), latency=0.0) for every in (1, inner_steps))
    return often.per_step / rarely.per_step
