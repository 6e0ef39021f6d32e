"""The memory of one process at length: ``python -m tests.long_sessions rules`` and ``… what-ifs``.

``rules``: the facts of random jobs, recorded while they are planned, go through the rules engine again and again, with
nothing remembered between them. ``what-ifs``: one conversation in which another number of GPUs is tried each time.
"""

from __future__ import annotations

import argparse
import datetime
import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from unittest import mock

from assistant.conversation import Conversation
from assistant.library import load
from assistant.reasoning.engine import Ruleset
from assistant.reasoning.reasoner import Reasoner
from tests.four_fields import answered, drawn

TODAY = datetime.date(2026, 11, 20)
_RECORDED = 60  # jobs whose facts are taken
Case = tuple[Reasoner, Mapping[str, Any], Sequence[Mapping[str, Any]]]


def resident_mb() -> float:
    """What of this process is in memory."""
    return int(Path("/proc/self/status").read_text().split("VmRSS:")[1].split()[0]) / 1024


def recorded() -> list[Case]:
    """What the rules are asked while some random jobs are planned."""
    library, cases, run = load(), [], Reasoner.run

    def noting(self: Reasoner, job: Any, candidates: Any, **more: Any) -> Any:
        if not more:
            cases.append((self, dict(job), [dict(one) for one in candidates]))
        return run(self, job, candidates, **more)

    with mock.patch.object(Reasoner, "run", noting):
        for job in itertools.islice(drawn(library, random.Random(1)), _RECORDED):
            answered(job, library)
    return cases


def rules(count: int) -> Iterator[str]:
    """As many jobs through the engine."""
    cases, asked, run = recorded(), 0, Ruleset.run

    def counted(self: Ruleset, *of: Any) -> Any:
        nonlocal asked
        asked += 1
        return run(self, *of)

    with mock.patch.object(Ruleset, "run", counted):
        for n, (reasoner, job, candidates) in enumerate(itertools.islice(itertools.cycle(cases), count), 1):
            reasoner._known.clear()
            for matcher in reasoner._matchers:
                for known in matcher._known:
                    known.clear()
            reasoner.run(job, candidates)
            if n == 100 or n % 5_000 == 0 or n == count:
                yield f"{n:,} jobs ({len(cases)} sets of facts), {asked:,} runs of the engine: {resident_mb():.1f} MB"


def what_ifs(count: int) -> Iterator[str]:
    """As many answers of one conversation."""
    talk = Conversation(load(), today=TODAY)
    talk.start()
    talk.say("pretrain llama 3.1 8b on 64 H100 for two weeks; Lambda asks $2.49 with RoCE, Crusoe $2.60 with NDR")
    for n in range(1, count + 1):
        assert talk.say(f"what if we had {8 * (1 + n % 60)} GPUs instead?")
        if n == 1 or n % 50 == 0 or n == count:
            yield f"{n} what-ifs: {resident_mb():.1f} MB"


def main() -> None:
    """As the options say."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("what", choices=("rules", "what-ifs"))
    options.add_argument("--count", type=int)
    given = options.parse_args()
    of, usual = (rules, 100_000) if given.what == "rules" else (what_ifs, 400)
    for line in of(given.count or usual):
        print(line, flush=True)


if __name__ == "__main__":
    main()
