"""TestDFSIO's figures and the storage test's zones."""

from __future__ import annotations

from math import sqrt

import pytest

from howdah.analysis.analyse import analyse
from howdah.analysis.storage import dfsio_figures
from howdah.model.reported import Counters, FileRate
from howdah.model.run import DeviceLimit, Outcome, WorkloadResult
from support.building import RunBuilder, Stage, kind
from support.findings import found, value
from support.records import dfsio, storage, terasuite

MIB = 2**20


def result(files: list[tuple[int, float]]) -> WorkloadResult:
    return WorkloadResult(
        workload=kind("dfsio-write", files=len(files)),
        start_s=1.0,
        end_s=22.85,
        outcome=Outcome.SUCCEEDED,
        files=tuple(
            FileRate(path=f"/srv/howdah/test_io_{number}", bytes=size, io_s=io_s)
            for number, (size, io_s) in enumerate(files)
        ),
    )


def test_the_four_figures_follow_testdfsio() -> None:
    """Worked by hand: 300 MB in 1 + 4 s; rates of 100 and 50 MB/s, mean 75, deviation 25."""
    figures = dfsio_figures(result([(100 * MIB, 1.0), (200 * MIB, 4.0)]))
    assert figures is not None
    assert figures.total_mb == 300
    assert figures.throughput_mb_per_s == pytest.approx(60)
    assert figures.average_mb_per_s == pytest.approx(75)
    assert figures.deviation_mb_per_s == pytest.approx(25)
    assert figures.exec_s == pytest.approx(21.85)


def test_a_published_log_is_reproduced() -> None:
    """1280 MB in 10.896 s of I/O gave 117.47 MB/s with Hadoop's own program."""
    figures = dfsio_figures(result([(128 * MIB, 1.0896)] * 10))
    assert figures is not None
    assert round(figures.throughput_mb_per_s, 2) == 117.47


def test_equal_rates_have_no_deviation_and_rounding_no_complex_root() -> None:
    figures = dfsio_figures(result([(7 * MIB, 0.3)] * 3))
    assert figures is not None
    assert figures.deviation_mb_per_s == pytest.approx(0, abs=1e-6 * sqrt(figures.average_mb_per_s) + 1e-6)


def test_files_without_time_have_no_figures() -> None:
    assert dfsio_figures(result([])) is None
    assert dfsio_figures(result([(MIB, 0.0)])) is None


def test_both_dfsio_workloads_are_reported() -> None:
    assert [finding.workload for finding in found(dfsio(), "dfsio")] == ["dfsio-write", "dfsio-read"]
    assert not found(terasuite(), "dfsio")


def test_zones_run_from_the_first_files_to_the_last() -> None:
    zones = analyse(storage(drop=0.4, files=40)).evidence.storage
    assert {(zone.data_dir, zone.operation) for zone in zones} == {
        (data_dir, operation)
        for data_dir in ("/srv/howdah", "/data/sdb/howdah")
        for operation in ("write", "read")
    }
    # The medians of the first and last four of forty files lie 1.5 files from either end.
    expected = 1 - (1 - 0.4 * 37.5 / 39) / (1 - 0.4 * 1.5 / 39)
    assert zones[0].drop == pytest.approx(expected, rel=1e-3)
    assert len(zones[0].rates_bytes_per_s) == 40


def test_a_disk_as_fast_everywhere_says_so() -> None:
    assert all("as fast everywhere" in finding.text for finding in found(storage(drop=0.0), "storage-zones"))


def test_only_the_answer_explains_why_files_become_slower() -> None:
    (answer,) = found(storage(), "answer")
    assert "the outer and inner zones" in answer.text
    others = found(storage(), "storage-zones")
    assert len(others) == 3
    assert all(finding.text.endswith("% less") for finding in others)


def test_fio_s_raw_rate_stands_beside_the_files() -> None:
    run = storage()
    limit = DeviceLimit(
        data_dir="/srv/howdah",
        device="sda",
        read_bytes_per_s=195e6,
        write_bytes_per_s=193e6,
        copy_bytes_per_s=None,
        tool="fio",
    )
    held = run.record.workloads[0].model_copy(update={"raw_limits": (limit,)})
    record = run.record.model_copy(update={"workloads": (held,)})
    held_run = run._replace(record=record)
    (answer,) = found(held_run, "answer")
    assert value(answer, "raw, by fio") == 193e6
    assert "fio's raw rate is 193 MB/s" in answer.text
    others = found(held_run, "storage-zones")
    assert sum("fio's raw rate is 195 MB/s" in finding.text for finding in others) == 1
    assert answer.text not in [finding.text for finding in others]


def test_the_storage_test_s_rate_counts_its_files_own_time() -> None:
    """fio measures inside the same workload; the time it takes must not make the files look slow."""
    files = [
        FileRate(path=f"/srv/howdah/storage/file-{number}", bytes=100 * MIB, io_s=0.25, operation=operation)
        for operation in ("write", "read")
        for number in range(4)
    ]
    run = RunBuilder(suite="storage")
    run.workload(
        kind("storage", files=4, file_bytes=100 * MIB),
        [Stage("write", 1.0), Stage("read", 9.0)],
        Counters(written_bytes=400 * MIB, read_bytes=400 * MIB),
        files=tuple(files),
    )
    (time,) = analyse(run.build()).evidence.workloads
    assert time.elapsed_s == 10.0
    assert time.rate is not None
    assert time.rate.bytes_per_s == pytest.approx(400 * MIB)
    assert "own I/O time" in time.rate.of


def test_a_single_file_is_its_own_first_and_last() -> None:
    run = RunBuilder(suite="storage")
    run.workload(
        kind("storage", files=1, file_bytes=MIB),
        [Stage("write", 1.0)],
        files=(FileRate(path="/srv/howdah/storage/file-00000", bytes=MIB, io_s=1.0),),
    )
    (zone,) = analyse(run.build()).evidence.storage
    assert zone.drop == 0


def test_directories_written_in_turn_are_phases_of_their_own() -> None:
    run = RunBuilder(suite="storage", disks=("sda", "sdb"))
    stages = [Stage(name, 2.0) for name in ("write", "read", "write", "read")]
    run.workload(kind("storage", files=1, file_bytes=MIB), stages)
    phases = analyse(run.build()).evidence.workloads[0].phases
    assert [phase.name for phase in phases] == ["write", "read", "write #2", "read #2"]
