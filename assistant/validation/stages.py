"""Which constants are fitted together, and on which rows."""

from collections.abc import Sequence
from dataclasses import dataclass

from .constants import Prepared


@dataclass(frozen=True)
class Stage:
    """Constants fitted together on the calibration rows of some GPU families: dense models, or mixtures."""

    names: tuple[str, ...]
    families: tuple[str, ...]
    experts: bool = False

    def rows(self, runs: Sequence[Prepared]) -> list[Prepared]:
        """The runs this stage may use."""
        ours = [one for one in runs if one.family in self.families]
        return [one for one in ours if bool(one.run.job.architecture.experts) == self.experts]


_HOPPER = """
    hopper/gemm_efficiency hopper/attention_efficiency kernel/fp8_efficiency kernel/fp8_launch
    fsdp/compute other/compute jax/compute fsdp/attention fsdp/launch
    fsdp/overlap jax/overlap megatron/overlap megatron/tp_overlap other/tp_overlap
"""
_A100 = """
    a100/gemm_efficiency a100/attention_efficiency a100/kernel_launch
    kernel/tile kernel/backward_launch kernel/depth kernel/tp_launch kernel/tp_wait
    kernel/unfused_softmax kernel/outer_launch kernel/loss_traffic deepspeed/compute
"""
STAGES = (
    Stage(tuple(_HOPPER.split()), ("hopper",)),
    Stage(tuple(_A100.split()), ("a100",)),
    Stage(("blackwell/gemm_efficiency", "blackwell/attention_efficiency"), ("blackwell",)),
    Stage(("blackwell-ultra/gemm_efficiency", "blackwell-ultra/attention_efficiency"), ("blackwell-ultra",)),
    Stage(("v100/gemm_efficiency", "v100/kernel_launch"), ("v100",)),
    Stage(
        ("kernel/permute_passes", "kernel/mixture_launch"),
        ("hopper", "blackwell", "blackwell-ultra"),
        experts=True,
    ),
)
