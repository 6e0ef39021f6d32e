"""Runs the real program in this process and gives what a user would see."""

from __future__ import annotations

import contextlib
import io
import sys
from dataclasses import dataclass


@dataclass(frozen=True)
class Seen:
    """Exit code, standard output and standard error of one run."""

    code: int
    out: str
    err: str


def weft(*arguments: str) -> Seen:
    """``weft ARGUMENTS`` as a user runs it, without a terminal."""
    from assistant import cli

    out, err, before = io.StringIO(), io.StringIO(), sys.argv
    sys.argv = ["weft", *arguments]
    code = 0
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            cli.main()
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 0 if stop.code is None else 1
    finally:
        sys.argv = before
    return Seen(code, out.getvalue(), err.getvalue())
