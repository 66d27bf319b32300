"""Devices of a laboratory's machines against kernel files that change between ticks."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howdah.services.web import Web
from howdah.telemetry.daemons import INTERVAL_S
from howdah.telemetry.device import MetricReading, PressureDevice, VolumeDevice
from howdah.telemetry.lab import CgroupCpuDevice, CgroupMemoryDevice, LabMachine, lab_sources

HZ = os.sysconf("SC_CLK_TCK")
SECOND = 10**9


def put(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)


def cpu_v1(root: Path, user: int, system: int, throttled_ns: int) -> dict[str, Path]:
    put(root, "cpuacct/w1/cpuacct.stat", f"user {user}\nsystem {system}\n")
    put(root, "cpu/w1/cpu.stat", f"nr_periods 9\nnr_throttled 1\nthrottled_time {throttled_ns}\n")
    return {"cpuacct": root / "cpuacct/w1", "cpu": root / "cpu/w1", "memory": root / "memory/w1"}


def cpu_v2(root: Path, user_us: int, system_us: int, throttled_us: int) -> dict[str, Path]:
    put(
        root,
        "w1/cpu.stat",
        f"usage_usec {user_us + system_us}\nuser_usec {user_us}\nsystem_usec {system_us}\n"
        f"nr_periods 9\nnr_throttled 1\nthrottled_usec {throttled_us}\n",
    )
    return dict.fromkeys(("cpu", "cpuacct", "memory"), root / "w1")


class Ticking:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.now = 100 * SECOND

    def __call__(self) -> int:
        return self.now


def test_cpu_of_version_1(tmp_path: Path) -> None:
    clock = Ticking()
    device = CgroupCpuDevice(cpu_v1(tmp_path, 5 * HZ, 2 * HZ, 3 * SECOND), 2.0, clock)
    device.start()
    assert set(dict(device.tick()).values()) == {0.0}
    cpu_v1(tmp_path, 8 * HZ, 3 * HZ, 3 * SECOND + SECOND // 2)
    clock.now += 4 * SECOND
    assert dict(device.tick()) == {
        "cpu/all/user_s": pytest.approx(3.0),
        "cpu/all/system_s": pytest.approx(1.0),
        "cpu/all/throttled_s": pytest.approx(0.5),
        "cpu/all/idle_s": pytest.approx(2.0 * 4 - 4.0),
    }
    device.stop()


def test_cpu_of_version_2(tmp_path: Path) -> None:
    clock = Ticking()
    device = CgroupCpuDevice(cpu_v2(tmp_path, 10**6, 10**6, 0), 0.5, clock)
    device.start()
    device.tick()
    cpu_v2(tmp_path, 1_750_000, 1_250_000, 400_000)
    clock.now += 3 * SECOND
    assert dict(device.tick()) == {
        "cpu/all/user_s": pytest.approx(0.75),
        "cpu/all/system_s": pytest.approx(0.25),
        "cpu/all/throttled_s": pytest.approx(0.4),
        "cpu/all/idle_s": pytest.approx(0.5 * 3 - 1.0),
    }
    device.stop()


@given(st.lists(st.tuples(st.integers(0, 5 * 10**6), st.integers(1, 2 * SECOND)), max_size=12))
def test_idle_time_never_falls_and_all_time_is_never_less_than_the_limit(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[int, int]]
) -> None:
    """A group that ran ahead of its limit for a moment is idle again only once that is even."""
    root = tmp_path_factory.mktemp("group")
    clock, used, idle, elapsed_s = Ticking(), 0, 0.0, 0.0
    device = CgroupCpuDevice(cpu_v2(root, 0, 0, 0), 1.5, clock)
    device.start()
    device.tick()
    for more_us, pause_ns in steps:
        used += more_us
        cpu_v2(root, used, 0, 0)
        clock.now += pause_ns
        elapsed_s += pause_ns / SECOND
        values = dict(device.tick())
        assert values["cpu/all/idle_s"] >= idle
        idle = values["cpu/all/idle_s"]
        assert idle + used * 1e-6 >= 1.5 * elapsed_s - 1e-9
    device.stop()


def test_memory_of_version_1(tmp_path: Path) -> None:
    group = tmp_path / "memory/w1"
    put(group, "memory.usage_in_bytes", "5000\n")
    # The lines without total_ are of the group alone, without those below it.
    stat = "cache 1\ndirty 1\ntotal_cache 2000\ntotal_dirty 300\ntotal_writeback 40\ntotal_pgmajfault {}\n"
    put(group, "memory.stat", stat.format(7))
    device = CgroupMemoryDevice(group, 10_000)
    device.start()
    device.tick()
    put(group, "memory.stat", stat.format(12))
    assert dict(device.tick()) == {
        "memory/cached_bytes": 2000,
        "memory/dirty_bytes": 300,
        "memory/writeback_bytes": 40,
        "memory/major_faults": 5,
        "memory/used_bytes": 3000,
        "memory/available_bytes": 7000,
    }
    device.stop()


def test_memory_of_version_2(tmp_path: Path) -> None:
    put(tmp_path, "memory.current", "5000\n")
    put(tmp_path, "memory.stat", "anon 2500\nfile 2000\nfile_dirty 300\nfile_writeback 40\npgmajfault 7\n")
    device = CgroupMemoryDevice(tmp_path, 10_000)
    device.start()
    assert dict(device.tick()) == {
        "memory/cached_bytes": 2000,
        "memory/dirty_bytes": 300,
        "memory/writeback_bytes": 40,
        "memory/major_faults": 0,
        "memory/used_bytes": 3000,
        "memory/available_bytes": 7000,
    }
    device.stop()


def test_pressure_of_a_group(tmp_path: Path) -> None:
    for resource in ("cpu", "io", "memory"):
        put(tmp_path, f"{resource}.pressure", "some avg10=0.00 total=1000\nfull avg10=0.00 total=500\n")
    device = PressureDevice(tmp_path, "{}.pressure")
    device.start()
    device.tick()
    put(tmp_path, "io.pressure", "some avg10=0.00 total=2001000\nfull avg10=0.00 total=500\n")
    assert dict(device.tick())["pressure/io_some_s"] == pytest.approx(2.0)
    device.stop()


def test_disks_go_by_the_names_they_are_mounted_under(tmp_path: Path) -> None:
    stat = "sys/class/block/loop7/stat"
    put(tmp_path, stat, "1 0 8 5 2 0 16 9 0 100 14 0 0 0 0 0 0\n")
    device = VolumeDevice({"disk1": "loop7"}, tmp_path)
    device.start()
    device.tick()
    put(tmp_path, stat, "11 0 88 5 4 0 36 9 0 350 14 0 0 0 0 0 0\n")
    assert dict(device.tick()) == {
        "disk/disk1/read_bytes": 80 * 512,
        "disk/disk1/written_bytes": 20 * 512,
        "disk/disk1/reads": 10,
        "disk/disk1/writes": 2,
        "disk/disk1/busy_s": pytest.approx(0.25),
    }
    device.stop()


def names(readings: Iterable[MetricReading]) -> set[str]:
    return {metric.partition("/")[0] for metric, _ in readings}


def test_sources_of_a_laboratory(tmp_path: Path) -> None:
    """Kernel files at the sampler's own interval, daemons at theirs; without root only the daemons."""
    groups = cpu_v1(tmp_path, 0, 0, 0)
    put(tmp_path, "memory/w1/memory.usage_in_bytes", "0")
    put(tmp_path, "memory/w1/memory.stat", "total_cache 0\n")
    with Web() as web:
        kernel, datanode, rootless = lab_sources(
            [
                LabMachine("w1", 2.0, 2**30, groups, jmx={"datanode": "http://w1:9864"}),
                LabMachine("w2", 2.0, 2**30, jmx={"nodemanager": "http://w2:8042"}),
            ],
            web,
        )
    assert (kernel.machine, kernel.interval_s) == ("w1", None)
    for device in kernel.devices:
        device.start()
    assert names(reading for device in kernel.devices for reading in device.tick()) == {"cpu", "memory"}
    for device in kernel.devices:
        device.stop()
    assert [(one.machine, one.devices[0].name, one.interval_s) for one in (datanode, rootless)] == [
        ("w1", "datanode", INTERVAL_S),
        ("w2", "nodemanager", INTERVAL_S),
    ]
