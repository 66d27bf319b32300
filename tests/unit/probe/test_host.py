"""Whole machines, recorded, through the whole probe."""

from __future__ import annotations

from pathlib import Path, PurePath

import pytest

from howdah.errors import UserError
from howdah.model.host import Bond, FileSystem, Host, NetworkStack, UserLimits, XfsGeometry
from howdah.probe import host_line, probe_host
from howdah.probe.tree import Answer, Space
from support.trees import RecordedInquiry, grow, grow_text

GIB = 2**30
JAVA = Answer('Picked up JAVA_TOOL_OPTIONS: -Xmx1g\nopenjdk version "17.0.15" 2025-04-15\nOpenJDK 64\n', 0)


def unread(host: Host) -> dict[str, str]:
    return {one.what: one.why for one in host.unread}


# A host is frozen, so one reading of each tree does for all tests here.
@pytest.fixture(scope="module")
def vm(tmp_path_factory: pytest.TempPathFactory) -> Host:
    inquiry = RecordedInquiry({"/": Space(252 * GIB, 77 * GIB, 4096)}, commands={("java", "-version"): JAVA})
    return probe_host(grow(tmp_path_factory.mktemp("machine"), "firecracker-vm"), inquiry)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Host:
    data = [f"/data/{number:02d}" for number in range(1, 21)]
    spaces = {mount: Space(4 * 10**12, 3 * 10**12, 4096) for mount in data}
    inquiry = RecordedInquiry(
        spaces | {"/": Space(40 * GIB, 20 * GIB, 4096)},
        {mount: XfsGeometry(agcount=4, agsize_bytes=10**12) for mount in data},
        {("uname", "-m"): Answer("x86_64\n", 0), ("systemd-detect-virt", "--vm"): Answer("none\n", 1)},
    )
    return probe_host(grow(tmp_path_factory.mktemp("machine"), "numa-server"), inquiry)


@pytest.fixture(scope="module")
def arm(tmp_path_factory: pytest.TempPathFactory) -> Host:
    space = Space(100 * GIB, 90 * GIB, 4096)
    return probe_host(
        grow(tmp_path_factory.mktemp("machine"), "aarch64-cloud"),
        RecordedInquiry({"/": space, "/data one": space}),
    )


@pytest.fixture(scope="module")
def container(tmp_path_factory: pytest.TempPathFactory) -> Host:
    return probe_host(
        grow(tmp_path_factory.mktemp("machine"), "container"),
        RecordedInquiry({"/data": Space(10**12, 10**11, 4096)}),
    )


def test_a_virtual_machine(vm: Host) -> None:
    assert (vm.name, vm.software.kernel) == ("vm", "6.18.44")
    assert vm.software.distribution == "Debian GNU/Linux 12 (bookworm)"
    assert vm.software.java == 'openjdk version "17.0.15" 2025-04-15'
    assert (vm.cpu.sockets, vm.cpu.cores, vm.cpu.threads) == (1, 2, 2)
    assert [(one.level, one.kind, one.size_bytes, one.instances) for one in vm.cpu.caches] == [
        (1, "data", 48 * 1024, 2),
        (1, "instruction", 32 * 1024, 2),
        (3, "unified", 32 * 2**20, 1),
    ]
    assert vm.memory.total_bytes == 24684092 * 1024
    assert vm.memory.available_bytes == 24285608 * 1024
    assert (vm.memory.transparent_huge_pages, vm.memory.huge_page_bytes) == ("madvise", 2 * 2**20)
    assert (vm.memory.swappiness, vm.memory.dirty_ratio, vm.memory.dirty_background_ratio) == (60, 20, 10)
    assert vm.virtualisation.is_virtual
    assert vm.virtualisation.hypervisor == "KVM"
    assert vm.virtualisation.steal_share == pytest.approx(13 / 255486)


def test_empty_loop_and_zram_devices_are_no_disks(vm: Host) -> None:
    (disk,) = vm.disks
    assert (disk.name, disk.kind, disk.model, disk.size_bytes) == ("vda", "virtual", None, 256 * GIB)
    assert (disk.rotational, disk.scheduler, disk.read_ahead_bytes, disk.queue_depth) == (
        True,
        "mq-deadline",
        8 * 2**20,
        256,
    )


def test_a_machine_booted_from_an_image_is_no_container(vm: Host) -> None:
    assert vm.virtualisation.container is None
    assert "but / is a whole disk and all processes are visible" in unread(vm)["container"]


def test_what_a_virtual_machine_does_not_tell_is_said(vm: Host) -> None:
    assert vm.nics[0].speed_bits_per_s is None
    assert vm.cpu.max_hz is None
    assert unread(vm).keys() == {"cpu max_hz", "numa memory", "nic eth0 speed", "container"}
    assert "7.1 GiB of the machine's 23.5 GiB" in unread(vm)["numa memory"]


def test_no_limit_is_no_limit(vm: Host) -> None:
    assert (vm.cgroup.version, vm.cgroup.cpu_quota, vm.cgroup.memory_limit_bytes) == (1, None, None)
    assert vm.usable_cpus == 2
    assert vm.usable_memory_bytes == vm.memory.available_bytes


def test_a_numa_server(server: Host) -> None:
    cpu = server.cpu
    assert (cpu.sockets, cpu.cores, cpu.threads, cpu.max_hz) == (2, 20, 40, 3_600_000_000)
    assert [(node.node, len(node.cpus), node.memory_bytes // GIB) for node in cpu.numa_nodes] == [
        (0, 20, 125),
        (1, 20, 125),
    ]
    assert cpu.numa_nodes[1].cpus == (*range(10, 20), *range(30, 40))
    assert {(one.level, one.kind): one.instances for one in cpu.caches} == {
        (1, "data"): 20,
        (1, "instruction"): 20,
        (2, "unified"): 20,
        (3, "unified"): 2,
    }
    assert not server.virtualisation.is_virtual
    assert server.virtualisation.container is None
    assert server.software.java is None
    assert server.memory.huge_pages_total == 512
    assert server.memory.dirty_background_bytes == 256 * 2**20
    assert unread(server).keys() == {"xfs geometry of /"}


def test_twenty_disks_and_what_lies_on_them(server: Host) -> None:
    assert [disk.name for disk in server.disks] == [f"sd{letter}" for letter in "abcdefghijklmnopqrst"]
    assert {(disk.kind, disk.model) for disk in server.disks} == {("hdd", "ST4000NM0033-9ZM")}
    data = [one for one in server.file_systems if one.mount.startswith("/data")]
    assert [one.disk for one in data] == [disk.name for disk in server.disks]
    assert data[19].device == "sdt1"
    assert data[0].xfs == XfsGeometry(agcount=4, agsize_bytes=10**12)
    assert data[0].options == ("rw", "noatime", "nodiratime", "attr2", "inode64", "noquota")


def test_a_file_system_on_several_disks_names_them_all(server: Host) -> None:
    root = server.mount_of(PurePath("/var/log"))
    assert isinstance(root, FileSystem)
    assert (root.device, root.disk, root.disks) == ("dm-0", None, ("sda", "sdb"))


def test_network_cards_and_their_bond(server: Host) -> None:
    assert [
        (nic.name, nic.driver, nic.speed_bits_per_s, nic.mtu, nic.rx_queues, nic.tx_queues, nic.up)
        for nic in server.nics
    ] == [
        ("bond0", "bonding", 20 * 10**9, 9000, 16, 16, True),
        ("eno1", "ixgbe", 10 * 10**9, 9000, 40, 40, True),
        ("eno2", "ixgbe", 10 * 10**9, 9000, 40, 40, True),
    ]


def test_an_arm_machine(arm: Host) -> None:
    assert (arm.cpu.architecture, arm.cpu.sockets, arm.cpu.cores, arm.cpu.threads) == ("aarch64", 1, 4, 4)
    assert arm.cpu.model == "ARM implementer 0x41 part 0xd0c"
    assert (arm.virtualisation.is_virtual, arm.virtualisation.hypervisor) == (True, "Amazon Nitro")
    assert arm.virtualisation.steal_share == pytest.approx(0.05)
    assert [(disk.kind, disk.scheduler) for disk in arm.disks] == [("nvme", "none"), ("nvme", "none")]
    assert [(one.mount, one.kind, one.disk) for one in arm.file_systems] == [
        ("/", "xfs", "nvme0n1"),
        ("/data one", "btrfs", "nvme1n1"),
    ]
    assert unread(arm)["xfs geometry of /"] == "/: Permission denied"


def test_a_container_says_what_is_ours(container: Host) -> None:
    assert container.cpu.threads == 64
    assert container.cgroup.version == 2
    assert container.usable_cpus == 2.0
    assert container.cgroup.memory_limit_bytes == 4 * GIB
    # Page cache that the kernel gives back does not count as used.
    assert container.usable_memory_bytes == 4 * GIB - (1610612736 - 536870912)
    assert container.virtualisation.container == "docker"
    assert not container.virtualisation.is_virtual


def test_a_container_sees_volumes_and_not_single_files(container: Host) -> None:
    assert [(one.mount, one.disk) for one in container.file_systems] == [("/data", "nvme0n1")]
    assert [(one.mount, one.kind) for one in container.other_mounts] == [
        ("/", "overlay"),
        ("/dev/shm", "tmpfs"),
    ]
    assert [(nic.name, nic.driver) for nic in container.nics] == [("eth0", None)]


@pytest.mark.parametrize(
    ("machine", "data_dirs", "line"),
    [
        ("vm", ["/srv/data"], "2 cores · 23.5 GiB · ext4 on vda (virtual machine, KVM)"),
        (
            "server",
            [f"/data/{number:02d}/howdah" for number in range(1, 21)],
            "20 cores, 40 threads in 2 sockets · 251.6 GiB · xfs on 20 disks (sda … sdt)",
        ),
        (
            "server",
            ["/data/01", "/home/me"],
            "20 cores, 40 threads in 2 sockets · 251.6 GiB · xfs on sda · nfs4",
        ),
        (
            "arm",
            ["/x", "/data one/y"],
            "4 cores · 15.5 GiB · xfs on nvme0n1 · btrfs on nvme1n1 (virtual machine, Amazon Nitro)",
        ),
        ("container", ["/data/x"], "2 of 64 CPUs · 4 GiB of 125 GiB · ext4 on nvme0n1 (docker container)"),
        ("container", ["/x"], "2 of 64 CPUs · 4 GiB of 125 GiB · overlay (docker container)"),
    ],
)
def test_the_line(machine: str, data_dirs: list[str], line: str, request: pytest.FixtureRequest) -> None:
    host: Host = request.getfixturevalue(machine)
    assert host_line(host, map(PurePath, data_dirs)) == line


def test_a_recorded_tree_is_not_asked_about_this_machine(tmp_path: Path) -> None:
    host = probe_host(grow(tmp_path, "firecracker-vm"))
    assert host.file_systems == ()
    assert host.software.java is None
    assert unread(host)["file system /"] == "/: a recorded tree cannot run commands"
    assert unread(host)["java"] == "java -version: a recorded tree cannot run commands"


def test_everything_survives_a_file(server: Host) -> None:
    assert Host.model_validate_json(server.model_dump_json()) == server


def test_no_proc_is_an_error_that_says_so(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"proc/meminfo: has no MemTotal"):
        probe_host(tmp_path)
    grow_text(tmp_path, "proc/meminfo = MemTotal: 1024 kB")
    with pytest.raises(UserError, match=r"proc/cpuinfo: lists no processor"):
        probe_host(tmp_path)


def test_what_a_tuned_server_is_tuned_to(server: Host) -> None:
    assert (server.cpu.smt, server.cpu.turbo, server.cpu.governor) == ("on", True, "performance")
    assert server.memory.transparent_huge_pages_defrag == "defer"
    assert server.network == NetworkStack(
        rmem_max_bytes=16 * 2**20,
        wmem_max_bytes=16 * 2**20,
        somaxconn=4096,
        tcp_mtu_probing=1,
        arp_filter=1,
    )
    assert server.limits == UserLimits(open_files=32768, processes=32768, locked_memory_bytes="unlimited")
    assert server.software.clock_synchronised is True
    assert server.disks[0].partition_starts_bytes == (8 * 2**20, 2**20)
    assert server.nics[0].bond == Bond(mode="802.3ad", hash_policy="layer3+4")
    assert [nic.member_of for nic in server.nics] == [None, "bond0", "bond0"]


def test_what_an_untuned_machine_has(vm: Host) -> None:
    assert (vm.cpu.smt, vm.cpu.turbo, vm.cpu.governor) == ("notsupported", None, None)
    assert vm.memory.transparent_huge_pages_defrag == "madvise"
    assert vm.network.rmem_max_bytes == 212992
    assert (vm.limits.open_files, vm.limits.locked_memory_bytes) == (1024, 8 * 2**20)
    assert vm.nics[0].bond is None
