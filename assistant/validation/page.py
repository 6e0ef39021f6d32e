"""Makes the handbook's page on accuracy and its plot.

    python -m assistant.validation.page                    # the sources left out as recorded
    python -m assistant.validation.page --leave-one-out    # fitted again without each source: some minutes

Errors of sources left out of the calibration are kept in ``knowledge/measurements/left_out.json``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from assistant.vocabulary.validation import SourceAccuracy, Validation

from .collective_report import with_collectives
from .memory import with_memory
from .practice import others_runs, published_runs
from .report import left_out, planned, validate

_FILE = Path("knowledge/measurements/training.csv")


def recorded(knowledge: Path) -> list[SourceAccuracy]:
    """The lines of the sources left out, as last computed."""
    text = (knowledge / "measurements" / "left_out.json").read_text(encoding="utf-8")
    return [SourceAccuracy.model_validate(line) for line in json.loads(text)]


def described(knowledge: Path, catalog) -> Validation:
    """Our runs as the model predicts them now, memory and collectives likewise, with the recorded lines of the sources left out."""
    runs = published_runs(knowledge, catalog)
    made = with_memory(validate(runs, _FILE), runs, knowledge / "measurements", catalog)
    made = with_collectives(made, knowledge / "measurements", catalog)
    expected = planned(others_runs(runs, knowledge, catalog))
    return made.model_copy(update={"sources": [*made.sources, *recorded(knowledge), *expected]})


def main(arguments: Sequence[str]) -> None:
    """Validate, leave each source out when asked to, and write the page."""
    from assistant.library import load
    from assistant.present.accuracy_page import accuracy_page, accuracy_plot

    from .calibration import leave_one_out

    library = load()
    folder = library.knowledge_folder
    if "--leave-one-out" in arguments:
        runs = published_runs(folder, library.catalog)
        lines = [line.model_dump() for line in left_out(runs, leave_one_out(runs))]
        (folder / "measurements" / "left_out.json").write_text(json.dumps(lines, indent=1) + "\n", encoding="utf-8")
    made = described(folder, library.catalog)
    page = accuracy_page(made, library.handbook_template("accuracy"))
    (folder / "handbook" / "accuracy.md").write_text(page, encoding="utf-8")
    (folder / "handbook" / "accuracy.svg").write_text(accuracy_plot(made.runs), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
