"""This machine measured, in as little time as possible: what is found, and that nothing stays behind."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howdah import _native
from howdah.documents.files import read_host
from howdah.errors import UserError
from howdah.model.base import Model
from howdah.model.host import Disk, Host
from howdah.model.measured import MeasuredFigure
from howdah.probe import probe_host
from howdah.probe.measuring import disks
from howdah.probe.measuring.disks import OutOfTime, Pace, measure_zones, scratch
from howdah.probe.measuring.measure import measure
from howdah.units import GIB, MIB

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def host() -> Host:
    """This machine as one with little memory, so that little of it is touched."""
    host = probe_host()
    return host.model_copy(update={"memory": host.memory.model_copy(update={"available_bytes": 256 * MIB})})


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files as small as they may be."""
    monkeypatch.setattr(disks, "_WANTED_S", 0.001)


def figures(value: object) -> Iterator[MeasuredFigure]:
    """Every figure in a model, however deep."""
    if isinstance(value, MeasuredFigure):
        yield value
    elif isinstance(value, tuple):
        for one in value:
            yield from figures(one)
    elif isinstance(value, Model):
        yield from figures(tuple(getattr(value, name) for name in type(value).model_fields))


@pytest.mark.usefixtures("hasty")
def test_a_machine_is_measured_and_left_as_it_was(host: Host, tmp_path: Path) -> None:
    told: list[str] = []
    folders = [tmp_path / "missing" / "data", tmp_path]
    measured = measure(host, folders, limit_s=60, report=told.append).measured
    assert measured is not None
    found = list(figures(measured))
    assert len(found) == 33
    assert all(one.least <= one.value <= one.most for one in found)
    assert [one.data_dir for one in measured.directories] == [str(folder) for folder in folders]
    mount = host.mount_of(tmp_path.resolve())
    assert measured.directories[0].disks == getattr(mount, "disks", ())
    assert {codec.codec for codec in measured.rows.codecs} == {"lz4", "snappy", "zstd"}
    assert told[0].startswith("memory")
    assert any(str(tmp_path) in text for text in told)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("hasty")
def test_a_measured_probe_is_read_back(host: Host, tmp_path: Path) -> None:
    measured = measure(host, [tmp_path], limit_s=60)
    file = tmp_path / "probe.yaml"
    file.write_text(measured.model_dump_json())
    assert read_host(file) == measured
    wrong = json.loads(file.read_text())
    wrong["measured"]["memory_copy_bytes_per_s"]["value"] = -1
    file.write_text(json.dumps(wrong))
    with pytest.raises(UserError, match=r"memory_copy_bytes_per_s"):
        read_host(file)


def test_too_little_room_is_said_before_anything_is_written(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Usage(NamedTuple):
        free: int

    monkeypatch.setattr("shutil.disk_usage", lambda _: Usage(100_000_000))
    with pytest.raises(UserError) as refused:
        measure(host, [tmp_path / "data"], limit_s=60)
    assert str(refused.value) == (
        f"--data-dir {tmp_path / 'data'}: has 100 MB free; measuring takes at least 268 MB"
    )
    assert list(tmp_path.iterdir()) == []


def test_disks_too_slow_for_the_time_are_no_figures(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disks, "TRIAL_BYTES", 2 * GIB)
    with pytest.raises(UserError, match=r"--seconds: 0\.001 s are too few") as refused:
        measure(host, [tmp_path], limit_s=0.001)
    assert "give 0.002" in refused.value.hint
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_measurement_left_is_removed_by_the_next(tmp_path: Path) -> None:
    left = tmp_path / ".howdah-measure" / "work" / "stream"
    left.parent.mkdir(parents=True)
    left.write_text("left")
    with scratch(tmp_path) as folder:
        assert list(folder.iterdir()) == []
    assert list(tmp_path.iterdir()) == []


def test_a_folder_of_somebody_elses_is_left_alone(tmp_path: Path) -> None:
    mine = tmp_path / ".howdah-measure" / "mine"
    mine.parent.mkdir()
    mine.write_text("mine")
    with pytest.raises(UserError, match="contains files that howdah did not create"), scratch(tmp_path):
        pass
    assert mine.read_text() == "mine"


def test_two_do_not_measure_one_directory_at_once(tmp_path: Path) -> None:
    with scratch(tmp_path) as folder:
        with pytest.raises(UserError, match="measured by another howdah"), scratch(tmp_path):
            pass
        with (folder.parent / "lock").open() as lock, pytest.raises(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        assert folder.is_dir()


def test_an_operation_beyond_the_time_is_cancelled(tmp_path: Path) -> None:
    pool = _native.Pool(8 * MIB, 1)
    file = tmp_path / "large"
    with pytest.raises(OutOfTime):
        Pace(0.2, lambda _: None).finish(_native.raw_limit(pool, [str(file)], 8 * GIB, 1))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("limit_s", "calls"), [(-1.0, 1), (0.0, 1), (1000.0, 3)])
def test_something_is_always_measured_and_never_too_often(limit_s: float, calls: int) -> None:
    assert len(Pace(limit_s, lambda _: None).repeated(lambda: 1, most=3, within_s=500.0)) == calls


def disk(name: str, kind: str = "hdd", size_bytes: int = 64 * MIB) -> Disk:
    return Disk.model_validate(
        {
            "name": name,
            "kind": kind,
            "model": None,
            "size_bytes": size_bytes,
            "rotational": True,
            "scheduler": None,
            "read_ahead_bytes": None,
            "queue_depth": None,
        }
    )


@pytest.fixture
def devices(tmp_path: Path) -> Path:
    """A folder of devices: one of them full, one of them empty but for its first half."""
    (tmp_path / "full").write_bytes(b"data" * (16 * MIB))
    with (tmp_path / "half").open("wb") as half:
        half.write(b"data" * (8 * MIB))
        half.truncate(64 * MIB)
    return tmp_path


def test_a_disk_is_read_from_its_first_zone_to_its_last(devices: Path) -> None:
    (zones,), missing = measure_zones((disk("full"),), Pace(60, lambda _: None), devices)
    assert missing == ()
    assert [rate.place for rate in zones.rates] == [0, 0.25, 0.5, 0.75, 1]
    assert zones.outer_bytes_per_s == zones.rates[0].bytes_per_s.value
    assert (devices / "full").read_bytes() == b"data" * (16 * MIB)


def test_what_holds_nothing_is_no_rate_of_a_virtual_disk(devices: Path) -> None:
    pace = Pace(60, lambda _: None)
    (zones,), (missing,) = measure_zones((disk("half", "virtual"),), pace, devices)
    assert [rate.place for rate in zones.rates] == [0, 0.25, 0.5]
    assert "2 of 5 places are empty" in missing.why
    # A real disk turns to its zeros as to anything else.
    (zones,), _ = measure_zones((disk("half"),), pace, devices)
    assert len(zones.rates) == 5


def test_flash_has_no_zones_and_what_cannot_be_read_is_said(devices: Path) -> None:
    disks = (disk("full", "nvme"), disk("full", "ssd"), disk("gone"))
    zones, missing = measure_zones(disks, Pace(60, lambda _: None), devices)
    assert zones == ()
    (one,) = missing
    assert one.what == "zones of disk gone"
    assert (
        one.why
        == f"{devices / 'gone'} cannot be read: No such file or directory; rates are those of files instead"
    )
    _, (late,) = measure_zones((disk("full"),), Pace(0, lambda _: None), devices)
    assert late.why == "the time limit was reached"


@given(st.lists(st.floats(1e-12, 1e12), min_size=1, max_size=9))
def test_a_figure_is_the_middle_of_its_repeats(values: list[float]) -> None:
    one = MeasuredFigure.of(values)
    assert one.repeats == len(values)
    assert sum(value <= one.value for value in values) * 2 >= len(values)
    assert sum(value >= one.value for value in values) * 2 >= len(values)
