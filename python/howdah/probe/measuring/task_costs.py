"""What a byte costs Hadoop's own tasks on this machine: one JVM runs TeraSort's programs without a cluster.

Hadoop's ``LocalJobRunner`` runs the maps, sorts, merges and reduces of a cluster on local files. The CPU
time of its process is read whenever it logs the beginning or the end of maps and of reduces. Two sizes of
data give two numbers, the CPU time of a byte and that of starting. Blocks in HDFS, sockets and codecs are
not measured.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from howdah.errors import UserError
from howdah.installation.installation import Installation
from howdah.installation.java_programs import java_command
from howdah.model.measured import StepCost, TaskCosts

_PACKAGE = "org.apache.hadoop.examples.terasort"
_MARKS = {
    "Waiting for map tasks": "maps begin",
    "map task executor complete": "maps end",
    "Waiting for reduce tasks": "reduces begin",
    "reduce task executor complete": "reduces end",
}
"""What LocalJobRunner logs, and which of a job's moments it is."""
_ROW_BYTES = 100
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_LITTLE, _MUCH = 500_000, 4_000_000
"""Rows of the two sizes: 50 and 400 MB."""
Marks = Mapping[str, float]
"""CPU seconds of a process until each moment of its job."""


class _Round(NamedTuple):
    """CPU seconds of the steps on some rows."""

    start: float
    generate: float
    sort: float
    reduce: float
    validate: float


def measure_task_costs(
    installation: Installation, folder: Path, *, rounds: int, report: Callable[[str], None]
) -> TaskCosts:
    """Run TeraSort's programs on little and on much data; ``report`` gets the name of each program before it.

    Raises UserError where Java or Hadoop's jars are missing, or a program fails.
    """
    pairs = []
    for number in range(rounds):
        little, much = (
            _round(installation, folder / f"{number}-{rows}", rows, report) for rows in (_LITTLE, _MUCH)
        )
        pairs.append((little, much))
    bytes_more = (_MUCH - _LITTLE) * _ROW_BYTES

    def per_byte(seconds: Callable[[_Round], float]) -> StepCost:
        return StepCost(tuple((seconds(much) - seconds(little)) / bytes_more for little, much in pairs))

    share = _LITTLE / (_MUCH - _LITTLE)
    return TaskCosts(
        generate=per_byte(lambda costs: costs.generate),
        sort=per_byte(lambda costs: costs.sort),
        reduce=per_byte(lambda costs: costs.reduce),
        validate=per_byte(lambda costs: costs.validate),
        start_s=StepCost(tuple(little.start - share * (much.start - little.start) for little, much in pairs)),
        sorted_rows=_MUCH,
    )


def _round(installation: Installation, folder: Path, rows: int, report: Callable[[str], None]) -> _Round:
    """CPU seconds of every step on so many rows."""
    folder.mkdir(parents=True)

    def run(program: str, *arguments: str) -> Marks:
        report(f"{program} of {rows:,} rows")
        return _marks(installation, folder, program, arguments)

    source, target = str(folder / "rows"), str(folder / "sorted")
    generated = run("TeraGen", "-Dmapreduce.job.maps=1", str(rows), source)
    sorting = run("TeraSort", source, target)
    validated = run("TeraValidate", target, str(folder / "report"))
    shutil.rmtree(folder)
    return _Round(
        start=generated["maps end"],
        generate=generated["maps end"] - generated["maps begin"],
        sort=sorting["maps end"] - sorting["maps begin"],
        reduce=sorting["reduces end"] - sorting["reduces begin"],
        validate=validated["maps end"] - validated["maps begin"],
    )


def _marks(installation: Installation, folder: Path, program: str, arguments: Sequence[str]) -> Marks:
    """Run a program to its end, and read its CPU time at its job's moments."""
    command = java_command(
        installation,
        folder,
        f"{_PACKAGE}.{program}",
        "-Dfs.defaultFS=file:///",
        "-Dmapreduce.framework.name=local",
        f"-Dhadoop.tmp.dir={folder / 'tmp'}",
        # One split, so that one map sorts all; its buffer is that of the rules for large blocks.
        f"-Dmapreduce.input.fileinputformat.split.minsize={_MUCH * _ROW_BYTES}",
        "-Dmapreduce.job.reduces=1",
        "-Dmapreduce.task.io.sort.mb=256",
        "-Dmapreduce.terasort.final.sync=false",
        *arguments,
        options=("-Xmx1g",),
    )
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=folder
    )
    assert process.stderr is not None
    with process, process.stderr as log:
        marks, tail = _read(process.pid, log)
    if process.returncode != 0:
        raise UserError(
            program,
            f"failed on this machine: {tail}",
            "check the free space of the temporary directory; TMPDIR moves it",
        )
    return marks


def _read(pid: int, log: Iterator[str]) -> tuple[Marks, str]:
    """The marks of a log as it is written, and its last line."""
    marks: dict[str, float] = {}
    last = ""
    for line in log:
        last = line.strip() or last
        for text, moment in _MARKS.items():
            if text in line:
                marks[moment] = _cpu_s(pid)
    return marks, last


def _cpu_s(pid: int) -> float:
    """User and system time of a process and all of its threads."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS_PER_S
