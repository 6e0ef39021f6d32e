"""Expert dispatch and combine as they were measured, beside the model; and which rows its constants may be fitted to.

``knowledge/measurements/dispatch.csv`` holds one call per row: tokens of a rank sent to the ranks of their experts
(dispatch) or back and summed (combine). ``seconds`` is as printed or, where a source prints bandwidth alone, tokens ×
domains (inside one domain: ranks) that a token goes to, its own counted, × bytes of a token ÷ that bandwidth.
``kernel``: ``once`` sends a token once to every domain, for training and prompts; ``direct`` sends every copy straight
to its expert's rank and waits for nothing else, for decoding ("low latency").

Written down before the first fit, of both kernels alike:

- for calibration: DeepEP's own table on H800, and SGLang 0.5.6's sweep on H100 with 8 and 16 ranks;
- kept out as whole sources: UCCL-EP and SGLang 0.5.12; as whole GPU generations: H200 and MI300X; and of the sweep the
  largest group, 32 ranks on H100, so that growth with the group is judged too; of ``direct`` also DeepEP's own table
  on H800, 8 to 256 ranks, so that its calibration is SGLang 0.5.6's sweep with 8 and 16 ranks alone;
- of training steps: DeepSeek-V3's published step on 2,048 H800, the eight 12-layer runs on 32 H200 with NCCL and
  UCCL-EP, the runs with and without overlap on 16 H100, and whatever ``split`` keeps out of mixtures in
  ``training.csv`` (gpt-oss, Grok-1, Mixtral). Of DeepSeek's kernel trace on 64 H800 the share of expert communication
  that nothing hides is used; the step that was published for 2,048 GPUs is not.
"""

import csv
import datetime
import itertools
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import numpy as np

from assistant.library import load
from assistant.model import Machine, machine_of, network_of
from assistant.model.collectives import Group, Wires, group
from assistant.model.dispatch import SCALE_BYTES, DispatchConstants, Routing, call_time, dispatch_from
from assistant.model.network import Networks
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.large_messages import NETWORK_SPREAD
from assistant.vocabulary.quantities import NINETIETH
from assistant.vocabulary.validation import DispatchAccuracy, Use

from .least_squares import fitted
from .record import rewritten

TABLE = "dispatch.csv"
ONCE = ("inside", "network", "start", "combine_start", "per_domain")
DIRECT = ("direct_inside", "direct_network", "direct_start", "direct_far")
FITTED = (*ONCE, *DIRECT)
MANY_TOKENS = 1024  # of a rank: from there on bandwidth decides, as in training; below it the start of the kernels


@dataclass(frozen=True)
class Call:
    """One measured dispatch or combine. ``copy_bytes``: all tokens of a rank, one copy of each."""

    source: str
    use: str
    machine: Machine
    fabric: str
    operation: str
    tokens: int
    copy_bytes: float
    routing: Routing
    wires: Wires
    ranks: Group
    seconds: float

    @property
    def alike(self) -> tuple[str, str, int, str, bool]:
        """What near-duplicates share: they count as one row in the fit."""
        return self.source, self.machine.gpu, self.machine.gpus, self.operation, self.tokens >= MANY_TOKENS


def read_calls(folder: Path, catalog: Catalog) -> list[Call]:
    """The calls of the table in ``folder`` that are not excluded, in its order."""
    with (folder / TABLE).open(encoding="utf-8", newline="") as file:
        return [_call(row, catalog) for row in csv.DictReader(file) if row["use"] != "excluded"]


def _call(row: Mapping[str, str], catalog: Catalog) -> Call:
    gpu, gpus, per_node = catalog.gpus[row["gpu"]], int(row["gpus"]), int(row["gpus_per_node"])
    machine = machine_of(gpu, catalog.scale_up_of(gpu, gpus, per_node), gpus, per_node, catalog.constants)
    wires = Wires(machine, Networks([network_of(catalog.fabrics[row["fabric"]], None, machine)]))
    tokens, element = int(row["tokens"]), 1.0 + SCALE_BYTES if row["element"] == "fp8" else 2.0
    return Call(
        source=row["source"],
        use=row["use"],
        machine=machine,
        fabric=row["fabric"],
        operation=row["operation"],
        tokens=tokens,
        copy_bytes=tokens * int(row["hidden"]) * element,
        routing=Routing(int(row["copies"]), float(row["nodes_per_token"] or np.inf), direct=row["kernel"] == "direct"),
        wires=wires,
        ranks=group(np.array([float(gpus)]), np.ones(1), machine.domain),
        seconds=float(row["seconds"]),
    )


def predicted(call: Call, constants: DispatchConstants | None = None) -> float:
    """Seconds the model predicts, with other constants when given."""
    combine, bytes_ = call.operation == "combine", np.array([call.copy_bytes])
    return float(call_time(call.wires, bytes_, call.ranks, call.routing, combine=combine, constants=constants).item())


def fit(calls: Sequence[Call]) -> DispatchConstants:
    """The constants that suit the calibration rows best: robust least squares on the logarithm of the seconds, groups
    of near-duplicates weighing alike. Each kernel has its own constants and rows."""
    found = DispatchConstants()
    for names, direct in ((ONCE, False), (DIRECT, True)):
        rows = [call for call in calls if call.use == "calibration" and call.routing.direct == direct]
        found = _fitted(found, names, rows) if rows else found
    return found


def _fitted(start: DispatchConstants, names: Sequence[str], used: Sequence[Call]) -> DispatchConstants:
    often = Counter(call.alike for call in used)
    weight = np.array([1.0 / often[call.alike] for call in used])
    values = {name: getattr(start, name) for name in names}

    def errors(tried: Mapping[str, float]) -> np.ndarray:
        constants = replace(start, **tried)
        return np.log([predicted(call, constants) / call.seconds for call in used])

    return replace(start, **fitted(values, errors, weight))


def dispatch_report(calls: Sequence[Call]) -> list[DispatchAccuracy]:
    """Errors of the kernels of training by source and GPU and of all, rows that judge before those that were fitted to,
    many tokens before few."""
    calls = [call for call in calls if not call.routing.direct]
    lines = []
    for use, many in itertools.product(("validation", "calibration"), (True, False)):
        chosen = [call for call in calls if call.use == use and (call.tokens >= MANY_TOKENS) == many]
        names = sorted({(call.source, call.machine.gpu) for call in chosen})
        for source, gpu in names:
            of = [call for call in chosen if (call.source, call.machine.gpu) == (source, gpu)]
            lines.append(_accuracy(source, gpu, of))
        lines += [_accuracy("", "", chosen)] if len(names) > 1 else []
    return lines


def _accuracy(source: str, gpu: str, calls: Sequence[Call]) -> DispatchAccuracy:
    ratio = np.array([predicted(call) / call.seconds for call in calls])
    spread = np.array([spread_of(call) for call in calls])
    error = ratio - 1.0
    return DispatchAccuracy(
        source=source,
        gpu=gpu,
        use=cast("Use", calls[0].use),
        many=calls[0].tokens >= MANY_TOKENS,
        rows=len(calls),
        mean_absolute=float(np.abs(error).mean()),
        median_absolute=float(np.median(np.abs(error))),
        p90_absolute=float(np.quantile(np.abs(error), 0.9)),
        bias=float(error.mean()),
        geometric=float(np.expm1(np.abs(np.log(ratio)).mean())),
        null_mean_absolute=one_constant(calls),
        covered=float((np.abs(np.log(ratio)) <= NINETIETH * spread).mean()),
    )


def spread_of(call: Call) -> float:
    """Standard deviation of the logarithm of its seconds: of the kernels, and not less than its network's."""
    spread = dispatch_from(call.machine.constants).spread
    return max(spread, NETWORK_SPREAD[call.wires.networks.networks[0].transport])


def one_constant(calls: Sequence[Call]) -> float:
    """Mean error of seconds ∝ bytes, with the one constant that is best for these very rows."""
    ratios = np.array([call.seconds / call.copy_bytes for call in calls])
    return float(min(np.abs(one / ratios - 1.0).mean() for one in ratios))


def main(arguments: Sequence[str]) -> None:
    """Fit, print constants as fitted and as shipped, and with ``--write`` put them into the catalog."""
    library = load()
    found = fit(read_calls(library.knowledge_folder / "measurements", library.catalog))
    shipped = dispatch_from(library.catalog.constants)
    for name in FITTED:
        print(f"{name:16} fitted {getattr(found, name):12.6g}   shipped {getattr(shipped, name):12.6g}")
    if "--write" in arguments:
        path = library.knowledge_folder / "catalog" / "constants" / "dispatch.yaml"
        values = {f"dispatch-{name.replace('_', '-')}": getattr(found, name) for name in FITTED}
        print(f"written: {rewritten(path, values, datetime.date.today())}")


if __name__ == "__main__":
    main(sys.argv[1:])
