"""The exam of HBase's predictions on this machine: mixes of YCSB that no run calibrated, predicted and run.

``PYTHONPATH=tests .venv/bin/python -m exams.mixes`` builds a lab, loads a table and warms its
RegionServers up: in their first minutes they reach half of their throughput. It calibrates with two runs
each of the mixes A and C, predicts the mixes B, D and F, runs each of them twice in turn, and compares
the means. The figures mean nothing if other programs use the machine. It needs root and about 25 minutes.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from exams.predictions import howdah
from howdah.calibrate.case import WITHIN
from howdah.model.workloads.ycsb import THROUGHPUT
from support.daemons import ROOT
from support.lab_command import Lab

INVENTORY = ROOT / "examples/hosts-lab-hbase.yaml"
PLAN = ("--hypervisor", "kvm", "--workers-per-host", "2", "--replication", "2", "--workload", "ycsb:1M")
RECORDS, OPERATIONS, READS = "200k", "150k", "200k"
TAIL = f", 99{WITHIN}"
OF_THROUGHPUT, OF_TAIL = 0.15, 0.30
"""The largest error of a throughput, and of the time within which 99 % of operations end."""
LEAST_GOOD = 0.8  # The part of the cases that are as good.
REPEATS = 2


class Case(NamedTuple):
    """One metric of one mix."""

    mix: str
    metric: str
    predicted: float
    measured: tuple[float, ...]
    inside: int
    """How many of the measured values lie in the 90 % interval."""

    @property
    def error(self) -> float:
        """Share of the measured mean by which the prediction is too large."""
        return self.predicted / fmean(self.measured) - 1

    @property
    def is_good(self) -> bool:
        """Whether the error is as small as expected."""
        return abs(self.error) <= (OF_THROUGHPUT if self.metric == THROUGHPUT else OF_TAIL)

    @property
    def text(self) -> str:
        """The case as it is printed."""
        measured = " ".join(f"{value:10.4g}" for value in self.measured)
        inside = f"{self.inside} of {len(self.measured)} inside"
        return (
            f"{self.mix:7} {self.metric:30} {self.predicted:10.4g} predicted {measured} measured"
            f" {self.error:+6.0%} {inside}{'' if self.is_good else ', far'}"
        )


def ran(lab: Lab, *words: str) -> str:
    """Run a program of YCSB on the lab to a good end; the name of the run."""
    done = lab.try_to_run(*words, engine="hbase")
    if done.returncode != 0:
        sys.exit(done.stdout[-3000:] + done.stderr[-3000:])
    return lab.last_run().record.id


def asks(mix: str) -> tuple[str, ...]:
    """A mix and how many operations it has."""
    return mix, "--operations", READS if mix == "ycsb-c" else OPERATIONS


def calibrated(lab: Lab) -> Path:
    """Warm a lab up, run what calibrates, and fit; the calibration."""
    ran(lab, "ycsb-load", "--records", RECORDS, "--keep-data")
    for mix in ("ycsb-a", "ycsb-c", "ycsb-a"):
        ran(lab, *asks(mix))
    runs = [ran(lab, *asks(mix), "--warm-up", "5") for _ in range(REPEATS) for mix in ("ycsb-a", "ycsb-c")]
    calibration = lab.folder / "lab.yaml"
    howdah(lab.folder, "calibrate", *runs, "-o", calibration)
    return calibration


def cases(lab: Lab, calibration: Path) -> list[Case]:
    """The mixes that no run calibrated, predicted before any of them runs."""
    mixes = ("ycsb-b", "ycsb-d", "ycsb-f")
    for mix in mixes:
        howdah(
            lab.folder, "predict", "--lab", lab.name, "--suite", *asks(mix), "--records", RECORDS,
            "--calibration", calibration,
        )  # fmt: skip
    scores: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for _ in range(REPEATS):
        for mix in mixes:
            run = ran(lab, *asks(mix), "--warm-up", "5")
            for score in howdah(lab.folder, "score", run)["scores"]:
                metric = score["forecast"]["metric"]
                if metric == THROUGHPUT or metric.endswith(TAIL):
                    scores[mix, metric].append(score)
    return [
        Case(
            mix,
            metric,
            several[0]["forecast"]["median"],
            tuple(score["measured"] for score in several),
            sum(
                score["forecast"]["low"] <= score["measured"] <= score["forecast"]["high"]
                for score in several
            ),
        )
        for (mix, metric), several in scores.items()
    ]


def main() -> None:
    """Build the lab, calibrate, predict, run and score."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    with tempfile.TemporaryDirectory(prefix="howdah-exam-") as name:
        lab = Lab(Path(name), "exam-mixes")
        howdah(lab.folder, "plan", INVENTORY, *PLAN, "--no-page", "-o", lab.folder / "plan.yaml")
        try:
            lab.do("up", "plan.yaml", "--dir", str(lab.directory))
            found = cases(lab, calibrated(lab))
        finally:
            lab.try_to("down")
    for case in found:
        print(case.text)
    good = sum(case.is_good for case in found)
    print(
        f"{good} of {len(found)} cases are within {OF_THROUGHPUT:.0%} of throughput or {OF_TAIL:.0%} of p99"
    )
    if good < LEAST_GOOD * len(found):
        sys.exit(f"expected {LEAST_GOOD:.0%} of them")


if __name__ == "__main__":
    main()
