"""The hypervisors' and the firmware's rules."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howdah.model.inventory import CpuLayout, DiskKind, DiskSet
from howdah.model.plan import Placement, Topology, Value, Worker
from howdah.model.request import Demand, Hypervisor, PlanRequest
from howdah.planner.facts import ClusterFacts, Facts, MissingFact
from howdah.planner.reading import Inspected, Observation
from howdah.planner.rule import AdviceRule, Inspection, SettingRule
from support.facts import rules_of
from support.tuned import GIB, found, group, host

BY_ID = {rule.id: rule for rule in (*rules_of("hypervisor"), *rules_of("firmware"))}
SETTINGS = tuple(rule for rule in BY_ID.values() if isinstance(rule, SettingRule))
HBASE = (Demand(kind="ycsb"),)
TERASUITE = (Demand(kind="terasuite"),)


def known(
    chosen: Hypervisor | None = Hypervisor.VSPHERE,
    *,
    vcpus: int = 10,
    nodes: int = 1,
    per_host: int = 4,
    memory: int = 61696,
    virtual: bool = True,
    workloads: tuple[Demand, ...] = TERASUITE,
    cpu: CpuLayout | None = None,
) -> Facts:
    """A worker of the vSphere 6 study, four on each host, or another."""
    worker = Worker(
        name="worker",
        map_slots=6,
        reduce_slots=6,
        memory_bytes=memory << 20,
        vcpus=vcpus,
        data_disks=5,
        numa_nodes=nodes,
        per_host=per_host,
        group="dn",
    )
    topology = Topology(placement=Placement.DEFAULT, real_racks=False, racks=(), reason="")
    return Facts(
        request=PlanRequest(hypervisor=chosen, workloads=workloads),
        known_group=group(cpu=cpu or CpuLayout(sockets=2, cores_per_socket=10, threads_per_core=2)),
        known_worker=worker,
        known_cluster=ClusterFacts(
            name="cluster",
            hosts=32,
            worker_hosts=32,
            kinds=((worker, 126),),
            masters=(),
            topology=topology,
            virtual=virtual,
            raw_bytes=1,
        ),
    )


def options(facts: Facts, file: str) -> dict[str, Value]:
    return {
        rule.key: rule.decide(facts).value for rule in SETTINGS if rule.file == file and rule.holds(facts)
    }


def tells(rule_id: str, facts: Facts) -> str | None:
    rule = BY_ID[rule_id]
    assert isinstance(rule, AdviceRule)
    return rule.advise(facts) if rule.holds(facts) else None


def sees(rule_id: str, **changes: object) -> list[Observation]:
    rule = BY_ID[rule_id]
    assert isinstance(rule, Inspection)
    return list(rule.inspect(Inspected(found(host(**changes))), known()))


def test_the_studys_worker_under_vsphere() -> None:
    assert options(known(), "vsphere.vmx") == {
        "numvcpus": 10,
        "cpuid.coresPerSocket": 10,
        "memSize": 61696,
        "sched.mem.min": 61696,
        "sched.mem.pin": True,
        "sched.mem.prealloc": True,
        "numa.memory.gransize": 1024,
        "scsi0.virtualDev": "pvscsi",
        "ethernet0.virtualDev": "vmxnet3",
        "disk.EnableUUID": True,
        "virtualHW.version": 20,
    }
    assert options(known(), "kvm.xml") == {}


def test_a_worker_of_more_cpus_than_a_nodes_cores_prefers_its_threads() -> None:
    two = options(known(vcpus=20, per_host=2), "vsphere.vmx")
    assert two["numa.vcpu.preferHT"] is True
    whole = options(known(vcpus=40, per_host=1, nodes=2), "vsphere.vmx")
    assert "numa.vcpu.preferHT" not in whole
    assert whole["cpuid.coresPerSocket"] == 20


def test_hbase_is_latency_sensitive_and_vsphere_8_has_a_condition() -> None:
    """The hosts of the HBase study: 12 cores, 24 threads, one worker of 22 vCPUs."""
    cpu = CpuLayout(sockets=2, cores_per_socket=6, threads_per_core=2)
    study = known(vcpus=22, per_host=1, nodes=2, memory=74 * 1024, workloads=HBASE, cpu=cpu)
    rule = BY_ID["hypervisor.vsphere-latency"]
    assert isinstance(rule, SettingRule)
    decision = rule.decide(study)
    assert decision.value == "high"
    assert "12 for 22 vCPUs" in decision.because
    assert "Hyper-threading" in decision.because
    assert not rule.holds(known())
    roomy = known(vcpus=10, per_host=1, workloads=HBASE, cpu=cpu)
    assert "Hyper-threading" not in rule.decide(roomy).because
    assert options(study, "esxi")["Power.CpuPolicy"] == "High Performance"
    assert options(known(), "esxi")["Power.CpuPolicy"] == "Balanced"


def test_the_same_worker_under_kvm() -> None:
    facts = known(Hypervisor.KVM)
    assert options(facts, "vsphere.vmx") == {}
    told = options(facts, "kvm.xml")
    assert (told["vcpu"], told["vcpu.@placement"]) == (10, "auto")
    assert (told["memory"], told["memory.@unit"]) == (61696, "MiB")
    assert told["numatune.memory.@mode"] == "strict"
    assert told["iothreads"] == 5
    assert "vcpu.@placement" not in options(known(Hypervisor.KVM, vcpus=40, nodes=2), "kvm.xml")


@given(vcpus=st.integers(1, 512), nodes=st.integers(1, 8))
def test_what_the_guest_sees_adds_up(vcpus: int, nodes: int) -> None:
    told = options(known(Hypervisor.KVM, vcpus=vcpus, nodes=nodes), "kvm.xml")
    shape = [told[f"cpu.topology.@{part}"] for part in ("sockets", "cores", "threads")]
    assert all(isinstance(part, int) and part >= 1 for part in shape)
    assert int(str(shape[0])) * int(str(shape[1])) * int(str(shape[2])) == vcpus
    cores = options(known(vcpus=vcpus, nodes=nodes), "vsphere.vmx")["cpuid.coresPerSocket"]
    assert vcpus % int(str(cores)) == 0


@pytest.mark.parametrize("chosen", [None, Hypervisor.NONE])
def test_no_hypervisor_is_told_nothing(chosen: Hypervisor | None) -> None:
    facts = known(chosen)
    assert options(facts, "vsphere.vmx") == options(facts, "kvm.xml") == options(facts, "esxi") == {}


def test_native_workers_are_no_machines() -> None:
    for chosen in (Hypervisor.VSPHERE, Hypervisor.KVM):
        facts = known(chosen, virtual=False)
        assert options(facts, "vsphere.vmx") == options(facts, "kvm.xml") == options(facts, "esxi") == {}


def test_a_check_of_a_host_alone_asks_for_no_cluster() -> None:
    facts = Facts(request=PlanRequest(), known_group=group())
    assert not [
        rule for rule in SETTINGS if rule.file in ("vsphere.vmx", "kvm.xml", "esxi") and rule.holds(facts)
    ]


def test_every_value_decided_on_passes() -> None:
    for chosen in Hypervisor:
        for workloads in (TERASUITE, HBASE, TERASUITE + HBASE):
            facts = known(chosen, workloads=workloads)
            for rule in SETTINGS:
                if rule.holds(facts):
                    decision = rule.decide(facts)
                    assert decision.because
                    assert rule.accepts(decision.value, decision, facts), rule.id


def test_advice() -> None:
    assert "--hypervisor" in (tells("hypervisor.choose", known(None)) or "")
    assert tells("hypervisor.choose", known()) is None
    assert "5 data disks" in (tells("hypervisor.vsphere-raw-disks", known()) or "")
    flash = replace(known(), known_group=group(disks=(DiskSet(count=8, kind=DiskKind.NVME, size="7680GB"),)))
    assert "PCI device" in (tells("hypervisor.vsphere-raw-disks", flash) or "")
    pages = (61696 << 20) // (2 << 20)
    assert f"{pages:,} of 2 MiB" in (tells("hypervisor.kvm-host-pages", known(Hypervisor.KVM)) or "")
    assert tells("hypervisor.kvm-guest-nodes", known(Hypervisor.KVM)) is None
    assert "2 NUMA nodes" in (tells("hypervisor.kvm-guest-nodes", known(Hypervisor.KVM, nodes=2)) or "")


def test_the_firmwares_checklist() -> None:
    assert options(known(), "firmware") == {
        "bios.hyper_threading": "on",
        "bios.turbo": "on",
        "bios.power_profile": "controlled by the operating system",
        "bios.node_interleaving": "off",
        "bios.virtualisation": "on",
    }
    assert options(known(workloads=HBASE), "firmware")["bios.power_profile"] == "maximum performance"
    one = known(Hypervisor.NONE, cpu=CpuLayout(sockets=1, cores_per_socket=8), virtual=False)
    assert options(one, "firmware").keys() == {"bios.hyper_threading", "bios.turbo", "bios.power_profile"}


def test_what_the_firmware_did_is_seen() -> None:
    cpu = host().cpu
    assert [one.ok for one in sees("firmware.turbo-clocks")] == [True]
    assert [one.ok for one in sees("firmware.turbo-clocks", cpu=cpu.model_copy(update={"turbo": False}))] == [
        False
    ]
    assert sees("firmware.turbo-clocks", cpu=cpu.model_copy(update={"turbo": None})) == []
    assert [one.ok for one in sees("firmware.numa-nodes")] == [True]
    interleaved = cpu.model_copy(update={"numa_nodes": cpu.numa_nodes[:1]})
    (seen,) = sees("firmware.numa-nodes", cpu=interleaved)
    assert (seen.ok, seen.found) == (False, "1 in 2 sockets")


def test_a_guest_is_not_asked_for_what_its_host_has() -> None:
    guest = host().virtualisation.model_copy(update={"is_virtual": True})
    assert sees("firmware.turbo-clocks", virtualisation=guest) == []
    assert sees("firmware.numa-nodes", virtualisation=guest) == []


def test_a_worker_needs_a_plan() -> None:
    rule = BY_ID["hypervisor.vsphere-vcpus"]
    with pytest.raises(MissingFact, match="give a plan"):
        rule.holds(Facts(request=PlanRequest(hypervisor=Hypervisor.VSPHERE)))


def test_memory_is_in_whole_mebibytes() -> None:
    assert options(known(memory=60 * 1024), "vsphere.vmx")["memSize"] == 60 * GIB >> 20
