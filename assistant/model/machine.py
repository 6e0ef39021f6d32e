"""The GPUs and what joins them inside a node or rack."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from assistant.vocabulary.catalog import Fact, Gpu, ScaleUp

from .framework import Framework, framework_of
from .kernels import KernelConstants, kernels_from
from .protocols import CollectiveConstants, protocols_from

_FLOPS_PER_UNIT = 7.5e12  # H100: 989 TFLOP/s on 132 units, where the catalog does not know how many a GPU has
KERNEL_STEPS = 5.4  # steps of NCCL that a small all-reduce of an engine's own takes: 5.1 us over NVLink 4, of 0.95


@dataclass(frozen=True)
class Machine:
    """A cluster's GPUs in SI units.

    ``domain``: GPUs that reach each other without the network. ``bridged``: neighbours joined by a link of their own,
    ``bridge_bandwidth`` bytes/s as bus bandwidth, where the whole domain has a slower one; 1 where there is none.
    """

    gpu: str
    gpus: int
    gpus_per_node: int
    domain: int
    usual_nics_per_node: int
    memory: float  # bytes
    memory_bandwidth: float  # bytes/s, peak
    peak: dict[str, float]  # dense FLOP/s by precision
    gemm_efficiency: float
    attention_efficiency: float
    memory_efficiency: float
    kernel_launch: float  # seconds per layer and direction
    compute_units: float
    scale_up_bandwidth: float  # bytes/s, one direction, as bus bandwidth of large messages
    scale_up_latency: float  # seconds per step
    small_all_reduce: float  # seconds, by the kernels that engines of inference have for it
    in_network_reduction: bool
    calibrated: bool
    relative: str | None = None  # whose efficiencies it takes over
    vendor: str = "nvidia"
    host_link: float = 0.0  # bytes/s between a GPU and its host, one direction; 0 where nobody knows
    spread: float = 0.0  # standard deviation of the logarithm of compute time, beside that of the software
    mesh_peers: int = 0  # GPUs that each has links of its own to, where no switch joins them
    bridged: int = 1
    bridge_bandwidth: float = 0.0
    kernels: KernelConstants = KernelConstants()
    constants: Mapping[str, Fact] | None = field(default=None, compare=False, repr=False)

    @property
    def domains(self) -> int:
        """Scale-up domains in use."""
        return -(-self.gpus // self.domain)

    @property
    def nodes(self) -> int:
        return -(-self.gpus // self.gpus_per_node)

    @property
    def not_measured(self) -> str:
        """That the GPU's efficiencies were not measured, and where they are from; empty where they were."""
        origin = f"taken over from {self.relative}" if self.relative else "assumed"
        return "" if self.calibrated else f"{self.gpu}: efficiencies {origin}, not measured"

    @cached_property
    def _frameworks(self) -> dict[str | None, Framework]:
        return {}

    def framework(self, name: str | None) -> Framework:
        """The framework's profile with the catalog's factors."""
        if name not in self._frameworks:
            self._frameworks[name] = framework_of(name, self.gpu, self.constants)
        return self._frameworks[name]

    @cached_property
    def protocols(self) -> CollectiveConstants:
        """What collectives cost, with the catalog's figures."""
        return protocols_from(self.constants)


def machine_of(
    gpu: Gpu,
    scale_up: ScaleUp,
    gpus: int,
    gpus_per_node: int,
    constants: Mapping[str, Fact] | None = None,
    bridge: ScaleUp | None = None,
) -> Machine:
    """``gpus`` GPUs of one kind in nodes of ``gpus_per_node``.

    What joins racks spans nodes; else the node is the domain whatever its size, for nothing in it needs an adapter: 16
    GPUs of a DGX-2 behind one switch, ten cards on PCIe. ``bridge``: what joins ``gpu.bridged_gpus`` neighbours of a
    node besides ``scale_up``.
    """
    domain = max(gpus_per_node, gpu.scale_up_domain) if gpu.scale_up_domain > gpu.gpus_per_node else gpus_per_node
    bf16 = gpu.peak_bf16.si
    return Machine(
        gpu=gpu.id,
        gpus=gpus,
        gpus_per_node=gpus_per_node,
        domain=max(1, domain),
        usual_nics_per_node=gpu.nics_in(gpus_per_node),
        memory=gpu.memory.si,
        memory_bandwidth=gpu.memory_bandwidth.si,
        peak={
            "bf16": bf16,
            "fp16": gpu.peak_fp16.si,
            "fp32": gpu.peak_fp32.si,
            "fp8": gpu.peak_fp8.si if gpu.peak_fp8 else bf16,
            **({"fp4": gpu.peak_fp4.si} if gpu.peak_fp4 else {}),
            **(
                {"mxfp8": gpu.peak_fp8.si, "nvfp4": gpu.peak_fp4.si}
                if gpu.peak_fp8 and gpu.peak_fp4 and gpu.scales_blocks
                else {}
            ),
        },
        gemm_efficiency=gpu.calibration.gemm_efficiency.si,
        attention_efficiency=gpu.calibration.attention_efficiency.si,
        memory_efficiency=gpu.calibration.memory_efficiency.si,
        kernel_launch=gpu.calibration.kernel_launch.si,
        compute_units=gpu.compute_units.si if gpu.compute_units else max(1.0, bf16 / _FLOPS_PER_UNIT),
        scale_up_bandwidth=scale_up.bandwidth_per_gpu.si * scale_up.bus_bandwidth_efficiency.si,
        scale_up_latency=scale_up.latency.si,
        small_all_reduce=scale_up.small_all_reduce.si
        if scale_up.small_all_reduce
        else KERNEL_STEPS * scale_up.latency.si,
        in_network_reduction=scale_up.in_network_reduction,
        calibrated=gpu.calibration.measured,
        relative=gpu.calibration.relative,
        vendor=gpu.vendor,
        host_link=gpu.host_link.si if gpu.host_link else 0.0,
        spread=gpu.calibration.spread.si if gpu.calibration.spread else 0.0,
        mesh_peers=scale_up.mesh_peers,
        bridged=gpu.bridged_gpus if bridge else 1,
        bridge_bandwidth=bridge.bandwidth_per_gpu.si * bridge.bus_bandwidth_efficiency.si if bridge else 0.0,
        kernels=kernels_from(constants),
        constants=constants,
    )
