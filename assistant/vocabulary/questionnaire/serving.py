"""What a served model is asked, and how fast it must answer."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from ..fields import About
from ..quantities import Count, Percent, Whole
from .section import Positive, Section, ServedPrecision


class Inference(Section):
    """Serving: how a request looks and how many come; ``tokens`` and ``requests`` of a job that ends, in bulk."""

    tensor_parallel: Annotated[
        Positive | None,
        About("tensor parallel", "count", "Over how many GPUs is a copy split?", "what fits and carries most",
              span="number", words=("tp [size|degree]", "tensor (parallel|parallelism) "
                                                        "[size|degree]"), sensible=(1, 128)),
    ] = None  # fmt: skip
    pipeline_parallel: Annotated[
        Positive | None,
        About("pipeline stages of a copy", "count", "Into how many stages is a copy split?", "as few as hold it",
              span="number", words=("pipeline stages of a copy", "stages per copy"), sensible=(1, 64)),
    ] = None  # fmt: skip
    data_parallel: Annotated[
        Positive | None,
        About("attention replicas", "count", "How many replicas of the attention share the experts?",
              "what fits and carries most", span="number", words=("attention replicas", "dp attention"),
              sensible=(1, 512)),
    ] = None  # fmt: skip
    expert_parallel: Annotated[
        Positive | None,
        About("GPUs that share the experts", "count", "Over how many GPUs are the experts of a copy spread?",
              "all of a copy with attention replicas, else one", span="number",
              words=("gpus that share the experts",), sensible=(1, 512)),
    ] = None  # fmt: skip
    prompt_tokens: Annotated[
        Annotated[Whole, Field(ge=1, le=100_000_000)],
        About("prompt length", "count", "How many tokens has a prompt?", "2,000", unit="{} tokens", span="number",
              words=("prompt (length|tokens|size)", "input (tokens|length)", "isl"), sensible=(1, 2_000_000)),
    ] = 2000  # fmt: skip
    output_tokens: Annotated[
        Annotated[Whole, Field(ge=1, le=100_000_000)],
        About("answer length", "count", "How many tokens has an answer?", "500", unit="{} tokens", span="number",
              words=("(output|answer|response|completion) (length|tokens|size)", "osl"), sensible=(1, 200_000)),
    ] = 500  # fmt: skip
    requests_per_s: Annotated[
        Annotated[Count, Field(ge=1e-6, le=1e9)] | None,
        About("load", "amount", "How many requests come per second?", "the cluster is taken as fully used",
              unit="{} requests per second", span="number", words=("load", "requests per second", "qps", "rps")),
    ] = None  # fmt: skip
    mean_requests_per_s: Annotated[
        Annotated[Count, Field(ge=1e-6, le=1e9)] | None,
        About("mean load", "amount", "How many requests come per second on average?", "as many as at the peak",
              unit="{} requests per second", span="number", words=("(mean|average|avg) (load|traffic|request rate)",)),
    ] = None  # fmt: skip
    tokens_per_s: Annotated[
        Annotated[Count, Field(ge=1e-6, le=1e12)] | None,
        About("output tokens per second", "amount", "How many output tokens per second, of all users together?",
              "as the requests have it", unit="{} output tokens per second", span="number",
              words=("output tokens (per second|a second)", "token (rate|throughput)")),
    ] = None  # fmt: skip
    concurrency: Annotated[
        Annotated[Whole, Field(ge=1, le=100_000_000)] | None,
        About("requests in flight", "count", "How many requests are answered at the same time?", "what fits",
              span="number", words=("concurrent (users|requests|sessions|streams)", "concurrency")),
    ] = None  # fmt: skip
    ttft_ms: Annotated[
        Annotated[Count, Field(ge=1e-3, le=1e7)] | None,
        About("time to first token", "amount", "How long may the first token take?", "no target", unit="{} ms",
              words=("ttft", "time to first token", "first token latency"), span="time"),
    ] = None  # fmt: skip
    tpot_ms: Annotated[
        Annotated[Count, Field(ge=1e-3, le=1e6)] | None,
        About("time per output token", "amount", "How long may each further token take?", "no target", unit="{} ms",
              words=("tpot", "time per output token", "inter token latency", "itl"), span="time"),
    ] = None  # fmt: skip
    tokens: Annotated[
        Annotated[Count, Field(ge=1, le=1e18)] | None,
        About("output tokens of the job", "count", "How many output tokens has the whole job?", "it has no end",
              unit="{} tokens", span="number", words=("output tokens (of the job|in all|in total)",)),
    ] = None  # fmt: skip
    requests: Annotated[
        Annotated[Count, Field(ge=1e-3, le=1e15)] | None,
        About("requests of the job", "count", "How many requests has the whole job?", "it has no end",
              unit="{} requests", span="number",
              words=("(requests|documents|records) (of the job|in all|in total)",)),
    ] = None  # fmt: skip
    precision: Annotated[
        ServedPrecision | None,
        About("precision", "choice", "In which precision is it served?", "as the model is published",
              words=("precision", "dtype", "quantization")),
    ] = None  # fmt: skip
    kv_precision: Annotated[
        Literal["bf16", "fp8"] | None,
        About("cache precision", "choice", "In which precision are keys and values kept?",
              "bf16; fp8 where TensorRT-LLM serves narrower weights",
              words=("(kv|kv cache|cache) (precision|dtype|quantization)",)),
    ] = None  # fmt: skip
    engine: Annotated[
        Literal["vllm", "sglang", "tensorrt-llm"] | None,
        About("engine", "choice", "Which engine serves it?", "the middle of vLLM, SGLang and TensorRT-LLM",
              words=("[serving|inference] engine", "serving (stack|framework)")),
    ] = None  # fmt: skip

    prefill_gpus: Annotated[
        Positive | None,
        About("GPUs of a prefill instance", "count", "How many GPUs has one instance that reads prompts?",
              "what carries most", span="number", words=("gpus (per|of a) prefill (instance|worker)",),
              sensible=(1, 512)),
    ] = None  # fmt: skip
    decode_gpus: Annotated[
        Positive | None,
        About("GPUs of a decode instance", "count", "How many GPUs has one instance that writes answers?",
              "what carries most", span="number", words=("gpus (per|of a) decode (instance|worker)",),
              sensible=(1, 512)),
    ] = None  # fmt: skip
    prefill_workers: Annotated[
        Positive | None,
        About("prefill instances", "count", "How many instances read prompts?", "as many as balance", span="number",
              words=("prefill (instances|workers)",), sensible=(1, 1000)),
    ] = None  # fmt: skip
    decode_workers: Annotated[
        Positive | None,
        About("decode instances", "count", "How many instances write answers?", "as many as balance", span="number",
              words=("decode (instances|workers)",), sensible=(1, 1000)),
    ] = None  # fmt: skip
    cached_percent: Annotated[
        Annotated[Percent, Field(ge=0, lt=100)] | None,
        About("prompt cache hits", "amount", "What share of a prompt's tokens is in the cache already?", "none",
              unit="{} %", span="percent", words=("(prefix|prompt|kv) [cache] hit rate", "cache hits")),
    ] = None  # fmt: skip
    cache_store: Annotated[
        Literal["gpu", "host", "remote"] | None,
        About("where cached prompts are kept", "choice", "Where are the caches of earlier prompts kept?",
              "in GPU memory"),
    ] = None  # fmt: skip

    speculative_tokens: Annotated[
        Annotated[Whole, Field(ge=1, le=16)] | None,
        About("guessed tokens", "count", "How many further tokens does a step guess (MTP, EAGLE, draft model)?", "none",
              span="number", words=("(speculative|draft|drafted|guessed|mtp) tokens",), sensible=(1, 16)),
    ] = None  # fmt: skip
    accepted_percent: Annotated[
        Annotated[Percent, Field(ge=1e-4, le=100)] | None,
        About("guesses that are accepted", "amount", "What share of the guessed tokens is accepted, as measured?",
              "nothing is guessed", unit="{} %", span="percent",
              words=("acceptance rate", "accepted (tokens|guesses)")),
    ] = None  # fmt: skip

    @property
    def guesses(self) -> int:
        """Further tokens that a step guesses; one where only the share that is accepted is said."""
        return self.speculative_tokens or (1 if self.accepted_percent else 0)

    @property
    def sides(self) -> list[str]:
        """What is said of prefill or of decode alone."""
        names = ("prefill_gpus", "decode_gpus", "prefill_workers", "decode_workers")
        return [name for name in names if getattr(self, name) is not None]

    @property
    def job_tokens(self) -> float | None:
        """Output tokens of the whole job; ``None`` where it has no end."""
        return self.tokens or (self.requests and self.requests * self.output_tokens)

    @property
    def rate(self) -> float | None:
        """Requests per second, as said or as the output tokens per second have it."""
        return self.requests_per_s or (self.tokens_per_s and self.tokens_per_s / self.output_tokens)

    @property
    def sizes(self) -> bool:
        """Whether the load says how many GPUs it takes: a rate does, and users do who must not wait too long."""
        return self.rate is not None or bool(self.concurrency and (self.ttft_ms or self.tpot_ms))

    @model_validator(mode="after")
    def _said_once(self) -> Inference:
        if self.tokens is not None and self.requests is not None:
            raise ValueError("expected tokens or requests of the whole job, got both")
        if self.speculative_tokens is not None and self.accepted_percent is None:
            raise ValueError("expected accepted_percent beside speculative_tokens: what share of them is accepted")
        if self.tokens_per_s is not None and self.requests_per_s is not None:
            raise ValueError("expected requests_per_s or tokens_per_s, got both")
        return self
