"""A host as an expert leaves it: twelve data disks, two bonded ports, nothing to complain about."""

from __future__ import annotations

from howdah.model.existing import ExistingSystem, FoundConfig, FoundProperty
from howdah.model.host import (
    Bond,
    Cpu,
    Disk,
    FileSystem,
    Host,
    Memory,
    NetworkStack,
    Nic,
    NumaNode,
    Software,
    UserLimits,
    Virtualisation,
    XfsGeometry,
)
from howdah.model.inventory import CpuLayout, DiskKind, DiskRole, DiskSet, HostGroup, NicSet
from howdah.model.request import PlanRequest
from howdah.planner.facts import Facts

GIB = 1 << 30
TB = 10**12
DISKS = tuple(f"sd{letter}" for letter in "bcdefghijklm")
MOUNTS = tuple(f"/data/{number:02d}" for number in range(1, 13))


def disk(name: str, **changes: object) -> Disk:
    """A spinning data disk, tuned."""
    return Disk(
        name=name,
        kind="hdd",
        model="ST4000NM0033",
        size_bytes=4 * TB,
        rotational=True,
        scheduler="mq-deadline",
        read_ahead_bytes=1 << 20,
        queue_depth=256,
        partition_starts_bytes=(8 << 20,),
    ).model_copy(update=changes)


def data_mount(mount: str, name: str, **changes: object) -> FileSystem:
    """An XFS on a disk of its own, half full."""
    return FileSystem(
        mount=mount,
        device=f"{name}1",
        disk=name,
        kind="xfs",
        options=("rw", "noatime", "nodiratime"),
        size_bytes=4 * TB,
        free_bytes=2 * TB,
        block_bytes=4096,
        disks=(name,),
        xfs=XfsGeometry(agcount=4, agsize_bytes=TB),
        reserved_bytes=0,
    ).model_copy(update=changes)


def nic(name: str, **changes: object) -> Nic:
    """A port of 10 Gb/s with jumbo frames."""
    return Nic(
        name=name,
        driver="ixgbe",
        speed_bits_per_s=10**10,
        mtu=9000,
        rx_queues=40,
        tx_queues=40,
        up=True,
    ).model_copy(update=changes)


def host(**changes: object) -> Host:
    """The host; ``changes`` replace whole parts of it."""
    return Host(
        name="dn1",
        cpu=Cpu(
            model="Synthetic Processor",
            architecture="x86_64",
            sockets=2,
            cores=20,
            threads=40,
            max_hz=None,
            caches=(),
            numa_nodes=tuple(
                NumaNode(node=node, cpus=tuple(range(node * 20, node * 20 + 20)), memory_bytes=128 * GIB)
                for node in (0, 1)
            ),
            smt="on",
            turbo=True,
            governor="performance",
        ),
        memory=Memory(
            total_bytes=256 * GIB,
            available_bytes=250 * GIB,
            swap_total_bytes=4 * GIB,
            huge_page_bytes=2 << 20,
            huge_pages_total=0,
            transparent_huge_pages="always",
            transparent_huge_pages_defrag="defer",
            swappiness=1,
            overcommit_memory=0,
            dirty_ratio=20,
            dirty_background_ratio=1,
            dirty_bytes=0,
            dirty_background_bytes=0,
        ),
        disks=(disk("sda"), *map(disk, DISKS)),
        file_systems=(
            data_mount("/", "sda", kind="ext4", xfs=None, options=("rw", "relatime"), reserved_bytes=GIB),
            *(data_mount(mount, name) for mount, name in zip(MOUNTS, DISKS, strict=True)),
        ),
        nics=(
            nic(
                "bond0",
                driver="bonding",
                speed_bits_per_s=2 * 10**10,
                bond=Bond(mode="802.3ad", hash_policy="layer3+4"),
            ),
            nic("eno1", member_of="bond0"),
            nic("eno2", member_of="bond0"),
        ),
        virtualisation=Virtualisation(is_virtual=False, hypervisor=None, container=None, steal_share=0.0),
        software=Software(
            kernel="6.1.0-18-amd64", distribution="Debian 12", java=None, clock_synchronised=True
        ),
        network=NetworkStack(
            rmem_max_bytes=16 << 20, wmem_max_bytes=16 << 20, somaxconn=4096, tcp_mtu_probing=1, arp_filter=1
        ),
        limits=UserLimits(open_files=32768, processes=32768, locked_memory_bytes="unlimited"),
    ).model_copy(update=changes)


def with_data(*mounts: FileSystem, disks: tuple[Disk, ...] = ()) -> Host:
    """The host with other data file systems below its root, and other data disks where given."""
    plain = host()
    return plain.model_copy(
        update={
            "file_systems": (plain.file_systems[0], *mounts),
            "disks": (plain.disks[0], *disks) if disks else plain.disks,
        }
    )


def group(**changes: object) -> HostGroup:
    """The host as the inventory has it."""
    return HostGroup(
        name="dn",
        count=4,
        cpu=CpuLayout(sockets=2, cores_per_socket=10, threads_per_core=2),
        memory="256GiB",
        disks=(
            DiskSet(count=12, kind=DiskKind.HDD, size="4TB"),
            DiskSet(count=2, kind=DiskKind.SSD, size="240GB", role=DiskRole.SYSTEM),
            DiskSet(count=1, kind=DiskKind.HDD, size="4TB", role=DiskRole.SPARE),
        ),
        nics=(NicSet(count=2, speed="10Gb/s"),),
    ).model_copy(update=changes)


def facts(request: PlanRequest | None = None, **changes: object) -> Facts:
    """What is known of the host without a plan."""
    return Facts(request=request or PlanRequest(), known_group=group(**changes))


def config(*data_dirs: str) -> FoundConfig:
    """A configuration that names these data directories."""
    found = FoundProperty(
        name="dfs.datanode.data.dir", text=",".join(data_dirs), file="hdfs-site.xml", line=3
    )
    return FoundConfig(folder="conf", properties=(found,), files=("hdfs-site.xml",))


def found(one: Host | None = None, *data_dirs: str) -> ExistingSystem:
    """The host, tuned or another, with a configuration if directories are given."""
    return ExistingSystem(host=one or host(), config=config(*data_dirs) if data_dirs else None)
