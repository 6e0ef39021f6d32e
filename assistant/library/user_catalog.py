"""A user's own catalog file, laid over ours: each of its values with its own unit, source and date.

``gpus: {h100-sxm: {hour_price: {value: 2.1, unit: USD/GPU-h, source: our contract, date: 2026-11-02}}}`` changes that
one fact. Of a provider a list of ``offers`` stands for ours as a whole; a mapping from their names to what changes
amends them, and its ``prices`` are added to theirs: the newest counts. A mistake is an :class:`InputError` with file,
line and key: it is the user's input, not a fault of ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from assistant.vocabulary.catalog import UNITS, Fact, Override, same_kind
from assistant.vocabulary.errors import InputError, Place, did_you_mean
from assistant.vocabulary.quantities import shown

from . import wording
from .files import text_of
from .yaml_text import Document, documents

Raw = dict[str, dict[str, Any]]
Key = tuple[str, ...]

_LARGEST = 4 * 1024 * 1024  # bytes; the whole shipped catalog is a tenth of it
# Beginnings of units; a speed or a size of nothing is a mistake.
_MAY_BE_ZERO = ("USD", "1", "fraction", "%", "count", "per ")


@dataclass
class UserCatalog:
    """What was read from ``path``: entries by catalog field and id, where each stands, and the facts given."""

    path: Path
    parts: Mapping[str, str]  # name of a part in the file → field of the catalog
    placed: dict[tuple[str, str], tuple[Document, Key]] = field(default_factory=dict)
    given: dict[Key, Any] = field(default_factory=dict)  # (field, id, …) → our fact that it stands for, or None

    def lay_over(self, raw: Raw) -> None:
        """Replace and amend entries of ``raw``. Raises :class:`InputError`."""
        said: dict[Key, int] = {}  # the line of each value
        for document in documents(text_of(self.path, _LARGEST), str(self.path)):
            if document.value is None:
                continue
            if not isinstance(document.value, dict):
                raise self._error(
                    document, (), f"expected {', '.join(self.parts)} as keys, got {shown(document.value)}"
                )
            for part, entries in document.value.items():
                if part not in self.parts:
                    raise self._error(document, (part,), wording.unknown_key(part, self.parts))
                if not isinstance(entries, dict):
                    raise self._error(document, (part,), f"expected ids with what changes, got {shown(entries)}")
                for ident, theirs in entries.items():
                    self._lay_entry(raw[self.parts[part]], self.parts[part], document, (part, ident), theirs)
            self._check_said_once(document, said)

    def _check_said_once(self, document: Document, said: dict[Key, int]) -> None:
        """A value stands in one document only: prices are added to those above them."""
        for key in _values(document.value):
            if key in said:
                raise self._error(document, key, f"the key stands twice, first on line {said[key]}")
            said[key] = document.line_of(key)

    def validated(self, kind: type[BaseModel], value: Any, catalog_field: str, ident: str) -> Any:
        """The entry, or an :class:`InputError` that names the line of what is wrong in it."""
        document, key = self.placed[catalog_field, ident]
        try:
            entry = kind.model_validate(value)
        except ValidationError as error:
            problem = min(error.errors(), key=lambda found: found["type"] != "extra_forbidden")
            where = tuple(str(part) for part in problem["loc"])
            raise self._error(document, (*key, *where), _sentence(problem, kind, where)) from None
        for where, given in _taken_for_numbers(value, entry):
            raise self._error(document, (*key, *where), f"expected a number, got {shown(given)}")
        return entry

    def overrides(self, raw: Raw) -> dict[str, Override]:
        """Each fact of the file by its dotted path in the catalog, with ours that it stands for."""
        return {
            ".".join(path): Override(fact=Fact(**_at(raw, path)), instead_of=Fact(**ours) if ours else None)
            for path, ours in self.given.items()
        }

    def check_references(self, catalog: Any) -> None:
        """Ids that the file's entries name must exist in the catalog laid together. Raises :class:`InputError`."""
        for catalog_field, ident in self.placed:
            for where, named, known in _references(catalog_field, getattr(catalog, catalog_field)[ident], catalog):
                if named not in known:
                    document, key = self.placed[catalog_field, ident]
                    message = f"expected a known id, got {shown(named)}{did_you_mean(named, known)}"
                    raise self._error(document, (*key, *where), message)
        for ident in (ident for catalog_field, ident in self.placed if catalog_field == "gpus"):
            if ident in _taken_over(ident, catalog.gpus):
                document, key = self.placed["gpus", ident]
                named = shown(catalog.gpus[ident].calibration.relative)
                message = f"expected a GPU that is not itself taken over from {ident}, got {named}"
                raise self._error(document, (*key, "calibration", "relative"), message)

    def _lay_entry(
        self, entries: dict[str, Any], catalog_field: str, document: Document, key: Key, theirs: Any
    ) -> None:
        ident = key[1]
        if not isinstance(theirs, dict):
            raise self._error(document, key, f"expected the fields that change, got {shown(theirs)}")
        for where, given in _facts(theirs):
            listed = _in_a_list(theirs, where) or (catalog_field, *where[:1]) == _BY_NAME
            ours = None if listed else _at(entries.get(ident), where)
            self._check_fact(document, (*key, *where), given, ours or _alike(entries, where))
            if not (listed and isinstance(theirs.get("offers"), dict)):  # an offer's own table tells source and date
                self.given[catalog_field, ident, *where] = ours
        if catalog_field == _BY_NAME[0] and isinstance(theirs.get("offers"), dict):
            theirs = {
                **theirs,
                "offers": self._amended((entries.get(ident) or {}).get("offers", []), document, key, theirs),
            }
        if catalog_field == "fabrics" and ident not in entries and not theirs.keys() & _PRICES:
            raise self._error(document, key, _NO_PRICE)
        entries[ident] = _merged(entries.get(ident), theirs)
        self.placed[catalog_field, ident] = document, key

    def _amended(self, ours: list[dict[str, Any]], document: Document, key: Key, theirs: Any) -> list[dict[str, Any]]:
        """Our offers with those amended that are named, and new ones behind them."""
        offers = {str(offer.get("name")): offer for offer in ours}
        for name, change in theirs["offers"].items():
            if not isinstance(change, dict):
                message = f"expected the fields that change, got {shown(change)}"
                raise self._error(document, (*key, "offers", str(name)), message)
            before = offers.get(str(name), {"name": str(name)})
            prices, added = before.get("prices", []), change.get("prices", [])
            both = {"prices": [*prices, *added]} if isinstance(added, list) else {}
            offers[str(name)] = _merged(before, {**change, **both})
        return list(offers.values())

    def _check_fact(self, document: Document, key: Key, given: dict[str, Any], like: Any) -> None:
        unit, value = given.get("unit"), given.get("value")
        if isinstance(like, dict) and unit in UNITS and unit not in (same := same_kind(like["unit"])):
            raise self._error(document, (*key, "unit"), f"expected {' or '.join(same)}, got {shown(unit)}")
        if isinstance(value, (int, float)) and (value < 0 or (value == 0 and not str(unit).startswith(_MAY_BE_ZERO))):
            least = "of at least 0" if str(unit).startswith(_MAY_BE_ZERO) else "above 0"
            raise self._error(document, (*key, "value"), f"expected a number {least}, got {shown(value)}")

    def _error(self, document: Document, key: Key, message: str) -> InputError:
        return InputError(message, Place(str(self.path), document.line_of(key), ".".join(key) or None))


_BY_NAME = "providers", "offers"  # entries of a list that may be amended by their names
_PRICES = frozenset({"premium", "capex_per_gpu"})
_NO_PRICE = (
    "a price is needed and was not given: premium (USD/GPU-h beside the same GPU with plain Ethernet, 0 where it costs "
    "nothing) or capex_per_gpu (USD/GPU)"
)


def _facts(value: Any, where: Key = ()) -> Iterator[tuple[Key, dict[str, Any]]]:
    """Every fact below a value with its path; a fact is what has a value, a unit or a source."""
    if isinstance(value, dict) and "value" in value:
        yield where, value
    elif isinstance(value, (dict, list)):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _facts(inner, (*where, str(key)))


def _taken_for_numbers(given: Any, read: Any, where: Key = ()) -> Iterator[tuple[Key, bool]]:
    """Every true and false that was read as 1 or 0, with its path."""
    if isinstance(given, bool) and not isinstance(read, bool):
        yield where, given
    elif isinstance(given, dict):
        inner = read if isinstance(read, dict) else vars(read) if isinstance(read, BaseModel) else {}
        for key, value in given.items():
            yield from _taken_for_numbers(value, inner.get(key), (*where, str(key)))
    elif isinstance(given, list) and isinstance(read, (list, tuple)):
        for number, (value, of) in enumerate(zip(given, read, strict=False)):
            yield from _taken_for_numbers(value, of, (*where, str(number)))


def _taken_over(ident: str, gpus: Mapping[str, Any]) -> list[str]:
    """The GPUs from which the efficiencies of one were taken over, one after the other."""
    found: list[str] = []
    while (relative := gpus[ident].calibration.relative) is not None and relative not in found:
        found.append(ident := relative)
    return found


def _values(value: Any, where: Key = ()) -> Iterator[Key]:
    """The path of every value that stands as a whole for ours; of what is added to ours none."""
    if isinstance(value, dict) and "value" not in value:
        for key, inner in value.items():
            yield from _values(inner, (*where, key))
    elif where[-1:] != ("prices",):
        yield where


def _merged(ours: Any, theirs: Any) -> Any:
    """Mappings are laid over each other; a fact, a list and a plain value stand as a whole for ours."""
    if isinstance(ours, dict) and isinstance(theirs, dict) and "value" not in {*ours, *theirs}:
        return {**ours, **{key: _merged(ours.get(key), value) for key, value in theirs.items()}}
    return theirs


def _at(value: Any, path: Key) -> Any:
    for part in path:
        if isinstance(value, list):
            value = value[int(part)] if part.isdigit() and int(part) < len(value) else None
        else:
            value = value.get(part) if isinstance(value, dict) else None
    return value


def _in_a_list(value: Any, path: Key) -> bool:
    """Whether a path leads through a list: one stands for ours as a whole, and its third entry for no third of ours."""
    return any(isinstance(_at(value, path[:depth]), list) for depth in range(len(path)))


def _alike(entries: Mapping[str, Any], where: Key) -> dict[str, Any] | None:
    """The same fact of any other entry, for its unit."""
    found = (_at(entry, where) for entry in entries.values()) if where else ()
    return next((fact for fact in found if isinstance(fact, dict) and "unit" in fact), None)


def _references(catalog_field: str, entry: Any, catalog: Any) -> Iterator[tuple[Key, str, Mapping[str, Any]]]:
    """``(field, id named there, where it must be)`` of an entry."""
    if catalog_field == "gpus":
        yield ("scale_up",), entry.scale_up, catalog.scale_ups
        if entry.bridge is not None:
            yield ("bridge",), entry.bridge, catalog.scale_ups
        if entry.calibration.relative is not None:
            yield ("calibration", "relative"), entry.calibration.relative, catalog.gpus
    elif catalog_field == "fabrics":
        yield from ((("gpus",), gpu, catalog.gpus) for gpu in entry.gpus or ())
        yield from ((("providers",), provider, catalog.providers) for provider in entry.providers or ())
    elif catalog_field == "providers":
        for number, offer in enumerate(entry.offers):
            yield ("offers", str(number), "gpu"), offer.gpu, catalog.gpus
            yield from ((("offers", str(number), "fabrics"), fabric, catalog.fabrics) for fabric in offer.fabrics)


def _sentence(problem: Any, kind: type[BaseModel], where: Key) -> str:
    if problem["type"] == "missing":
        return "is needed and was not given"
    if problem["type"].startswith("date"):
        return f"expected a day such as 2026-11-02, got {shown(problem['input'])}"
    given = shown(problem["input"])
    if problem["type"] == "model_type" and where and isinstance(problem["input"], (int, float)):
        return f"expected {{value: {given}, unit: …, source: …, date: …}}, got {given}"
    return wording.told(problem, kind, where, "keys and values")
