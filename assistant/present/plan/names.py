"""Ids in what a plan says, as people call them: a rule, a price and a source name networks, GPUs, models and sellers by
their ids."""

from collections.abc import Callable
from dataclasses import replace

from assistant.vocabulary.naming import naming
from assistant.vocabulary.plan import Plan

from ..blocks import Block, Bullets, Heading, Paragraph, Table, Tree

NOTHING, WITHOUT = "none", "no network"  # the id of doing without one is a word of its own: where it stands alone
_COLUMNS = {"fabric": "network"}  # people's word


def named(blocks: list[Block], plan: Plan) -> list[Block]:
    """The blocks with names in the place of ids; drawings and what is typed into a terminal stay as they are."""
    return renamed(blocks, namer(plan))


def renamed(blocks: list[Block], name: Callable[[str], str]) -> list[Block]:
    """The blocks with every text as ``name`` has it, but drawings and what is typed."""
    return [_named(block, name) for block in blocks]


def namer(plan: Plan) -> Callable[[str], str]:
    """Puts the names of a plan in the place of the ids in a text."""
    return naming({ident: name for ident, name in plan.names.items() if ident != NOTHING})


def _named(block: Block, name: Callable[[str], str]) -> Block:
    match block:
        case Heading(text) | Paragraph(text):
            return replace(block, text=name(text))
        case Bullets(items):
            return Bullets([name(item) for item in items])
        case Tree(lines):
            return Tree(tuple((depth, name(text)) for depth, text in lines))
        case Table(header, rows):
            rows = [[WITHOUT if cell == NOTHING else name(cell) for cell in row] for row in rows]
            shorter = {column: [name(cell) for cell in cells] for column, cells in block.shorter.items()}
            return replace(block, header=[_COLUMNS.get(cell, cell) for cell in header], rows=rows, shorter=shorter)
    return block
