"""Which logs measure the network of a plan: the others are refused, each in a sentence."""

from assistant.network.diagnosis import gpu_named, void
from assistant.network.diagnosis.shown import differs, of_another
from assistant.vocabulary.answers import DiagnosedFile
from assistant.vocabulary.catalog import Catalog, Fabric, Gpu
from assistant.vocabulary.errors import InputError, Place

_MIB = 2**20


def refuse_unmeasured(file: DiagnosedFile) -> None:
    """Raises :class:`InputError` for a log without bandwidths between nodes, or with such as mean nothing."""
    if not file.peak_bytes or file.peak_busbw_gb_per_s <= 0:
        raise _refused(file, "expected a table of nccl-tests that ended: nothing is measured here")
    if file.nodes is not None and (file.nodes < 2 or file.ranks < 2):
        raise _refused(file, "expected ranks on at least two nodes: one node says nothing of the network between them")
    wrong = next((each for each in file.findings if each.severity != "info" and each.code in void()), None)
    if wrong is not None:
        raise _refused(file, f"expected a log that measures a network: {wrong.message}; "
                             f"have that mended first (weft nccl diagnose {file.path} says how)")  # fmt: skip
    if not file.large_bytes:
        largest = f", and the largest here is {(file.largest_bytes or 0) / _MIB:.4g} MiB"
        raise _refused(
            file, f"expected messages of 64 MiB and more (-e 8G), as smaller ones show latency alone{largest}"
        )


def refuse_another(file: DiagnosedFile, fabric: Fabric, gpu: Gpu, catalog: Catalog) -> None:
    """Raises :class:`InputError` for a log of another network than the plan's, or of other GPUs."""
    if of_another(file.transport, fabric):
        raise _refused(file, f"expected a log of {fabric.name}, which the plan is for: "
                             f"{differs(file.transport, fabric)}")  # fmt: skip
    meant = next((each for each in file.findings if each.code == "tcp-sockets" and each.severity == "info"), None)
    if meant is not None and file.transport == "tcp-socket" and fabric.technology not in ("tcp", "wan"):
        raise _refused(file, f"expected a log of {fabric.name}, which the plan is for: {meant.message}; measure again "
                             "without sockets, or plan with them (cluster.fabric: ethernet-tcp-100)")  # fmt: skip
    if file.gpu and file.gpu not in (gpu.id, _printed(gpu, catalog)):
        raise _refused(file, f"expected a log of {gpu.name}, which the plan is for: it names "
                             f"{catalog.gpus[file.gpu].name}")  # fmt: skip


def _printed(gpu: Gpu, catalog: Catalog) -> str | None:
    """The GPU for which a log of this one is taken: what tells some from their siblings is not in every log."""
    known = gpu_named(gpu.name.replace(" GB", "GB"), catalog, inside=True)
    return known.id if known else None


def _refused(file: DiagnosedFile, why: str) -> InputError:
    return InputError(why, Place(file=file.path))
