"""How much of what tasks read and shuffle crossed from one machine to another, as the tasks tell."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from howdah.analysis.attempts import master_of
from howdah.analysis.evidence import FloatArray
from howdah.model.cluster import HadoopJob
from howdah.model.run import Outcome

Place = Callable[[str], str]
"""The machine whose network interface a worker's traffic goes through."""


def local_share(done: pa.Table, job: HadoopJob) -> float | None:
    """The part of the maps' input that lay on the worker that read it; None where nobody says."""
    maps = _kind(done, "map")
    told = maps.filter(pc.not_equal(maps.column("locality"), pa.scalar("")))
    if told.num_rows:
        local = np.array([each == "local" for each in told.column("locality").to_pylist()])
        sizes = told.column("input_bytes").to_numpy().astype(np.float64)
        weights = sizes if sizes.sum() > 0 else np.ones(len(sizes))
        return float(weights[local].sum() / weights.sum())
    launched = job.counters.get("JobCounter.TOTAL_LAUNCHED_MAPS")
    if launched is None or launched.total == 0:
        return None
    here = job.counters.get("JobCounter.DATA_LOCAL_MAPS")
    return (here.total if here else 0) / launched.total


def shuffle_share(done: pa.Table, place: Place) -> float | None:
    """The part of the map output that a reduce on another machine fetched; None without maps or reduces.

    With w machines that all do as much it is (w - 1)/w.
    """
    made, fetched = (
        _by_place(_kind(done, "map"), "map", place),
        _by_place(_kind(done, "reduce"), "reduce", place),
    )
    if not made or not fetched:
        return None
    all_made, all_fetched = sum(made.values()), sum(fetched.values())
    return 1 - sum(size / all_made * fetched.get(name, 0.0) / all_fetched for name, size in made.items())


def read_in_vain(attempts: pa.Table) -> int:
    """Input of maps that did not succeed, lost races of speculation among them, as far as Hadoop tells."""
    maps = _kind(attempts, "map")
    lost = maps.filter(pc.not_equal(maps.column("state"), pa.scalar(Outcome.SUCCEEDED.value)))
    return int(pc.sum(lost.column("input_bytes")).as_py() or 0)


def untold_bytes(attempts: pa.Table, replication: int) -> tuple[float, float]:
    """The most that attempts may have read and written in HDFS of which Hadoop tells no bytes.

    One that was killed or lost leaves no counters; it can have moved no more than its task needed, which is
    what the attempt that succeeded moved. Maps read, and reduces write, or maps where there are none. An
    application master that was lost may leave no word of any attempt, and each has numbers of its own.
    """
    writers = "reduce" if _kind(attempts, "reduce").num_rows else "map"
    begun_by = {master_of(int(number)) for number in attempts.column("attempt").to_numpy()}
    silent = max(begun_by, default=0) - len(begun_by)
    return (
        _untold(attempts, "map", "input_bytes", silent),
        replication * _untold(attempts, writers, "output_bytes", silent),
    )


def _untold(attempts: pa.Table, kind: str, column: str, silent_masters: int) -> float:
    needed: dict[int, float] = {}
    silent: list[int] = []
    mine = _kind(attempts, kind)
    columns = (mine.column(name).to_pylist() for name in ("task", "state", "input_bytes", column))
    for task, state, read, moved in zip(*columns, strict=True):
        if state == Outcome.SUCCEEDED.value:
            needed[task] = float(moved)
        elif not read and not moved:
            silent.append(task)
    return sum(needed.get(task, 0.0) for task in silent) + silent_masters * sum(needed.values())


def _by_place(tasks: pa.Table, kind: str, place: Place) -> dict[str, float]:
    sizes = shuffled(tasks) if kind == "reduce" else tasks.column("input_bytes").to_numpy().astype(np.float64)
    if sizes.sum() <= 0:
        sizes = np.ones(tasks.num_rows)
    found: dict[str, float] = {}
    for worker, size in zip(tasks.column("worker").to_pylist(), sizes, strict=True):
        where = place(str(worker))
        found[where] = found.get(where, 0.0) + float(size)
    return found


def shuffled(reduces: pa.Table) -> FloatArray:
    """The map output each reduce fetched; what it read as input where Hadoop does not say."""
    fetched = pc.coalesce(reduces.column("shuffled_bytes"), reduces.column("input_bytes"))
    return np.asarray(fetched.to_numpy(), dtype=np.float64)


def _kind(tasks: pa.Table, kind: str) -> pa.Table:
    return tasks.filter(pc.equal(tasks.column("kind"), pa.scalar(kind)))
