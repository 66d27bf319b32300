"""Balance of bytes over partitions, disks, data directories and hosts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howdah.analysis.analyse import analyse
from howdah.analysis.balance import balance, balances
from howdah.model.reported import Counters, FileRate
from howdah.model.tables import RunData
from support.building import RunBuilder, Stage, Tasks, kind
from support.findings import found, value
from support.records import dfsio, storage, terasuite


def on_disks(weights: list[float], read: float = 4e9, said: float | None = None) -> RunData:
    run = RunBuilder(disks=[f"sd{letter}" for letter in "abcd"[: len(weights)]])
    run.workload(
        kind("teravalidate", 40_000_000),
        [Stage("map", 4.0, read=read, disk_weights=weights)],
        Counters(input_rows=40_000_000, read_bytes=int(read if said is None else said)),
    )
    run.pause(0.4)
    return run.build()


def test_a_disk_that_does_more_than_its_share_is_named() -> None:
    (finding,) = found(on_disks([1, 1, 1, 2]), "imbalance")
    assert finding.severity == "warning"
    assert "disks read are uneven: sdd" in finding.text
    assert value(finding, "max over mean") == pytest.approx(1.6)


def test_even_disks_are_no_finding() -> None:
    assert not found(on_disks([1, 1, 1, 1]), "imbalance")
    assert not found(on_disks([1.0, 1.02, 0.99, 1.01]), "imbalance")


def test_what_a_disk_does_besides_the_workload_need_not_be_even() -> None:
    assert not found(on_disks([1, 5], read=1e6, said=0), "imbalance")


@pytest.mark.parametrize(("skew", "severity"), [(1.07, "note"), (1.5, "warning")])
def test_uneven_partitions_are_found(skew: float, severity: str) -> None:
    (finding,) = found(terasuite(skew=skew), "imbalance", "terasort")
    assert finding.severity == severity
    assert "partitions are uneven: 00007" in finding.text


def test_even_partitions_are_not() -> None:
    assert not found(terasuite(), "imbalance")
    timed = analyse(terasuite()).evidence.timed
    sort = next(time for time in timed.times if time.workload == "terasort")
    (item,) = [each for each in balances(timed.run, sort, None) if each.of == "partitions"]
    assert len(item.names) == 8
    assert item.max_over_mean == pytest.approx(1)


def test_files_are_counted_by_data_directory() -> None:
    run = RunBuilder(suite="dfsio", disks=("sda", "sdb"))
    paths = ["/srv/howdah/f0", "/data/sdb/howdah/f1", "/data/sdb/howdah/f2", "/data/sdb/howdah/f3"]
    run.workload(
        kind("dfsio-write", files=4, file_bytes=10**9),
        [Stage("map", 4.0)],
        files=tuple(FileRate(path=path, bytes=10**9, io_s=1.0) for path in paths),
    )
    (finding,) = found(run.build(), "imbalance")
    assert (
        "data directories are uneven: /data/sdb/howdah has 3.00 GB, 50 % above the mean of 2" in finding.text
    )
    assert not found(storage(), "imbalance")
    assert not found(dfsio(), "imbalance")


def test_hosts_that_do_less_work_are_found() -> None:
    run = RunBuilder(hosts=("host1", "host2"))
    run.workload(
        kind("terasort", 1000), [Stage("map-shuffle", 8.0, tasks=Tasks("map", 16, 2, input_bytes=16 * 10**6))]
    )
    even = run.build()
    assert not found(even, "imbalance")
    run.attempts = [
        attempt._replace(input_bytes=3 * attempt.input_bytes) if attempt.host == "host2" else attempt
        for attempt in run.attempts
    ]
    (finding,) = found(run.build(), "imbalance")
    assert "hosts are uneven: tasks on host2 moved" in finding.text


@settings(deadline=None)
@given(st.lists(st.floats(0, 1e12), min_size=2, max_size=30))
def test_the_fullest_place_is_between_the_mean_and_everything(sizes: list[float]) -> None:
    item = balance("disks read", {str(number): size for number, size in enumerate(sizes)})
    if np.sum(sizes) < 1:
        assert item is None
        return
    assert item is not None
    assert 1 - 1e-9 <= item.max_over_mean <= len(sizes) + 1e-9
    assert item.variation >= 0
