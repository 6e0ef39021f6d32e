"""JSON that a person wrote: duplicate keys and numbers that are none are refused."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from assistant.vocabulary.errors import InputError, Place


def loads(text: str, place: Place) -> Any:
    """The value of a text that begins at ``place``. Raises :class:`InputError` with the line."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key, value in pairs:
            if key in result:
                raise InputError("the key stands twice", replace(place, field=key))
            result[key] = value
        return result

    def not_a_number(word: str) -> Any:
        raise InputError(f"expected a finite number, got {word}", place)

    try:
        return json.loads(text, object_pairs_hook=unique, parse_constant=not_a_number)
    except json.JSONDecodeError as error:
        line = (place.line or 1) + error.lineno - 1
        raise InputError(f"not valid JSON: {error.msg}", replace(place, line=line)) from None
    except RecursionError:
        raise InputError("not valid JSON here: nested too deeply", place) from None
    except InputError:
        raise
    except ValueError:
        raise InputError("expected a finite number, got one of thousands of digits", place) from None
