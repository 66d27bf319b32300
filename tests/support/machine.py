"""The synthetic machine that synthetic runs ran on, and its raw limits."""

from __future__ import annotations

from collections.abc import Sequence

from howdah.model.host import Cache, Cpu, Disk, FileSystem, Host, Memory, Nic, NumaNode, Software
from howdah.model.host import Virtualisation as Virtual
from howdah.model.run import DeviceLimit, Limits

GIB = 1 << 30
RAW_READ = 2.6e9
RAW_WRITE = 2.45e9
RAW_COPY = 1.3e9


def host(name: str = "host1", cpus: int = 2, disks: Sequence[str] = ("vda",)) -> Host:
    """A small virtual machine; the first disk is mounted at /, further ones at /data/<disk>."""
    return Host(
        name=name,
        cpu=Cpu(
            model="Synthetic Processor 2.5 GHz",
            architecture="x86_64",
            sockets=1,
            cores=cpus,
            threads=cpus,
            max_hz=2_500_000_000,
            caches=(Cache(level=3, kind="unified", size_bytes=32 << 20, instances=1),),
            numa_nodes=(NumaNode(node=0, cpus=tuple(range(cpus)), memory_bytes=24 * GIB),),
        ),
        memory=Memory(
            total_bytes=24 * GIB,
            available_bytes=22 * GIB,
            swap_total_bytes=0,
            huge_page_bytes=2 << 20,
            huge_pages_total=0,
            transparent_huge_pages="madvise",
            swappiness=60,
            overcommit_memory=0,
            dirty_ratio=20,
            dirty_background_ratio=10,
            dirty_bytes=0,
            dirty_background_bytes=0,
        ),
        disks=tuple(
            Disk(
                name=disk,
                kind="virtual",
                model=None,
                size_bytes=256 * GIB,
                rotational=False,
                scheduler="none",
                read_ahead_bytes=128 << 10,
                queue_depth=256,
            )
            for disk in disks
        ),
        file_systems=tuple(
            FileSystem(
                mount="/" if number == 0 else f"/data/{disk}",
                device=f"/dev/{disk}",
                disk=disk,
                kind="ext4",
                options=("rw", "relatime"),
                size_bytes=250 * GIB,
                free_bytes=80 * GIB,
                block_bytes=4096,
            )
            for number, disk in enumerate(disks)
        ),
        nics=(
            Nic(
                name="eth0",
                driver="virtio_net",
                speed_bits_per_s=None,
                mtu=1500,
                rx_queues=2,
                tx_queues=2,
                up=True,
            ),
        ),
        virtualisation=Virtual(is_virtual=True, hypervisor="KVM", container=None, steal_share=0.001),
        software=Software(kernel="6.8.0", distribution="Debian GNU/Linux 12", java=None),
    )


def data_dir(number: int, disk: str) -> str:
    """The data directory on a host's disk, as ``host`` mounts it."""
    return "/srv/howdah" if number == 0 else f"/data/{disk}/howdah"


def raw_limits(disks: Sequence[str] = ("vda",)) -> Limits:
    """The raw limits of ``host``: all its disks together at RAW_READ, RAW_WRITE and RAW_COPY."""
    each = len(disks)
    return Limits(
        devices=tuple(
            DeviceLimit(
                data_dir=data_dir(number, disk),
                device=disk,
                read_bytes_per_s=RAW_READ / each,
                write_bytes_per_s=RAW_WRITE / each,
                copy_bytes_per_s=RAW_COPY / each,
                tool="howdah",
            )
            for number, disk in enumerate(disks)
        ),
        read_bytes_per_s=RAW_READ,
        write_bytes_per_s=RAW_WRITE,
        copy_bytes_per_s=RAW_COPY,
        memory_copy_bytes_per_s=9e9,
    )
