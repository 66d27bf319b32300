"""With which run without Hadoop a run on Hadoop is compared, if with any."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.model.workloads.terasort import ROWS
from howdah.session.reporting import find_floor
from support import records
from support.floors import LAB, on_cluster
from support.stored import write_run


def test_a_laboratory_is_on_the_machine_that_the_local_run_measured(tmp_path: Path) -> None:
    local = records.terasuite()
    write_run(tmp_path, local)
    floor = find_floor(on_cluster(local.record, "h1-1", "h1-2", lab=LAB), tmp_path)
    assert floor is not None
    assert floor.record.id == local.record.id


@pytest.mark.parametrize("worker", ["localhost", "{host}", "{host}.example.com"])
def test_so_is_a_cluster_of_this_one_machine(tmp_path: Path, worker: str) -> None:
    local = records.terasuite()
    write_run(tmp_path, local)
    name = worker.format(host=local.record.host.name)
    assert find_floor(on_cluster(local.record, name), tmp_path) is not None


def test_other_machines_work_says_nothing_of_this_one(tmp_path: Path) -> None:
    local = records.terasuite()
    write_run(tmp_path, local)
    assert find_floor(on_cluster(local.record, "w1", "w2"), tmp_path) is None
    assert find_floor(on_cluster(local.record, local.record.host.name, "w2"), tmp_path) is None


def test_a_local_run_and_one_of_other_rows_have_no_floor(tmp_path: Path) -> None:
    local = records.terasuite()
    write_run(tmp_path, local)
    assert find_floor(local.record, tmp_path) is None
    more = records.terasuite(rows=2 * 10**6)
    assert ROWS.of(more.record.workloads[0].workload) != ROWS.of(local.record.workloads[0].workload)
    assert find_floor(on_cluster(more.record, "h1-1", lab=LAB), tmp_path) is None
