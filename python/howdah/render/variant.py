"""Separate folders for kinds of workers and groups of hosts with different files."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from howdah.model.plan import ClusterPlan, Setting, Worker

HADOOP_XML = (
    "capacity-scheduler.xml",
    "core-site.xml",
    "hadoop-policy.xml",
    "hdfs-site.xml",
    "mapred-site.xml",
    "ssl-client.xml",
    "ssl-server.xml",
    "yarn-site.xml",
)
HADOOP_ENV = ("hadoop-env.sh", "mapred-env.sh", "yarn-env.sh")
HBASE_XML = ("hbase-site.xml",)
HBASE_ENV = ("hbase-env.sh",)
XML = (*HADOOP_XML, *HBASE_XML)
ZOOKEEPER = "zoo.cfg"
ZOOKEEPER_ENV = "zookeeper-env.sh"
SPARK = "spark-defaults.conf"
TEZ = "tez-site.xml"
HIVE = "hive-site.xml"
FRAMEWORKS = (SPARK, TEZ, HIVE)
EXECUTOR = "container-executor.cfg"
SYSCTL = "sysctl.conf"
LIMITS = "limits.conf"
HUGE_PAGES = "thp"
DISKS = "disks"
JAVA = "java"
SYSTEM = (SYSCTL, LIMITS, HUGE_PAGES, DISKS, JAVA)
NETWORK = "network"
VMX = "vsphere.vmx"
ESXI = "esxi"
LIBVIRT = "kvm.xml"
FIRMWARE = "firmware"
SETTING_FILES = frozenset(
    (
        *XML,
        *HADOOP_ENV,
        *HBASE_ENV,
        ZOOKEEPER,
        ZOOKEEPER_ENV,
        EXECUTOR,
        *FRAMEWORKS,
        *SYSTEM,
        NETWORK,
        VMX,
        ESXI,
        LIBVIRT,
        FIRMWARE,
    )
)
"""Every file that a setting may name."""


class FileVariant(NamedTuple):
    """One set of files: for all, for a kind of worker or for a group of hosts."""

    suffix: str = ""
    worker: str | None = None
    group: str | None = None

    def folder(self, base: str) -> str:
        """The folder's name: ``os``, or ``os-small`` for the kind of worker called small."""
        return f"{base}-{self.suffix}" if self.suffix else base

    def holds(self, setting: Setting) -> bool:
        """Whether a setting applies to this variant."""
        return setting.worker in (None, self.worker) and setting.group in (None, self.group)


EVERYWHERE = FileVariant()
"""The settings that all hosts and workers share."""


def of_kind(worker: Worker) -> FileVariant:
    """The settings of a kind of worker, including its hosts'."""
    return FileVariant(worker.name, worker.name, worker.group)


def of_group(group: str) -> FileVariant:
    """The settings of a group of hosts."""
    return FileVariant(group, None, group)


def differ(plan: ClusterPlan, files: Collection[str]) -> bool:
    """Whether any setting of these files applies only to some workers or hosts."""
    return any(
        setting.file in files and (setting.worker is not None or setting.group is not None)
        for setting in plan.settings
    )


def file_variants(plan: ClusterPlan, files: Collection[str]) -> tuple[FileVariant, ...]:
    """Return the different sets of these files, identical ones together."""
    if any(setting.file in files and setting.worker is not None for setting in plan.settings):
        workless = {group.name for group in plan.cluster.inventory.groups} - {
            worker.group for worker in plan.workers
        }
        return (*map(of_kind, plan.workers), *map(of_group, sorted(workless)))
    if differ(plan, files):
        return tuple(of_group(group.name) for group in plan.cluster.inventory.groups)
    return (EVERYWHERE,)


def select(plan: ClusterPlan, file: str, variant: FileVariant) -> list[Setting]:
    """The settings of one file for one set, sorted by key; one for these only goes before one for all."""
    chosen: dict[str, Setting] = {}
    for setting in plan.settings:
        if setting.file == file and variant.holds(setting):
            general = setting.worker is None and setting.group is None
            if setting.key not in chosen or not general:
                chosen[setting.key] = setting
    return [chosen[key] for key in sorted(chosen)]
