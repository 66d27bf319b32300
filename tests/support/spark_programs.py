"""Programs on Spark as users run them on a cluster: how they end, their records, and their processes."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil

from howdah.installation.digests import release_folder, release_of
from howdah.installation.installation import find_installation, find_spark
from howdah.installation.java_programs import SparkPrograms, spark_programs
from howdah.model.run import Outcome, RunRecord
from howdah.model.tables import RunData
from howdah.store.reader import read_run
from support.command import HOWDAH

SIZE = ("--executors", "2", "--executor-cores", "1", "--executor-memory", "600MiB", "--partitions", "4")
_LONGEST_S = 600


def fetch_spark() -> None:
    """Get Spark's jars, which CI keeps with its cache."""
    if not release_folder(release_of("spark")).is_dir():
        subprocess.run([HOWDAH, "hadoop", "fetch", "spark"], check=True, timeout=_LONGEST_S)


def programs() -> SparkPrograms:
    """howdah's programs on Spark in a jar, which a user may submit as well."""
    return spark_programs(find_spark(), find_installation())


class Program:
    """``howdah run`` on a cluster, in a directory of its own."""

    def __init__(self, conf: Path, directory: Path, *words: str, command: tuple[str, ...] = ()) -> None:
        self.directory = directory
        line: list[str | Path] = [
            HOWDAH,
            "run",
            *words,
            "--engine",
            "hadoop",
            "--conf",
            conf,
            "--hdfs-dir",
            "/user/howdah/spark",
        ]
        self._process = subprocess.Popen(
            [*line, *(("--", *command) if command else SIZE)],
            cwd=directory,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def end(self) -> tuple[int, str]:
        """The exit code and what was printed."""
        printed, _ = self._process.communicate(timeout=_LONGEST_S)
        return self._process.returncode, printed

    def run(self) -> RunData:
        """The run's record and its tables."""
        (record,) = (self.directory / "runs").glob("*/run.json")
        return read_run(record.parent)

    def logged(self, text: str) -> bool:
        """Whether a line of the run's log has a text."""
        logs = self.directory.glob("runs/*/logs/*.log")
        return any(text in log.read_text(errors="replace") for log in logs)


def until(condition: Callable[[], bool]) -> None:
    """Wait until a condition holds."""
    end = time.monotonic() + _LONGEST_S
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.5)


def processes(*words: str) -> Iterator[int]:
    """The processes of Java whose command lines have all these words."""
    for process in psutil.process_iter(["name", "cmdline"]):
        line = " ".join(process.info["cmdline"] or ())
        if process.info["name"] == "java" and all(word in line for word in words):
            yield process.pid


def succeeded(program: Program) -> RunRecord:
    """The record of a program that must succeed."""
    code, printed = program.end()
    assert code == 0, printed
    record = program.run().record
    assert record.outcome is Outcome.SUCCEEDED
    return record
