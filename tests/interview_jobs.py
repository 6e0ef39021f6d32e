"""Jobs with everything said: what the people of these jobs would answer to every question the interview has.

A dash is what somebody does not know or does not ask for. ``length``: tokens. ``load``: requests per second, for
serving. ``provider``: a catalog id, ``any`` (rented anywhere) or ``buy``. ``price``: US dollars per GPU-hour.
"""

from __future__ import annotations

from typing import Any

_TABLE = """
workload                model           gpu           gpus  fabric             provider   split batch seq   framework length price team   neutral spot deadline load
pretraining             llama-3.1-70b   h100-sxm      64    -                  any        -     512   8192  megatron  100e9  -     some   no      no   -        -
pretraining             llama-3.1-70b   h100-sxm      64    infiniband-ndr-400 any        fsdp  512   8192  fsdp      100e9  2.10  some   no      no   -        -
pretraining             llama-3.1-8b    h100-sxm      16    -                  any        fsdp  256   8192  fsdp      50e9   -     none   no      no   -        -
pretraining             llama-3.1-8b    h100-sxm      256   -                  buy        auto  1024  8192  megatron  1e12   -     some   no      no   -        -
pretraining             llama-3.1-405b  h100-sxm      16384 -                  buy        auto  2048  8192  megatron  15e12  -     expert no      no   120      -
pretraining             llama-3.1-405b  h100-sxm      2048  roce-v2-400        any        auto  2048  8192  megatron  2e12   -     expert no      no   -        -
pretraining             mixtral-8x7b    h200-sxm      128   -                  any        auto  1024  4096  megatron  500e9  -     some   no      no   -        -
pretraining             mixtral-8x22b   h100-sxm      256   -                  coreweave  auto  1024  4096  megatron  300e9  -     some   no      no   -        -
pretraining             deepseek-v3     gb200         288   -                  any        auto  2304  4096  megatron  500e9  10.5  some   no      no   -        -
pretraining             deepseek-v3     h200-sxm      1024  -                  buy        auto  7680  4096  megatron  2e12   -     expert no      no   -        -
pretraining             llama-3.2-1b    a100-sxm-80gb 16    ethernet-tcp-100   any        ddp   256   4096  fsdp      20e9   1.20  none   no      yes  -        -
pretraining             llama-3.2-3b    h100-sxm      32    -                  any        ddp   512   4096  fsdp      60e9   -     none   no      yes  -        -
pretraining             gpt-3-13b       a100-sxm-80gb 64    -                  any        auto  1024  2048  megatron  300e9  -     some   no      no   30       -
pretraining             gpt-3-175b      a100-sxm-80gb 1024  infiniband-hdr-200 any        auto  1536  2048  megatron  300e9  -     expert no      no   -        -
pretraining             qwen2.5-72b     h200-sxm      256   -                  aws        auto  1024  8192  megatron  500e9  -     some   no      no   -        -
pretraining             qwen2.5-32b     b200          128   -                  lambda     auto  512   8192  fsdp      200e9  -     some   no      no   -        -
pretraining             qwen3-235b-a22b b200          512   -                  any        auto  2048  4096  megatron  1e12   -     expert no      no   60       -
pretraining             llama-3.1-70b   mi300x        128   -                  any        fsdp  512   8192  fsdp      200e9  -     some   yes     no   -        -
pretraining             llama-3.1-8b    mi300x        64    -                  azure      fsdp  512   8192  fsdp      100e9  -     some   no      no   -        -
pretraining             olmo-2-32b      mi355x        256   -                  tensorwave auto  1024  8192  jax       500e9  -     some   yes     no   -        -
pretraining             falcon-40b      a100-sxm-40gb 384   -                  azure      auto  1152  2048  megatron  1e12   -     some   no      no   -        -
pretraining             llama-2-7b      v100-sxm      64    ethernet-tcp-25    any        fsdp  512   2048  fsdp      20e9   0.60  none   no      no   -        -
pretraining             mistral-7b      h100-sxm      24    -                  gcp        fsdp  384   8192  fsdp      100e9  -     none   no      no   -        -
pretraining             gemma-2-27b     h100-sxm      128   -                  gcp        auto  1024  8192  jax       500e9  -     some   no      no   -        -
pretraining             nemotron-4-340b h200-sxm      768   -                  any        auto  1536  4096  megatron  1e12   -     expert no      no   90       -
pretraining             llama-3-70b     h100-sxm      512   -                  azure      auto  1024  8192  megatron  1e12   -     some   no      no   -        -
pretraining             llama-3.1-70b   gb200         144   -                  coreweave  auto  576   8192  megatron  300e9  -     some   no      no   -        -
pretraining             llama-3.1-8b    b200          64    -                  any        fsdp  256   32768 fsdp      100e9  -     some   no      no   -        -
pretraining             llama-3.1-70b   b300          256   -                  buy        auto  1024  8192  megatron  1e12   -     expert yes     no   -        -
pretraining             tinyllama-1.1b  h100-sxm      16    -                  voltage-park fsdp 512  2048  fsdp      300e9  1.99  none   no      no   -        -
finetuning              llama-3.1-8b    h100-sxm      16    -                  any        fsdp  64    4096  fsdp      1e9    -     none   no      no   -        -
finetuning              llama-3.1-70b   h100-sxm      32    -                  any        fsdp  64    8192  fsdp      2e9    -     some   no      no   -        -
finetuning              qwen2.5-7b      a100-sxm-80gb 16    ethernet-tcp-100   any        fsdp  64    4096  fsdp      1e9    1.50  none   no      no   -        -
finetuning              qwen3-32b       h200-sxm      64    -                  aws        fsdp  128   16384 fsdp      5e9    -     some   no      no   14       -
finetuning              llama-3.3-70b   h100-sxm      16    -                  azure      fsdp  32    8192  deepspeed 1e9    -     some   no      no   -        -
finetuning              mistral-small-24b h100-pcie   32    -                  any        fsdp  64    4096  deepspeed 1e9    -     none   no      no   -        -
finetuning              mixtral-8x7b    h100-sxm      32    -                  runpod     fsdp  64    4096  fsdp      1e9    -     none   no      yes  -        -
finetuning              qwen2.5-72b     mi300x        32    roce-v2-400        any        fsdp  64    8192  fsdp      2e9    -     some   yes     no   -        -
finetuning              llama-3.1-405b  h100-sxm      128   -                  any        fsdp  128   4096  fsdp      1e9    -     some   no      no   -        -
finetuning              gpt-oss-120b    h200-sxm      64    -                  nebius     auto  128   8192  megatron  5e9    3.50  some   no      no   -        -
finetuning              phi-4           a100-sxm-80gb 24    -                  gcp        zero1 48    4096  deepspeed 1e9    -     none   no      yes  -        -
finetuning              llama-3.1-8b    h100-sxm      8     -                  any        fsdp  64    4096  fsdp      1e9    -     none   no      no   -        -
finetuning              yi-34b          h100-sxm      48    -                  oci        hsdp  96    32768 fsdp      3e9    -     some   no      no   -        -
rlhf                    llama-3.1-70b   h100-sxm      128   -                  any        auto  512   4096  megatron  2e9    -     some   no      no   -        -
rlhf                    qwen2.5-32b     h200-sxm      64    -                  any        fsdp  256   8192  fsdp      1e9    -     some   no      no   -        -
rlhf                    llama-3.1-8b    h100-sxm      32    infiniband-ndr-400 any        fsdp  256   4096  fsdp      1e9    2.40  none   no      no   -        -
inference               llama-3.1-70b   h100-sxm      16    -                  any        -     -     -     -         -      -     none   no      no   -        10
inference               llama-3.1-405b  h100-sxm      32    -                  any        -     -     -     -         -      -     some   no      no   -        5
inference               deepseek-r1     h200-sxm      16    -                  any        -     -     -     -         -      -     some   no      no   -        8
disaggregated-inference deepseek-r1     h200-sxm      64    -                  any        -     -     -     -         -      -     some   no      no   -        8
disaggregated-inference llama-3.1-70b   h100-sxm      32    -                  aws        -     -     -     -         -      -     some   no      no   -        30
disaggregated-inference qwen2.5-72b     mi300x        32    -                  buy        -     -     -     -         -      -     expert yes     no   -        10
batch-inference         qwen2.5-72b     a100-sxm-80gb 32    -                  any        -     -     -     -         -      -     none   no      yes  -        -
batch-inference         llama-3.1-8b    h100-sxm      64    ethernet-tcp-25    any        -     -     -     -         -      -     none   no      no   -        -
pretraining             llama-3.1-70b   h200-sxm      128   -                  crusoe     fsdp  512   8192  fsdp      300e9  2.90  some   no      no   -        -
pretraining             gpt-3-175b      h100-sxm      512   -                  buy        auto  1536  2048  megatron  300e9  -     some   no      no   -        -
pretraining             dbrx-132b       h100-sxm      512   -                  any        auto  1024  4096  megatron  2e12   2.30  expert no      no   -        -
pretraining             qwen2.5-14b     h100-sxm      96    -                  lambda     fsdp  768   4096  fsdp      300e9  -     none   no      no   -        -
pretraining             llama-3.1-8b    a100-sxm-80gb 128   spectrum-x-400     any        auto  512   8192  megatron  200e9  -     some   no      no   -        -
pretraining             kimi-k2         b200          1024  -                  oci        auto  4096  4096  megatron  3e12   -     expert no      no   -        -
"""

_FIELDS = {
    "workload": "workload",
    "model": "model",
    "gpu": "cluster.gpu",
    "gpus": "cluster.gpus",
    "fabric": "cluster.fabric",
    "batch": "training.global_batch",
    "seq": "training.sequence_length",
    "framework": "training.framework",
    "length": "training.tokens",
    "price": "budget.gpu_hour_usd",
    "team": "constraints.network_team",
    "neutral": "constraints.vendor_neutral",
    "spot": "budget.spot",
    "deadline": "constraints.deadline_days",
    "load": "inference.requests_per_s",
}
_NUMBERS = ("gpus", "batch", "seq", "length", "price", "deadline", "load")


def _fields(row: dict[str, str]) -> dict[str, Any]:
    said = {name: value for name, value in row.items() if value != "-"}
    fields: dict[str, Any] = {}
    for name, value in said.items():
        if name in _FIELDS:
            fields[_FIELDS[name]] = _value(name, value)
    where = said["provider"]
    fields["budget.mode"] = "buy" if where == "buy" else "rent"
    if where not in ("any", "buy"):
        fields["cluster.provider"] = where
    if "split" in said:
        fields["parallelism" if said["split"] == "auto" else "parallelism.strategy"] = said["split"]
    return fields


def _value(name: str, value: str) -> Any:
    if name in ("neutral", "spot"):
        return value == "yes"
    return (int(value) if name in ("gpus", "batch", "seq") else float(value)) if name in _NUMBERS else value


def _rows() -> list[dict[str, str]]:
    head, *rows = (line.split() for line in _TABLE.strip().splitlines())
    return [dict(zip(head, row, strict=True)) for row in rows]


JOBS: list[dict[str, Any]] = [_fields(row) for row in _rows()]
