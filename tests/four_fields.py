"""Random questionnaires of the four fields that are needed: ``python -m tests.four_fields --count 900 --seed 1``.

What the program assumes beside them may never be refused, so each is planned, and each has an answer. The numbers of
GPUs are drawn by their logarithm up to a million, among them primes and such as no machine comes in.
"""

from __future__ import annotations

import argparse
import collections
import datetime
import random
import sys
from collections.abc import Iterator
from typing import Any, get_args

from assistant.library import Library, load
from assistant.library.questionnaires import from_value
from assistant.planning import plan
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.questionnaire import Workload

MOST_GPUS = 1_000_000
TODAY = datetime.date(2026, 11, 20)


def drawn(library: Library, chance: random.Random) -> Iterator[dict[str, Any]]:
    """Questionnaires without end: every workload, model and GPU of the catalog, 1 to a million GPUs."""
    models, gpus = list(library.catalog.models), list(library.catalog.gpus)
    while True:
        count = round(MOST_GPUS ** chance.random())
        cluster = {"gpu": chance.choice(gpus), "gpus": chance.choice((count, 1 << count.bit_length() - 1))}
        yield {"workload": chance.choice(get_args(Workload)), "model": chance.choice(models), "cluster": cluster}


def answered(questionnaire: dict[str, Any], library: Library) -> str:
    """The verdict of its plan, or what was said or raised instead of one."""
    try:
        found = plan(from_value(questionnaire, library.catalog), library, index=None, today=TODAY).recommendation
        return found.verdict if found.headline and (found.fabric or found.verdict == "infeasible") else "no answer"
    except InputError as error:
        return f"refused: {error}"
    except Exception as error:  # whatever it is, it is no answer
        return f"{type(error).__name__}: {error}"


def main() -> None:
    """As the options say; ends with code 1 where one has no answer."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--count", type=int, default=900)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    library, counts = load(), collections.Counter[str]()
    jobs = drawn(library, random.Random(given.seed))
    for _, job in zip(range(given.count), jobs, strict=False):
        found = answered(job, library)
        verdict = found if found in ("recommended", "no-network-needed", "infeasible") else "without an answer"
        counts[verdict] += 1
        if verdict == "without an answer":
            print(job, found, flush=True)
    print(", ".join(f"{verdict} {count}" for verdict, count in counts.most_common()))
    sys.exit(bool(counts["without an answer"]))


if __name__ == "__main__":
    main()
