"""``weft schema``: the JSON Schema of a contract."""

import json
from typing import Annotated

import typer

from assistant.vocabulary.errors import InputError

from .terminal import write, write_lines


def schema(
    name: Annotated[str | None, typer.Argument(help="plan, prediction, questionnaire, answer, …")] = None,
) -> None:
    """The JSON Schema of a contract."""
    from assistant.vocabulary.contracts import CONTRACTS, schema_of

    if name is None:
        write_lines(CONTRACTS)
    elif name in CONTRACTS:
        write(json.dumps(schema_of(name), indent=2) + "\n")
    else:
        raise InputError(f'expected a contract, got "{name}"; known: {", ".join(CONTRACTS)}')
