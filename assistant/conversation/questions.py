"""The questions of the interview: what is asked, why, and what is offered. The order is decided in :mod:`interview`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from assistant.present.fields import field_name
from assistant.vocabulary.catalog import Catalog

from .choices import Choices, fabrics, fixed, gpu_counts, gpus, models, nothing
from .draft import Draft
from .events import Question


def _always(draft: Draft, catalog: Catalog) -> bool:
    return True


@dataclass(frozen=True)
class Asked:
    """One question. ``settled_by``: any of these fields makes it superfluous; ``matters``: whether to ask at all; ``also``:
    what it asks for besides, without insisting."""

    field: str
    text: str
    why: str
    settled_by: tuple[str, ...]
    choices: Choices = nothing
    matters: Callable[[Draft, Catalog], bool] = _always
    if_not_sure: str | None = None
    required: bool = False
    also: tuple[str, ...] = ()
    first: bool = False  # its reason says already what the answer changes
    placeholder: str = ""
    replies: tuple[tuple[str, str], ...] = ()  # a plain word (regular expression) and the choice it means here

    @property
    def called(self) -> str:
        """What it asks for, in a word or two."""
        return {
            "training.tokens": "the length of the run",
            "budget.usd": "the price",
            "cluster.provider": "the provider",
            "cluster.fabric": "the network",
        }.get(self.field, f"the {field_name(self.field)}")

    def meant(self, said: str) -> str | None:
        """The choice a plain word such as "no" or "nobody" means as an answer to this question."""
        return next(
            (choice for pattern, choice in self.replies if re.fullmatch(rf"\W*(?:{pattern})\W*", said, re.IGNORECASE)),
            None,
        )

    def settles(self, field: str) -> bool:
        """Whether this field answers the question."""
        return any(field == name or field.startswith(name + ".") for name in self.settled_by)

    def open(self, draft: Draft, catalog: Catalog) -> bool:
        """Not answered, not left open, and worth asking here."""
        settled = any(self.settles(name) for name in draft.fields)
        return not settled and self.field not in draft.left_open and self.matters(draft, catalog)

    def question(
        self, draft: Draft, catalog: Catalog, *, changes: str = "", previous: str | None = None, again: bool = False
    ) -> Question:
        """The question as it is asked now; the choices depend on what is known. ``changes``: what the answer could change."""
        return Question(
            field=self.field,
            text=self.text,
            why_asked=f"{self.why} {changes}".strip(),
            choices=self.choices(draft, catalog),
            not_sure=not self.required,
            if_not_sure=self.if_not_sure,
            placeholder=self.placeholder,
            previous=previous,
            again=again,
        )


def _crosses_nodes(draft: Draft, catalog: Catalog) -> bool:
    """Whether the job is larger than one scale-up domain: else there is no network to choose."""
    gpu = catalog.gpus.get(draft.fields.get("cluster.gpu"))
    gpus = draft.fields.get("cluster.gpus", 0)
    node = draft.fields.get("cluster.gpus_per_node") or (max(gpu.gpus_per_node, gpu.scale_up_domain) if gpu else 8)
    return gpus > node or draft.fields.get("cluster.sites", 1) > 1


def _trains_across_nodes(draft: Draft, catalog: Catalog) -> bool:
    return not draft.serves and _crosses_nodes(draft, catalog)


def _knows_the_batch(draft: Draft, catalog: Catalog) -> bool:
    """The question for the batch asks for the length as well: on its own only where that was not answered with it."""
    return _trains_across_nodes(draft, catalog) and "training.global_batch" in draft.fields


def _serves_across_nodes(draft: Draft, catalog: Catalog) -> bool:
    return draft.serves and _crosses_nodes(draft, catalog)


def _network_is_open(draft: Draft, catalog: Catalog) -> bool:
    return _crosses_nodes(draft, catalog) and "cluster.fabric" not in draft.fields


def _may_have_a_network(draft: Draft, catalog: Catalog) -> bool:
    """Whoever rents from a provider that was named has no network of their own: it is one of those the provider sells."""
    return _crosses_nodes(draft, catalog) and "cluster.provider" not in draft.fields


def _rents_across_nodes(draft: Draft, catalog: Catalog) -> bool:
    return _trains_across_nodes(draft, catalog) and draft.fields.get("budget.mode") != "buy"


QUESTIONS: tuple[Asked, ...] = (
    Asked(
        "workload",
        "What will the cluster do?",
        "Training synchronises every step; serving may not need a network between nodes at all.",
        settled_by=("workload",),
        required=True,
        choices=fixed(
            ("pretraining", "Pretrain a model", {"workload": "pretraining"}),
            ("finetuning", "Fine-tune a model (LoRA is planned as full)", {"workload": "finetuning"}),
            ("rlhf", "Reinforcement learning (RLHF, PPO, GRPO)", {"workload": "rlhf"}),
            ("inference", "Serve a model to users", {"workload": "inference"}),
            (
                "disaggregated-inference",
                "Serve with prefill and decode on separate GPUs",
                {"workload": "disaggregated-inference"},
            ),
            ("batch-inference", "Run inference in bulk, offline", {"workload": "batch-inference"}),
        ),
        placeholder="or tell everything at once: pretrain llama 3.1 70b on 64 H100s with fsdp",
    ),
    Asked(
        "model",
        "Which model?",
        "Its size decides how many bytes every step moves between nodes.",
        settled_by=("model",),
        required=True,
        choices=models,
        placeholder="a name (Llama 3.1 70B) or a size (13B)",
    ),
    Asked(
        "cluster.gpu",
        "Which GPU, and how many?",
        "The faster the GPU, the less time there is to hide communication behind.",
        settled_by=("cluster.gpu",),
        required=True,
        also=("cluster.gpus",),
        choices=gpus,
        placeholder="8 nodes of 8 H100",
    ),
    Asked(
        "cluster.gpus",
        "How many GPUs?",
        "Inside one node the scale-up link is enough; each further node adds traffic on the network.",
        settled_by=("cluster.gpus",),
        required=True,
        choices=gpu_counts,
        placeholder="64, or 8 nodes",
    ),
    Asked(
        "cluster.fabric",
        "Is the network already there or fixed by an offer?",
        "A network that is owned is kept unless the job cannot run on it.",
        settled_by=("cluster.fabric",),
        first=True,
        choices=fabrics,
        matters=_may_have_a_network,
        if_not_sure="every network is considered",
        placeholder="400G InfiniBand, 100 gig Ethernet, no InfiniBand",
        replies=((r"no(?:pe|t yet|thing(?: yet)?| network(?: yet)?)?|none(?: yet)?|it is open", "undecided"),),
    ),
    Asked(
        "cluster.provider",
        "Where will it run?",
        "A provider sells only some networks, at its own prices.",
        settled_by=("cluster.provider", "budget.mode"),
        matters=_network_is_open,
        choices=fixed(
            ("buy", "On machines we buy", {"budget.mode": "buy"}),
            ("rent", "Rented, the provider is open", {"budget.mode": "rent"}),
            ("aws", "AWS", {"cluster.provider": "aws", "budget.mode": "rent"}),
            ("gcp", "Google Cloud", {"cluster.provider": "gcp", "budget.mode": "rent"}),
            ("azure", "Azure", {"cluster.provider": "azure", "budget.mode": "rent"}),
            ("coreweave", "CoreWeave", {"cluster.provider": "coreweave", "budget.mode": "rent"}),
        ),
        if_not_sure="rented, from any provider",
        placeholder="any provider's name",
        replies=(
            (
                r"(?:(?:our|my) )?own(?: (?:machines|hardware|data ?cent(?:er|re)|servers))?|in[- ]house|we buy(?: it)?",
                "buy",
            ),
            (r"any(?:where| provider)?|(?:the )?cloud", "rent"),
        ),
    ),
    Asked(
        "parallelism",
        "How is the model split over the GPUs?",
        "FSDP gathers every parameter each step; tensor and pipeline parallelism move far less between nodes.",
        settled_by=("parallelism",),
        matters=_trains_across_nodes,
        choices=fixed(
            ("auto", "Find the best split for each network", {"parallelism": "auto"}),
            ("fsdp", "FSDP or ZeRO-3", {"parallelism.strategy": "fsdp"}),
            ("hsdp", "HSDP: sharded inside the node, copied across nodes", {"parallelism.strategy": "hsdp"}),
            ("ddp", "DDP: every GPU holds the whole model", {"parallelism.strategy": "ddp"}),
        ),
        if_not_sure="the best split is searched for each network",
        placeholder="tp8 pp4, zero-1, fsdp",
        replies=((r"auto(?:matic)?|you (?:choose|decide|pick)|best|the best(?: one| split)?|any", "auto"),),
    ),
    Asked(
        "training.global_batch",
        "How many sequences does one optimizer step take, and how long are they?",
        "More work per step hides more communication.",
        settled_by=("training.global_batch",),
        also=("training.sequence_length",),
        matters=_trains_across_nodes,
        if_not_sure="what published runs of this size use",
        placeholder="global batch 512, sequence length 8k",
    ),
    Asked(
        "training.sequence_length",
        "How long are the sequences?",
        "Attention grows with the square of the length, so long sequences leave more time to hide communication behind.",
        settled_by=("training.sequence_length",),
        matters=_knows_the_batch,
        choices=fixed(
            *((f"sequence-{n}k", f"{n}k tokens", {"training.sequence_length": n * 1024}) for n in (2, 8, 32))
        ),
        if_not_sure="what is usual for the workload",
        placeholder="8k context",
    ),
    Asked(
        "training.framework",
        "Which framework trains it?",
        "Tuned kernels are a third faster than eager ones, which leaves less time to hide communication behind.",
        settled_by=("training.framework",),
        matters=_trains_across_nodes,
        choices=fixed(
            ("megatron", "Megatron or NeMo", {"training.framework": "megatron"}),
            ("torch", "PyTorch FSDP or torchtitan", {"training.framework": "fsdp"}),
            ("deepspeed", "DeepSpeed", {"training.framework": "deepspeed"}),
            ("jax", "JAX", {"training.framework": "jax"}),
        ),
        if_not_sure="a middle one, with a wider band",
        placeholder="Megatron, DeepSpeed, torchtitan",
    ),
    Asked(
        "inference.requests_per_s",
        "What load must it carry?",
        "The load decides how many replicas there are, and what a request must move between nodes.",
        settled_by=("inference.requests_per_s",),
        matters=_serves_across_nodes,
        if_not_sure="the cluster is taken as fully used",
        placeholder="20 requests per second, 2000 tokens in, 500 out",
    ),
    Asked(
        "training.tokens",
        "How long is the run?",
        "The length of the run turns a slowdown into money and days.",
        settled_by=("training.tokens", "training.days"),
        matters=_trains_across_nodes,
        if_not_sure="what is usual for the workload",
        placeholder="2T tokens, or 10 days",
    ),
    Asked(
        "budget.usd",
        "What does a GPU-hour cost, or what may the whole cost?",
        "A faster network is worth its price when the GPU time it saves costs more.",
        settled_by=("budget.usd", "budget.gpu_hour_usd"),
        matters=_crosses_nodes,
        if_not_sure="dated prices of the catalog",
        placeholder="$2.10/hr, or a budget of $500k",
    ),
    Asked(
        "constraints.network_team",
        "Who runs the network?",
        "RoCE needs people who can tune it; InfiniBand and managed networks need fewer.",
        settled_by=("constraints.network_team",),
        matters=_network_is_open,
        choices=fixed(
            ("none", "Nobody", {"constraints.network_team": "none"}),
            ("some", "People who know some networking", {"constraints.network_team": "some"}),
            ("expert", "An experienced network team", {"constraints.network_team": "expert"}),
        ),
        if_not_sure="some network knowledge",
        placeholder="also: vendor neutral, deadline, slowdown you accept",
        replies=(
            (r"nobody|no[ -]?one|none|no", "none"),
            (r"some(?:body|one)?|a few people|one person|yes", "some"),
            (r"experts?|(?:an? )?(?:experienced |expert )?(?:network )?team|we do", "expert"),
        ),
    ),
    Asked(
        "constraints.deadline_days",
        "Must it be done by a certain day?",
        "A faster network is worth its price when the cheaper one would be late.",
        settled_by=("constraints.deadline_days",),
        matters=_trains_across_nodes,
        choices=fixed(("no-deadline", "No, cheaper is better", {})),
        if_not_sure="the cheaper is recommended, however long it takes",
        placeholder="within 30 days",
        replies=((r"no(?:pe|ne)?|no deadline|whenever|there is none", "no-deadline"),),
    ),
    Asked(
        "constraints.vendor_neutral",
        "Must the network be sold by more than one vendor?",
        "InfiniBand and Spectrum-X come from one vendor; RoCE and Ultra Ethernet from many.",
        settled_by=("constraints.vendor_neutral",),
        matters=_network_is_open,
        choices=fixed(
            ("several-vendors", "Yes, vendor neutral", {"constraints.vendor_neutral": True}),
            ("any-vendor", "No, one vendor is fine", {"constraints.vendor_neutral": False}),
        ),
        if_not_sure="one vendor is fine",
        placeholder="vendor neutral",
        replies=(
            (r"yes|yep|it must", "several-vendors"),
            (r"no(?:pe)?|one is fine|(?:it )?does(?:n't| not) matter", "any-vendor"),
        ),
    ),
    Asked(
        "budget.spot",
        "On spot machines that can be taken away?",
        "Interruptions cost time, and a job that is interrupted anyway is content with a simpler network.",
        settled_by=("budget.spot",),
        matters=_rents_across_nodes,
        choices=fixed(
            ("spot", "Yes, spot or preemptible", {"budget.spot": True}),
            ("on-demand", "No, reserved or on demand", {"budget.spot": False}),
        ),
        if_not_sure="reserved or on demand",
        placeholder="spot instances",
        replies=((r"yes|yep|spot|preemptible", "spot"), (r"no(?:pe)?|reserved|on[ -]demand", "on-demand")),
    ),
)
