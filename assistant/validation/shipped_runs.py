"""The shipped runs as the model predicts them now: what the handbook's page on accuracy shows.

Errors of sources left out of the calibration take minutes to compute: they are kept in
``knowledge/measurements/left_out.json``.
"""

import json
from pathlib import Path

from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.validation import SourceAccuracy, Validation

from .adapters import adapter_report, adapter_runs
from .collective_report import with_collectives
from .dispatch import dispatch_report, read_calls
from .famous_runs import famous_runs, practices
from .group_list import Measured, described_groups
from .memory import with_memory
from .practice import of_another, others_runs, published_runs
from .reinforcement import reinforcement_report
from .report import left_out, planned, validate

_FILE = Path("knowledge/measurements/training.csv")


def recorded(knowledge: Path) -> list[SourceAccuracy]:
    """The lines of the sources left out, as last computed."""
    return [SourceAccuracy.model_validate(line) for line in json.loads(kept_at(knowledge).read_text(encoding="utf-8"))]


def kept_at(knowledge: Path) -> Path:
    """The file of the sources left out."""
    return knowledge / "measurements" / "left_out.json"


def described(knowledge: Path, catalog: Catalog) -> Validation:
    """Our runs as the model predicts them now, memory and collectives likewise, with the recorded lines of the sources
    left out."""
    runs = published_runs(knowledge, catalog)
    made = with_memory(validate(runs, _FILE), runs, knowledge / "measurements", catalog)
    made = with_collectives(made, knowledge / "measurements", catalog)
    adapters = adapter_report(adapter_runs(knowledge / "measurements", catalog))
    reinforcement = reinforcement_report(knowledge / "measurements", catalog)
    expected = planned(others_runs(runs, knowledge, catalog))
    predicted = list(zip((run for run in runs if run.use != "excluded"), made.runs, strict=True))
    groups = described_groups(Measured(knowledge / "measurements", catalog, predicted, made.slowdowns))
    famous = famous_runs(knowledge / "measurements", catalog)
    found = {"adapters": adapters, "groups": groups, "famous": famous, "practices": practices(famous)}
    found |= {
        "dispatches": dispatch_report(read_calls(knowledge / "measurements", catalog)),
        "reinforcement": reinforcement,
    }
    return made.model_copy(update={"sources": [*made.sources, *recorded(knowledge), *expected], **found})


def left_out_now(knowledge: Path, catalog: Catalog) -> str:
    """What ``left_out.json`` should hold: fitted again without each source, which takes some minutes."""
    from .calibration import leave_one_out

    runs = published_runs(knowledge, catalog)
    others = [of_another(run, catalog) for run in runs]
    lines = [line.model_dump() for line in left_out(others, leave_one_out(runs))]
    return json.dumps(lines, indent=1) + "\n"
