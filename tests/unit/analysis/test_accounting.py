"""Byte accounting: what agrees, what is explained and what is not."""

from __future__ import annotations

import pytest

from howdah.analysis.analyse import analyse
from howdah.analysis.evidence.volumes import ByteAccount
from howdah.model.host import OtherMount
from howdah.model.reported import Counters, FileRate
from howdah.model.run import DeviceLimit, Outcome
from howdah.model.tables import RunData
from support.building import RunBuilder, Stage, kind
from support.findings import found
from support.records import spilled, storage, terasuite

ROWS = 10_000_000
SIZE = ROWS * 100


def sort(
    *,
    read: float = SIZE,
    write: float = SIZE,
    dirty_before: float = 0.0,
    dirty_after: float = 0.0,
    buffered: bool | None = False,
    said_written: int = SIZE,
    outcome: Outcome = Outcome.SUCCEEDED,
) -> RunData:
    """A sort of 1 GB whose devices moved what the test says."""
    run = RunBuilder()
    run.pause(1.0)
    run.gauge("memory/dirty_bytes", dirty_before)
    run.workload(
        kind("terasort", ROWS),
        [Stage("map-shuffle", 2.0, read=read), Stage("reduce-merge", 2.0, write=write)],
        Counters(input_rows=ROWS, output_rows=ROWS, read_bytes=SIZE, written_bytes=said_written),
        buffered_io=buffered,
        outcome=outcome,
    )
    run.gauge("memory/dirty_bytes", dirty_after)
    run.pause(1.0)
    run.gauge("memory/dirty_bytes", dirty_after)
    return run.build()


def account(run: RunData) -> ByteAccount:
    return analyse(run).evidence.accounts[0]


def test_devices_that_agree_need_no_explanation() -> None:
    run = sort()
    assert account(run).read.remainder == pytest.approx(0, abs=1)
    assert [finding.severity for finding in found(run, "byte-accounting")] == ["note"]


def test_bytes_nobody_accounts_for_are_a_warning() -> None:
    (finding,) = found(sort(read=1.3 * SIZE), "byte-accounting")
    assert finding.severity == "warning"
    assert "290 MB unexplained: others used the disk" in finding.text


def test_bytes_that_never_reached_the_disk_are_a_warning() -> None:
    (finding,) = found(sort(write=0.8 * SIZE), "byte-accounting")
    assert finding.severity == "warning"
    assert "200 MB unexplained" in finding.text


def test_write_back_after_the_end_is_measured_and_explained() -> None:
    run = sort(write=0.8 * SIZE, dirty_after=0.2 * SIZE)
    (finding,) = found(run, "byte-accounting")
    assert finding.severity == "note"
    assert "written back later (measured)" in finding.text
    assert account(run).write.unexplained == pytest.approx(0, abs=0.01 * SIZE)


def test_dirty_pages_of_before_are_measured_and_explained() -> None:
    (finding,) = found(sort(write=1.2 * SIZE, dirty_before=0.2 * SIZE), "byte-accounting")
    assert finding.severity == "note"
    assert "dirty in the page cache before it started (measured)" in finding.text


@pytest.mark.parametrize(("buffered", "sure"), [(True, "likely"), (None, "guess")])
def test_the_page_cache_may_have_served_reads(buffered: bool | None, sure: str) -> None:
    (finding,) = found(sort(read=0.6 * SIZE, buffered=buffered), "byte-accounting")
    assert finding.severity == "note"
    assert f"read from the page cache ({sure})" in finding.text


def test_direct_reads_cannot_come_from_the_page_cache() -> None:
    (finding,) = found(sort(read=0.6 * SIZE, buffered=False), "byte-accounting")
    assert finding.severity == "warning"
    assert "page cache" not in finding.text


def test_metadata_explains_one_per_cent_and_no_more() -> None:
    assert account(sort(write=1.005 * SIZE)).write.unexplained == pytest.approx(0, abs=1)
    assert account(sort(write=1.1 * SIZE)).write.unexplained == pytest.approx(0.09 * SIZE, rel=0.01)


def test_the_remainder_is_its_parts() -> None:
    for run in (terasuite(), spilled(), sort(write=1.2 * SIZE, dirty_before=0.1 * SIZE)):
        for item in analyse(run).evidence.accounts:
            for side in (item.read, item.write):
                assert side.remainder is not None
                assert side.unexplained is not None
                parts = sum(part.bytes for part in side.explained) + side.unexplained
                assert parts == pytest.approx(side.remainder)


def test_theory_holds_rows_and_one_spill() -> None:
    run = spilled(rows=ROWS)
    sides = analyse(run).evidence.accounts[1]
    assert sides.workload == "terasort"
    assert sides.read.should == pytest.approx(SIZE + SIZE / 1.45, rel=1e-6)
    assert sides.write.should == pytest.approx(SIZE + SIZE / 1.45, rel=1e-6)


def test_counters_short_of_theory_are_a_warning() -> None:
    (finding,) = found(sort(said_written=SIZE // 2, write=SIZE // 2), "bytes-against-theory")
    assert "500 MB less than the 1.00 GB" in finding.text
    assert not found(sort(), "bytes-against-theory")


def test_a_second_spill_is_more_than_theory_allows() -> None:
    assert found(spilled(rows_per_row=2.0), "bytes-against-theory")
    assert not found(spilled(), "bytes-against-theory")


def test_a_workload_that_failed_is_not_held_to_theory() -> None:
    run = sort(outcome=Outcome.FAILED, said_written=0)
    assert account(run).write.should is None
    assert not found(run, "byte-accounting")
    assert not found(run, "bytes-against-theory")


def test_without_samples_the_devices_are_not_known() -> None:
    run = sort()
    silent = run._replace(samples=run.samples.slice(0, 0))
    assert account(silent).read.devices is None
    assert account(silent).read.unexplained is None
    assert not found(silent, "byte-accounting")


def test_only_disks_that_carry_data_count() -> None:
    run = RunBuilder(disks=("vda",))
    run.workload(
        kind("teragen", ROWS),
        [Stage("map", 2.0, write=SIZE, extra={"disk/other/written_bytes": 5e9})],
        Counters(output_rows=ROWS, written_bytes=SIZE),
    )
    run.pause(0.5)
    data = run.build()
    assert account(data).disks == ("vda",)
    assert account(data).write.devices == pytest.approx(SIZE)


def test_what_fio_moved_is_set_apart() -> None:
    run = RunBuilder(suite="storage")
    files = tuple(FileRate(path=f"/srv/howdah/storage/file-{n:05d}", bytes=10**9, io_s=1.0) for n in range(4))
    size = 4 * 10**9
    run.workload(
        kind("storage", files=4, file_bytes=10**9), [Stage("write", 4.0, write=size)], Counters(), files=files
    )
    run.elapse(Stage("fio", 2.0, write=3e9))
    limit = DeviceLimit(
        data_dir="/srv/howdah",
        device="vda",
        read_bytes_per_s=1e9,
        write_bytes_per_s=1e9,
        copy_bytes_per_s=None,
        tool="fio",
    )
    run.results[0] = run.results[0].model_copy(
        update={
            "end_s": run.clock_s,
            "raw_limits": (limit,),
            "counters": Counters(written_bytes=size),
        }
    )
    run.pause(0.5)
    data = run.build()
    assert account(data).write.devices == pytest.approx(size + 3e9)
    assert account(data).write.unexplained == pytest.approx(0, abs=1e6)
    assert not [each for each in found(data, "byte-accounting") if each.severity == "warning"]


def test_the_storage_test_reads_and_writes_every_data_directory() -> None:
    item = analyse(storage(files=40)).evidence.accounts[0]
    assert item.write.should == 2 * 40 * 2**30
    assert item.read.should == 2 * 40 * 2**30


def test_data_on_no_disk_has_no_account_of_one() -> None:
    run = terasuite()
    (data_dir,) = run.record.plan.workers[0].data_dirs
    memory = OtherMount(mount=data_dir, device="tmpfs", kind="tmpfs")
    host = run.record.host.model_copy(update={"other_mounts": (memory,), "file_systems": ()})
    moved = run._replace(record=run.record.model_copy(update={"host": host}))
    assert analyse(run).evidence.data_disks == ("vda",)
    assert analyse(moved).evidence.data_disks == ()
    assert found(run, "byte-accounting")
    assert not found(moved, "byte-accounting")
