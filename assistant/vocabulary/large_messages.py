"""What large messages get of a network, and how far healthy networks scatter about that: for the model of a step and
for the diagnosis of a log alike."""

from math import exp, log2

# Standard deviation of the logarithm of communication time within one fabric technology: assumed, rounded from what
# large messages of the measured collectives scatter around the model; small ones scatter two to three times as far.
NETWORK_SPREAD = {"none": 0.05, "rdma": 0.15, "srd": 0.20, "gpudirect-tcp": 0.25, "tcp": 0.25, "wan": 0.30}
# A healthy network in a hundred is slower than this many standard deviations (of the logarithm) below what is expected.
HUNDREDTH = 2.326
# NDR InfiniBand keeps its bandwidth to 8 nodes, with static routing a third is lost at 64 (azure-nccl-scaling)
FLAT_DOMAINS = 8.0
# The straight line is not followed below this share: of the eight series of large messages measured from 8 to between
# 32 and 540 nodes the one that lost most, the all-gather of Polaris at 540, kept 0.31.
LEAST_SHARE = 0.3
# Ranks of a communicator up to which NCCL opens two channels to a peer on another node, and beyond them one: it halves
# the two while channels x ranks are more than four times its 32 point-to-point channels (``paths.cc``,
# ncclTopoGetNchannels, from memory of that source; 32 as on nodes with NVSwitch). 40 ranks got 26.2 GB/s, 80 got 15.2.
TWO_CHANNELS_RANKS = 4 * 32 // 2

# A tree of two nodes against what their adapters carry, where the switches inside both add: each sends the data once,
# and no node stands between two others. 338.8 of 1.875 x 188.7 GB/s on two nodes of Google A3 Mega (a3mega-0021,
# gcp-0030); left out, and as near: 696 of 735 on InfiniBand with B200 (dstack-0052).
TREE_OF_TWO = 0.96


def alarm_share(transport: str) -> float:
    """Of what is expected of a network: a healthy one in a hundred gives less."""
    return exp(-HUNDREDTH * NETWORK_SPREAD[transport])


def kept_by_many(nodes: int, lost_per_doubling: float) -> float:
    """Share of the bandwidth of few nodes that is kept by ``nodes``, where each doubling beyond ``FLAT_DOMAINS`` loses
    as much."""
    return max(1.0 - lost_per_doubling * max(0.0, log2(nodes / FLAT_DOMAINS)), LEAST_SHARE)


def share_of_a_pair(ranks: int, two_channels: float) -> float:
    """Of an adapter's bandwidth, what two ranks that send to each other reach in a communicator of ``ranks``;
    ``two_channels``: with as many (``collective-send-share``)."""
    return two_channels * (0.5 if ranks > TWO_CHANNELS_RANKS else 1.0)
