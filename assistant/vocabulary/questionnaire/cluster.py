"""The machines and what joins them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..fields import About
from ..quantities import Count, Gbps, Ratio, Whole, YesNo
from .section import Id, Section


class Cluster(Section):
    """The machines: which GPU, how many, how they are joined."""

    gpu: Annotated[
        Id, About("GPU", "id", "Which GPU?", "nothing: it is needed", words=("gpu [type|model]",), span="gpu")
    ]
    gpus: Annotated[
        Annotated[Whole, Field(ge=1, le=1_000_000)],
        About("GPUs", "count", "How many GPUs?", "nothing: it is needed", span="number", sensible=(1, 200_000),
              words=("gpus", "cards", "accelerators", "gpu count", "number of gpus")),
    ]  # fmt: skip
    gpus_per_node: Annotated[
        Annotated[Whole, Field(ge=1, le=1024)] | None,
        About("GPUs per node", "count", "How many GPUs are in a node?", "the usual node of the GPU", span="number",
              words=("gpus (per|in each|in a) (node|server|machine|box|host)", "gpus per node"), sensible=(1, 72)),
    ] = None  # fmt: skip
    nics_per_node: Annotated[
        Annotated[Whole, Field(ge=1, le=256)] | None,
        About("NICs per node", "count", "How many network adapters are in a node?", "one per GPU for RDMA, one for TCP",
              words=("nics (per|in each|in a) (node|server|machine|box|host)", "nics", "hcas",
                     "network (cards|adapters)"),
              span="number", sensible=(1, 64)),
    ] = None  # fmt: skip
    fabric: Annotated[
        Id | None,
        About("network", "id", "Which network is there?", "every network is considered", span="fabric",
              words=("network", "fabric", "interconnect")),
    ] = None  # fmt: skip
    provider: Annotated[
        Id | None,
        About("provider", "id", "Who rents out the machines?", "any provider", span="provider",
              words=("[cloud] provider", "cloud", "vendor")),
    ] = None  # fmt: skip
    oversubscription: Annotated[
        Annotated[Ratio, Field(ge=1, le=32)] | None,
        About("oversubscription", "amount", "How far is the network oversubscribed?", "not at all", unit="{}:1",
              words=("oversubscription", "oversubscribed", "blocking [ratio|factor]"), span="number"),
    ] = None  # fmt: skip
    adaptive_routing: Annotated[
        YesNo | None,
        About("adaptive routing", "flag", "Does the network route adaptively?", "as the network usually does",
              words=("adaptive routing",)),
    ] = None  # fmt: skip
    in_network_reduction: Annotated[
        YesNo | None,
        About("in-network reduction", "flag", "Do the switches add (SHARP)?", "they do not, as in most clouds",
              words=("in network (reduction|computing|aggregation)", "sharp")),
    ] = None  # fmt: skip
    lossless: Annotated[
        YesNo | None,
        About("flow control", "flag", "Are flow and congestion control (PFC, ECN) set up on the Ethernet?",
              "they are, where the network is RoCE", words=("lossless ethernet",)),
    ] = None  # fmt: skip
    topology: Annotated[
        Literal["rail", "fat-tree", "rail-only", "plane"] | None,
        About("topology", "choice", "How are the adapters of a node spread over leaf switches?",
              "one leaf for each rail, as reference designs do", words=("[network] topology",)),
    ] = None  # fmt: skip
    planes: Annotated[
        Annotated[Whole, Field(ge=1, le=16)] | None,
        About("planes", "count", "Into how many separate planes is the network split?", "one",
              words=("[network] planes",), span="number", sensible=(1, 8)),
    ] = None  # fmt: skip
    failures_per_node_day: Annotated[
        Annotated[Count, Field(ge=1e-6, le=24)] | None,
        About("failures per node and day", "amount", "How many failures stop a node's work a day?",
              "as often as on the clusters that published it", span="number",
              words=("failures per node (and|per|-|a) day", "failure rate")),
    ] = None  # fmt: skip
    sites: Annotated[
        Annotated[Whole, Field(ge=1, le=1000)],
        About("sites", "count", "In how many places do the machines stand?", "one", span="number",
              words=("sites", "locations", "data centers", "campuses"), sensible=(1, 100)),
    ] = 1  # fmt: skip
    wan_gbps: Annotated[
        Annotated[Gbps, Field(ge=1e-6, le=1e6)] | None,
        About("link between sites", "amount", "How fast is the link between the sites?", "one site", unit="{} Gb/s",
              words=("wan [link]", "link between [the] sites", "internet [link]"), span="rate"),
    ] = None  # fmt: skip
