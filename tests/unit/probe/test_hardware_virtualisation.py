"""What surrounds the process: control groups, hypervisors, containers, Java."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.probe import probe_host
from howdah.probe.hardware import read_virtualisation
from howdah.probe.host import read_cgroup, read_software
from howdah.probe.tree import Answer, FileTree, Inquiry
from support.trees import RecordedInquiry, grow, grow_text

GIB = 2**30


def tree(root: Path, text: str) -> FileTree:
    return FileTree(grow_text(root, text))


def notes(read: FileTree) -> dict[str, str]:
    return {one.what: one.why for one in read.unread}


# --- control groups ---

V2 = "proc/self/mountinfo =\n| 1 0 0:25 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
V1 = (
    "proc/self/mountinfo =\n"
    "| 1 0 0:25 {top} /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n"
    "| 2 0 0:26 {top} /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n"
    "proc/self/cgroup =\n| 7:memory:{group}\n| 3:cpu,cpuacct:{group}\n| 1:name=systemd:/\n"
)


def test_the_tightest_group_on_the_way_up_counts(tmp_path: Path) -> None:
    cgroup = read_cgroup(
        tree(
            tmp_path,
            V2 + "proc/self/cgroup = 0::/a/b\n"
            "sys/fs/cgroup/a/cpu.max = 150000 100000\n"
            "sys/fs/cgroup/a/b/cpu.max = 400000 100000\n"
            f"sys/fs/cgroup/a/memory.max = {4 * GIB}\n"
            f"sys/fs/cgroup/a/memory.current = {3 * GIB}\n"
            f"sys/fs/cgroup/a/b/memory.max = {2 * GIB}\n"
            "sys/fs/cgroup/a/b/memory.current = 0\n",
        )
    )
    assert cgroup.version == 2
    assert cgroup.cpu_quota == 1.5
    # The upper group has the larger limit and less room under it.
    assert (cgroup.memory_limit_bytes, cgroup.memory_used_bytes) == (4 * GIB, 3 * GIB)


@pytest.mark.parametrize(
    ("top", "group", "folder"),
    [
        ("/", "/docker/5d1f", "/docker/5d1f"),
        ("/docker/5d1f", "/docker/5d1f", ""),
        ("/docker/5d1f", "/elsewhere", ""),
    ],
    ids=["the whole tree", "our group only", "a group that cannot be seen"],
)
def test_version_1_limits(tmp_path: Path, top: str, group: str, folder: str) -> None:
    cpu = f"sys/fs/cgroup/cpu,cpuacct{folder}"
    memory = f"sys/fs/cgroup/memory{folder}"
    cgroup = read_cgroup(
        tree(
            tmp_path,
            V1.format(top=top, group=group) + f"{cpu}/cpu.cfs_quota_us = 250000\n"
            f"{cpu}/cpu.cfs_period_us = 100000\n"
            f"{memory}/memory.limit_in_bytes = {GIB}\n"
            f"{memory}/memory.usage_in_bytes = {GIB // 2}\n"
            f"{memory}/memory.stat =\n| inactive_file 7\n| total_inactive_file {GIB // 4}\n",
        )
    )
    assert (cgroup.version, cgroup.cpu_quota) == (1, 2.5)
    assert (cgroup.memory_limit_bytes, cgroup.memory_used_bytes) == (GIB, GIB // 4)


def test_a_refused_limit_is_named(tmp_path: Path) -> None:
    # Reading a folder fails for everybody.
    read = tree(tmp_path, V2 + "proc/self/cgroup = 0::/\nsys/fs/cgroup/memory.max/\nsys/fs/cgroup/cpu.max/")
    cgroup = read_cgroup(read)
    assert (cgroup.cpu_quota, cgroup.memory_limit_bytes) == (None, None)
    assert {"cgroup memory_limit_bytes", "cgroup cpu_quota"} <= notes(read).keys()


def test_a_cpu_set_limits_the_cpus(tmp_path: Path) -> None:
    host = probe_host(grow(tmp_path, "firecracker-vm", "proc/self/status =\n| Cpus_allowed_list:\t1"))
    assert host.usable_cpus == 1
    assert host.cpu.threads == 2


# --- virtual or not ---


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sys/class/dmi/id/sys_vendor = QEMU", (True, "QEMU")),
        ("sys/class/dmi/id/product_name = KVM", (True, "KVM")),
        ("sys/class/dmi/id/sys_vendor = VMware, Inc.", (True, "VMware")),
        (
            "sys/class/dmi/id/sys_vendor = Microsoft Corporation\n"
            "sys/class/dmi/id/product_name = Virtual Machine",
            (True, "Hyper-V"),
        ),
        (
            "sys/class/dmi/id/sys_vendor = Amazon EC2\nsys/class/dmi/id/product_name = i3en.metal",
            (False, None),
        ),
        ("sys/class/dmi/id/sys_vendor = Dell Inc.", (False, None)),
        ("sys/hypervisor/type = xen", (True, "Xen")),
        ("sys/hypervisor/type = xen\nproc/xen/capabilities = control_d", (False, None)),
        ("proc/cpuinfo = flags : fpu hypervisor lahf_lm", (True, None)),
        ("proc/cpuinfo = flags : fpu vmx lahf_lm", (False, None)),
        ("proc/device-tree/hypervisor/compatible = linux,kvm", (True, "KVM")),
        ("", (False, None)),
    ],
)
def test_hypervisors_from_files(tmp_path: Path, text: str, expected: tuple[bool, str | None]) -> None:
    found = read_virtualisation(tree(tmp_path, text), Inquiry())
    assert (found.is_virtual, found.hypervisor) == expected


def test_systemd_knows_better_than_the_files(tmp_path: Path) -> None:
    inquiry = RecordedInquiry(
        commands={
            ("systemd-detect-virt", "--vm"): Answer("kvm\n", 0),
            ("systemd-detect-virt", "--container"): Answer("lxc\n", 0),
        }
    )
    found = read_virtualisation(tree(tmp_path, "sys/class/dmi/id/sys_vendor = QEMU"), inquiry)
    assert (found.is_virtual, found.hypervisor, found.container) == (True, "KVM", "lxc")


@pytest.mark.parametrize(
    ("text", "container"),
    [
        (".dockerenv =", "docker"),
        ("run/.containerenv =", "podman"),
        ("proc/self/cgroup = 0::/kubepods/burstable/pod1", "kubepods"),
        ("proc/self/cgroup = 0::/user.slice", None),
    ],
)
def test_containers_from_files(tmp_path: Path, text: str, container: str | None) -> None:
    assert read_virtualisation(tree(tmp_path, text), Inquiry()).container == container


# --- Java ---


@pytest.mark.parametrize(
    ("answer", "java", "noted"),
    [
        (Answer('openjdk version "21" 2023-09-19\nmore\n', 0), 'openjdk version "21" 2023-09-19', False),
        (Answer("Error: could not open jvm.cfg\n", 6), None, True),
        (TimeoutError(None, "no answer within 5 s"), None, True),
        (FileNotFoundError(2, "No such file or directory"), None, False),
    ],
)
def test_java(tmp_path: Path, answer: Answer | OSError, java: str | None, noted: bool) -> None:
    read = tree(tmp_path, 'etc/os-release = PRETTY_NAME="A B"\nproc/sys/kernel/osrelease = 6.1')
    software = read_software(read, RecordedInquiry(commands={("java", "-version"): answer}))
    assert (software.java, software.distribution, software.kernel) == (java, "A B", "6.1")
    assert ("java" in notes(read)) == noted
