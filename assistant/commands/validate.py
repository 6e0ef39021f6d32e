"""``weft validate``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assistant.vocabulary.errors import InputError

from .terminal import format_option, line_width, path, progress_bar, write

if TYPE_CHECKING:
    from assistant.vocabulary.validation import Validation


def validate(
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE.csv", help="Your measured runs; ours when left away.", parser=path)
    ] = None,
    rows: Annotated[bool, typer.Option("--rows", help="Every run, predicted and measured.")] = False,
    leave_one_out: Annotated[
        bool,
        typer.Option(
            "--leave-one-out",
            help="Also calibrate without each source in turn and predict it: some minutes. Only for the shipped runs.",
        ),
    ] = False,
    form: Annotated[str, format_option("text", "json", "csv")] = "text",
    catalog: Annotated[
        Path | None, typer.Option(help="Your own facts, laid over the shipped catalog.", parser=path)
    ] = None,
) -> None:
    """How far predicted steps are from measured ones, by source: mean, median, P90, bias, beside the best one-constant
    model; without a file also how far the times of collectives are, small and large messages apart. Then the peak of
    memory where it was measured, and how many of the runs, which all took place, are said to fit.

    A file of your own has one run a row and names in its first line: gpu, gpus, global_batch, sequence_length and
    step_time_s are required; either model (a catalog id) or layers, hidden, heads, kv_heads, ffn, vocab; what applies
    of id, source, gpus_per_node, fabric, nics_per_node, precision, strategy, tp, pp, cp, ep, interleave,
    sequence_parallel (0 or 1), micro_batch, recompute, attention, framework, gradient_bytes, regathered (share of the
    weights that FSDP gathers again for recomputing, where checkpoints lie around its units), memory_gb (peak of one GPU
    in PyTorch's allocator, GiB), use (calibration, validation or excluded); for adapters method (full, lora or qlora),
    lora_rank, lora_targets (attention or all-linear), frozen (how the frozen weights are held), document_tokens (mean
    length of the documents packed into a sequence), loss_bytes (kept of each logit); for mixtures etp, expert_overlap
    (none, batch or dualpipe), expert_kernels (separate or fused), dispatch_precision (bf16 or fp8), routing_nodes,
    expert_loop (0 where a stack that multiplies expert by expert multiplies them all at once). See weft handbook
    accuracy.
    """
    from assistant.present import validation as present

    if leave_one_out and file is not None:
        raise InputError(
            "expected the shipped runs with --leave-one-out: no constant was calibrated on a file of yours"
        )
    made = _compared(file, catalog, leave_one_out)
    if form == "text":
        write(present.as_text(made, rows=rows, width=line_width()))
    else:
        write((present.as_json if form == "json" else present.as_csv)(made, rows=rows))


def _compared(file: Path | None, user_catalog: Path | None, leave_one_out: bool) -> Validation:
    """Steps and memory of a file's runs, or of the shipped ones and with them the collectives."""
    from assistant.library import load
    from assistant.validation import left_out, published_runs, read_measured
    from assistant.validation import validate as compare
    from assistant.validation.memory import with_memory

    library = load(user_catalog=user_catalog)
    folder = library.knowledge_folder / "measurements"
    runs = read_measured(file, library.catalog) if file else published_runs(library.knowledge_folder, library.catalog)
    with progress_bar("predicting", sum(run.use != "excluded" for run in runs)) as advance:
        made = compare(runs, file or Path("knowledge/measurements/training.csv"), advance)
    made = with_memory(made, runs, None if file else folder, library.catalog)
    if file is None:
        from assistant.validation.collective_report import with_collectives

        made = with_collectives(made, folder, library.catalog)
    if leave_one_out:
        from assistant.validation.calibration import leave_one_out as without

        with progress_bar("calibrating without a source") as advance:
            made = made.model_copy(update={"sources": [*made.sources, *left_out(runs, without(runs, advance))]})
    return made
