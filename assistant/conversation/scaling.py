"""The planned job at other numbers of GPUs, for the plots: computed when somebody looks, kept for the plans of a
conversation."""

from __future__ import annotations

import datetime
import json

from assistant.library import Library
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.plan import Plan
from assistant.vocabulary.questionnaire import Questionnaire
from assistant.vocabulary.sweep import Axis, Sweep

DOUBLINGS = 3  # sizes tried: the job's own, three times doubled and three times halved
LARGEST = 32_768  # the largest published runs are below; each doubling beyond takes longer to search
MOST_KEPT = 16


class Scaling:
    """Sweeps of plans over their size. May be asked from several threads. ``today`` dates the prices."""

    def __init__(self, library: Library, today: datetime.date | None = None) -> None:
        self._library = library
        self._today = today
        self._kept: dict[str, Sweep | None] = {}

    def of(self, plan: Plan) -> Sweep | None:
        """The plan's job at the sizes of :func:`sizes`; ``None`` where it can be computed at none of them."""
        key = json.dumps(plan.questionnaire, sort_keys=True)
        if key not in self._kept:
            made = self._swept(plan)
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            self._kept[key] = made
        return self._kept.get(key)

    def _swept(self, plan: Plan) -> Sweep | None:
        from assistant.sweeps import sweep

        questionnaire = Questionnaire.model_validate(plan.questionnaire)
        axis = Axis(path="cluster.gpus", values=sizes(questionnaire.cluster.gpus), numeric=True)
        try:
            return sweep(questionnaire, [axis], self._library, today=self._today)
        except InputError:
            return None


def sizes(gpus: int) -> list[int]:
    """Numbers of GPUs around one, ascending: ``64`` → ``8, 16, 32, 64, 128, 256, 512``."""
    halved = [gpus // 2**n for n in range(DOUBLINGS, 0, -1) if gpus % 2**n == 0]
    doubled = [gpus * 2**n for n in range(1, DOUBLINGS + 1) if gpus * 2**n <= LARGEST]
    return [*halved, gpus, *doubled]
