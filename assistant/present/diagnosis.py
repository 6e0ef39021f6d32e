"""What logs say, as plain lines."""

import textwrap

from assistant.vocabulary.answers import DiagnosedFile, Diagnosis

from .figures import about
from .text import safe

_SIGNS = {"error": "✗ error", "warning": "! warning", "info": "· note"}


def diagnosis_lines(diagnosis: Diagnosis, width: int = 100) -> list[str]:
    """Each file with its speed, then what was found, errors first."""
    lines = [line for file in diagnosis.files for line in ["", *_file(file, width)]]
    return [safe(line) for line in lines[1:]]


_WAYS = {
    "infiniband": "InfiniBand",
    "roce": "RoCE",
    "gib": "RoCE by gIB",
    "efa": "EFA",
    "slingshot": "Slingshot",
    "tcpx": "GPUDirect-TCPX",
    "tcpxo": "GPUDirect-TCPXO",
    "tcp-socket": "TCP sockets",
    "xgmi": "xGMI",
    "pcie": "PCIe",
    "nvlink": "NVLink",
    "p2p": "peer-to-peer (PCIe or NVLink not shown)",
    "shm": "host memory",
    "unknown": "a way that is not shown",
}


_HOSTS = 4  # named, of those without GPUDirect
_OTHER = "the log of a job: no output of nccl-tests and no lines of NCCL's are in it"


def _way(file: DiagnosedFile) -> str:
    if file.transport == "nvlink" and (file.nodes or 1) > 1:
        return "NVLink between nodes (MNNVL)"
    return _WAYS.get(file.transport, file.transport)


def _direct(file: DiagnosedFile) -> str:
    """Whether data goes from GPU to adapter without the host's memory, and where it does not."""
    missing = file.gpudirect_missing_on
    if not missing:
        return "yes" if file.gpudirect_rdma else "no"
    many = f" and {len(missing) - _HOSTS} more" if len(missing) > _HOSTS else ""
    return f"yes, but for channels of {', '.join(missing[:_HOSTS])}{many}"


def _file(file: DiagnosedFile, width: int) -> list[str]:
    where = (f"{file.ranks} ranks" if file.ranks else "ranks unknown") + (
        f" on {file.nodes} node(s)" if file.nodes else ""
    )
    test = [] if file.collective == "unknown" else [file.collective]
    read = ", ".join([file.kind, *test, where, f"over {_way(file)}"])
    if not (file.ranks or file.nodes or file.peak_busbw_gb_per_s or test) and file.transport != "unknown":
        read = f"no run of NCCL's is shown; links and adapters: {_way(file)}"
    elif file.kind == "unknown":
        read = _OTHER if file.checked else "unknown"
    lines = [file.path, f"   {read}"]
    if file.peak_busbw_gb_per_s:
        expected = f"; {about(file.expected_busbw_gb_per_s)} expected" if file.expected_busbw_gb_per_s else ""
        lines.append(f"   peak bus bandwidth {file.peak_busbw_gb_per_s:.4g} GB/s{expected}")
    if file.gpudirect_rdma is not None:
        lines.append(f"   GPUDirect RDMA: {_direct(file)}")
    for found in file.findings:
        said = f"{_SIGNS[found.severity]}, line {found.line}: {found.message} ({found.code})"
        lines += textwrap.wrap(said, width, subsequent_indent="   ")
        if found.evidence and found.severity != "info":
            lines.append(f"   {textwrap.shorten(f'“{found.evidence}”', width - 3, placeholder=' …”')}")
        lines += textwrap.wrap(
            f"→ {found.fix}{f' [{found.rests}]' if found.rests else ''}",
            width,
            initial_indent="   ",
            subsequent_indent="     ",
        )
    if file.kind == "unknown" and not file.checked:
        return lines
    if file.checked:
        lines += textwrap.wrap(
            f"checked: {'; '.join(file.checked)}", width, initial_indent="   ", subsequent_indent="     "
        )
    if file.not_checked:
        left = f"could not be checked: {'; '.join(file.not_checked)}"
        lines += textwrap.wrap(left, width, initial_indent="   ", subsequent_indent="     ")
    if file.kind == "unknown":
        lines.append("   run the job with NCCL_DEBUG=INFO, or nccl-tests on its nodes, for what could not be checked")
    if all(found.severity == "info" for found in file.findings):
        lines.append("   nothing wrong was found in what was checked")
    return lines
