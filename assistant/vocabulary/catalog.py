"""What the catalog holds: every value with its unit, its source and its date.

A :class:`Fact` is written in the unit its source uses; ``si`` gives it in the units of the model
(bytes, seconds, FLOP/s, bytes/s, watts, US dollars, plain fractions).

On disk (``knowledge/catalog/``) every part is a mapping whose keys are the ids, and an entry does not repeat its id:
``gpus.yaml``, ``fabrics.yaml``, ``scale_up.yaml``, ``devices.yaml``, ``providers/*.yaml`` (a file per provider),
``constants/*.yaml`` and ``models/*.yaml`` (one file per family), which together fill the fields of :class:`Catalog`. A
part may be a file or a folder of files.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, ValidationInfo, field_validator, model_validator

from .entry import Entry
from .rates import Fabrics, Names

# One of each unit in SI base units (bytes, seconds, FLOP, watts, dollars; fractions for percent), by what it measures.
_UNITS_BY_KIND: tuple[dict[str, float], ...] = (
    {"B": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "MiB": 2.0**20, "GiB": 2.0**30},
    {"B/s": 1.0, "GB/s": 1e9, "TB/s": 1e12, "Gb/s": 1e9 / 8, "Tb/s": 1e12 / 8},
    {"FLOP/s": 1.0, "TFLOP/s": 1e12, "PFLOP/s": 1e15},
    {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "h": 3600.0},
    {"W": 1.0, "kW": 1e3},
    {"1": 1.0, "fraction": 1.0, "%": 0.01},
    {"per day": 1.0 / 86400, "per node-day": 1.0 / 86400},
    *({name: 1.0} for name in ("m", "months", "days", "years", "USD", "USD/GPU-h", "USD/GPU", "USD/kWh", "count")),
)
UNITS = {name: value for kind in _UNITS_BY_KIND for name, value in kind.items()}


def same_kind(unit: str) -> tuple[str, ...]:
    """Units that measure the same as this one, itself among them."""
    return next((tuple(kind) for kind in _UNITS_BY_KIND if unit in kind), (unit,))


GpuVendor = Literal["nvidia", "amd", "intel", "aws"]


class Fact(Entry):
    """One value with its unit, where it was read and when.

    ``source`` is a source id of ``knowledge/sources/`` (optionally ``id#place``) or, for values derived by us,
    ``derived: how``. ``date`` is when the source was published or read, for a price when it was valid.
    """

    value: float = Field(allow_inf_nan=False)
    unit: str
    source: str
    date: datetime.date
    note: str | None = None

    @field_validator("unit")
    @classmethod
    def _known_unit(cls, unit: str) -> str:
        if unit not in UNITS:
            raise ValueError(f"unknown unit {unit!r}; known: {', '.join(UNITS)}")
        return unit

    @property
    def si(self) -> float:
        """The value in SI base units (bytes, seconds, FLOP/s, dollars, fractions)."""
        return self.value * UNITS[self.unit]


class ScaleUp(Entry):
    """What joins the GPUs inside a node or rack. Never a candidate, always an input."""

    id: str
    name: str
    bandwidth_per_gpu: Fact  # one direction, per GPU
    bus_bandwidth_efficiency: Fact  # fraction of bandwidth_per_gpu that NCCL's bus bandwidth reaches at large messages
    latency: Fact  # software latency of one collective step inside the domain
    small_all_reduce: Fact | None = None  # of 8 KiB on 8 GPUs by the kernels that engines of inference have for it
    in_network_reduction: bool = False  # NVLS: the switch adds
    mesh_peers: int = 0  # no switch: every GPU has links of its own to so many others, who share bandwidth_per_gpu
    scope: Literal["node", "rack"] = "node"
    maturity: Literal["shipping", "announced"] = "shipping"
    aliases: list[str] = Field(default_factory=list)
    summary: str


class Calibration(Entry):
    """Efficiency constants of a GPU family. Each fact's note names the measured rows it was calibrated on."""

    gemm_efficiency: Fact  # fraction of dense peak that a large GEMM reaches
    attention_efficiency: Fact  # the same for flash attention
    memory_efficiency: Fact  # fraction of HBM bandwidth that element-wise work reaches
    kernel_launch: Fact  # seconds per layer and direction that no work hides
    measured: bool  # False: taken over from a relative; the band is widened and the plan says so
    relative: str | None = None  # the GPU id it was taken over from
    spread: Fact | None = None  # of compute time's logarithm, beside that of the software: where few rows told it


class Gpu(Entry):
    """A GPU and the node it usually comes in."""

    id: str
    name: str
    vendor: GpuVendor
    memory: Fact
    memory_bandwidth: Fact
    peak_bf16: Fact  # dense, no sparsity
    peak_fp16: Fact
    peak_fp32: Fact  # as the framework's default matrix path (TF32 where there is one)
    peak_fp8: Fact | None = None
    peak_fp4: Fact | None = None
    scale_up: str  # ScaleUp id
    scale_up_domain: int  # GPUs that share it
    bridge: str | None = None  # ScaleUp id of what joins some GPUs of a node directly
    bridged_gpus: int = 1  # how many it joins
    gpus_per_node: int
    nodes_vary: bool = False  # a card that machines hold one to eight of: nodes alone tell no number of GPUs
    nics_per_node: int  # usual number of RDMA NICs per node
    usual_nic_line_rate: Fact
    adapters_on_board: Fact | None = None  # line rate of adapters that the board has; null: cards are bought
    adapters_per_cage: Fact | None = None  # of the usual node's adapters that share a transceiver; null: not known
    host_memory: Fact | None = None  # RAM of the usual node
    host_link: Fact | None = None  # one direction between a GPU and its NIC (PCIe): a faster NIC is not fed
    power: Fact
    hour_price: Fact | None = None  # usual on demand: the median of the lists, or the user's own
    purchase_price: Fact | None = None  # USD/GPU, share of the node included
    maturity: Literal["shipping", "announced", "retired"] = "shipping"
    compute_units: Fact | None = None  # streaming multiprocessors or compute units that are switched on
    calibration: Calibration
    aliases: list[str] = Field(default_factory=list)
    summary: str

    @property
    def scales_blocks(self) -> bool:
        """Whether training in blocks that share a scale, MXFP8 and NVFP4, is known on it: NVIDIA's Blackwell. The units
        of others multiply them too (AMD's MI355X, NVIDIA's Rubin), but no training run on those is known."""
        return self.vendor == "nvidia" and self.peak_fp4 is not None and self.peak_fp8 is not None

    def nics_in(self, gpus_per_node: int) -> int:
        """Usual RDMA adapters of a node of so many GPUs: as many per GPU as the usual node has, one at least."""
        return max(1, round(self.nics_per_node * gpus_per_node / self.gpus_per_node))


class Model(Entry):
    """A public model's architecture; the parameter count is checked by formula against ``params``."""

    id: str
    name: str
    family: str
    params: Fact  # published or exact count, unit count
    active_params: Fact | None = None
    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int | None = None  # null: hidden / heads
    ffn: int  # dense MLP width (first dense layers of a MoE as well)
    vocab: int
    gated_mlp: bool = True
    tied_embeddings: bool = False
    experts: int = 0
    experts_per_token: int = 0
    shared_experts: int = 0
    expert_ffn: int | None = None
    # Groups that experts are routed by, and how many of them a token may visit (node-limited routing).
    expert_groups: int = 1
    expert_group_limit: int = 1
    # How its publisher trained it where that is not what a stack does by default: fields of ``training``.
    trained_with: dict[str, str] | None = None
    dense_layers: int = 0  # leading layers of a MoE that are dense
    moe_every: int = 1
    attention_bias: bool = False  # biases on q, k, v
    clamped_experts: bool = False  # biases on the experts' products, and what their gate multiplies clamped (gpt-oss)
    scaled_rotary: bool = False  # rotary positions whose cosines and sines are scaled (YaRN): no fused kernel has them
    biases: bool = False  # biases everywhere (GPT-2/3 style) and learned positions
    positions: int = 0  # learned position embeddings
    # Multi-head latent attention: q_lora_rank, kv_lora_rank, qk_nope_head_dim, qk_rope_head_dim, v_head_dim.
    mla: dict[str, int] | None = None
    qk_norm: bool = False
    attention_gate: bool = False  # a gate as wide as the queries multiplies what attention gives
    parallel_block: bool = False  # attention and MLP work on the same input and are summed together
    # Layers that keep only ``sliding_window`` tokens, and layers with a fixed state instead of keys and values: so many
    # elements of a request in each, and so many parameters in place of the attention's.
    sliding_window: int | None = None
    sliding_layers: int = 0
    linear_layers: int = 0
    linear_state: int = 0
    linear_params: int = 0
    linear_beside_attention: bool = False  # each linear layer has attention as well, side by side (Falcon-H1)
    # Layers that are a mixer (attention or linear) alone, or an MLP alone (Nemotron-H counts each as a layer).
    layers_without_mlp: int = 0
    layers_without_attention: int = 0
    # What sliding layers have otherwise than the fields above, which are then full layers': heads, kv_heads, head_dim,
    # value_head_dim.
    sliding_heads: dict[str, int] | None = None
    value_head_dim: int | None = None  # null: as wide as keys
    joint_values: bool = False  # values of full layers come of the product that makes keys
    q_lora_rank: int | None = None  # queries through a narrow product without latent attention (Step3)
    attention_params: int | None = None  # of the average attention layer where the dimensions here do not tell them
    # Full and sliding layers that attend to keys and values of an earlier layer and keep none (cross-layer attention).
    borrowing_layers: int = 0
    borrowing_sliding_layers: int = 0
    # Tokens that become one entry of the cache: layers that keep such entries beside their window (DeepSeek-V4).
    compressed_layers: dict[int, int] = Field(default_factory=dict)
    cache_width: int | None = None  # elements that a layer keeps of a token; null: keys and values of all KV heads
    # Sparse attention by an index: entries that a query looks at, width of the index's queries, bytes that it keeps of
    # a token, layers that have one.
    sparse_keys: int | None = None
    index_width: int = 0
    index_bytes: float = 0.0
    index_layers: int = 0
    expert_hidden: int | None = None  # width on which routed experts work; null: the hidden size
    shared_ffn: int | None = None  # of all shared experts together; null: theirs times ``expert_ffn``
    lookup_width: int = 0  # of embeddings that every layer adds by look-up (Gemma 3n and 4)
    mtp_layers: int = 0  # layers that guess further tokens, not counted with ``layers`` and ``params``
    # The format of the weights as published, which serving stacks load unless told otherwise.
    native_precision: Literal["fp32", "fp16", "bf16", "fp8", "int8", "int4", "mxfp4", "nvfp4"] = "bf16"
    # Its publisher's weights in FP8 have a scale for each block of 128 x 128, and activations one for 128 in a row.
    scaled_blocks: bool = False
    context: int  # usual maximum sequence length
    source: str
    date: datetime.date
    aliases: list[str] = Field(default_factory=list)
    note: str | None = None


FabricKind = Literal["none", "tcp", "ethernet-rdma", "infiniband", "wide-area"]

# ``other``: a family that no rule, setting or bill of materials knows by name; its transport and figures speak for it.
Technology = Literal[
    "none", "infiniband", "roce", "spectrum-x", "efa", "tcpx", "tcpxo", "tcp", "ultra-ethernet", "wan", "other"
]
Transport = Literal["none", "rdma", "srd", "gpudirect-tcp", "tcp", "wan"]
Vendors = Literal["one", "few", "many"]
Skills = Literal["none", "some", "expert"]
Maturity = Literal["proven", "shipping", "emerging", "announced"]


class Fabric(Entry):
    """An inter-node network technology with a speed: a candidate."""

    id: str
    name: str
    short: str | None = None  # the name in tables and charts; null: the whole name
    technology: Technology
    transport: Transport
    line_rate: Fact | None = None  # per NIC, one direction
    # Gb/s per NIC from and to which it stands for others of its kind, named by id and rate alone; null: for itself
    stands_for: tuple[float, float] | None = None
    # fixed by the instance (EFA, TCPX); null: one per GPU for RDMA, one per node for TCP
    nics_per_node: int | None = None
    # ring bus bandwidth at large messages and 2 nodes ÷ line rate of all NICs of a node
    bandwidth_efficiency: Fact | None = None
    slower_links: dict[float, Fact] = Field(default_factory=dict)  # Gb/s per NIC → its bandwidth_efficiency there
    bandwidth_ceiling: Fact | None = None  # bytes/s per node that are not exceeded however fast the NICs (TCP sockets)
    # nodes of 8 GPUs → nccl-tests busbw measured there
    all_reduce_bus_bandwidth: dict[int, Fact] = Field(default_factory=dict)
    latency: Fact | None = None  # one message between nodes, software included
    half_bandwidth_message: Fact | None = None  # collective's bytes ÷ GPUs per node at which half of the large-message
    #                                             bus bandwidth is reached at two nodes (latency of the steps included)
    # fraction of bandwidth lost per doubling of nodes beyond eight (congestion)
    scale_loss_per_doubling: Fact | None = None
    jitter: Fact | None = None  # relative spread of a collective's time: what a synchronous step waits for
    adaptive_routing: bool = False
    in_network_reduction: bool = False  # SHARP
    gpu_vendors: list[GpuVendor] = Field(default_factory=lambda: ["nvidia", "amd"])
    gpus: list[str] | None = None  # only with these GPU ids (cloud instances); null: any
    providers: list[str] | None = None  # only at these providers; null: any that offers it
    vendors: Vendors = "many"  # who sells switches and NICs for it
    skills: Skills = "some"  # what it takes to run it well
    maturity: Maturity = "proven"
    largest_proven_gpus: Fact | None = None  # largest published training run on it; null: none was found
    premium: Fact | None = None  # USD/GPU-h on top of the same GPU with plain Ethernet, when renting
    capex_per_gpu: Fact | None = None  # switches, NICs, cables and optics per GPU, two tiers
    power_per_gpu: Fact | None = None  # switches and optics, W
    aliases: list[str] = Field(default_factory=list)
    summary: str

    def stands(self, gbps: float) -> bool:
        """Whether it stands for networks of its kind with ``gbps`` Gb/s an adapter."""
        return self.stands_for is not None and self.stands_for[0] <= gbps <= self.stands_for[1]

    @property
    def label(self) -> str:
        """The name in tables, charts and sentences."""
        return self.short or self.name

    @property
    def nic_rate(self) -> float:
        """Bytes/s of one NIC, one direction; 0 where nothing joins the nodes."""
        return self.line_rate.si if self.line_rate else 0.0

    @property
    def kind(self) -> FabricKind:
        """Which sort of network: what moves data without the host's processor is RDMA here (RoCE, Spectrum-X, EFA)."""
        if self.technology in ("none", "infiniband"):
            return self.technology
        if self.transport == "wan":
            return "wide-area"
        return "tcp" if self.transport == "tcp" else "ethernet-rdma"

    def usual_nics(self, for_rdma: int) -> int:
        """NICs of a node of which nothing was said: the instance's, else one for sockets and ``for_rdma``, one per
        GPU."""
        return self.nics_per_node or (1 if self.transport in ("tcp", "wan") else for_rdma)


Tier = Literal["on-demand", "reserved", "spot", "capacity-block"]
Trust = Literal["high", "medium", "low"]


class ListPrice(Entry):
    """What one GPU-hour of an offer costs in one tier and region.

    ``months``: the term of a reservation, ``None`` where the list does not say it; ``region``: ``None`` where the price
    holds everywhere. ``trust``: ``high`` was read in the provider's own list or a copy of its feed, ``medium`` where
    others name it, ``low`` is a starting price, an estimate, contradicted or derived. ``of_the_cheapest``: it is that
    of the cheapest host of a marketplace, and others are dearer. ``mean``: it is one of several listings, and the price
    of no offer: it is told, and no sum is made of it.
    """

    tier: Tier
    months: float | None = Field(default=None, gt=0)
    region: str | None = None
    price: Fact  # USD/GPU-h
    trust: Trust = "high"
    of_the_cheapest: bool = False
    mean: bool = False

    @model_validator(mode="after")
    def _only_a_reservation_has_a_term(self) -> ListPrice:
        if self.months is not None and self.tier != "reserved":
            raise ValueError(f"months: only a reserved price has a term, this one is {self.tier}")
        return self

    @field_validator("price")
    @classmethod
    def _per_gpu_hour(cls, price: Fact) -> Fact:
        return _of_a_gpu_hour(price)

    @property
    def name(self) -> str:
        """``reserved 12 months us-east-1``."""
        term = f"{self.months:g} months" if self.months else None
        return " ".join(filter(None, (self.tier, term, self.region)))


def _of_a_gpu_hour(price: Fact) -> Fact:
    if price.unit != "USD/GPU-h":
        raise ValueError(f"expected a price in USD/GPU-h, got one in {price.unit}")
    if price.value < 0:
        raise ValueError(f"expected a price of at least 0, got {price.value:g}")
    return price


class Offer(Entry):
    """A named instance or cluster of a provider.

    ``fabrics``: first the network between the GPUs of a job, whose adapters ``nics_per_node`` and ``gbps_per_nic``
    count; then other networks that ranks can really use, such as the Ethernet of the machine. Adapters of the front end
    are never counted with the first. ``hour_price`` and ``hour_price_spot`` may stand for the one price on demand and
    the one spot price; they are then the first of ``prices``.
    """

    name: str
    aliases: list[str] = Field(default_factory=list)  # its names in price lists
    gpu: str
    gpus_per_node: int = Field(gt=0)
    fabrics: list[str] = Field(min_length=1)
    nics_per_node: int | None = Field(default=None, gt=0)
    gbps_per_nic: float | None = Field(default=None, gt=0, allow_inf_nan=False)  # null: the fabric's line rate
    min_gpus: int | None = Field(default=None, gt=0)  # the smallest order; null: one machine
    largest_gpus: int | None = Field(default=None, gt=0)  # the largest that is let together
    short_price: Fact | None = Field(default=None, alias="hour_price", exclude=True)
    short_price_spot: Fact | None = Field(default=None, alias="hour_price_spot", exclude=True)
    prices: list[ListPrice] = Field(default_factory=list, validate_default=True)
    fabric_included: bool | None = True  # in the price; null: not known
    by_hosts: bool = False  # the provider lets machines that others run, whoever they are
    spot_interruptions: Fact | None = None  # how often a spot machine is taken away, per node-day; null: not published
    rail_optimised: bool | None = None
    topology: str | None = None
    source: str  # of the machine and its network; each price has its own
    date: datetime.date
    trust: Trust = "high"  # in the machine and its network
    note: str | None = None

    @field_validator("short_price", "short_price_spot")
    @classmethod
    def _per_gpu_hour(cls, price: Fact | None) -> Fact | None:
        return price and _of_a_gpu_hour(price)

    @field_validator("prices")
    @classmethod
    def _with_short_ones(cls, prices: list[ListPrice], info: ValidationInfo) -> list[ListPrice]:
        short: tuple[tuple[Tier, Fact | None], ...] = (
            ("on-demand", info.data.get("short_price")),
            ("spot", info.data.get("short_price_spot")),
        )
        return [*(ListPrice(tier=tier, price=price) for tier, price in short if price is not None), *prices]

    @model_validator(mode="after")
    def _sizes_agree(self) -> Offer:
        if self.min_gpus is not None and self.largest_gpus is not None and self.min_gpus > self.largest_gpus:
            raise ValueError(f"expected min_gpus of at most largest_gpus ({self.largest_gpus}), got {self.min_gpus}")
        return self

    @property
    def gbps_per_gpu(self) -> float | None:
        """Gb/s of the network between the GPUs, one direction, that each of them has; ``None`` where it is not known
        or there is none."""
        if self.nics_per_node is None or self.gbps_per_nic is None or self.fabrics[0] == "none":
            return None
        return self.nics_per_node * self.gbps_per_nic / self.gpus_per_node

    def nics_on(self, fabric: Fabric) -> int | None:
        """NICs of a node, counted at the fabric's line rate: 8 of 400 Gb/s are 16 of a fabric of 200.

        ``None`` where the offer says nothing of them: the usual number holds. The sockets of an Ethernet beside the
        network between the GPUs are such a case, and so is a fabric that the offer does not have.
        """
        beside = fabric.transport == "tcp" and fabric.id != self.fabrics[0]
        if self.nics_per_node is None or beside or fabric.id not in self.fabrics or fabric.line_rate is None:
            return None
        if self.gbps_per_nic is None:
            return self.nics_per_node
        return max(1, round(self.nics_per_node * self.gbps_per_nic * UNITS["Gb/s"] / fabric.line_rate.si))

    @property
    def usual_region(self) -> str | None:
        """The region that stands first in the list of prices: the one a provider quotes when none is asked for."""
        return next((price.region for price in self.prices if price.region is not None), None)

    def price(self, tier: Tier, months: float | None = None) -> ListPrice | None:
        """The list price of a tier to reckon with, which is no mean; ``None`` where none was read.

        Of trustworthy prices (``high``, ``medium``; low ones only where there are no others) those of the usual region
        or of no region in particular, else of any; of these the newest, and of several of one day the first listed.
        ``months``: of reservations the longest term that is no longer, an unnamed term after those; without it the
        shortest.
        """
        found = [price for price in self.prices if price.tier == tier and not price.mean]
        return self.usual(_of_term(found, months) if tier == "reserved" else found)

    def usual(self, prices: Sequence[ListPrice]) -> ListPrice | None:
        """The one of several prices of this offer, all of one tier and term, that :meth:`price` reckons with."""
        found = [price for price in prices if price.trust != "low"] or prices
        found = [price for price in found if price.region in (None, self.usual_region)] or found
        return max(found, key=lambda price: price.price.date, default=None)

    @property
    def hour_price(self) -> Fact | None:
        """The list price of a GPU-hour on demand, chosen as :meth:`price` does."""
        found = self.price("on-demand")
        return found and found.price

    @property
    def hour_price_spot(self) -> Fact | None:
        """The spot price of a GPU-hour, chosen as :meth:`price` does."""
        found = self.price("spot")
        return found and found.price


def _of_term(reserved: list[ListPrice], months: float | None) -> list[ListPrice]:
    """Reservations of the term that suits: the longest of at most ``months``, the shortest where none was asked for."""
    terms = [price.months for price in reserved if price.months is not None and price.months <= (months or math.inf)]
    term = (max(terms) if months else min(terms)) if terms else None
    return [price for price in reserved if price.months == term]


class Provider(Entry):
    """A cloud and what it offers. ``reserved_percent_off``: percent off its list that a reservation takes at most,
    where it says so without a price of a term."""

    id: str
    name: str
    aliases: list[str] = Field(default_factory=list)
    offers: list[Offer]
    reserved_percent_off: Fact | None = None
    note: str | None = None

    def nics_on(self, fabric: Fabric, gpu: str, gpus_per_node: int) -> int | None:
        """NICs that so many GPUs have in the smallest machine with them that is let with this fabric, counted as in
        :meth:`Offer.nics_on`; ``None`` where there is none, or its offer does not say."""
        let = [offer for offer in self.offers if offer.gpu == gpu and offer.gpus_per_node >= gpus_per_node]
        told = [(offer.gpus_per_node, nics) for offer in let if (nics := offer.nics_on(fabric)) is not None]
        whole, nics = min(told, default=(1, 0))
        return max(1, round(nics * gpus_per_node / whole)) if nics else None


class Device(Entry):
    """A switch, NIC, optic or cable: what a bill of materials is made of."""

    id: str
    kind: Literal["switch", "nic", "optic", "cable"]
    vendor: str
    name: str
    technology: Literal["infiniband", "ethernet", "omni-path", "both"]
    ports: int
    port_rate: Fact
    splits: int = 1  # Ethernet ports a NIC's one can be split into, each in a network of its own
    ports_per_cage: int = 1  # of a switch: ports that share the cage of one transceiver
    optics_included: bool = False  # a switch with its transceivers built in
    latency: Fact | None = None  # port to port
    power_max: Fact | None = None  # where ``power`` is the typical figure
    power: Fact | None = None
    price: Fact | None = None
    price_low: Fact | None = None
    price_high: Fact | None = None
    maturity: Literal["shipping", "announced"] = "shipping"
    aliases: list[str] = Field(default_factory=list)
    note: str | None = None


class QuoteItem(Entry):
    """What a quote may include or leave open, and the question to ask where it does.

    ``technologies``: of the networks to which it matters, empty for all; ``words``: how people write that it is there;
    ``told``: of what a quote says besides, words by one of which it is settled, in the price or not.
    """

    id: str
    name: str
    modes: list[Literal["rent", "buy"]]
    technologies: list[str] = Field(default_factory=list)
    ask: str
    words: list[str] = Field(default_factory=list)
    told: list[str] = Field(default_factory=list)
    answered_by: Literal["oversubscription", "least_days", "nics_per_node", "delivery_days"] | None = (
        None  # the field of a quote that tells it
    )


class Override(Entry):
    """A fact of the user's own catalog file, and ours that it stands for."""

    fact: Fact
    instead_of: Fact | None = None


class Catalog(Entry):
    """All of ``knowledge/catalog/``, with the user's own file laid over it."""

    gpus: dict[str, Gpu]
    models: dict[str, Model]
    fabrics: Annotated[dict[str, Fabric], AfterValidator(Fabrics)]
    scale_ups: dict[str, ScaleUp]
    providers: dict[str, Provider]
    devices: dict[str, Device]
    quote_items: dict[str, QuoteItem] = Field(default_factory=dict)  # what a quote should say
    constants: dict[str, Fact]  # electricity price, framework factors, failure rates, …
    # dotted path (``gpus.h100-sxm.hour_price``) → the user's fact
    overrides: dict[str, Override] = Field(default_factory=dict)

    @property
    def names(self) -> dict[str, str]:
        """How people call what has an id here and is named in sentences: networks, GPUs, models, providers."""
        networks = {ident: one.label for ident, one in self.fabrics.items() if one.technology != "none"}
        others = (self.gpus, self.models, self.providers)
        return Names(self.fabrics, networks | {ident: one.name for kind in others for ident, one in kind.items()})

    def scale_up_of(self, gpu: Gpu, gpus: int, gpus_per_node: int) -> ScaleUp:
        """What joins ``gpus`` GPUs of a job inside nodes of ``gpus_per_node``: their bridge where it joins all of a
        node's, else what joins any number of them.

        Raises :class:`KeyError` for a link that is not in the catalog.
        """
        bridged = gpu.bridge is not None and 1 < min(gpus, gpus_per_node) <= gpu.bridged_gpus
        return self.scale_ups[gpu.bridge if gpu.bridge and bridged else gpu.scale_up]

    def bridge_of(self, gpu: Gpu) -> ScaleUp | None:
        """What joins neighbours of a node directly besides what joins all of it; ``None`` where nothing does."""
        return self.scale_ups[gpu.bridge] if gpu.bridge else None
