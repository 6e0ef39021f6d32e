"""From a file of measured runs to a profile: factors, errors before and after, the rows they rest on."""

import datetime
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

import assistant
from assistant.model.validation import Run
from assistant.validation import read_measured
from assistant.vocabulary.added import added
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.errors import InputError, Place
from assistant.vocabulary.profile import ComputeFactor, NetworkFactor, Profile, ProfileErrors, ProfileRun

from .blame import blame_of
from .fit import Factors, Priors, crosses, fit, fits_without_each, predicted, priors_of, table, taken_over

LEAST_TO_LEAVE_OUT = 3  # rows from which on each is also predicted by a fit without it
MOST_ROWS = 5_000


def calibrate(
    path: Path, catalog: Catalog, *, today: datetime.date | None = None, done: Callable[[], None] = lambda: None
) -> Profile:
    """The profile of the runs in a CSV file (columns as in ``knowledge/measurements/training.csv``); ``done`` hears of
    each row.

    ``catalog`` must be one without a profile. Raises :class:`InputError` for a file or a row that cannot be used.
    """
    runs = _runs(path, catalog)
    tables = []
    for run in runs:
        tables.append(table(run))
        done()
    priors = priors_of(runs)
    factors = fit(tables, priors)
    without = fits_without_each(tables, priors) if len(runs) >= LEAST_TO_LEAVE_OUT else None
    rows = [_row(run, number, factors, without[number] if without else None) for number, run in enumerate(runs)]
    errors = _errors(rows)
    if without and (errors.left_out_percent or 0.0) > errors.before_percent:
        # The runs contradict each other: what some of them say makes the prediction of the others worse.
        factors = Factors()
        rows = [_row(run, number, factors, without[number]) for number, run in enumerate(runs)]
    compute = ComputeFactor(factor=factors.compute, gpus=_ids(run.machine.gpu for run in runs))
    return Profile(
        date=today or datetime.date.today(),
        weft=assistant.__version__,
        measured_in=path.name,
        compute=compute,
        network=_network(runs, factors, priors),
        blame=blame_of(runs, factors),
        errors=_errors(rows),
        runs=rows,
    )


def _runs(path: Path, catalog: Catalog) -> list[Run]:
    runs = [run for run in read_measured(path, catalog) if run.use != "excluded"]
    if not runs:
        raise InputError("expected at least one measured run, found none", Place(str(path)))
    if len(runs) > MOST_ROWS:
        raise InputError(f"expected at most {MOST_ROWS:,} measured runs, found {len(runs):,}", Place(str(path)))
    for number, run in enumerate(runs):
        if run.measured_s <= 0:
            place = Place(str(path), field="step_time_s")
            raise InputError(f"expected seconds above 0 in row {_name(run, number)}", place)
        if crosses(run) and not run.network.possible:
            joins = f"the fabric that joins the {run.machine.nodes} nodes in row {_name(run, number)}"
            raise InputError(f"expected {joins}, got none", Place(str(path), field="fabric"))
    return runs


def _name(run: Run, number: int) -> str:
    return run.id or str(number + 1)


def _ids(found: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(found))


def _network(runs: Sequence[Run], factors: Factors, priors: Priors) -> NetworkFactor | None:
    """The factors on the fabrics that were crossed, and what they make likely for others."""
    crossed = [run for run in runs if crosses(run)]
    if not crossed:
        return None
    fabrics = _ids(run.network.id for run in crossed)
    each = {fabric: factors.of(fabric) for fabric in fabrics}
    others = round(float(np.exp(taken_over([float(np.log(factors.network))], priors))), 3)
    several = each if len(each) > 1 else {}
    return NetworkFactor(factor=factors.network, fabrics=fabrics, others=others, by_fabric=several)


def _row(run: Run, number: int, factors: Factors, without: Factors | None) -> ProfileRun:
    return ProfileRun(
        id=_name(run, number),
        gpu=run.machine.gpu,
        gpus=run.machine.gpus,
        fabric=run.network.id,
        measured_s=run.measured_s,
        before_s=_seconds(predicted(run, Factors())),
        after_s=_seconds(predicted(run, factors)),
        left_out_s=_seconds(predicted(run, without)) if without else None,
    )


def _seconds(value: float) -> float:
    return float(f"{value:.5g}")


def _errors(rows: Sequence[ProfileRun]) -> ProfileErrors:
    left_out = [row.left_out_s for row in rows if row.left_out_s is not None]
    return ProfileErrors(
        before_percent=_mean_error(rows, [row.before_s for row in rows]),
        after_percent=_mean_error(rows, [row.after_s for row in rows]),
        left_out_percent=_mean_error(rows, left_out) if len(left_out) == len(rows) else None,
    )


def _mean_error(rows: Sequence[ProfileRun], times: Sequence[float]) -> float:
    errors = [abs(time / row.measured_s - 1) for row, time in zip(rows, times, strict=True)]
    return round(100 * added(errors) / len(errors), 2)


def profile_text(profile: Profile) -> str:
    """The profile as the YAML that ``--profile`` takes."""
    import yaml

    head = "# Made by weft calibrate. Use it with: weft plan JOB.yaml --profile THIS_FILE\n"
    value = profile.model_dump(mode="json", by_alias=True, exclude_none=True)
    return head + yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=120)
