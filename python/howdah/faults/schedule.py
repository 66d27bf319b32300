"""Schedules of faults: read from lines and files, checked against their targets, drawn at random."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Literal, NamedTuple

from howdah.documents.read import DocumentKind
from howdah.errors import UserError
from howdah.faults.grammar import APPLICATION_MASTER, EXAMPLE, PAIRS, parse_fault, parse_time
from howdah.model.engines import FAULT
from howdah.model.faults import (
    AT_ONCE,
    OF_PLACES,
    Action,
    ClusterFault,
    FaultFile,
    FaultTarget,
    Moment,
    Place,
)
from howdah.units import listed

_OF_DISKS = frozenset({Action.SLOW_DISK, Action.FILL_DISK, Action.FAIL_DISK, Action.WIPE_DISK})
_OF_LINKS = frozenset({Action.CUT_LINK, Action.CUT_LINK_IN, Action.CUT_LINK_OUT, Action.SLOW_LINK})
_PROCESSES = frozenset({Action.KILL, Action.PAUSE, Action.RESTART, Action.WIPE, Action.LOSE})
_CONFLICTING: tuple[frozenset[Action], ...] = (
    _PROCESSES,
    _OF_LINKS | {Action.LOSE},
    frozenset({Action.SLOW_DISK, Action.FAIL_DISK}),
    frozenset({Action.FILL_DISK, Action.FAIL_DISK}),
    # Failed disks are mounted again, and wiped ones are replaced: all daemons on them are restarted.
    _PROCESSES | {Action.FAIL_DISK, Action.WIPE_DISK},
    frozenset({Action.FILL_DISK, Action.WIPE_DISK}),
    # The NodeManager of a drained worker ends by itself.
    _PROCESSES | {Action.DRAIN},
)
"""Two faults of one set cannot be active on one machine: the revert of one would end the other."""
_SHORTEST_S, _LONGEST_S = 5, 20


_DRAW = "random"  # The first word of a line that requests random faults.
_RANDOM = re.compile(r"random +(\d{1,4}) +seed +(\d{1,18}) +within +(.+)")
_FILE = DocumentKind(
    "a list of faults", "give a file with a list 'faults:' of lines as --fault takes them", FaultFile
)


class TargetMachine(NamedTuple):
    """A machine that a fault may hit."""

    name: str
    kind: Literal["worker", "master"]
    host: str
    rack: str
    daemons: tuple[str, ...]
    disks: int  # Its separate data disks.

    def of(self, place: Place) -> str | None:
        """Its own name, or that of its host or rack; None if the place is of another kind."""
        if place in ("host", "rack"):
            return self.host if place == "host" else self.rack
        return self.name if self.kind == place else None


class Targets(NamedTuple):
    """The machines that faults may hit."""

    members: tuple[TargetMachine, ...]
    rootless: bool = False  # Whether its machines have no separate links and disks.
    shared: Mapping[str, Sequence[str]] = {}  # By host the other labs with machines on it.

    def at(self, target: FaultTarget) -> tuple[TargetMachine, ...]:
        """Return the machines of a place, or those where a daemon may run."""
        if target.place is not None:
            return tuple(machine for machine in self.members if machine.of(target.place) == target.name)
        running = (machine for machine in self.members if target.daemon in machine.daemons)
        return tuple(machine for machine in running if target.machine in (None, machine.name))

    def check(self, fault: ClusterFault, where: str) -> None:
        """Raise UserError if a fault has no target here, or is impossible here."""
        target = fault.target
        machines = self.at(target)
        if not machines and target.daemon != APPLICATION_MASTER:
            raise UserError(where, f"{target.text} is unknown in this cluster", self._hint(target))
        has_yarn = any("nodemanager" in machine.daemons for machine in self.members)
        if target.daemon == APPLICATION_MASTER and not has_yarn:
            problem = "this cluster has no YARN, and so no application master"
            raise UserError(where, problem, "name a daemon of the JVM")
        if target.state == "standby" and len(machines) < 2:
            raise UserError(where, f"the only {target.daemon} has no standby", f"{target.daemon}:active")
        if fault.action in _OF_DISKS and not any(machine.disks for machine in machines):
            hint = "name a worker of a lab built as root"
            raise UserError(where, f"{target.text} has no separate data disks", hint)
        if fault.action is Action.DRAIN:
            self._check_drained(fault, machines, where)
        if fault.action in _OF_LINKS and self.rootless:
            raise UserError(where, "a lab built without root has no links", "build it as root")
        if target.place in ("host", "rack") and fault.action not in _OF_DISKS:
            self._check_own(where, machines)

    def _check_drained(self, fault: ClusterFault, machines: Sequence[TargetMachine], where: str) -> None:
        """Raise UserError for masters, and if no worker would remain."""
        if fault.target.place is None or any("datanode" not in machine.daemons for machine in machines):
            raise UserError(where, "only workers can be drained", "drain worker:NAME")
        if all(machine in machines for machine in self.members if "datanode" in machine.daemons):
            raise UserError(where, "no DataNode would be left", "name a single worker: drain worker:NAME")

    def _check_own(self, where: str, machines: Sequence[TargetMachine]) -> None:
        """Raise UserError for a fault of a host that other labs use, too."""
        for machine in machines:
            if labs := listed(self.shared.get(machine.host, ())):
                problem = f"{machine.host} also has machines of {labs}, which would be lost with it"
                hint = f"take down {labs}, or name machines: {machine.kind}:{machine.name}"
                raise UserError(where, problem, hint)

    def _hint(self, target: FaultTarget) -> str:
        if target.place is not None:
            places = (machine.of(target.place) for machine in self.members)
            names = dict.fromkeys(name for name in places if name is not None)
            return f"one of {', '.join(names)}"
        if hosts := [machine.name for machine in self.members if target.daemon in machine.daemons]:
            return f"{target.daemon} runs on {', '.join(hosts)}"
        daemons = (daemon for machine in self.members for daemon in machine.daemons)
        return f"one of {', '.join(dict.fromkeys(daemons))}"


def check_schedule(
    schedule: Sequence[ClusterFault],
    targets: Targets,
    programs: Mapping[str, Sequence[str]],
    where: str = "--fault",
) -> None:
    """Raise UserError for the first fault without target, with an unknown moment, or with a conflict.

    ``programs`` are the run's workloads with their phases, if these are known in advance.
    """
    for fault in schedule:
        place = f"{where} '{fault.text}'"
        targets.check(fault, place)
        workload = fault.when.workload if fault.when else None
        if workload is not None and workload not in programs:
            raise UserError(place, f"{workload} is not part of this run", f"it runs {', '.join(programs)}")
        phase = fault.when.phase if fault.when else None
        phases = programs[workload] if workload is not None else ()
        if phase is not None and phases and phase not in phases:
            raise UserError(place, f"{workload} has no phase {phase!r}", f"it has {', '.join(phases)}")
    for first, second in combinations(schedule, 2):
        if _conflict(first, second, targets):
            problem = f"conflicts with '{first.text}': both would be active at the same time"
            hint = "end the first fault earlier with 'for', or choose another target"
            raise UserError(f"{where} '{second.text}'", problem, hint)


def _conflict(first: ClusterFault, second: ClusterFault, targets: Targets) -> bool:
    """Whether both are certain to be active at once on a common target."""
    if not any(first.action in kind and second.action in kind for kind in _CONFLICTING):
        return False
    names, second_names = ({machine.name for machine in targets.at(hit.target)} for hit in (first, second))
    if not names & second_names:
        return False
    earlier, later = sorted((first, second), key=_begin)
    begin, end = _begin(earlier), _begin(later)
    if begin[:2] != end[:2]:
        return False
    if not _same_target(first.target, second.target, targets):
        return first.target == second.target and begin == end
    if begin == end or earlier.action in AT_ONCE:
        return begin == end
    # The duration of a workload's parts is not known in advance.
    return earlier.for_s is None or (begin[1] == "time" and begin[2] + earlier.for_s > end[2])


def _same_target(first: FaultTarget, second: FaultTarget, targets: Targets) -> bool:
    """Whether two targets are certain to be the same; the active daemon is known only at run time."""
    if first.place is not None or second.place is not None:
        daemon = first if first.place is None else second
        return daemon.place is not None or daemon.machine is not None or len(targets.at(daemon)) == 1
    if first.daemon != second.daemon:
        return False
    return (first == second and first.state is None) or (
        first.machine is not None and first.machine == second.machine
    )


def _begin(fault: ClusterFault) -> tuple[str, str, float]:
    when = fault.when or Moment(after_s=0)
    if when.share is not None:
        return when.workload or "", "share", when.share
    if when.phase is not None:
        return when.workload or "", f"phase {when.phase}", 0.0
    return when.workload or "", "time", when.after_s or 0.0


def random_schedule(seed: int, number: int, targets: Targets, within_s: float) -> tuple[ClusterFault, ...]:
    """Return ``number`` random faults within a time, each reverted after seconds, without conflicts.

    The same seed, number, time and targets give the same schedule.
    """
    source = random.Random(f"{seed}:{number}:{within_s:g}")
    chosen: list[ClusterFault] = []
    tries = 0
    while len(chosen) < number:
        fault = source.choice(list(_possible(targets, source)))
        begin = round(source.uniform(0, within_s), 1)
        lasts = round(source.uniform(_SHORTEST_S, _LONGEST_S), 1)
        drawn = fault.model_copy(update={"when": Moment(after_s=begin), "for_s": lasts})
        tries += 1
        if not any(_conflict(earlier, drawn, targets) or _in_doubt(earlier, drawn) for earlier in chosen):
            chosen.append(drawn)
        elif tries > 1000 * number:
            problem = f"{number} faults do not fit into {within_s:g} s on this cluster"
            raise UserError("--fault", problem, "give fewer faults or more time")
    return tuple(sorted(chosen, key=_begin))


def _in_doubt(first: ClusterFault, second: ClusterFault) -> bool:
    """Whether both hit a daemon of one pair, by state or by name, and so perhaps the same one."""
    daemon = first.target.daemon
    return daemon is not None and daemon in PAIRS and daemon == second.target.daemon


def _possible(targets: Targets, source: random.Random) -> Iterator[ClusterFault]:
    """Yield one fault of each kind and daemon."""
    daemons = dict.fromkeys(daemon for machine in targets.members for daemon in machine.daemons)
    for daemon in daemons:
        machines = [machine for machine in targets.members if daemon in machine.daemons]
        if daemon in PAIRS and len(machines) > 1:
            target = FaultTarget(daemon=daemon, state="active")
        else:
            target = FaultTarget(daemon=daemon, machine=source.choice(machines).name)
        for action in (Action.KILL, Action.PAUSE):
            yield ClusterFault(action=action, target=target)
    workers = [machine for machine in targets.members if machine.kind == "worker"]
    if not workers:
        return
    for action in sorted(OF_PLACES - _OF_LINKS - _OF_DISKS - {Action.PAUSE, Action.DRAIN}):
        yield ClusterFault(action=action, target=_worker(workers, source))
    if not targets.rootless:
        yield ClusterFault(action=Action.CUT_LINK, target=_worker(workers, source))
        yield ClusterFault(action=Action.SLOW_LINK, target=_worker(workers, source), rate=10_000_000)
        if owners := [machine for machine in workers if machine.disks]:
            yield ClusterFault(action=Action.SLOW_DISK, target=_worker(owners, source), rate=10_000_000)


def _worker(workers: Sequence[TargetMachine], source: random.Random) -> FaultTarget:
    return FaultTarget(place="worker", name=source.choice(workers).name)


def read_faults(text: str, targets: Targets) -> Iterator[ClusterFault]:
    """Yield the faults of one line of ``--fault``, or of a file of such lines."""
    words = text.split()
    if not words:
        hint = f"write, for example, {EXAMPLE}, or give a file of faults"
        raise UserError(f"{FAULT.flag} '{text}'", "is not a fault", hint)
    if len(words) > 1 or words[0] == _DRAW:
        yield from _line(text, FAULT.flag, targets)
        return
    for line in _FILE.read(Path(text)).faults:
        yield from _line(line, text, targets)


def _line(text: str, where: str, targets: Targets) -> tuple[ClusterFault, ...]:
    place = f"{where} '{text}'"
    if chosen := _RANDOM.fullmatch(text.strip()):
        number, seed, within = int(chosen[1]), int(chosen[2]), parse_time([chosen[3]], "within", place)
        if not 1 <= number <= 100 or within <= 0:
            hint = "random 3 seed 7 within 60s; at most 100 faults"
            raise UserError(place, "is not a random schedule", hint)
        return random_schedule(seed, number, targets, within)
    if text.split()[:1] == [_DRAW]:
        raise UserError(place, "needs the number of faults and a seed", "random 3 seed 7 within 60s")
    return (parse_fault(text, where),)
