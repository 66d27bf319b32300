"""Slow links on a recorded job: who only waits for another worker's slow link is not called.

The record is turn 2 of the exam with seed 2 (docs/exams.md): both ends of h1-1's cable were held to 5.58 Mb/s
while TeraSort ran on four workers. Columns are kilobytes received and sent since the first sample.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa

from howdah.analysis.causes.limits_met import View
from howdah.analysis.causes.resources import slow_links
from howdah.analysis.evidence.use import FloatArray
from howdah.analysis.machines import Timeline
from howdah.model.run import Origin
from howdah.model.tables import SAMPLES_SCHEMA

RECORD = Path(__file__).parents[3] / "data/links/slow-receiver.csv"
WAYS = {"rx": "nic/eth0/rx_bytes", "tx": "nic/eth0/tx_bytes"}
Columns = dict[str, FloatArray]


def recorded() -> Columns:
    """Times in seconds, and bytes by "worker way"."""
    names, *rows = RECORD.read_text(encoding="utf-8").splitlines()
    values = np.array([[float(cell) for cell in row.split(",")] for row in rows]).T
    columns = dict(zip(names.split(","), values, strict=True))
    return {name: column if name == "time_s" else 1e3 * column for name, column in columns.items()}


def called(columns: Mapping[str, FloatArray]) -> list[str]:
    """The workers whose links are marked."""
    times = columns["time_s"]
    counters = {name: values for name, values in columns.items() if name != "time_s"}
    rows = [
        {"time_s": time, "host": name.split()[0], "metric": WAYS[name.split()[1]], "value": value}
        for name, values in counters.items()
        for time, value in zip(times, values, strict=True)
    ]
    timeline = Timeline(pa.Table.from_pylist(rows, schema=SAMPLES_SCHEMA))
    workers = tuple(dict.fromkeys(name.split()[0] for name in counters))
    view = View(timeline, (float(times[0]), float(times[-1])), workers, (), (), {}, Origin.MEASURED)
    return [mark.worker for mark in slow_links(view) if mark.sign.strength >= 1]


def test_who_sends_to_a_worker_behind_a_slow_link_is_not_called() -> None:
    assert called(recorded()) == ["h1-1"]


def test_who_gets_from_a_worker_behind_a_slow_link_is_not_called() -> None:
    columns = recorded()
    turned = {"rx": "tx", "tx": "rx", "time_s": "time_s"}
    mirrored = {
        " ".join(turned.get(word, word) for word in name.split()): values for name, values in columns.items()
    }
    assert called(mirrored) == ["h1-1"]


def test_a_link_that_is_slow_both_ways_is_called_beside_another() -> None:
    columns = recorded()
    times, received = columns["time_s"], columns["h2-2 rx"]
    most = 0.7e6 * np.diff(times)
    columns["h2-2 rx"] = np.concatenate([[0.0], np.minimum(np.diff(received), most).cumsum()])
    assert sorted(called(columns)) == ["h1-1", "h2-2"]


def test_a_link_that_no_other_explains_is_called_though_only_sending_is_slow() -> None:
    others = {name: values for name, values in recorded().items() if not name.startswith("h1-1")}
    assert called(others) == ["h2-2"]
