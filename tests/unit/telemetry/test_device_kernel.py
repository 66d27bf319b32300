"""Each telemetry device against recorded /proc files that change between ticks."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howdah.model.metrics import METRICS
from howdah.telemetry.device import Counter, CpuDevice, Device, DiskDevice, PressureDevice, ProcFile
from howdah.telemetry.nic import NicDevice
from howdah.telemetry.source import MemoryDevice

HZ = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
KNOWN = {metric.pattern for metric in METRICS}


def put(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)


def tick(device: Device) -> dict[str, float]:
    readings = device.tick()
    values = dict(readings)
    assert len(values) == len(readings), "a metric came twice"
    for metric in values:
        subject, *instance, quantity = metric.split("/")
        assert "/".join([subject, *("*" for _ in instance), quantity]) in KNOWN
    return values


# --- counters ---


@given(st.lists(st.integers(0, 2**40), min_size=1))
def test_growth_is_the_sum_of_the_steps(steps: list[int]) -> None:
    counter = Counter("reset")
    value, growth = 12345, counter.advance(12345)
    for step in steps:
        value += step
        growth = counter.advance(value)
    assert growth == sum(steps)


@given(st.lists(st.integers(0, 2**31 - 1)), st.integers(0, 2**32 - 1))
def test_growth_across_32_bits(steps: list[int], value: int) -> None:
    counter = Counter("wrap32")
    counter.advance(value)
    growth = 0
    for step in steps:
        value = (value + step) % 2**32
        growth = counter.advance(value)
    assert growth == sum(steps)


def test_a_reset_counts_from_zero() -> None:
    counter = Counter("reset")
    assert [counter.advance(value) for value in (1000, 1500, 20, 30)] == [0, 500, 520, 530]
    small = Counter("wrap32")
    assert [small.advance(value) for value in (1000, 1500, 20, 30)] == [0, 500, 520, 530]


def test_an_inaccuracy_is_no_growth() -> None:
    counter = Counter("hold")
    assert [counter.advance(value) for value in (1000, 1500, 1490, 1499, 1510)] == [0, 500, 500, 500, 510]


# --- devices ---


def test_cpu(tmp_path: Path) -> None:
    put(tmp_path, "proc/stat", "cpu 0 0 0 0 0 0 0 0 0 0\ncpu0 100 10 50 900 7 1 2 30 9 9\nintr 5 1 1\n")
    device = CpuDevice(tmp_path)
    device.start()
    assert set(tick(device).values()) == {0.0}
    # Idle went backwards by one, as the kernel says it may.
    put(tmp_path, "proc/stat", "cpu0 200 20 60 899 8 2 4 33 19 9\ncpu1 1 1 1 1 1 1 1 1 0 0\nintr 5 1 1\n")
    values = tick(device)
    device.stop()
    assert values["cpu/0/user_s"] == pytest.approx(110 / HZ)
    assert values["cpu/0/system_s"] == pytest.approx(13 / HZ)
    assert values["cpu/0/iowait_s"] == pytest.approx(1 / HZ)
    assert values["cpu/0/steal_s"] == pytest.approx(3 / HZ)
    assert values["cpu/0/idle_s"] == 0.0
    # A CPU that came on line starts at zero.
    assert values["cpu/1/user_s"] == 0.0
    assert len(values) == 10


def disk_line(name: str, reads: int = 0, sectors: int = 0, busy_ms: int = 0) -> str:
    return f" 8 0 {name} {reads} 0 {sectors} 0 {2 * reads} 0 {2 * sectors} 0 0 {busy_ms} 0 0 0 0 0\n"


@pytest.fixture
def disks(tmp_path: Path) -> Path:
    for folder in ("sda", "sdb", "md0/slaves/sda", "loop0", "zram0", "cciss!c0d0", "nvme0n1/slaves"):
        (tmp_path / "sys/block" / folder).mkdir(parents=True)
    return tmp_path


def test_disk(disks: Path) -> None:
    names = ["sda", "sda1", "md0", "loop0", "zram0", "cciss/c0d0", "nvme0n1"]
    put(disks, "proc/diskstats", "".join(map(disk_line, names)))
    device = DiskDevice(disks)
    device.start()
    assert {metric.split("/")[1] for metric in tick(device)} == {"sda", "cciss!c0d0", "nvme0n1"}
    put(disks, "proc/diskstats", disk_line("sda", reads=10, sectors=800, busy_ms=250))
    assert tick(device) == {
        "disk/sda/read_bytes": 800 * 512,
        "disk/sda/written_bytes": 1600 * 512,
        "disk/sda/reads": 10,
        "disk/sda/writes": 20,
        "disk/sda/busy_s": 0.25,
    }
    device.stop()


def test_a_disk_that_appears_counts_from_then_on(disks: Path) -> None:
    put(disks, "proc/diskstats", disk_line("sda"))
    device = DiskDevice(disks)
    device.start()
    tick(device)
    put(disks, "proc/diskstats", disk_line("sda") + disk_line("sdb", reads=1000))
    assert tick(device)["disk/sdb/reads"] == 0
    put(disks, "proc/diskstats", disk_line("sda") + disk_line("sdb", reads=1001))
    assert tick(device)["disk/sdb/reads"] == 1
    # Pulled and plugged in again: the kernel counts from zero, what was read stays read.
    put(disks, "proc/diskstats", disk_line("sda"))
    assert "disk/sdb/reads" not in tick(device)
    put(disks, "proc/diskstats", disk_line("sdb", reads=5))
    assert tick(device)["disk/sdb/reads"] == 6
    device.stop()


def test_busy_time_runs_over_32_bits(disks: Path) -> None:
    put(disks, "proc/diskstats", disk_line("sda", busy_ms=2**32 - 500))
    device = DiskDevice(disks)
    device.start()
    tick(device)
    put(disks, "proc/diskstats", disk_line("sda", busy_ms=1500))
    assert tick(device)["disk/sda/busy_s"] == pytest.approx(2.0)
    device.stop()


NET_HEAD = "Inter-|   Receive |  Transmit\n face |bytes packets errs drop |bytes packets errs drop\n"


def nic_line(name: str, moved: int, drops: int = 0) -> str:
    return (
        f"  {name}: {moved} {moved // 10} 0 {drops} 0 0 0 0 {2 * moved} {moved // 5} 0 {2 * drops} 0 0 0 0\n"
    )


def nic(root: Path, name: str, state: str, *, card: bool = True) -> None:
    put(root, f"sys/class/net/{name}/operstate", f"{state}\n")
    if card:
        (root / f"sys/class/net/{name}/device").mkdir()


def test_nic(tmp_path: Path) -> None:
    nic(tmp_path, "eth0", "up")
    nic(tmp_path, "eth1", "down")
    nic(tmp_path, "bond0", "up", card=False)
    names = ("lo", "eth0", "eth1", "bond0")
    put(tmp_path, "proc/net/dev", NET_HEAD + "".join(nic_line(name, 1000) for name in names))
    device = NicDevice(tmp_path)
    device.start()
    assert {metric.split("/")[1] for metric in tick(device)} == {"eth0"}
    nic(tmp_path, "eth1", "up", card=False)
    put(tmp_path, "proc/net/dev", NET_HEAD + nic_line("eth0", 1500, drops=3) + nic_line("eth1", 1500))
    values = tick(device)
    assert values["nic/eth0/rx_bytes"] == 500
    assert values["nic/eth0/tx_bytes"] == 1000
    assert values["nic/eth0/rx_packets"] == 50
    assert values["nic/eth0/tx_packets"] == 100
    assert values["nic/eth0/drops"] == 9
    assert values["nic/eth1/rx_bytes"] == 0
    # eth0 vanishes, and eth1 goes on.
    put(tmp_path, "proc/net/dev", NET_HEAD + nic_line("eth1", 1700))
    assert {metric.split("/")[1] for metric in tick(device)} == {"eth1"}
    assert tick(device)["nic/eth1/rx_bytes"] == 200
    device.stop()


def test_in_a_container_every_interface_but_lo_is_read(tmp_path: Path) -> None:
    nic(tmp_path, "eth0", "up", card=False)
    put(tmp_path, "proc/net/dev", NET_HEAD + nic_line("lo", 5) + nic_line("eth0", 5))
    device = NicDevice(tmp_path)
    device.start()
    assert {metric.split("/")[1] for metric in tick(device)} == {"eth0"}
    device.stop()


MEMINFO = (
    "MemTotal: 100 kB\nMemAvailable: 60 kB\nCached: 30 kB\nDirty: 2 kB\nWriteback: 1 kB\n"
    "SwapTotal: 50 kB\nSwapFree: 45 kB\nHugePages_Total: 0\n"
)


def vmstat(number: int) -> str:
    names = ("nr_free_pages", "nr_dirtied", "nr_written", "pswpin", "pswpout", "pgmajfault")
    return "".join(f"{name} {number * factor}\n" for factor, name in enumerate(names))


def test_memory(tmp_path: Path) -> None:
    put(tmp_path, "proc/meminfo", MEMINFO)
    put(tmp_path, "proc/vmstat", vmstat(100))
    device = MemoryDevice(tmp_path)
    device.start()
    tick(device)
    put(tmp_path, "proc/vmstat", vmstat(110))
    assert tick(device) == {
        "memory/available_bytes": 60 * 1024,
        "memory/cached_bytes": 30 * 1024,
        "memory/dirty_bytes": 2 * 1024,
        "memory/writeback_bytes": 1024,
        "memory/swap_used_bytes": 5 * 1024,
        "memory/dirtied_bytes": 10 * PAGE,
        "memory/written_back_bytes": 20 * PAGE,
        "memory/swapped_in_bytes": 30 * PAGE,
        "memory/swapped_out_bytes": 40 * PAGE,
        "memory/major_faults": 50,
    }
    device.stop()


def psi(some: int, full: int) -> str:
    return (
        f"some avg10=0.10 avg60=0.53 avg300=0.34 total={some}\n"
        f"full avg10=0.00 avg60=0.00 avg300=0.00 total={full}\n"
    )


def test_pressure(tmp_path: Path) -> None:
    for number, resource in enumerate(("cpu", "io", "memory")):
        put(tmp_path, f"proc/pressure/{resource}", psi(number, number))
    device = PressureDevice(tmp_path)
    device.start()
    tick(device)
    put(tmp_path, "proc/pressure/cpu", psi(1_000_000, 9))
    put(tmp_path, "proc/pressure/io", psi(2_000_001, 500_001))
    assert tick(device) == pytest.approx(
        {
            "pressure/cpu_some_s": 1.0,
            "pressure/io_some_s": 2.0,
            "pressure/io_full_s": 0.5,
            "pressure/memory_some_s": 0.0,
            "pressure/memory_full_s": 0.0,
        }
    )
    device.stop()


def test_a_kernel_without_psi_is_an_error_with_the_files_name(tmp_path: Path) -> None:
    put(tmp_path, "proc/pressure/cpu", psi(0, 0))
    with pytest.raises(FileNotFoundError, match="proc/pressure/io"):
        PressureDevice(tmp_path).start()


def test_a_file_larger_than_one_reading_is_read_whole(tmp_path: Path) -> None:
    put(tmp_path, "big", "0123456789" * 20_000)
    file = ProcFile(tmp_path / "big")
    assert file.read() == file.read() == b"0123456789" * 20_000
    file.close()


def test_a_failing_read_names_its_file(tmp_path: Path) -> None:
    file = ProcFile(tmp_path)  # a folder can be opened and not read
    with pytest.raises(OSError, match=str(tmp_path)):
        file.read()
    file.close()
