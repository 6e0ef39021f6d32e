"""The pictures of the documentation: all there, all shown, and what the screen really shows."""

from __future__ import annotations

import importlib.util
import pathlib
import re
import sys

import pytest

pytest.importorskip("textual")

ROOT = pathlib.Path(__file__).parents[1]
PAGE = ROOT / "knowledge" / "handbook" / "screen.md"


def _script():
    spec = importlib.util.spec_from_file_location("screenshots", ROOT / ".ci" / "screenshots.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["screenshots"] = module
    spec.loader.exec_module(module)
    return module


def test_every_picture_is_there_and_shown_on_its_page():
    script = _script()
    shown = re.findall(r"!\[[^]]+\]\((\S+)\)", PAGE.read_text(encoding="utf-8"))
    assert sorted(shown) == sorted(f"screen/{name}.svg" for name in script.SITUATIONS)
    assert sorted(path.name for path in script.PICTURES.iterdir()) == sorted(
        f"{name}.svg" for name in script.SITUATIONS
    )
    for picture in re.findall(r"!\[[^]]+\]\((\S+)\)", (ROOT / "README.md").read_text(encoding="utf-8")):
        assert (ROOT / picture).is_file()


def test_the_pictures_are_small_and_fetch_nothing():
    pictures = list((ROOT / "knowledge" / "handbook" / "screen").iterdir())
    assert sum(path.stat().st_size for path in pictures) < 1_500_000
    for path in pictures:
        assert not re.search(r"url\((?!#)|@import|<image|<script|href=", path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["question", "plots"])
def test_a_picture_shows_what_the_screen_shows_now(library, name):
    script = _script()
    kept = (script.PICTURES / f"{name}.svg").read_text(encoding="utf-8")
    assert script.text_in(kept) == script.text_in(script.taken(name, library)), "run python .ci/screenshots.py"
