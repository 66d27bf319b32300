"""The exam of the quick simulation: ``PYTHONPATH=tests .venv/bin/python -m exams.quick --seed 7``.

Simulates TeraSort's suite on the platforms of the vSphere 6 study and on random clusters, with many seeds, in
full and quickly, and says how far the medians of every workload and phase lie apart.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Sequence
from math import sqrt
from statistics import mean, median, stdev
from typing import NamedTuple

from howdah.documents.files import parse_inventory
from howdah.model.placement import at_once
from howdah.model.plan import ClusterPlan
from howdah.model.request import Demand, Hypervisor, PlanRequest, Profile
from howdah.planner.cluster import plan_cluster
from howdah.simulation.calibrations import PUBLISHED, load_calibration
from howdah.simulation.replications import simulate, stretches
from howdah.simulation.scenario import Scenario
from howdah.simulation.translate import translate
from howdah.units import MIB
from support.sim_plans import EXAMPLES, suite_on

_TB = 10**12
_NEAR = 0.01
_OF_A_MEDIAN = 1.2533
"""How much wider a median's spread is than a mean's, for normal numbers."""

Figures = dict[str, list[float]]
"""The seconds of every workload and phase, seed by seed."""


class Cluster(NamedTuple):
    """A cluster and what it sorts."""

    name: str
    plan: ClusterPlan
    block_bytes: int


class Deviation(NamedTuple):
    """How far the quick simulation's median lies from the full one's."""

    cluster: str
    figure: str
    share: float
    error: float
    """Standard deviation of the share, for so few seeds tell a median only so well."""


def study_platforms() -> Iterator[Cluster]:
    """The platforms of the vSphere 6 study, with its 30 TB."""
    text = (EXAMPLES / "hosts-32.yaml").read_text()
    for workers in (0, 1, 2, 4, 10, 20):
        request = PlanRequest(
            workloads=(Demand(kind="terasuite", dataset_bytes=30 * _TB),),
            hypervisor=Hypervisor.VSPHERE if workers else Hypervisor.NONE,
            profile=Profile.PAPER,
            workers_per_host=workers or None,
        )
        name = f"study, {workers} on a host" if workers else "study, native"
        yield Cluster(name, plan_cluster(parse_inventory(text, "hosts-32.yaml"), request), 256 * MIB)


def random_clusters(seed: int, count: int) -> Iterator[Cluster]:
    """Clusters of hosts that are alike, with work for each place of a task."""
    lot = random.Random(seed)
    for number in range(count):
        hosts, cores = lot.randint(16, 96), lot.choice([6, 8, 10, 16])
        disks = lot.choice([4, 6, 8, 12])
        kind, size = lot.choice([("hdd", "4TB"), ("hdd", "8TB"), ("ssd", "4TB")])
        link = lot.choice(["10Gb/s", "25Gb/s"])
        inventory = parse_inventory(
            f"howdah: 1\ncluster: lot{number}\ngroups:\n  - name: host\n    count: {hosts}\n"
            f"    cpu: {{sockets: 2, cores_per_socket: {cores}, threads_per_core: 2}}\n    memory: 256GiB\n"
            f"    disks:\n      - {{count: {disks}, kind: {kind}, size: {size}, role: data}}\n"
            f"      - {{count: 2, kind: ssd, size: 480GB, role: system}}\n"
            f"    nics:\n      - {{count: 2, speed: {link}}}\n",
            "lot",
        )
        workers = lot.choice([one for one in (1, 2, 4) if disks % one == 0])
        request = PlanRequest(
            workloads=(Demand(kind="terasuite", dataset_bytes=_TB),),
            hypervisor=Hypervisor.VSPHERE,
            workers_per_host=workers,
        )
        plan = plan_cluster(inventory, request)
        about = f"{hosts} × {workers}, {cores} cores, {disks} {kind}, {link}"
        yield Cluster(about, plan, lot.choice([64, 128]) * MIB)


def scenario_of(cluster: Cluster) -> Scenario:
    """TeraSort's suite with 60 blocks for each place of a map, or the study's 30 TB."""
    study = cluster.name.startswith("study")
    rows = 30 * _TB // 100 if study else 60 * cluster.block_bytes * at_once(cluster.plan).maps // 100
    suite = suite_on(cluster.plan, rows=rows, block_bytes=cluster.block_bytes, output_replication=3)
    return translate(cluster.plan, suite, load_calibration(PUBLISHED).values, seed=0).scenario


def figures(scenario: Scenario, seeds: Sequence[int], *, quick: bool) -> Figures:
    """Every figure of the suite with every seed; nothing where the quick simulation is refused."""
    several = [scenario.model_copy(update={"seed": seed, "quick": quick}) for seed in seeds]
    found: Figures = {}
    for summary in simulate(several, lambda done: None):
        if summary.full_because is not None:
            print(f"    refused: {summary.full_because}", flush=True)
            return {}
        for stretch in stretches(summary):
            name = f"{stretch.workload}/{stretch.phase}" if stretch.phase else stretch.workload
            found.setdefault(name, []).append(stretch.value)
    return found


def deviations(cluster: str, full: Figures, quick: Figures) -> list[Deviation]:
    """How far every median lies off."""

    def error(values: list[float]) -> float:
        return _OF_A_MEDIAN * stdev(values) / mean(values) / sqrt(len(values))

    return [
        Deviation(
            cluster,
            name,
            median(quick[name]) / median(values) - 1,
            sqrt(error(values) ** 2 + error(quick[name]) ** 2),
        )
        for name, values in full.items()
        if name in quick
    ]


def main() -> None:
    """Hold the exam and print every deviation."""
    wanted = _arguments()
    clusters = [*(study_platforms() if wanted.study else ()), *random_clusters(wanted.seed, wanted.count)]
    found: list[Deviation] = []
    for cluster in clusters:
        scenario = scenario_of(cluster)
        print(cluster.name, flush=True)
        if not figures(scenario, [0], quick=True):
            continue
        quick = figures(scenario, range(3 * wanted.seeds), quick=True)
        full = figures(scenario, range(1000, 1000 + wanted.seeds), quick=False)
        for one in deviations(cluster.name, full, quick):
            print(f"    {one.figure:24} {one.share:+7.2%} ± {one.error:.2%}", flush=True)
            found.append(one)
    for figure in dict.fromkeys(one.figure for one in found):
        of_it = [one for one in found if one.figure == figure]
        near = sum(abs(one.share) <= _NEAR for one in of_it)
        # What lies within two errors of 1 % is not shown to be further off.
        maybe = sum(abs(one.share) <= _NEAR + 2 * one.error for one in of_it)
        half = median(abs(one.share) for one in of_it)
        print(f"{figure:24} {near} of {len(of_it)} within 1 %, {maybe} perhaps; half within {half:.2%}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=7, help="of the random clusters")
    parser.add_argument("--count", type=int, default=20, help="random clusters")
    parser.add_argument(
        "--seeds", type=int, default=15, help="of the full one; thrice as many of the quick one"
    )
    parser.add_argument("--study", action=argparse.BooleanOptionalAction, default=True)
    return parser.parse_args()


if __name__ == "__main__":
    main()
