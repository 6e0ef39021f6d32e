"""Errors of collectives per source, messages up to 1 MiB and above apart."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.validation import CollectiveAccuracy, Use, Validation

from .collective_rows import SMALL, Series, excluded, predicted, read_collectives


def with_collectives(made: Validation, measurements: Path, catalog: Catalog) -> Validation:
    """The report with the shipped collectives beside the runs."""
    lines = collective_lines(read_collectives(measurements, catalog))
    return made.model_copy(update={"collectives": lines, "collectives_excluded": excluded(measurements)})


def collective_lines(series: Sequence[Series]) -> list[CollectiveAccuracy]:
    """One line per use, source and size of message, the total of a use and size last."""
    lines: list[CollectiveAccuracy] = []
    for use in ("validation", "calibration"):
        of_use = [one for one in series if one.use == use]
        for source in [*dict.fromkeys(one.source for one in of_use), ""]:
            of_source = [one for one in of_use if source in ("", one.source)]
            lines += [_line(of_source, source, use, small) for small in (True, False) if len(errors(of_source, small))]
    return lines


def errors(series: Sequence[Series], small: bool) -> np.ndarray:
    """Predicted ÷ measured time − 1 of all messages up to 1 MiB (``small``) or above."""
    found = [(predicted(one) / one.seconds - 1.0)[(one.bytes <= SMALL) == small] for one in series]
    return np.concatenate([np.zeros(0), *found])


def _line(series: Sequence[Series], source: str, use: Use, small: bool) -> CollectiveAccuracy:
    found = errors(series, small)
    size = np.abs(found)
    fabrics = dict.fromkeys(one.network.id for one in series if source and ((one.bytes <= SMALL) == small).any())
    return CollectiveAccuracy(
        source=source,
        use=use,
        fabrics=list(fabrics),
        messages="small" if small else "large",
        rows=len(found),
        median_absolute=float(np.median(size)),
        p90_absolute=float(np.quantile(size, 0.9)),
        bias=float(np.median(found)),
        median_bandwidth=float(np.median(np.abs(1.0 / (1.0 + found) - 1.0))),
    )
