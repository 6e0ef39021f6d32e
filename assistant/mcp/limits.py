"""How much a client may say at once: what is larger is refused before anything is computed."""

from __future__ import annotations

import json
from collections.abc import Mapping

from assistant.vocabulary.errors import InputError, Place

MOST_SAID = 4_000  # characters of a sentence or a question: two pages
MOST_LOG = 4_000_000  # characters of a log: nccl-tests on 512 nodes with NCCL_DEBUG=INFO prints about 3 MB
MOST_FIELDS = 65_536  # bytes of a questionnaire as JSON; one with every field and twenty quotes has 10,000
MOST_WIRE = 8_000_000  # bytes of one message: a log, with its line ends and signs escaped


def within(fields: Mapping[str, object]) -> Mapping[str, object]:
    """A questionnaire's fields. Raises :class:`InputError` when they are more than a job can have."""
    size = len(json.dumps(fields))
    if size > MOST_FIELDS:
        raise InputError(f"expected at most {MOST_FIELDS:,} bytes, got {size:,}", Place(field="questionnaire"))
    return fields
