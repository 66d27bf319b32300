"""One command on a lab, by itself or under ``howdah run command``, and what it and its application took.

``python -m benches.ours.command LAB HOW FOLDER WORD…`` with ``alone`` or ``watched`` for HOW prints as JSON
the seconds of its application on YARN, those of the client, the seconds of CPU that the whole machine used
while the client ran, and of a watched one those that this process used meanwhile. FOLDER/bin has the scripts
that the command may call; both sides call the same. The directory OUTPUT in HDFS is removed at the end.
``python -m benches.ours.command LAB prepare FOLDER`` writes the scripts and prints the jar of Spark's
programs and that of Hadoop's examples.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from datetime import datetime
from pathlib import Path

from benches.ours.meter import Meter, machine_cpu_s, own_cpu_s
from howdah.engines.hadoop.overlay import write_shims
from howdah.engines.hadoop.reached import Reached, reach_lab, running_lab
from howdah.installation.installation import find_spark
from howdah.installation.java_programs import spark_programs
from howdah.model.engines import LAB
from howdah.model.run import Outcome, RunRecord
from howdah.model.run_request import RunRequest
from howdah.model.tables import Progress
from howdah.model.workloads.hadoop_programs import COMMAND, COMMAND_LINE
from howdah.services.namenode import NameNode
from howdah.services.resourcemanager import AppFacts, ResourceManager
from howdah.session.runs import prepare, run

OUTPUT = "/bench-output"
"""What every command writes that is measured."""
_ENDED = frozenset({"FINISHED", "FAILED", "KILLED"})
_POLL_S, _END_S = 0.5, 60.0


class _NoObserver:
    """Shows nothing."""

    def update(self, record: RunRecord) -> None:
        """Ignore the record."""

    def progress(self, progress: Progress) -> None:
        """Ignore the progress."""


def _reach(lab: str) -> Reached:
    state = running_lab(lab, elsewhere=False)
    assert state is not None
    return reach_lab(state)


def _alone(reached: Reached, words: list[str]) -> dict[str, float]:
    manager = ResourceManager(reached.target.web, reached.target.conf)
    known = {app.id for app in manager.apps()}
    variables = {**os.environ, "HADOOP_CONF_DIR": str(reached.target.conf.directory)}
    with Meter(machine_cpu_s) as machine:
        start_s = time.time()
        done = subprocess.run(
            [*reached.target.client_prefix, *words],
            env=variables,
            capture_output=True,
            text=True,
            check=False,
        )
        ended_s = time.time()
        (app,) = _ended(manager, known)
    if done.returncode:
        raise RuntimeError(done.stdout[-2000:] + done.stderr[-2000:])
    return {
        "app_s": (app.finished_ms - app.submitted_ms) / 1000,
        "client_s": ended_s - start_s,
        "machine_cpu_s": machine.growth(start_s, ended_s),
        "own_cpu_s": 0.0,
    }


def _ended(manager: ResourceManager, known: set[str]) -> list[AppFacts]:
    """The new applications, once all have ended."""
    end_s = time.monotonic() + _END_S
    while True:
        new = [app for app in manager.apps() if app.id not in known]
        if new and all(app.state in _ENDED for app in new):
            return new
        if time.monotonic() > end_s:
            raise RuntimeError(f"no application ended, of {new}")
        time.sleep(_POLL_S)


def _watched(lab: str, reached: Reached, folder: Path, words: list[str]) -> dict[str, float]:
    manager = ResourceManager(reached.target.web, reached.target.conf)
    known = {app.id for app in manager.apps()}
    with Meter(machine_cpu_s) as machine, Meter(own_cpu_s) as own:
        prepared = prepare(
            "hadoop",
            RunRequest(suite=COMMAND, given={COMMAND_LINE.name: tuple(words), LAB.name: lab}),
            runs_dir=folder / "runs",
            command=("benches",),
            seed=1,
            keep_data=False,
        )
        ended = run(prepared.job, engine=prepared.engine, runs_dir=folder / "runs", observer=_NoObserver())
    record = ended.data.record
    if record.outcome is not Outcome.SUCCEEDED:
        raise RuntimeError(record.error)
    began_s = datetime.fromisoformat(record.created).timestamp()
    (result,) = record.workloads
    (app,) = _ended(manager, known)
    start_s, end_s = began_s + result.start_s, began_s + result.end_s
    return {
        "app_s": (app.finished_ms - app.submitted_ms) / 1000,
        "client_s": end_s - start_s,
        "machine_cpu_s": machine.growth(start_s, end_s),
        "own_cpu_s": own.growth(start_s, end_s),
        "sampler_cpu_s": record.telemetry.cpu_s if record.telemetry else 0.0,
    }


def _prepare(reached: Reached, folder: Path) -> dict[str, str]:
    write_shims(reached.target.installation, folder / "bin", in_lab=True)
    programs = spark_programs(find_spark(), reached.target.installation)
    return {"spark": str(programs.jar), "examples": str(programs.examples_jar)}


def _main() -> dict[str, float] | dict[str, str]:
    lab, how, place, *words = sys.argv[1:]
    folder = Path(place)
    reached = _reach(lab)
    if how == "prepare":
        return _prepare(reached, folder)
    os.environ["PATH"] = f"{folder / 'bin'}:{os.environ['PATH']}"
    said = _alone(reached, words) if how == "alone" else _watched(lab, reached, folder, words)
    if OUTPUT in words:
        NameNode(reached.target.web, reached.target.conf).delete(OUTPUT)
    return said


if __name__ == "__main__":
    print(json.dumps(_main()))
