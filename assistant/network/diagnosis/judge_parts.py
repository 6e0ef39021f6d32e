"""Which part it is: the adapter, host, rank or GPU that stays behind the others, as far as the log tells them apart."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from assistant.vocabulary.answers import DiagnosisFinding

from .by_rank import slow_ranks
from .debug_lines import DebugLog
from .judge_tests import SLOW
from .runs import Run, collective_of, ranks_of
from .signatures import Speed, as_information, finding, read
from .slow import DROP, Slow
from .sweeps import Sweeps, Trial, slow_of, slow_pairs
from .tools import Tools, of_the_back, of_the_front

_NAMED = 4  # of many that are slow
_FEWEST = 3  # adapters of a host, of which most show what is usual
_SHOWN, _LISTED = 8, 32  # adapters that a sentence names, and that a value of a variable does
SMALL = 1024  # bytes of a packet of RDMA: what an interface's MTU of 1500 leaves room for
_RAILS = (4, 8, 16)  # ports of a node between GPUs
THROTTLED_FROM = 100  # periods of 0.1 s that say something
EMPTY, HELD = 2048, 8192  # MiB: what the driver and an idle context take at most, and what a program holds
THROTTLED = 0.1  # of them: from here on threads of the network wait for their CPU


def findings(
    runs: list[Run], log: DebugLog, tools: Tools, sweeps: Sweeps, speed: Speed, ran: bool = False, machine: str = ""
) -> Iterator[DiagnosisFinding]:
    """Everything that names a part; ``ran``: the job connected its ranks and no request failed; ``machine``: of a
    cloud, as lines name it."""
    yield from _slower_adapters(log, tools, speed, ran)
    yield from _not_of_the_back_end(log, tools, speed)
    yield from _slow_interface(log, tools)
    yield from _missing_adapters(log, speed)
    yield from _missing_nics(log, speed)
    yield from _nics_of_the_machine(log, machine, speed)
    yield from _down_adapters(log, tools, speed)
    differ = list(_packets(log, tools))
    yield from map(as_information, differ) if speed == "fine" else differ
    for told in (*throttled(tools, speed), *_braked(tools)):
        yield as_information(told) if speed == "fine" else told
    for told in (*_swapped(tools), *_exchanged(tools), *_path_mtu(tools)):
        yield as_information(told) if speed == "fine" or (ran and speed != "slow") else told
    for told in (*_older_links(tools), *_memory_held(tools), *_uncorrected(tools)):
        yield as_information(told) if speed == "fine" else told
    across = len({host for run in runs for host in run.hosts}) > 1  # NVLink within a host says nothing of its PCIe
    for told in (*_fewer_lanes(tools), *_fewer_than_beside(tools)):
        yield as_information(told) if speed == "fine" and across else told
    yield from tools.matrix.findings(slow=speed in ("slow", "short"))
    yield from tools.copies.findings()
    if speed != "fine":
        yield from _limited(tools)
    if speed in ("slow", "short"):
        yield from _narrow_lanes(log)
        yield from _busy(tools)
    yield from _heat(tools, speed)
    yield from _clocks(tools, speed)
    yield from _told(slow_ranks(sweeps.by_rank, log.per_host))
    trials = {**sweeps.trials, **_of_runs(runs)}
    for (kind, _, unit), its in trials.items():
        slow = slow_of(kind, its, unit)
        yield from _told(slow or (slow_pairs(its, unit) if kind == "pair" else []))


def _told(slow: Sequence[Slow]) -> Iterator[DiagnosisFinding]:
    for each in slow[:_NAMED]:
        said = {
            "who": each.name,
            "trials": each.trials,
            "best": each.best,
            "usual": each.usual,
            "unit": _shown(each.unit),
        }
        once = each.kind == "host" and each.trials == 1
        told = finding("slow-host-once" if once else _FINDING[each.kind], each.line, **said)
        faint = each.kind == "pair" and SLOW * each.usual < each.best < each.usual / SLOW
        yield as_information(told) if faint else told


def _shown(unit: str) -> str:
    """The unit of what a headline names; nccl-tests prints its bandwidths in GB/s."""
    return {"busbw": "GB/s", "algbw": "GB/s", "bw": "", "bandwidth": "", "latency": ""}.get(unit, unit)


_FINDING = {
    "host": "slow-host",
    "pair": "slow-pair",
    "rank": "slow-rank",
    "rank-of-a-stage": "slow-rank-of-a-stage",
    "adapter": "adapter-slower-in-trials",
}


def _of_runs(runs: list[Run]) -> dict[tuple[str, str, str], list[Trial]]:
    """The tables of nccl-tests as trials: of their hosts, or of the one adapter each was given."""
    trials: dict[tuple[str, str, str], list[Trial]] = defaultdict(list)
    one_each = len({run.adapters for run in runs}) > 1 and all(len(run.adapters) == 1 for run in runs)
    for run in runs:
        if run.peak <= 0:
            continue
        hosts = tuple(sorted(run.hosts or run.named))
        of = f"{collective_of(run)} of {ranks_of(run)} ranks"  # what more of them reach is another thing
        if one_each:
            trials["adapter", of, "GB/s"].append(Trial(run.line, run.adapters, run.peak, run.peak))
        elif hosts:
            kind = "pair" if len(hosts) > 1 else "host"
            trials[kind, of, "GB/s"].append(Trial(run.line, hosts, run.peak, run.peak))
    return trials


def _slower_adapters(log: DebugLog, tools: Tools, speed: Speed, ran: bool) -> Iterator[DiagnosisFinding]:
    """An adapter whose rate is below that of the same one on other hosts, or of most others of its host: that one may
    be meant for storage, and is told of a slow job alone."""
    known = {**_of_topology(log), **tools.adapter_rates, **log.speeds}
    rates = {place: each for place, each in known.items() if place not in tools.down}
    used = {name for name, _ in log.device_list or []} & {name for _, name in rates}
    of_name, of_host = defaultdict[str, list[float]](list), defaultdict[tuple[str, str], list[float]](list)
    layer = lambda place: tools.layers.get(place, ("", 0))[
        0
    ]  # an Ethernet port beside InfiniBand's is for other things
    for (host, name), (rate, _) in rates.items():
        of_name[name].append(rate)
        if not used or name in used:
            of_host[host, layer((host, name))].append(rate)
    elsewhere = {name: sorted(its)[len(its) // 2] for name, its in of_name.items()}
    beside = {place: _most(its) for place, its in of_host.items()}
    slow = list[tuple[int, str, float, float, bool]]()
    for (host, name), (rate, line) in rates.items():
        alone = len(of_name[name]) == 1
        usual = beside[host, layer((host, name))] if alone and (not used or name in used) else elsewhere[name]
        if rate < DROP * usual:
            slow.append((line, f"{name} on {host}" if host else name, rate, usual, alone))
    if len(slow) > max(2, len(rates) // 4):
        return
    for line, where, rate, usual, alone in slow[:_NAMED]:
        told = finding("adapter-slower", line, who=where, rate=rate, usual=usual, share=rate / usual)
        may_be_meant = alone and speed != "slow" and (ran or len(slow) > 1)
        yield as_information(told) if speed == "fine" or may_be_meant else told


def _of_topology(log: DebugLog) -> dict[tuple[str, str], tuple[float, int]]:
    """Gb/s and line by host and adapter, as NCCL prints the topology: adapters are numbered there as listed."""
    lists = {host: [name for name, _ in listed] for host, (listed, _) in log.listed.items()}
    return {(host, lists[host][at]): rate for (host, at), rate in log.links.items() if at < len(lists.get(host, ()))}


def _not_of_the_back_end(log: DebugLog, tools: Tools, speed: Speed) -> Iterator[DiagnosisFinding]:
    """Adapters that NCCL_IB_HCA chooses while faster ones of the same host, or those of the network between GPUs by the
    names of their interfaces, are left out; in a slow job also most adapters."""
    line, value = log.settings.get("NCCL_IB_HCA", (0, ""))
    exact = value[1:].split(",") if value.startswith("=") and not log.device_list else []
    chosen = {name.partition(":")[0] for name in exact} or {name for name, _ in log.device_list or []}
    known = defaultdict[str, dict[str, str]](dict)
    for (host, name), (netdev, _) in tools.netdevs.items():
        known[host][name] = netdev
    host = max(
        (host for host, its in known.items() if chosen <= its.keys()), key=lambda one: len(known[one]), default=""
    )
    its, rates = known[host], {name: rate for (at, name), (rate, _) in tools.adapter_rates.items() if at == host}
    rates |= {name: rate for (_, name), (rate, _) in log.speeds.items() if name in chosen}
    left = [name for name in its if name not in chosen and (host, name) not in tools.down]
    if not (value and chosen and chosen <= its.keys() and len(left) >= len(chosen)):
        return
    ours, others = ([rates[name] for name in names if name in rates] for names in (sorted(chosen), left))
    faster = bool(ours and others) and max(ours) < min(others)
    behind = of_the_front(its[name] for name in chosen) and of_the_back(its[name] for name in left)
    said = {
        "value": value[:80],
        "chosen": _shown_with(sorted(chosen), its, rates),
        "left": _shown_with(left, its, rates),
    }
    if faster or (behind and not (ours and others and max(ours) > max(others))):
        told = finding("adapters-not-of-the-back-end", line, **said, names=",".join(left[:_LISTED]))
        yield as_information(told) if speed == "fine" else told
    elif speed in ("slow", "short") and len(left) >= _FEWEST * len(chosen) > _FEWEST:
        yield finding("adapters-not-chosen", line, **said, count=len(chosen), all=len(its))


def _shown_with(names: list[str], netdevs: dict[str, str], rates: dict[str, float]) -> str:
    """Adapters with their interfaces, and their rate where all that is known of it is the same."""
    known = {rates[name] for name in names if name in rates}
    rate = f" of {known.pop():g} Gb/s" if len(known) == 1 else ""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(f"{name} ({netdevs[name]})" for name in names[:_SHOWN]) + more + rate


def _slow_interface(log: DebugLog, tools: Tools) -> Iterator[DiagnosisFinding]:
    """Sockets over an interface that is much slower than another one of the host."""
    rates = {name: (rate, line) for (_, name), (rate, line) in tools.rates.items()}
    used = next((name for name in log.socket_interfaces if name in rates), None)
    if log.transport != "tcp-socket" or used is None:
        return
    best = max(rates, key=lambda name: rates[name][0])
    if rates[used][0] < 0.5 * rates[best][0]:
        rate, line = rates[used]
        yield finding("slow-interface", line, used=used, rate=rate, other=best, most=rates[best][0])


def _narrow_lanes(log: DebugLog) -> Iterator[DiagnosisFinding]:
    """Adapters behind a PCIe link that is narrower, or of an older kind, than that of most others of their host."""
    usual = {host: _most([rate for (at, _), (rate, _) in log.lanes.items() if at == host]) for host, _ in log.lanes}
    narrow = [(who, each) for who, each in log.lanes.items() if each[0] < DROP * usual[who[0]]]
    for (host, name), (rate, line) in narrow[:_NAMED]:
        yield finding("lanes-narrower", line, who=f"{name} on {host}", rate=rate, usual=usual[host])


def _fewer_lanes(tools: Tools) -> Iterator[DiagnosisFinding]:
    """Devices with fewer lanes of PCIe than they can have, where the others have theirs: a board may give all of them
    half, and lanes, other than their rate, are not saved by idling."""
    few = {place: each for place, each in tools.lanes.items() if each[0] < each[1]}
    for (host, name), (lanes, most, line) in [*few.items()][:_NAMED]:
        if len(few) < len(tools.lanes) or len(few) == 1:  # all of them: a board that has no more
            who = f"{name or 'a device'}{f' on {host}' if host else ''}"
            yield finding("lanes-fewer", line, who=who, lanes=lanes, most=most)


def _fewer_than_beside(tools: Tools) -> Iterator[DiagnosisFinding]:
    """GPUs with fewer lanes of PCIe than most others of their host, where it is not said how many they can have."""
    usual = {
        host: _most([lanes for (at, _), (lanes, _) in tools.widths.items() if at == host]) for host, _ in tools.widths
    }
    few = [(place, each) for place, each in tools.widths.items() if each[0] < usual[place[0]]]
    for (host, name), (lanes, line) in few[:_NAMED]:
        yield finding("lanes-fewer", line, who=f"{name}{f' on {host}' if host else ''}", lanes=lanes, most=usual[host])


def _older_links(tools: Tools) -> Iterator[DiagnosisFinding]:
    """GPUs at work whose PCIe link is of an older generation than they can."""
    slow = {gpu: each for gpu, each in tools.gens.items() if each[0] < each[1]}
    if slow and len(slow) < len(tools.gens):
        gen, most, line = min(slow.values())
        yield finding("link-of-older-generation", line, gpus=_places(slow), gen=gen, most=most)


def _memory_held(tools: Tools) -> Iterator[DiagnosisFinding]:
    """GPUs whose memory is taken, and which do not work, while that of most others of their host is empty."""
    amounts = sorted(amount for amount, _ in tools.memory.values())
    if len(amounts) < _FEWEST or amounts[(len(amounts) - 1) // 2] > EMPTY:
        return
    held = {gpu: each for gpu, each in tools.memory.items() if each[0] > HELD and gpu not in tools.at_work}
    if held:
        amount, line = max(held.values())
        yield finding("memory-held", line, gpus=_places(held), gib=amount / 1024)


def _limited(tools: Tools) -> Iterator[DiagnosisFinding]:
    """GPUs whose limit of power was set well below what they come with."""
    low = {gpu: each for gpu, each in tools.limits.items() if each[0] < DROP * each[1]}
    if low:
        limit, usual, line = min(low.values())
        yield finding("gpu-power-limited", line, gpus=_places(low) or "of the host", limit=limit, usual=usual)


def _uncorrected(tools: Tools) -> Iterator[DiagnosisFinding]:
    if tools.uncorrected:
        yield finding("memory-errors-counted", min(tools.uncorrected.values()), gpus=_places(tools.uncorrected))


def _busy(tools: Tools) -> Iterator[DiagnosisFinding]:
    """Processes on the GPUs of a slow test that are no test."""
    by_name = defaultdict[str, list[tuple[str, str]]](list)
    for place, (name, _) in tools.busy.items():
        by_name[name].append(place)
    if by_name:
        said = "; ".join(f"{name} on {_places(its)}" for name, its in [*by_name.items()][:_NAMED])
        yield finding("gpu-busy", min(line for _, line in tools.busy.values()), who=said)


def _most(rates: list[float]) -> float:
    """The rate that nearly all adapters of a host have, 0 where they differ."""
    rate, count = Counter(rates).most_common(1)[0] if rates else (0.0, 0)
    return rate if count >= max(_FEWEST - 1, 0.75 * len(rates)) else 0.0


def _missing_adapters(log: DebugLog, speed: Speed) -> Iterator[DiagnosisFinding]:
    """A host that lists fewer adapters than the others."""
    most = max((len(listed) for listed, _ in log.listed.values()), default=0)
    whole = next(({name for name, _ in listed} for listed, _ in log.listed.values() if len(listed) == most), set[str]())
    for host, (listed, line) in log.listed.items():
        missing = sorted(whole - {name for name, _ in listed})
        if 0 < len(listed) < most and len(missing) == most - len(listed):
            said = {"host": host, "listed": len(listed), "most": most, "names": ", ".join(missing[:8])}
            told = finding("adapters-missing", line, **said)
            yield as_information(told) if speed == "fine" else told
            return


def _missing_nics(log: DebugLog, speed: Speed) -> Iterator[DiagnosisFinding]:
    """A host on which libfabric finds fewer interfaces than on the others."""
    most = max((count for count, _ in log.nics_found.values()), default=0)
    fewer = {host: each for host, each in log.nics_found.items() if each[0] < most}
    for host, (count, line) in [*fewer.items()][:_NAMED]:
        told = finding("nics-missing", line, host=host, count=count, most=most)
        yield as_information(told) if speed == "fine" else told


def _nics_of_the_machine(log: DebugLog, machine: str, speed: Speed) -> Iterator[DiagnosisFinding]:
    """Fewer interfaces found than the machine has for the GPUs that the job uses of it, as a pod may have been given
    some alone: not one for each GPU where it has that many, as plugins that join several of a GPU count these as one.
    Where no line tells how many GPUs are used nothing follows."""
    known = next((one for one in read("machines_with_efa") if re.fullmatch(one["named"], machine, re.IGNORECASE)), None)
    used = max(log.local_ranks, log.per_host, log.last_gpu + 1)
    if known is None or not used or not log.nics_found:
        return
    gpus = min(used, known["gpus"])
    share = max(1, known["nics"] * gpus // known["gpus"])
    count, line = max(log.nics_found.values())
    if 0 < count < min(share, gpus):
        part = f" for {gpus} of its {known['gpus']} GPUs" if gpus < known["gpus"] else ""
        told = finding("nics-fewer-than-of-the-machine", line, count=count, most=share, machine=machine, part=part)
        yield as_information(told) if speed == "fine" else told


def _down_adapters(log: DebugLog, tools: Tools, speed: Speed) -> Iterator[DiagnosisFinding]:
    used = {name for name, _ in log.device_list or []}
    for (host, name), line in list(tools.down.items())[:_NAMED]:
        if name in used:
            told = finding("adapter-down", line, who=f"{name} on {host}" if host else name)
            yield as_information(told) if speed == "fine" else told
    if not used and speed == "no-table":
        yield from _missing_rail(tools)


def _missing_rail(tools: Tools) -> Iterator[DiagnosisFinding]:
    """In a list of ports, where nothing tells which are used, the one port that is down among as many of its kind as
    nodes have rails: one more than that is there for other things, or is spare."""
    by_kind = defaultdict[tuple[str, str], list[str]](list)
    for (host, name), (layer, _) in tools.layers.items():
        by_kind[host, layer].append(name)
    for (host, layer), names in by_kind.items():
        down = [name for name in names if (host, name) in tools.down]
        if len(down) == 1 and len(names) in _RAILS and layer == "InfiniBand":
            who = f"{down[0]} on {host}" if host else down[0]
            yield finding("rail-down", tools.down[host, down[0]], who=who, others=len(names) - 1)


def _packets(log: DebugLog, tools: Tools) -> Iterator[DiagnosisFinding]:
    """Packet sizes that differ between the two ends of a path, or are small on all of it."""
    sizes = {size for size, _ in log.packets.values()}
    if len(sizes) > 1:
        (host, (small, line)) = min(log.packets.items(), key=lambda each: each[1][0])
        other = next(one for one, (size, _) in log.packets.items() if size == max(sizes))
        yield finding("mtu-differs", line, said=f"{max(sizes)} on {other}, {small} on {host}")
    elif sizes and max(sizes) <= SMALL:
        yield finding("small-mtu", min(line for _, line in log.packets.values()))
    of_device: dict[str, dict[str, tuple[float, int]]] = defaultdict(dict)
    for (host, device), size in tools.mtus.items():
        of_device[device][host] = size
    for device, on in of_device.items():
        least, most = min(on, key=lambda host: on[host][0]), max(on, key=lambda host: on[host][0])
        if on[least][0] < on[most][0]:
            ends = f"{on[most][0]:g} on {most or 'one'}, {on[least][0]:g} on {least or 'another'}"
            said = f"{device} {ends}" if device else ends
            yield finding("mtu-differs", on[least][1], said=said)
            return
        if not sizes and log.transport in ("roce", "gib") and on[most][0] <= SMALL:
            yield finding("small-mtu", on[most][1])
            return
    if tools.unequal and not sizes:
        device, one, other, line = tools.unequal
        yield finding("mtu-differs", line, said=f"{device} {one:g} here, {other:g} there")


def throttled(tools: Tools, speed: Speed) -> Iterator[DiagnosisFinding]:
    """A container whose CPU time ends before its periods do."""
    for host, said in tools.cpu.items():
        (periods, _), (ended, line) = said.get("periods", (0.0, 0)), said.get("throttled", (0.0, 0))
        if periods >= THROTTLED_FROM and ended >= THROTTLED * periods:
            cpus = f" of {said['cpus'][0]:g} CPUs" if "cpus" in said else ""
            told = finding("cpu-throttled", line, where=f" on {host}" if host else "", cpus=cpus, share=ended / periods)
            yield told if speed == "slow" or ended >= 0.5 * periods else as_information(told)


def _swapped(tools: Tools) -> Iterator[DiagnosisFinding]:
    """An adapter that is cabled to the switch on which the other hosts have another adapter."""
    of_name = defaultdict[str, list[str]](list)
    for (_, name), (switch, _) in tools.switches.items():
        of_name[name].append(switch)
    usual = dict[str, str]()
    for name, its in of_name.items():
        switch, count = Counter(its).most_common(1)[0]
        if len(its) >= _FEWEST and count >= 2 / 3 * len(its):
            usual[name] = switch
    wrong = defaultdict[str, list[tuple[str, int]]](list)
    for (host, name), (switch, line) in tools.switches.items():
        meant = usual.get(name, switch)
        if switch != meant and switch in usual.values():
            wrong[host].append((f"{name} is on {switch} in place of {meant}", line))
    for host, said in [*wrong.items()][:_NAMED]:
        yield finding("rails-swapped", said[0][1], host=host, said=", ".join(each for each, _ in said[:_NAMED]))


def _exchanged(tools: Tools) -> Iterator[DiagnosisFinding]:
    """Of two hosts, two adapters of which each is on the switch where the other host has the other one."""
    hosts = sorted({host for host, _ in tools.switches})
    if len(hosts) != 2:
        return
    one, other = ({name: its for (at, name), its in tools.switches.items() if at == host} for host in hosts)
    both = [name for name in one if name in other]
    for name in both:
        if one[name][0] == other[name][0]:
            continue
        twin = next((each for each in both if other[each][0] == one[name][0] != one[each][0] == other[name][0]), None)
        if twin:
            said = f"{name} is on {other[name][0]}, which is where {hosts[0]} has {twin}"
            yield finding("rails-swapped", other[name][1], host=hosts[1], said=said)
            return


def _braked(tools: Tools) -> Iterator[DiagnosisFinding]:
    if tools.braked:
        yield finding("gpu-slowed-by-hardware", min(tools.braked.values()), gpus=_places(tools.braked))


def _path_mtu(tools: Tools) -> Iterator[DiagnosisFinding]:
    """Packets that may not be cut, of which the small ones pass and the large ones vanish."""
    lost = {size: line for size, (loss, line) in tools.pings.items() if loss >= 100}
    passed = [size for size, (loss, _) in tools.pings.items() if loss == 0]
    if lost and passed and min(lost) > max(passed):
        yield finding("path-mtu", lost[min(lost)], lost=min(lost), passed=max(passed))


def _places(places: Iterable[tuple[str, str]]) -> str:
    """GPUs by host, as text."""
    by_host = defaultdict[str, list[str]](list)
    for host, gpu in places:
        by_host[host] += [gpu] if gpu else []
    listed = (f"{', '.join(gpus[:8])}{f' on {host}' if host else ''}" for host, gpus in by_host.items() if gpus)
    return "; ".join(list(listed)[:_NAMED])


def _heat(tools: Tools, speed: Speed) -> Iterator[DiagnosisFinding]:
    if tools.hot:
        gpus = _places(tools.hot)
        yield finding("thermal-slowdown", min(tools.hot.values()), gpus=f": {gpus}" if gpus else "")
    elif tools.capped and speed == "slow":
        yield finding("gpu-power-capped", min(tools.capped.values()), gpus=_places(tools.capped))


def _clocks(tools: Tools, speed: Speed) -> Iterator[DiagnosisFinding]:
    """A GPU of several that runs at a lower clock than the others, where the job is slow."""
    rates = sorted(clock for clock, _ in tools.clocks.values())
    if speed != "slow" or tools.hot or tools.braked or len(rates) < _FEWEST:
        return
    usual = rates[len(rates) // 2]
    low = {gpu: each for gpu, each in tools.clocks.items() if each[0] < DROP * usual}
    if low and len(low) <= len(rates) // 2:
        (clock, line) = min(low.values())
        yield finding("gpu-clock-low", line, gpus=_places(low), clock=clock, usual=usual)
