"""The exam of predictions on this machine: labs that no run calibrated, predicted, run and scored.

``PYTHONPATH=tests .venv/bin/python -m exams.predictions`` measures Hadoop's own tasks with ``howdah calibrate
--this-machine``, then builds one lab after the other. Each has another size, replication, block size, number
of slots, link or disk; nothing that ran on one calibrates the next. All are planned before the first is
built. Before the predicted run of a lab, a small one loads its daemons' programs, as on any cluster that has
been up for a while. The times mean nothing if other programs use the machine. It needs root and about 25
minutes; ``--labs`` takes the first few of them.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Generator, Sequence
from contextlib import closing
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from support.command import HOWDAH, environment
from support.daemons import ROOT
from support.lab_command import CACHE, Lab

INVENTORY = ROOT / "examples/hosts-lab.yaml"
USUAL_DISK = "size: 8GB, outer_rate: 150MB/s"
USUAL_HOSTS = 'count: 2\n    hosts: ["h[1-2]"]'
WARM_UP = ("terasuite", "--rows", "200k")
MEDIAN, LARGEST, LEAST_INSIDE, MOST_INSIDE = 0.10, 0.25, 0.85, 0.95
"""Median and largest error at most, and the fraction of figures within their 90 % intervals."""


class Cell(NamedTuple):
    """A lab, and the runs that are predicted on it."""

    name: str
    runs: tuple[tuple[str, ...], ...]
    plan: tuple[str, ...] = ()
    """Options of ``howdah plan``."""
    up: tuple[str, ...] = ()
    """Options of ``howdah lab up``."""
    disk_rate: str = "150MB/s"
    hosts: int = 2
    """Hosts with workers: at least as many as a block has replicas."""


CELLS = (
    Cell("two workers", (("--rows", "2M"), ("--rows", "6M"))),
    Cell("one worker, blocks of 32 MiB", (("--rows", "3M", "--block-size", "32MiB"),),
         ("--workers-per-host", "1")),
    Cell("slow links, three replicas", (("--rows", "3M", "--output-replication", "3"),),
         ("--replication", "3", "--workers-per-host", "1"), ("--link", "100Mb/s"), hosts=3),
    Cell("slow disks", (("--rows", "4M", "--output-replication", "2"),), disk_rate="20MB/s"),
    Cell("one slot, one replica", (("--rows", "3M", "--replication", "1"),), ("--slots", "1")),
    Cell("four slots", (("--rows", "4M",),), ("--slots", "4", "--workers-per-host", "1")),
)  # fmt: skip


class Figure(NamedTuple):
    """One predicted time and the measured one."""

    cell: str
    name: str
    predicted_s: float
    measured_s: float
    inside: bool

    @property
    def error(self) -> float:
        """Share of the measured time by which the prediction is too long."""
        return self.predicted_s / self.measured_s - 1

    @property
    def text(self) -> str:
        """The figure as it is printed."""
        return (
            f"{self.cell:60} {self.name:24} {self.predicted_s:7.1f} s predicted"
            f" {self.measured_s:7.1f} s measured {self.error:+6.0%} {'' if self.inside else 'outside'}"
        )


def howdah(folder: Path, *words: str | Path) -> Any:
    """Run howdah in a folder to a good end; what it printed as JSON."""
    done = subprocess.run(
        [HOWDAH, *words, "--json"],
        cwd=folder,
        env={**environment(), "HOWDAH_CACHE": str(CACHE)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        sys.exit(done.stderr or done.stdout)
    return json.loads(done.stdout)


def planned(folder: Path, cell: Cell) -> Path:
    """Plan a cell's lab in a folder; the path of the plan."""
    folder.mkdir()
    inventory, plan = folder / "hosts.yaml", folder / "plan.yaml"
    text = INVENTORY.read_text()
    assert USUAL_DISK in text
    assert USUAL_HOSTS in text
    hosts = f'count: {cell.hosts}\n    hosts: ["h[1-{cell.hosts}]"]'
    text = text.replace(USUAL_DISK, f"size: 3GB, outer_rate: {cell.disk_rate}").replace(USUAL_HOSTS, hosts)
    inventory.write_text(text)
    platform = () if "--workers-per-host" in cell.plan else ("--workers-per-host", "2")
    replicas = () if "--replication" in cell.plan else ("--replication", "2")
    howdah(
        folder, "plan", inventory, "--hypervisor", "kvm", *platform, *replicas, *cell.plan,
        "--workload", "terasuite:400MB", "--force", "--no-page", "-o", plan,
    )  # fmt: skip
    return plan


def scored(plan: Path, cell: Cell, calibration: Path) -> Generator[Figure, None, None]:
    """Build a cell's lab next to its plan, predict its runs, run them and compare."""
    folder = plan.parent
    lab = Lab(folder, "exam-predictions")
    try:
        lab.do("up", str(plan), "--dir", str(lab.directory), *cell.up)
        lab.run(*WARM_UP)
        for words in cell.runs:
            howdah(folder, "predict", "--lab", lab.name, "--calibration", calibration, *words)
            lab.run("terasuite", *words)
            newest = lab.last_run().record.id
            for score in howdah(folder, "score", newest)["scores"]:
                forecast = score["forecast"]
                yield Figure(
                    f"{cell.name}, {' '.join(words)}",
                    " ".join(filter(None, (forecast["workload"], forecast["phase"]))),
                    forecast["median"],
                    score["measured"],
                    forecast["low"] <= score["measured"] <= forecast["high"],
                )
    finally:
        lab.try_to("down")


def totals(figures: Sequence[Figure]) -> bool:
    """Print the errors of all figures; whether they are as small as expected."""
    errors = [abs(figure.error) for figure in figures]
    inside = sum(figure.inside for figure in figures) / len(figures)
    print(
        f"{len(figures)} figures: median error {median(errors):.0%}, largest {max(errors):.0%}, "
        f"{inside:.0%} in their 90 % intervals"
    )
    return median(errors) <= MEDIAN and max(errors) <= LARGEST and LEAST_INSIDE <= inside <= MOST_INSIDE


def main() -> None:
    """Calibrate, then predict, run and score lab by lab; print the totals also if a lab fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--labs", type=int, default=len(CELLS), help="how many of the labs")
    parser.add_argument("--calibration", type=Path, help="calibration to use instead of a new one")
    options = parser.parse_args()
    figures: list[Figure] = []
    good = False
    with tempfile.TemporaryDirectory(prefix="howdah-exam-") as name:
        folder = Path(name)
        plans = [planned(folder / str(number), cell) for number, cell in enumerate(CELLS[: options.labs])]
        calibration = options.calibration
        if calibration is None:
            calibration = folder / "mine.yaml"
            howdah(folder, "calibrate", "--this-machine", "-o", calibration)
        try:
            for plan, cell in zip(plans, CELLS, strict=False):
                with closing(scored(plan, cell, calibration.absolute())) as lab_figures:
                    for figure in lab_figures:
                        figures.append(figure)
                        print(figure.text, flush=True)
        finally:
            if figures:
                good = totals(figures)
    if not good:
        sys.exit(
            f"expected at most {MEDIAN:.0%} and {LARGEST:.0%}, and {LEAST_INSIDE:.0%} to "
            f"{MOST_INSIDE:.0%} inside"
        )


if __name__ == "__main__":
    main()
