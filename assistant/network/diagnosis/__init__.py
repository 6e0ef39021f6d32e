"""``weft nccl diagnose``: reads nccl-tests output and NCCL debug logs; what is wrong, how fast it is, what to change.

The questions are asked in this order: is the log what it claims, how many ranks ran, did it stop, which network,
GPUDirect, how many adapters, and only then whether it is fast enough.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from assistant.vocabulary.answers import DiagnosedFile, Diagnosis
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.errors import InputError

from .expected import Large as Large
from .expected import gpu_named as gpu_named
from .expected import large_messages as large_messages
from .json_report import LARGEST, run_of
from .judge_log import judged
from .reading import Heard, Reading
from .signatures import void as void
from .sockets import of_sockets as of_sockets
from .text import opened, stream_of


def diagnose(paths: Iterable[Path | str], catalog: Catalog) -> Diagnosis:
    """Read log files. Raises :class:`InputError` for a file that cannot be read."""
    return Diagnosis(files=[_of_file(Path(path), catalog) for path in paths])


def _of_file(path: Path, catalog: Catalog) -> DiagnosedFile:
    try:
        with opened(path) as stream:
            if stream.read(64).lstrip()[:1] == b"{":
                stream.seek(0)
                said = stream.read(LARGEST + 1)
                if len(said) <= LARGEST and (run := run_of(said)) is not None:
                    return judged([run], Heard(), catalog, str(path))
            stream.seek(0)
            return _diagnosed(stream, catalog, str(path))
    except InputError as error:
        raise error.located(file=str(path)) from None


def diagnose_text(text: str, catalog: Catalog, path: str = "-") -> DiagnosedFile:
    """Diagnose the text of one log. Of several tables the fastest gives collective, ranks and peak; all give
    findings."""
    return _diagnosed(stream_of(text), catalog, path)


def _diagnosed(stream: BinaryIO, catalog: Catalog, path: str) -> DiagnosedFile:
    reading = Reading()
    reading.read(stream)
    runs = [run for run in reading.tables.runs if run.rows or run.ranks_listed or run.failures or run.header_line]
    return judged(runs, reading.heard, catalog, path)
