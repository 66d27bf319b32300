"""What KVM is told of a worker's disks and network cards, as paths of libvirt's domain XML."""

from __future__ import annotations

from howdah.model.plan import Input
from howdah.planner.conditions import under_kvm
from howdah.planner.facts import Facts
from howdah.planner.rule import Decision, Rule, Scope, SettingRule, Severity
from howdah.planner.values import fixed

_FILE = "kvm.xml"
_WHEN = "workers are virtual machines under KVM"


def _threads(facts: Facts) -> Decision:
    disks = max(1, facts.worker.data_disks or 1)
    return Decision(
        disks,
        "one for each data disk, which names it in its driver: no disk waits for another's requests",
        (Input(name="worker.data_disks", value=disks),),
    )


RULES: tuple[Rule, ...] = (
    SettingRule(
        id="hypervisor.kvm-io-threads",
        says="Give each data disk an I/O thread.",
        sources=("D0 31", "howdah"),
        severity=Severity.MAY,
        condition=_WHEN,
        applies=under_kvm,
        key="iothreads",
        file=_FILE,
        scope=Scope.WORKER,
        decide=_threads,
    ),
    SettingRule(
        id="hypervisor.kvm-disk-type",
        says="Hand whole disks through as block devices.",
        sources=("D0 31", "D0 30"),
        condition=_WHEN,
        applies=under_kvm,
        key="devices.disk.@type",
        file=_FILE,
        scope=Scope.WORKER,
        decide=fixed(
            "block", "no file system of the host lies between HDFS and its disks; this is the pattern of each"
        ),
    ),
    SettingRule(
        id="hypervisor.kvm-disk-format",
        says="Use disks raw.",
        sources=("D0 31",),
        condition=_WHEN,
        applies=under_kvm,
        key="devices.disk.driver.@type",
        file=_FILE,
        scope=Scope.WORKER,
        decide=fixed("raw", "an image format would write twice"),
    ),
    SettingRule(
        id="hypervisor.kvm-disk-cache",
        says="Keep the host's cache out of the way.",
        sources=("D0 24", "howdah"),
        condition=_WHEN,
        applies=under_kvm,
        key="devices.disk.driver.@cache",
        file=_FILE,
        scope=Scope.WORKER,
        decide=fixed("none", "the guest caches; caching twice halves what memory is worth"),
    ),
    SettingRule(
        id="hypervisor.kvm-disk-io",
        says="Use the kernel's own asynchronous I/O for disks.",
        sources=("howdah",),
        severity=Severity.MAY,
        condition=_WHEN,
        applies=under_kvm,
        key="devices.disk.driver.@io",
        file=_FILE,
        scope=Scope.WORKER,
        decide=fixed("native", "fewer threads and switches for each request than the default"),
    ),
    SettingRule(
        id="hypervisor.kvm-disk-bus",
        says="Attach disks by virtio.",
        sources=("D0 31",),
        condition=_WHEN,
        applies=under_kvm,
        key="devices.disk.target.@bus",
        file=_FILE,
        scope=Scope.WORKER,
        decide=fixed(
            "virtio", "the bus that the host does not have to emulate, with an I/O thread for each disk"
        ),
    ),
    SettingRule(
        id="hypervisor.kvm-network-card",
        says="Give a worker virtio cards.",
        sources=("D0 41", "D3 119"),
        condition=_WHEN,
        applies=under_kvm,
        key="devices.interface.model.@type",
        file=_FILE,
        scope=Scope.WORKER,
        decide=fixed("virtio", "the card that the host does not have to emulate"),
    ),
    SettingRule(
        id="hypervisor.kvm-network-driver",
        says="Let the host's kernel move packets.",
        sources=("D0 47", "howdah"),
        condition=_WHEN,
        applies=under_kvm,
        key="devices.interface.driver.@name",
        file=_FILE,
        scope=Scope.WORKER,
        decide=fixed("vhost", "no packet passes through the emulator's process: less delay for each replica"),
    ),
    SettingRule(
        id="hypervisor.kvm-network-queues",
        says="Use one queue in a virtual network card.",
        sources=("D0 38", "D3 119"),
        severity=Severity.MAY,
        condition=_WHEN,
        applies=under_kvm,
        key="devices.interface.driver.@queues",
        file=_FILE,
        scope=Scope.WORKER,
        decide=fixed(1, "more queues gain only in the largest machines; measure before you add one"),
    ),
)
