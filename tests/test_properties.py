"""What holds for every text, tried on some made at random of what has been taken for something else before."""

from __future__ import annotations

import csv
import io
import random

import pytest
from markdown_it import MarkdownIt

from assistant.conversation.transcript import document
from assistant.present.blocks import Bullets, Chart, Heading, Paragraph, Table, Tree
from assistant.present.cells import csv_text
from assistant.present.markdown import blocks_markdown
from assistant.understanding.text import Tokens, cut

_PIECES = (
    "[a](http://b) ![c](d) [e]: f [g][h] <img src=x> <!-- <script> &lt; &#60; ``` ~~~ ` ** __ # - + * > | 1. === --- "
    "https://i.example www.j.example k@l.example \\ \\\\ ] ( ) ! = @ -1 +1 ' \" , ; 漢 "
    "\u202e \u2066 \u2028 \x1b[2J \x00 ﹦ ＝ a"
).split(" ")
_SPACES = ("", "", " ", "  ", "\t", "\n", "\r\n", "\r", "\n\n", "\n    ")
_COMMANDS = {"link_open", "image", "html_inline", "html_block"}


def texts(number: int) -> list[str]:
    """Pieces in any order, with any space between them; the same ones each time."""
    chance = random.Random(number)
    joined = lambda: "".join(chance.choice(_SPACES) + chance.choice(_PIECES) for _ in range(chance.randrange(1, 9)))
    return [joined() for _ in range(number)]


@pytest.mark.parametrize(
    "block",
    [
        lambda text: Paragraph(text),
        lambda text: Paragraph(text, True),
        lambda text: Bullets([text]),
        lambda text: Heading(text),
        lambda text: Table(["a"], [[text]]),
        lambda text: Tree([(0, text)]),
        lambda text: Chart([text]),
    ],
)
def test_no_text_of_a_person_commands_markdown(block):
    markdown = MarkdownIt("gfm-like", {"html": True})
    markdown.linkify.set({"fuzzy_link": False, "fuzzy_email": False})  # addresses are those that GitHub links
    for text in texts(150):
        tokens = markdown.parse(blocks_markdown([block(text), Paragraph("end")]))
        kinds = {one.type for each in tokens for one in (each, *(each.children or ()))}
        assert not kinds & _COMMANDS, (text, kinds & _COMMANDS)


def test_every_row_of_csv_is_read_as_it_was_and_computes_nothing():
    for text in texts(500):
        ((cell, after),) = csv.reader(io.StringIO(csv_text([[text, "after"]]), newline=""))
        assert after == "after" and cell.lstrip()[:1] not in tuple("=+-@＝＋－＠")
        assert not set(cell) & set("\u202e\u2066\x1b\x00\r")


def test_whatever_is_said_comes_back_out_of_its_transcript():
    head = dict.fromkeys(document.HEAD, "none") | {"date": "2026-11-20"}
    for text in texts(300):
        said = " ".join(text.split()) or "a"
        kept = document.head_text("A talk", head) + document.said_text(said) + "**Weft:** Understood.\n"
        assert document.parse(kept).said == [said], kept


def test_where_words_stand_is_found_as_by_reading_all_of_them():
    """What is looked up of a message is what a scan of it finds, whatever stands where."""
    chance = random.Random(3)
    words = "$2.10 , ; . ( ) plus from by at Lambda Provider reseller a and or setup fee paid once".split()
    for _ in range(300):
        tokens = Tokens(cut(" ".join(chance.choices(words, k=chance.randrange(30)))))
        wanted, first = frozenset(chance.sample(words, 3)), chance.randint(0, len(tokens))
        last, said = chance.randint(0, len(tokens)), tuple(chance.choices(words, k=chance.randint(1, 2)))
        found = [at for at in range(first, last) if tokens[at].text in wanted]
        assert list(tokens.places(wanted, first, last)) == found
        assert tokens.has(wanted, first, last) is bool(found)
        assert tokens.after(wanted, first, last) == next(iter(found), None)
        assert tokens.before(wanted, last, first) == next(reversed(found), None)
        whole = range(first, last - len(said) + 1)
        spoken = [at for at in whole if tuple(token.text for token in tokens[at : at + len(said)]) == said]
        assert list(tokens.phrases(said, first, last)) == spoken
