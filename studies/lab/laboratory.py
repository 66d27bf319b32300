"""What the experiments share: laboratories and runs by the ``howdah`` command alone, and their results."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
HOSTS = HERE.parents[1] / "examples/hosts-lab.yaml"
RESULTS = HERE / "results"
WORK = Path("build/experiments")
"""Plans, run records and the laboratory's files, below the directory that the experiment is started in."""

NAME = "experiment"
TWO_PER_HOST = ("--hypervisor", "kvm", "--workers-per-host", "2")
NATIVE = ("--hypervisor", "none")

Record = dict[str, Any]


def howdah(*words: str | Path) -> str:
    """What a command of howdah's prints; it ends the experiment where it fails."""
    done = subprocess.run(["howdah", *words], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"howdah {' '.join(map(str, words))} ended with {done.returncode}")
    return done.stdout


def plan(name: str, *options: str) -> Path:
    """A plan of the example's hosts with two replicas, and whatever else it is to be."""
    WORK.mkdir(parents=True, exist_ok=True)
    path = WORK / f"{name}.yaml"
    asked = ("--replication", "2", "--workload", "terasuite:1GB", *options)
    howdah("plan", HOSTS, *asked, "--output", path, "--no-page", "--quiet")
    return path


@contextmanager
def laboratory(of: Path, *options: str) -> Iterator[dict[str, Any]]:
    """A laboratory of a plan, new, and gone afterwards; what its ``up`` says of it."""
    howdah("lab", "down", "--name", NAME)
    try:
        yield json.loads(howdah("lab", "up", of, "--name", NAME, "--dir", WORK / "lab", "--json", *options))[
            "laboratory"
        ]
    finally:
        howdah("lab", "down", "--name", NAME)


def run(suite: str, *options: str) -> Record:
    """A run on the laboratory: its record, with its findings and how busy this machine was besides."""
    command = run_command(suite, *options)
    return told(command, howdah(*command))


def run_command(suite: str, *options: str) -> tuple[str, ...]:
    """The words of a run on the laboratory."""
    place = ("--engine", "hadoop", "--lab", NAME, "--runs-dir", str(WORK / "runs"))
    return ("run", suite, *place, "--json", *options)


def told(command: tuple[str, ...], printed: str) -> Record:
    """What of a run's JSON the experiments read, beside the load of this machine when it ended."""
    content = json.loads(printed)
    record: Record = content["run"]
    print(f"{time.strftime('%H:%M:%S')}  {' '.join(command)}", file=sys.stderr)
    return {
        "id": record["id"],
        "created": record["created"],
        "seconds": {one["workload"]["kind"]: one["end_s"] - one["start_s"] for one in record["workloads"]},
        "checksum": next((one["checksum"] for one in reversed(record["workloads"]) if one["checksum"]), None),
        "load_per_cpu": os.getloadavg()[1] / (os.cpu_count() or 1),
        "findings": [(one["id"], one["text"]) for one in content["findings"]],
        "record": record,
    }


def conduct(name: str, runs: Iterator[Record], concluded: Callable[[list[Record]], Record]) -> None:
    """Make an experiment's runs and write what they say; one that is stopped leaves what it has measured."""
    made: list[Record] = []
    try:
        for one in runs:
            made.append(one)
    finally:
        if made:
            _save(name, {**concluded(made), "runs": [_brief(one) for one in made]})


def _brief(one: Record) -> Record:
    return {key: value for key, value in one.items() if key not in ("record", "findings")}


def _save(name: str, result: Record) -> None:
    machine = {
        "cpus": os.cpu_count(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
    }
    RESULTS.mkdir(exist_ok=True)
    text = json.dumps({"machine": machine, **result}, indent=2, ensure_ascii=False) + "\n"
    (RESULTS / f"{name}.json").write_text(text, encoding="utf-8")
    print(text)


def findings(one: Record, *ids: str) -> list[str]:
    """What analysis found under these names."""
    return [text for name, text in one["findings"] if name in ids]
