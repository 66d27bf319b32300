"""Whatever moment its writer is killed at, a record reads as aborted and what was written is there."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from howdah.model.run import Outcome
from howdah.store.reader import list_runs, read_run
from support import records
from support.stored import write_run

TESTS = Path(__file__).parents[1]
KILLS, MOST_KILLS = 8, 80
"""How often a writer is killed, and at most, until a kill falls into a run: machines differ in speed."""

# Writes runs one after another, each from its first file to its last, and says how far it is.
WRITER = """
import sys
from itertools import count
from pathlib import Path
from howdah.model.run import Sample
from howdah.store.writer import RunWriter
from support import records
from support.stored import as_begun, task_rows

data = records.pi()
row = task_rows(data.tasks)[0]
print("ready", flush=True)
for run in count():
    final = data.record.model_copy(update={"id": f"run-{run}"})
    with RunWriter(Path(sys.argv[1]), as_begun(final)) as writer:
        for number in range(20):
            writer.samples([Sample(float(number), "host1", "cpu/0/user_s", float(cpu)) for cpu in range(8)])
            writer.tasks([row._replace(task=number)])
            print(run, number, flush=True)
            if number % 5 == 0:
                writer.update(as_begun(final, elapsed_s=float(number)))
        writer.finish(final)
        print(run, "end", flush=True)
"""


def _kill_after(runs_dir: Path, seconds: float) -> list[list[str]]:
    """Let a writer write for a while, kill it, and return what it said it had done."""
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(runs_dir)],
        cwd=TESTS,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    with process.stdout as said:
        assert said.readline() == "ready\n"
        time.sleep(seconds)
        process.kill()
        lines = said.read().split("\n")
    process.wait()
    # The last line may be cut short; nothing follows a whole one's end of line but another line.
    return [line.split() for line in lines[:-1]]


def _check(runs_dir: Path, said: list[list[str]]) -> set[Outcome]:
    runs = list_runs(runs_dir)
    assert [run.error for run in runs] == [None] * len(runs)
    outcomes = set()
    for run in runs:
        number = run.id.removeprefix("run-")
        told = [what for one, what in said if one == number]
        read = read_run(run.path)
        outcomes.add(read.record.outcome)
        # Everything the writer said it had written is there, in order, and at most one batch more.
        written = len([what for what in told if what != "end"])
        assert written <= read.tasks.num_rows <= written + 1
        assert read.tasks.column("task").to_pylist() == list(range(read.tasks.num_rows))
        assert read.samples.num_rows % 8 == 0
        assert written * 8 <= read.samples.num_rows <= (written + 1) * 8
        if "end" in told:
            assert read.record.outcome is Outcome.SUCCEEDED
        elif read.record.outcome is not Outcome.SUCCEEDED:
            assert read.record.outcome is Outcome.ABORTED
    # Every run that was heard of is there, and of those only the last can be unfinished.
    assert {f"run-{one}" for one, _ in said} <= {run.id for run in runs}
    unfinished = {run.id for run in runs if run.record and run.record.outcome is Outcome.ABORTED}
    assert len(unfinished) <= 1
    return outcomes


@pytest.mark.parametrize("seed", range(3))
def test_a_record_survives_kill_9_at_any_moment(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    aborted = 0
    for kill in range(MOST_KILLS):
        if aborted and kill >= KILLS:
            break
        runs_dir = tmp_path / str(kill)
        runs_dir.mkdir()
        said = _kill_after(runs_dir, chance.uniform(0, 0.15))
        aborted += Outcome.ABORTED in _check(runs_dir, said)
        # The next run starts clean.
        write_run(runs_dir, records.pi())
        assert not list(runs_dir.glob(".new-*"))
    assert aborted > 0
