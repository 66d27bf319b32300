"""A schedule of faults against those it may hit: refused where it names nobody, or excludes itself."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Literal, NamedTuple

from howdah.errors import UserError
from howdah.faults.grammar import APPLICATION_MASTER, PAIRS
from howdah.model.faults import AT_ONCE, OF_PLACES, Action, ClusterFault, Moment, Whom

_OF_DISKS = frozenset({Action.SLOW_DISK, Action.FILL_DISK, Action.FAIL_DISK, Action.WIPE_DISK})
_OF_LINKS = frozenset({Action.CUT_LINK, Action.CUT_LINK_IN, Action.CUT_LINK_OUT, Action.SLOW_LINK})
_PROCESSES = frozenset({Action.KILL, Action.PAUSE, Action.RESTART, Action.WIPE, Action.LOSE})
_ALIKE: tuple[frozenset[Action], ...] = (
    _PROCESSES,
    _OF_LINKS | {Action.LOSE},
    frozenset({Action.SLOW_DISK, Action.FAIL_DISK}),
    frozenset({Action.FILL_DISK, Action.FAIL_DISK}),
    # Disks that failed are mounted anew, and wiped ones are new: all that runs there is started again.
    _PROCESSES | {Action.FAIL_DISK, Action.WIPE_DISK},
    frozenset({Action.FILL_DISK, Action.WIPE_DISK}),
)
"""Two of one kind cannot be in force on one machine: what the one undoes, the other has done."""
_SHORTEST_S, _LONGEST_S = 5, 20


class CrewMember(NamedTuple):
    """A machine that a fault may hit."""

    name: str
    kind: Literal["worker", "master"]
    host: str
    rack: str
    daemons: tuple[str, ...]
    disks: int
    """Data disks of its own."""


class Crew(NamedTuple):
    """Whom faults may hit."""

    members: tuple[CrewMember, ...]
    rootless: bool = False
    """Whether its machines have no links and disks of their own."""
    shared: Mapping[str, Sequence[str]] = {}
    """Who else has machines on a host, by the host's name."""

    def at(self, whom: Whom) -> tuple[CrewMember, ...]:
        """The machines of a place, or those that a daemon may be on."""
        match whom.place:
            case "worker" | "master":
                return tuple(one for one in self.members if (one.kind, one.name) == (whom.place, whom.name))
            case "host":
                return tuple(one for one in self.members if one.host == whom.name)
            case "rack":
                return tuple(one for one in self.members if one.rack == whom.name)
            case None:
                return tuple(
                    one
                    for one in self.members
                    if whom.daemon in one.daemons and whom.machine in (None, one.name)
                )

    def check(self, fault: ClusterFault, where: str) -> None:
        """Raise UserError for a fault that hits nobody, or cannot be done here."""
        whom = fault.whom
        there = self.at(whom)
        if not there and whom.daemon != APPLICATION_MASTER:
            raise UserError(where, f"{whom.text} is unknown in this cluster", self._hint(whom))
        if whom.daemon == APPLICATION_MASTER and not any(
            "nodemanager" in one.daemons for one in self.members
        ):
            raise UserError(
                where, "this cluster has no YARN, and so no application master", "name a daemon of the JVM"
            )
        if whom.state == "standby" and len(there) < 2:
            raise UserError(where, f"the only {whom.daemon} has no standby", f"{whom.daemon}:active")
        if fault.what in _OF_DISKS and not any(one.disks for one in there):
            raise UserError(
                where, f"{whom.text} has no separate data disks", "name a worker of a lab built as root"
            )
        if fault.what in _OF_LINKS and self.rootless:
            raise UserError(where, "a lab built without root has no links", "build it as root")
        if whom.place in ("host", "rack") and fault.what not in _OF_DISKS:
            self._check_own(where, there)

    def _check_own(self, where: str, there: Sequence[CrewMember]) -> None:
        """Raise UserError for a fault of a host that others are on: it would be theirs, too."""
        for one in there:
            if others := self.shared.get(one.host):
                raise UserError(
                    where,
                    f"{one.host} also has machines of {' and '.join(others)}, which would be lost with it",
                    f"take down {' and '.join(others)}, or name machines: {one.kind}:{one.name}",
                )

    def _hint(self, whom: Whom) -> str:
        if whom.place is None:
            names = [one.name for one in self.members if whom.daemon in one.daemons]
            if names:
                return f"{whom.daemon} runs on {', '.join(names)}"
            every = dict.fromkeys(daemon for one in self.members for daemon in one.daemons)
            return f"one of {', '.join(every)}"
        names = {
            "worker": [one.name for one in self.members if one.kind == "worker"],
            "master": [one.name for one in self.members if one.kind == "master"],
            "host": [one.host for one in self.members],
            "rack": [one.rack for one in self.members],
        }[whom.place]
        return f"one of {', '.join(dict.fromkeys(names))}"


def check_schedule(
    schedule: Sequence[ClusterFault],
    crew: Crew,
    programs: Mapping[str, Sequence[str]],
    where: str = "--fault",
) -> None:
    """Raise UserError for the first fault that hits nobody, waits for what does not run, or excludes another.

    ``programs`` are the run's workloads with their phases, as far as these are known beforehand.
    """
    for fault in schedule:
        place = f"{where} '{fault.text}'"
        crew.check(fault, place)
        workload = fault.when.workload if fault.when else None
        if workload is not None and workload not in programs:
            raise UserError(place, f"{workload} is not part of this run", f"it runs {', '.join(programs)}")
        phase = fault.when.phase if fault.when else None
        known = programs[workload] if workload is not None else ()
        if phase is not None and known and phase not in known:
            raise UserError(place, f"{workload} has no phase {phase!r}", f"it has {', '.join(known)}")
    for one, other in combinations(schedule, 2):
        if _exclude(one, other, crew):
            raise UserError(
                f"{where} '{other.text}'",
                f"conflicts with '{one.text}': both would be active at the same time",
                "end the first fault earlier with 'for', or choose another target",
            )


def _exclude(one: ClusterFault, other: ClusterFault, crew: Crew) -> bool:
    """Whether both are certain to be in force at once on what they have in common."""
    if not any(one.what in kind and other.what in kind for kind in _ALIKE):
        return False
    if not _hit_one(one, other, crew):
        return False
    first, second = sorted((one, other), key=_begin)
    begin, end = _begin(first), _begin(second)
    if begin[:2] != end[:2]:
        return False
    if not _meet(one.whom, other.whom, crew):
        return one.whom == other.whom and begin == end
    lasts = first.for_s
    if first.what in AT_ONCE:
        return begin == end
    # How long a part of a program's work takes is not known beforehand.
    return begin == end or lasts is None or (begin[1] == "time" and begin[2] + lasts > end[2])


def _hit_one(one: ClusterFault, other: ClusterFault, crew: Crew) -> bool:
    shared = {each.name for each in crew.at(one.whom)} & {each.name for each in crew.at(other.whom)}
    return bool(shared)


def _meet(one: Whom, other: Whom, crew: Crew) -> bool:
    """Whether two are certain to be the same; who is active is known at the moment alone."""
    if one.place is not None or other.place is not None:
        daemon = one if one.place is None else other
        return daemon.place is not None or daemon.machine is not None or len(crew.at(daemon)) == 1
    if one.daemon != other.daemon:
        return False
    return (one == other and one.state is None) or (one.machine is not None and one.machine == other.machine)


def _begin(fault: ClusterFault) -> tuple[str, str, float]:
    when = fault.when or Moment(after_s=0)
    if when.share is not None:
        return when.workload or "", "share", when.share
    if when.phase is not None:
        return when.workload or "", f"phase {when.phase}", 0.0
    return when.workload or "", "time", when.after_s or 0.0


def random_schedule(seed: int, number: int, crew: Crew, within_s: float) -> tuple[ClusterFault, ...]:
    """So many faults within a time, each undone after seconds, none of which excludes another.

    The same seed, number, time and crew give the same schedule.
    """
    source = random.Random(f"{seed}:{number}:{within_s:g}")
    chosen: list[ClusterFault] = []
    tries = 0
    while len(chosen) < number:
        fault = source.choice(list(_possible(crew, source)))
        begin = round(source.uniform(0, within_s), 1)
        lasts = round(source.uniform(_SHORTEST_S, _LONGEST_S), 1)
        drawn = fault.model_copy(update={"when": Moment(after_s=begin), "for_s": lasts})
        tries += 1
        if not any(_exclude(one, drawn, crew) or _in_doubt(one, drawn) for one in chosen):
            chosen.append(drawn)
        elif tries > 1000 * number:
            raise UserError(
                "--fault",
                f"{number} faults do not fit into {within_s:g} s on this cluster",
                "give fewer faults or more time",
            )
    return tuple(sorted(chosen, key=_begin))


def _in_doubt(one: ClusterFault, other: ClusterFault) -> bool:
    """Whether both hit one of a pair, by state or by name: they might be the same at the moment."""
    daemon = one.whom.daemon
    return daemon is not None and daemon in PAIRS and daemon == other.whom.daemon


def _possible(crew: Crew, source: random.Random) -> Iterator[ClusterFault]:
    """One fault of each kind and daemon that there is."""
    daemons = dict.fromkeys(daemon for one in crew.members for daemon in one.daemons)
    for daemon in daemons:
        there = [one for one in crew.members if daemon in one.daemons]
        paired = daemon in PAIRS and len(there) > 1
        whom = (
            Whom(daemon=daemon, state="active")
            if paired
            else Whom(daemon=daemon, machine=source.choice(there).name)
        )
        for what in (Action.KILL, Action.PAUSE):
            yield ClusterFault(what=what, whom=whom)
    workers = [one for one in crew.members if one.kind == "worker"]
    if not workers:
        return
    for what in sorted(OF_PLACES - _OF_LINKS - _OF_DISKS - {Action.PAUSE}):
        yield ClusterFault(what=what, whom=_worker(workers, source))
    if not crew.rootless:
        yield ClusterFault(what=Action.CUT_LINK, whom=_worker(workers, source))
        yield ClusterFault(what=Action.SLOW_LINK, whom=_worker(workers, source), rate=10_000_000)
        if any(one.disks for one in workers):
            owners = [one for one in workers if one.disks]
            yield ClusterFault(what=Action.SLOW_DISK, whom=_worker(owners, source), rate=10_000_000)


def _worker(workers: Sequence[CrewMember], source: random.Random) -> Whom:
    return Whom(place="worker", name=source.choice(workers).name)
