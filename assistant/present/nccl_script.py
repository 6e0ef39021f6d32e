"""The test of a network as a script for the shell: what is run, what is expected of it, and how to read it."""

from collections.abc import Sequence
from math import log2

from assistant.vocabulary.answers import BenchedSize, NcclBench, NcclTest
from assistant.vocabulary.printing import one_line

from .figures import bytes_text

_HOW = (
    "How to read it: the busbw column of the largest sizes, in place. Below the alarm lies one healthy network in a",
    "hundred: then weft nccl diagnose LOG says what to look at first. With two nodes an all-reduce shows more than the",
    "adapters carry (the tree counts some of it twice): judge by three nodes or more.",
    "What it means for the plan: weft plan FILE --measured LOG ...",
)


# What mpirun hands to the other nodes: the settings here, and whatever a provider's own script exported.
_HANDED = "^((NCCL|RCCL|FI|OFI|UCX|SHARP|HSA|MPICH|NVIDIA_IMEX)_|LD_LIBRARY_PATH$)"


def script(bench: NcclBench, before: Sequence[str], file: str = "FILE") -> str:
    """The script; ``before``: shell lines that set NCCL on these machines. ``file``: the questionnaire that it is
    for."""
    ranks = bench.nodes * bench.gpus_per_node
    lines = [
        "#!/usr/bin/env bash",
        f"# {bench.fabric_name}: {bench.nodes} nodes of {bench.gpus_per_node} × {bench.gpu_name}, "
        f"{ranks} ranks, one per GPU.",
        "# Under Slurm: sbatch -N NODES --exclusive this file. Elsewhere: HOSTS=hosts.txt bash this file (mpirun).",
        f"# {bench.suite} must be built with MPI=1 (make MPI=1): without it each process tests a network of its own.",
        "#",
        *(f"# {line.replace('FILE', file)}" for line in _HOW),
    ]
    for test in bench.tests:
        lines += ["#", *_table(test)]
    lines += ["set -eo pipefail", f"NODES=${{NODES:-${{SLURM_NNODES:-{bench.nodes}}}}}"]
    lines += [f"PER_NODE=${{PER_NODE:-{bench.gpus_per_node}}}"]
    lines += [f"NCCL_TESTS=${{NCCL_TESTS:-./build}}  # where {bench.suite} was built", "LOGS=${LOGS:-.}", ""]
    lines += before
    lines += [
        "export NCCL_DEBUG_SUBSYS=INIT,NET,ENV",
        "set -u",
        f"HANDED=$(compgen -e | grep -E '{_HANDED}' | sed 's/^/-x /')",
        "",
        "run() {  # program and its arguments, on every GPU of every node",
        '  if [ -n "${SLURM_JOB_ID:-}" ]; then',
        '    srun --mpi=pmix -N "$NODES" --ntasks-per-node="$PER_NODE" --gpus-per-node="$PER_NODE" "$@"',
        "  else",
        '    mpirun -np $((NODES * PER_NODE)) -N "$PER_NODE" --hostfile "${HOSTS:?a file with a host on each line}" \\',
        '      $HANDED "$@"',
        "  fi",
        "}",
        "",
    ]
    for test in bench.tests:
        least, most = test.sizes[0].bytes, test.sizes[-1].bytes
        lines.append(f'run "$NCCL_TESTS/{test.program}" -b {least} -e {most} -f 2 -g 1 -w 5 -n 20 -c 1 \\')
        lines.append(f'  2>&1 | tee "$LOGS/{test.program}.log"')
    return "\n".join(map(one_line, lines)) + "\n"


def _table(test: NcclTest) -> list[str]:
    return [
        f"# {test.program}: {test.why} (messages of about {bytes_text(test.message_bytes)}).",
        "#         size   expected bus bandwidth         alarm below",
        *(_row(one, test.message_bytes) for one in test.sizes),
    ]


def _row(one: BenchedSize, message: float) -> str:
    band = f"{one.busbw_gb_per_s:.3g} GB/s ({one.low_gb_per_s:.3g}–{one.high_gb_per_s:.3g})"
    nearest = 2 ** round(log2(max(message, 1.0)))
    near = "the job's own size" if nearest <= one.bytes else "the largest tested; the job's own are larger"
    own = f"   ← {near}" if one.job else ""
    return f"# {_binary(one.bytes):>12}   {band:<30} {one.alarm_gb_per_s:.3g} GB/s{own}"


def _binary(size: int) -> str:
    """A power of two as nccl-tests takes it: ``64 MiB``."""
    unit, name = (2**30, "GiB") if size >= 2**30 else (2**20, "MiB") if size >= 2**20 else (2**10, "KiB")
    return f"{size // unit} {name}"
