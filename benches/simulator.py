"""What the simulator takes for clusters of 10 to 1,000 hosts, and what writing its record adds."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from statistics import median
from typing import NamedTuple

from benches.process import Ended, run_process
from benches.race import Course
from benches.result import Goal, Result
from benches.sizes import Request
from howdah.units import format_bytes

_EXAMPLE = Path(__file__).parent.parent / "examples" / "hosts-32.yaml"
_HOWDAH = str(Path(sys.executable).with_name("howdah"))
_MOST_GROWTH = 2.0


class Cluster(NamedTuple):
    """A cluster of the example's hosts, and what it sorts with three replicas."""

    hosts: int
    workers: int
    dataset: str

    @property
    def name(self) -> str:
        return f"{self.dataset} on {self.hosts:,} hosts × {self.workers}"


class Bound(NamedTuple):
    """The most that a cluster's simulation may take.

    It runs on one core, so that its seconds of CPU are those that it would take if nobody else were at work.
    """

    cluster: Cluster
    cpu_s: float
    bytes: int


BOUNDS = (
    Bound(Cluster(32, 20, "30TB"), 5.0, 2**30),
    Bound(Cluster(1000, 4, "1PB"), 120.0, 4 * 2**30),
)
GROWTH = tuple(Cluster(hosts, 4, f"{hosts // 10}TB") for hosts in (10, 100, 1000))
"""As much data for each host, so that only the size of the cluster differs."""


class Turn(NamedTuple):
    """What one simulation says, and its process."""

    seconds: float
    cpu_s: float
    activities: int
    maps: int
    simulated_s: float
    peak_rss_bytes: int

    @property
    def us_per_map(self) -> float:
        return 1e6 * self.cpu_s / self.maps


def simulator(course: Course, request: Request) -> Result:
    """Simulate the suite on each cluster, in turns; then run each bound's once with its record."""
    course.workspace.fresh()
    clusters = tuple(dict.fromkeys((*(bound.cluster for bound in BOUNDS), *GROWTH)))
    plans = {cluster: planned(course, cluster) for cluster in clusters}
    turns: dict[Cluster, list[Turn]] = {cluster: [] for cluster in clusters}
    for repeat in range(course.repeats):
        for cluster, plan in plans.items():
            course.tell(f"{cluster.name}, turn {repeat + 1} of {course.repeats}")
            turn = simulated(course, plan)
            course.tell(f"{cluster.name}: {turn.cpu_s:.2f} s of CPU, {turn.us_per_map:.1f} µs per map task")
            turns[cluster].append(turn)
    figures: dict[str, float] = {}
    for cluster, taken in turns.items():
        figures |= _figures(cluster, taken)
    for bound in BOUNDS:
        course.tell(f"{bound.cluster.name}, with its record")
        whole = _whole(course, plans[bound.cluster])
        figures[f"{bound.cluster.name}, whole command with its record, s"] = whole.elapsed_s
        figures[f"{bound.cluster.name}, whole command's peak MB"] = whole.peak_rss_bytes / 1e6
    return Result(
        bench="simulator",
        title="terasuite with three replicas, simulated on one core",
        figures=figures,
        goals=(*(goal for bound in BOUNDS for goal in _goals(bound, turns[bound.cluster])), _growth(turns)),
    )


def inventory_of(cluster: Cluster) -> str:
    """The example's hosts, so many of them."""
    text = _EXAMPLE.read_text()
    many = text.replace("count: 32", f"count: {cluster.hosts}").replace(
        "host[01-32]", f"host[0001-{cluster.hosts:04}]"
    )
    if "host[0001-" not in many:
        raise ValueError(f"{_EXAMPLE} no longer lists 32 hosts as host[01-32]")
    return many


def planned(course: Course, cluster: Cluster) -> Path:
    """A plan of the cluster, with as many workers on a host."""
    folder = course.workspace.output
    inventory = folder / f"hosts-{cluster.hosts}-{cluster.workers}-{cluster.dataset}.yaml"
    plan = inventory.with_name(f"plan-{inventory.name}")
    inventory.write_text(inventory_of(cluster))
    workload = f"terasuite:{cluster.dataset}"
    workers = ("--hypervisor", "vsphere", "--workers-per-host", str(cluster.workers))
    written = ("--output", str(plan), "--no-page", "--quiet")
    run_process(
        (_HOWDAH, "plan", str(inventory), "--workload", workload, *workers, *written),
        course.workspace.scratch,
    )
    return plan


def simulated(course: Course, plan: Path, *how: str) -> Turn:
    """One simulation of a plan, in a process of its own."""
    command = (sys.executable, "-m", "benches.ours.simulate", str(plan), *how)
    ended = run_process(command, course.workspace.scratch)
    return Turn(**json.loads(ended.printed), peak_rss_bytes=ended.peak_rss_bytes)


def _whole(course: Course, plan: Path) -> Ended:
    run = (_HOWDAH, "run", "terasuite", "--engine", "sim", "--plan", str(plan), "--output-replication", "3")
    runs = ("--runs-dir", str(course.workspace.output / "runs"), "--seed", "1")
    return run_process((*run, *runs), course.workspace.scratch)


def _figures(cluster: Cluster, turns: list[Turn]) -> dict[str, float]:
    return {
        f"{cluster.name}, s": median(turn.seconds for turn in turns),
        f"{cluster.name}, CPU s": median(turn.cpu_s for turn in turns),
        f"{cluster.name}, activities": float(turns[0].activities),
        f"{cluster.name}, map tasks of the sort": float(turns[0].maps),
        f"{cluster.name}, simulated s": turns[0].simulated_s,
        f"{cluster.name}, µs per map task": median(turn.us_per_map for turn in turns),
        f"{cluster.name}, peak MB": max(turn.peak_rss_bytes for turn in turns) / 1e6,
    }


def _goals(bound: Bound, turns: list[Turn]) -> tuple[Goal, Goal]:
    name = bound.cluster.name
    cpu_s = median(turn.cpu_s for turn in turns)
    peak_bytes = max(turn.peak_rss_bytes for turn in turns)
    return (
        Goal(claim=f"{name}, CPU", measured=cpu_s, bound=bound.cpu_s, at_most=True, unit="s"),
        Goal(
            claim=f"{name}, peak memory of {format_bytes(bound.bytes)}",
            measured=peak_bytes / bound.bytes,
            bound=1.0,
            at_most=True,
        ),
    )


def _growth(turns: dict[Cluster, list[Turn]]) -> Goal:
    """The dearest task of any size of cluster against the cheapest."""
    costs = [median(turn.us_per_map for turn in turns[cluster]) for cluster in GROWTH]
    claim = f"cost of a map task from {GROWTH[0].hosts} to {GROWTH[-1].hosts:,} hosts, dearest over cheapest"
    return Goal(claim=claim, measured=max(costs) / min(costs), bound=_MOST_GROWTH, at_most=True)
