"""The pictures of the documentation: all there, all shown, and what the screen really shows."""

from __future__ import annotations

import pathlib
import re

import pytest

pytest.importorskip("textual")

ROOT = pathlib.Path(__file__).parents[1]
PAGE = ROOT / "knowledge" / "handbook" / "screen.md"
PICTURES = ROOT / "knowledge" / "handbook" / "screen"


def test_every_picture_is_there_and_shown_on_its_page():
    from assistant.tui.pictures import SITUATIONS

    shown = re.findall(r"!\[[^]]+\]\((\S+)\)", PAGE.read_text(encoding="utf-8"))
    assert sorted(shown) == sorted(f"screen/{name}.svg" for name in SITUATIONS)
    assert sorted(path.name for path in PICTURES.iterdir()) == sorted(f"{name}.svg" for name in SITUATIONS)
    for picture in re.findall(r"!\[[^]]+\]\((\S+)\)", (ROOT / "README.md").read_text(encoding="utf-8")):
        assert (ROOT / picture).is_file()


def test_the_pictures_are_small_and_fetch_nothing():
    pictures = list(PICTURES.iterdir())
    assert sum(path.stat().st_size for path in pictures) < 1_500_000
    for path in pictures:
        assert not re.search(r"url\((?!#)|@import|<image|<script|href=", path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["question", "plots"])
def test_a_picture_shows_what_the_screen_shows_now(library, name):
    from assistant.tui.pictures import taken, text_in

    kept = (PICTURES / f"{name}.svg").read_text(encoding="utf-8")
    assert text_in(kept) == text_in(taken(name, library)), "run weft handbook screen --write"
