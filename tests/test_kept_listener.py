"""What is built to understand messages is kept for the next start: the same hears the same, and a bad file does no
harm."""

from __future__ import annotations

import collections
import datetime
import pickle

import pytest

from assistant.library.kept import kept
from assistant.understanding import Listener
from assistant.understanding.wordings import Says

TODAY = datetime.date(2026, 11, 22)
HEARD = Says("field", "cluster.gpus", 64)


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("WEFT_CACHE", str(tmp_path))
    return tmp_path / "compiled"


def made(build, data=("a",), there=None):
    return kept("things", "understanding", data, there or {}, build)


def never():
    raise AssertionError("built although it was kept")


def test_who_starts_again_understands_the_same_without_building_anew(library):
    there = {"language": library.language, "catalog": library.catalog}
    built = Listener.of(library.language, library.catalog, library.listener)
    said = ("64 H100 bei CoreWeave, drei Wochen, ohne Spot", "no, 8 nodes of 8x H200 with RoCE, $2.10 an hour each")
    made(lambda: built, there=there)
    again = made(never, there=there)
    assert again is not built and again.catalog is library.catalog
    assert [again.hear(one, today=TODAY) for one in said] == [built.hear(one, today=TODAY) for one in said]


def test_other_wordings_are_built_anew_and_the_old_ones_are_not_kept(own_cache):
    assert made(lambda: [HEARD]) == made(never) == [HEARD]
    assert made(lambda: [], data=("b",)) == []
    assert len(list(own_cache.iterdir())) == 1


@pytest.mark.parametrize("damage", [lambda file: file[:100], lambda file: b"", lambda file: file[:-9] + b"\0" * 9])
def test_a_damaged_file_is_built_again(own_cache, damage):
    made(lambda: [HEARD] * 20)
    (file,) = own_cache.iterdir()
    file.write_bytes(damage(file.read_bytes()))
    assert made(lambda: "anew") == "anew" == made(never)


@pytest.mark.parametrize("strange", [print, collections.OrderedDict(), pickle.loads])
def test_a_file_that_names_anything_else_than_what_is_kept_is_not_obeyed(strange):
    made(lambda: [strange])
    assert made(lambda: "anew") == "anew"
