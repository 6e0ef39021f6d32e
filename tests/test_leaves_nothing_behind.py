"""Who runs the tests finds their temporary folder as it was."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys


def test_a_run_of_the_tests_leaves_no_folder_behind(tmp_path: pathlib.Path) -> None:
    script = (
        "import os, tests.conftest, pathlib; home = pathlib.Path(os.environ['WEFT_HOME']); home.mkdir(); "
        "print(home.parent)"
    )
    without = {name: value for name, value in os.environ.items() if not name.startswith("WEFT_")}
    run = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        cwd=pathlib.Path(__file__).parents[1],
        env={**without, "TMPDIR": str(tmp_path)},
    )
    used = pathlib.Path(run.stdout.strip())
    assert used.parent == tmp_path and not used.exists() and not list(tmp_path.iterdir())
