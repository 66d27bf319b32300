"""Single subjects of the probe, each in the situations that make it hard."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howdah.probe import probe_host
from howdah.probe.disks import read_disks, read_mounts
from howdah.probe.hardware import read_cpu, read_network_stack, read_nics
from howdah.probe.host import read_memory
from howdah.probe.tree import FileTree, Inquiry, parse_cpu_list, parse_size
from support.trees import grow, grow_text

GIB = 2**30


def tree(root: Path, text: str) -> FileTree:
    return FileTree(grow_text(root, text))


def notes(read: FileTree) -> dict[str, str]:
    return {one.what: one.why for one in read.unread}


@given(st.sets(st.integers(0, 4095), max_size=50))
def test_cpu_lists(cpus: set[int]) -> None:
    assert parse_cpu_list(",".join(map(str, sorted(cpus)))) == tuple(sorted(cpus))


def test_cpu_list_ranges() -> None:
    assert parse_cpu_list("0-3,8,10-11\n") == (0, 1, 2, 3, 8, 10, 11)


@pytest.mark.parametrize(
    ("text", "size"), [("48K", 49152), (" 1 kB", 1024), ("512", 512), ("32M", 2**25), ("1G", GIB)]
)
def test_sizes(text: str, size: int) -> None:
    assert parse_size(text) == size


def test_unreadable_files_are_named_and_the_rest_is_read(tmp_path: Path) -> None:
    unreadable = """
proc/sys/vm/swappiness !
proc/stat !
sys/kernel/mm/transparent_hugepage/enabled !
sys/devices/system/node/node0/meminfo !
sys/block/vda/queue/scheduler !
sys/class/net/eth0/mtu !
sys/fs/cgroup/memory/session/7/memory.limit_in_bytes !
"""
    host = probe_host(grow(tmp_path, "firecracker-vm", unreadable))
    assert host.memory.swappiness is None
    assert host.memory.transparent_huge_pages is None
    assert host.virtualisation.steal_share is None
    assert host.cpu.numa_nodes == ()
    assert host.disks[0].scheduler is None
    assert host.disks[0].queue_depth == 256
    assert host.nics[0].mtu is None
    why = {one.what: one.why for one in host.unread}
    assert why["memory swappiness"].startswith("/proc/sys/vm/swappiness: ")
    assert {
        "steal_share",
        "memory transparent_huge_pages",
        "numa node0",
        "disk vda scheduler",
        "nic eth0 mtu",
    } <= why.keys()


def test_a_refused_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = tree(tmp_path, "proc/meminfo = MemTotal: 4 kB\nproc/sys/vm/swappiness = 60")
    given_text = Path.read_text

    def refuse(path: Path, **options: str) -> str:
        if path.name == "swappiness":
            raise PermissionError(13, "Permission denied", str(path))
        return given_text(path, **options)

    monkeypatch.setattr(Path, "read_text", refuse)
    assert read_memory(read).swappiness is None
    assert notes(read)["memory swappiness"] == "/proc/sys/vm/swappiness: Permission denied"


def test_offline_cpus_do_not_count(tmp_path: Path) -> None:
    grow(tmp_path, "firecracker-vm", "sys/devices/system/cpu/online = 1")
    cpu = read_cpu(FileTree(tmp_path), Inquiry())
    assert (cpu.sockets, cpu.cores, cpu.threads) == (1, 1, 1)


CPUINFO = """
proc/cpuinfo =
| processor : 0
| physical id : 0
| core id : 0
| processor : 1
| physical id : 1
| core id : 0
| processor : 2
| physical id : 1
| core id : 0
"""


def test_without_sys_the_topology_comes_from_cpuinfo(tmp_path: Path) -> None:
    cpu = read_cpu(tree(tmp_path, CPUINFO), Inquiry())
    assert (cpu.sockets, cpu.cores, cpu.threads) == (2, 2, 3)


def test_no_topology_at_all_is_said(tmp_path: Path) -> None:
    read = tree(tmp_path, "proc/cpuinfo =\n| processor : 0\n| processor : 1")
    cpu = read_cpu(read, Inquiry())
    assert (cpu.sockets, cpu.cores, cpu.threads, cpu.model, cpu.architecture) == (1, 2, 2, None, "unknown")
    assert {"cpu topology", "cpu model", "cpu architecture", "cpu caches"} <= notes(read).keys()


DISK = "sys/block/{name}/size = 1000\nsys/block/{name}/queue/rotational = {rotational}\n"


@pytest.mark.parametrize(
    ("name", "rotational", "more", "expected"),
    [
        ("sda", 1, "", ("hdd", None)),
        ("sda", 0, "vendor = ATA     \nmodel = INTEL SSDSC2KB96", ("ssd", "INTEL SSDSC2KB96")),
        ("sda", 1, "vendor = QEMU    \nmodel = QEMU HARDDISK", ("virtual", "QEMU QEMU HARDDISK")),
        ("sda", 0, "vendor = Msft\nmodel = Virtual Disk", ("virtual", "Msft Virtual Disk")),
        ("sda", 0, "vendor = SEAGATE\nmodel = ST600", ("ssd", "SEAGATE ST600")),
        ("nvme0n1", 0, "", ("nvme", None)),
        ("xvda", 1, "", ("virtual", None)),
        ("loop3", 1, "", ("loop", None)),
        ("cciss!c0d0", 1, "", ("hdd", None)),
        ("sda", "?", "", ("unknown", None)),
    ],
)
def test_kinds_of_disk(
    tmp_path: Path, name: str, rotational: int, more: str, expected: tuple[str, str | None]
) -> None:
    text = DISK.format(name=name, rotational=rotational)
    text += "".join(f"sys/block/{name}/device/{line}\n" for line in more.splitlines())
    (disk,) = read_disks(tree(tmp_path, text))
    assert (disk.kind, disk.model) == expected
    assert (disk.name, disk.size_bytes) == (name, 512_000)


@pytest.mark.parametrize(
    "more",
    [
        "sys/block/sda/size = 0",
        "sys/block/sda/hidden = 1",
        "sys/block/sda/slaves/sdb/",
        "sys/block/sda/size !",
    ],
)
def test_what_is_no_disk(tmp_path: Path, more: str) -> None:
    assert read_disks(tree(tmp_path, DISK.format(name="sda", rotational=1) + more)) == ()


@pytest.mark.parametrize("name", ["loop0", "sr0", "ram0", "zram0", "fd0"])
def test_devices_that_hold_no_data_are_left_out(tmp_path: Path, name: str) -> None:
    text = DISK.format(name=name, rotational=1) + f"sys/block/{name}/ro = 1"
    assert read_disks(tree(tmp_path, text)) == ()


def test_the_last_mount_at_a_place_is_the_one_that_is_seen(tmp_path: Path) -> None:
    mounts = read_mounts(
        tree(
            tmp_path,
            "proc/self/mountinfo =\n"
            "| 1 0 8:1 / /data rw,noatime - ext4 /dev/sda1 rw,stripe=4\n"
            "| 2 0 8:2 / /with\\040space\\134 ro shared:3 master:1 - xfs /dev/sda2 rw,attr2\n"
            "| 3 0 8:3 / /data ro,nodev - ext4 /dev/sda3 rw",
        )
    )
    assert [(one.point, one.number, one.options) for one in mounts] == [
        ("/with space\\", "8:2", ("ro", "attr2")),
        ("/data", "8:3", ("ro", "nodev")),
    ]


def test_a_nic_that_is_down(tmp_path: Path) -> None:
    text = "sys/class/net/eth1/device/\nsys/class/net/eth1/flags = 0x1002\nsys/class/net/eth1/speed !\n"
    read = tree(tmp_path, text + "sys/class/net/eth1/operstate = down\nsys/class/net/eth1/mtu = 1500")
    (nic,) = read_nics(read)
    assert (nic.up, nic.speed_bits_per_s, nic.mtu, nic.rx_queues) == (False, None, 1500, None)
    assert "nic eth1 speed" in notes(read)


@pytest.mark.parametrize(
    ("hosts", "address"),
    [
        ("127.0.0.1 localhost\n127.0.1.1 node1.example.com node1\n", "127.0.1.1"),
        ("127.0.0.1 localhost\n10.0.0.5 NODE1  # its own\n", "10.0.0.5"),
        ("# 127.0.1.1 node1\n10.0.0.5 node1.example.com\n", "10.0.0.5"),
        ("127.0.0.1 localhost\n10.0.0.9 node10.example.com\n", None),
        ("", None),
    ],
)
def test_the_address_of_the_hosts_own_name(tmp_path: Path, hosts: str, address: str | None) -> None:
    for path, text in (("proc/sys/kernel/hostname", "node1.example.com\n"), ("etc/hosts", hosts)):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    assert read_network_stack(FileTree(tmp_path)).own_address == address
