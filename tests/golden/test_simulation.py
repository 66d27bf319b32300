"""Small simulations, moment by moment, held against files: what drifts shows in its simulated times.

Set HOWDAH_UPDATE_GOLDEN=1 to write the file anew, then read the difference before committing it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from howdah.model.tables import RunData
from howdah.units import MIB
from support.sim_hbase import hbase_plan
from support.sim_plans import slots_plan, suite_on
from support.sim_runs import sim_job, simulated

FILES = Path(__file__).parent / "simulation"


def _hold(name: str, text: str) -> None:
    file = FILES / name
    if os.environ.get("HOWDAH_UPDATE_GOLDEN") == "1":
        FILES.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")


def _moments(data: RunData) -> Iterator[tuple[float, str]]:
    for result in data.record.workloads:
        kind = result.workload.kind
        yield result.start_s, f"{kind} is submitted"
        for phase in result.phases:
            yield phase.end_s, f"{kind} {phase.name} ends"
        yield result.end_s, f"{kind} is over"
    for task in data.tasks.to_pylist():
        name = f"{task['workload']} {task['kind']} {task['task']}"
        where = f" ({task['locality']})" if task["locality"] else ""
        yield task["start_s"], f"{name} begins on {task['worker']}, place {task['slot']}{where}"
        if task["shuffle_end_s"] is not None:
            yield task["shuffle_end_s"], f"{name} has fetched {task['shuffled_bytes']:,} bytes"
        yield task["end_s"], f"{name} ends, {task['output_bytes'] or task['input_bytes']:,} bytes"


def test_a_small_terasuite_runs_as_it_did() -> None:
    plan = slots_plan()
    suite = suite_on(plan, rows=10_000_000, maps=7, reduces=4, block_bytes=128 * MIB)
    data = simulated(sim_job(plan, suite))
    lines = [f"{time_s:10.4f}  {what}" for time_s, what in sorted(_moments(data))]
    text = "".join(f"{line}\n" for line in lines)
    _hold("terasuite.txt", text)


def _asked(data: RunData) -> Iterator[str]:
    for result in data.record.workloads:
        yield f"{result.workload.kind}, {result.elapsed_s:.4f} s"
        for metric in result.metrics:
            yield f"  {metric.name}: {metric.value:.7g} {metric.unit}"
        for station in result.used.stations if result.used else ():
            yield f"  {station.station} busy {station.busy:.4f}"


def test_a_small_ycsb_is_answered_as_it_was() -> None:
    plan = hbase_plan(workers_per_host=1)
    data = simulated(sim_job(plan, suite_on(plan, "ycsb", records=100_000, operations=5_000)))
    _hold("ycsb.txt", "".join(f"{line}\n" for line in _asked(data)))
