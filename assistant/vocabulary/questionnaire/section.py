"""What every section of the questionnaire is made of: the words that are chosen from, ids, strict reading."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from ..quantities import Whole, shown

TRAINING = ("pretraining", "finetuning", "rlhf")
SERVING = ("inference", "disaggregated-inference", "batch-inference")
WORKLOADS = (*TRAINING, *SERVING)
RARELY = ("diloco", "localsgd", "fedavg")  # islands that meet once in many steps
STRATEGIES = ("ddp", "zero1", "zero2", "fsdp", "hsdp", "async", *RARELY)
PRECISIONS = ("fp32", "fp16", "bf16", "fp8", "mxfp8", "nvfp4")
STRATEGY_NAMES = {
    "zero1": "ZeRO-1",
    "zero2": "ZeRO-2",
    "zero3": "ZeRO-3",
    "diloco": "DiLoCo",
    "localsgd": "local SGD",
    "fedavg": "federated averaging",
    "async": "asynchronous",
}  # as people write them; others are their own names in capitals
BLOCK_SCALED = ("mxfp8", "nvfp4")  # a scale beside each few elements, which the GPU's units have to know
NARROW = ("fp8", *BLOCK_SCALED)  # products take in fewer bits than are kept between layers

Workload = Literal["pretraining", "finetuning", "rlhf", "inference", "disaggregated-inference", "batch-inference"]
Strategy = Literal["ddp", "zero1", "zero2", "fsdp", "hsdp", "async", "diloco", "localsgd", "fedavg"]
Precision = Literal["fp32", "fp16", "bf16", "fp8", "mxfp8", "nvfp4"]
ServedPrecision = Literal["fp32", "fp16", "bf16", "fp8", "int8", "int4", "mxfp4", "nvfp4"]


def identifier(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"expected a catalog id, got {shown(value)}")
    return value.strip()


def unbroken(value: Any) -> Any:
    """Free text as one line: a break in it would end a list item, a cell or a comment that it is shown in."""
    if not isinstance(value, str) or value.splitlines() == [value]:
        return value
    return " ".join(filter(None, map(str.strip, value.splitlines())))


def once(values: list[str]) -> list[str]:
    """What is said twice counts once."""
    return list(dict.fromkeys(values))


_OTHER_NAMES = {
    "zero3": "fsdp",
    "fullshard": "fsdp",
    "hybridshard": "hsdp",
    "dp": "ddp",
    "localsgd": "localsgd",
    "federatedaveraging": "fedavg",
}


def zero3_is_fsdp(value: Any) -> Any:
    """ZeRO-3 and FSDP full shard are the same communication; DeepSpeed's name is accepted."""
    if isinstance(value, str):
        name = value.strip().lower().replace("-", "").replace("_", "").replace(" ", "")
        return _OTHER_NAMES.get(name, value.strip().lower().replace("-", ""))
    return value


def text_of(value: Any) -> Any:
    """A name may look like a number; it is text all the same."""
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ValueError(f"expected text that can be written as UTF-8, got {shown(value)}") from None
    return str(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value


Id = Annotated[str, BeforeValidator(identifier)]
Ids = Annotated[list[Id], AfterValidator(once)]
Positive = Annotated[Whole, Field(ge=1)]


class Section(BaseModel):
    """A part of the questionnaire: unknown keys are refused, nothing is coerced silently."""

    model_config = ConfigDict(extra="forbid", protected_namespaces=(), allow_inf_nan=False)
