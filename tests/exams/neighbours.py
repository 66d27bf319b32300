"""The exam of shared hosts: what work takes while another laboratory on the hosts is idle, and at work.

``PYTHONPATH=tests .venv/bin/python -m exams.neighbours --folder NEW`` brings two laboratories up on the hosts
of examples/hosts-lab-shared.yaml and measures each of them: TestDFSIO's write while the other one does
nothing, and while that writes as much again and again, in turns. It prints a line for each run, and what
``howdah compare`` and ``howdah predict`` say. It needs root and Hadoop's jars, and takes about half an hour.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from howdah.analysis.analyse import analyse
from howdah.model.tables import RunData
from howdah.units import format_seconds
from support.command import HOWDAH, environment
from support.daemons import ROOT
from support.lab_command import CACHE, Lab

INVENTORY = ROOT / "examples/hosts-lab-shared.yaml"
ASKED = ("--hypervisor", "kvm", "--replication", "2", "--workload", "terasuite:1GB")
WORK = ("dfsio-write", "--files", "4", "--file-size", "128MiB")
"""What is measured, and what keeps a neighbour at work: half of the replicas cross a host's uplink."""
STARTS_S = 60.0


class Clusters(NamedTuple):
    """Both laboratories with the files of their plans, in one folder."""

    folder: Path
    labs: dict[str, Lab]

    def howdah(self, *words: str | Path) -> str:
        """Run howdah there to a good end; what it printed."""
        done = subprocess.run(
            [HOWDAH, *words], cwd=self.folder, env=surroundings(), text=True, capture_output=True, check=False
        )
        if done.returncode != 0:
            sys.exit(f"howdah {' '.join(map(str, words))}\n{done.stdout}{done.stderr}")
        return done.stdout


def surroundings() -> dict[str, str]:
    return {**environment(), "HOWDAH_CACHE": str(CACHE)}


@contextmanager
def built(folder: Path, names: tuple[str, str]) -> Iterator[Clusters]:
    """Both laboratories, up until the end."""
    clusters = Clusters(
        folder, {letter: Lab(folder / letter, name) for letter, name in zip("ab", names, strict=True)}
    )
    for letter, lab in clusters.labs.items():
        lab.folder.mkdir(exist_ok=True)
        shares = ("--share", "50%") if letter == "a" else ("--beside", "a.yaml")
        clusters.howdah(
            "plan", INVENTORY, *ASKED, *shares, "--cluster", letter, "-o", f"{letter}.yaml", "--no-page"
        )
    try:
        first, second = clusters.labs.values()
        first.up(folder / "a.yaml")
        second.do("up", str(folder / "b.yaml"), "--dir", str(second.directory), "--beside", first.name)
        yield clusters
    finally:
        for lab in clusters.labs.values():
            lab.try_to("down")


@contextmanager
def at_work(lab: Lab, folder: Path) -> Iterator[None]:
    """A laboratory that writes again and again meanwhile."""
    script = 'while :; do "$@" >/dev/null || exit 1; done'
    command = (
        "sh",
        "-c",
        script,
        "sh",
        HOWDAH,
        "run",
        *WORK,
        "--engine",
        "hadoop",
        "--lab",
        lab.name,
        "--quiet",
    )
    with subprocess.Popen(command, cwd=folder, env=surroundings(), start_new_session=True) as loop:
        try:
            until = time.monotonic() + STARTS_S
            while not any(folder.glob("runs/*/run.json")) and time.monotonic() < until:
                time.sleep(0.5)
            yield
            if loop.poll() is not None:
                sys.exit(f'lab "{lab.name}" did not stay at work')
        finally:
            # The loop and the howdah that it started, which takes its files away before it ends.
            os.killpg(loop.pid, signal.SIGTERM)


def line(letter: str, neighbour: str, run: RunData) -> str:
    """What became of one run."""
    times = " ".join(
        f"{result.workload.kind} {format_seconds(result.elapsed_s or 0):>10}"
        for result in run.record.workloads
    )
    evidence = analyse(run).evidence
    link = max((use.link for use in evidence.neighbours), default=0.0)
    others = max((use.others for use in evidence.others if use.phase is None), default=0.0)
    return f"{letter}  neighbour {neighbour:7}  {times}  its link {link:4.0%}  other programs {others:4.0%}"


def measured(clusters: Clusters, letter: str, repeats: int) -> None:
    """Runs of one laboratory in turns with an idle and a busy neighbour."""
    lab, other = clusters.labs[letter], next(one for key, one in clusters.labs.items() if key != letter)
    # The first job of a laboratory takes longer than others.
    lab.run("pi", "--maps", "2", "--samples", "100")
    shutil.rmtree(lab.folder / "runs")
    for _ in range(repeats):
        lab.run(*WORK)
        print(line(letter, "idle", lab.last_run()), flush=True)
        load = clusters.folder / f"load-{time.monotonic_ns()}"
        load.mkdir()
        with at_work(other, load):
            lab.run(*WORK)
        print(line(letter, "at work", lab.last_run()), flush=True)


def predicted(clusters: Clusters, letter: str, calibration: str | None) -> None:
    """What the simulator says of the same, for idle neighbours and for those that use all of their part."""
    known = ("--calibration", calibration) if calibration else ()
    told = json.loads(clusters.howdah("predict", f"{letter}.yaml", "--suite", *WORK, *known, "--json"))
    for idle, busy in zip(told["neighbours_idle"], told["forecasts"], strict=True):
        if busy["phase"] is None:
            alone, beside = format_seconds(idle["median"]), format_seconds(busy["median"])
            more = f"{busy['median'] / idle['median'] - 1:+.0%}"
            print(
                f"{letter}  predicted  {busy['workload']:13} idle {alone:>10}  at work {beside:>10}  {more}"
            )


def main() -> None:
    """Build both, measure each, and take them down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", choices=["a", "b"])
    parser.add_argument("--calibration")
    parser.add_argument("--folder", type=Path, required=True, help="an empty one, for plans, runs and disks")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    with built(asked.folder.absolute(), ("exam-a", "exam-b")) as clusters:
        for letter in (asked.only,) if asked.only else clusters.labs:
            measured(clusters, letter, asked.repeats)
    for letter in (asked.only,) if asked.only else clusters.labs:
        print(clusters.howdah("compare", clusters.labs[letter].folder / "runs"))
        predicted(clusters, letter, asked.calibration)


if __name__ == "__main__":
    main()
