"""Reads a calibration profile and lays its factors over the catalog's constants."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from pathlib import Path

from pydantic import ValidationError

from assistant.vocabulary.catalog import Catalog, Fact
from assistant.vocabulary.counted import counted
from assistant.vocabulary.errors import InputError, Place
from assistant.vocabulary.profile import Profile

from . import wording, yaml_text
from .checks import known_id
from .files import text_of

COMPUTE, NETWORK = "profile-compute-", "profile-network-"  # names of the constants, before the id of a GPU or a fabric


def read(path: Path, catalog: Catalog) -> Profile:
    """The profile of a file. Raises :class:`InputError` with file, line and field for anything that is wrong in it."""
    found = [document for document in yaml_text.documents(text_of(path), str(path)) if document.value is not None]
    if len(found) != 1 or not isinstance(found[0].value, dict):
        line = found[:2][-1].line if found else 1
        raise InputError("expected one profile as weft calibrate writes it", Place(str(path), line))
    document = found[0]
    try:
        profile = _validated(document.value)
        for ident in profile.compute.gpus:
            known_id("compute.gpus", ident, catalog.gpus)
        for ident in profile.network.fabrics if profile.network else ():
            known_id("network.fabrics", ident, catalog.fabrics)
    except InputError as error:
        field = error.place.field
        raise error.located(file=str(path), line=document.line_of(tuple(field.split("."))) if field else None) from None
    return profile


def _validated(value: dict[str, object]) -> Profile:
    try:
        return Profile.model_validate(value)
    except ValidationError as error:
        raise wording.sentence(error, value, Profile) from None


def laid_over(catalog: Catalog, path: Path) -> Catalog:
    """The catalog with one more constant for each GPU that was measured and one for each fabric."""
    profile = read(path, catalog)
    runs = counted(len(profile.runs), "measured run")

    def fact(factor: float, what: str) -> Fact:
        return Fact(value=factor, unit="1", source=f"derived: {path.name}, {runs}", date=profile.date, note=what)

    constants = {f"{COMPUTE}{gpu}": fact(profile.compute.factor, "measured") for gpu in profile.compute.gpus}
    if network := profile.network:
        for fabric in catalog.fabrics:
            measured = fabric in network.fabrics
            factor, what = (network.of(fabric), "measured") if measured else (network.others, "taken over")
            constants[f"{NETWORK}{fabric}"] = fact(factor, what)
    return catalog.model_copy(update={"constants": {**catalog.constants, **constants}})


def as_measured(catalog: Catalog, measured: Iterable[tuple[str, float, str]]) -> Catalog:
    """The catalog with networks as slow as nccl-tests found them: (fabric id, time ÷ the catalog's, file)."""
    today = datetime.date.today()
    constants = {
        f"{NETWORK}{fabric}": Fact(value=factor, unit="1", source=f"derived: {file}", date=today, note="measured")
        for fabric, factor, file in measured
    }
    return catalog.model_copy(update={"constants": {**catalog.constants, **constants}})
