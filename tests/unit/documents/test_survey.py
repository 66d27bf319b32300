"""Machines of a cluster as an inventory's groups, and the work file."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.documents.files import parse_inventory, read_work, write_work
from howdah.documents.grouping import Addition, Probe, new_text
from howdah.documents.survey import ASSUMED, AssumedFacts, survey_groups
from howdah.errors import UserError
from howdah.model.existing import Machine, Survey, Volume, Work
from howdah.model.inventory import DiskKind
from howdah.model.plan import Role
from howdah.session.plans import demand_of
from support.machine import host

GIB = 2**30
WORKER = (Role.DATANODE, Role.NODEMANAGER)
NOTHING = AssumedFacts()


def machine(name: str, **changes: object) -> Machine:
    """A worker with eight threads, 32 GiB and two disks, in no rack that is known."""
    disks = (Volume(storage="DISK", size_bytes=3_987_654_321_000),) * 2
    return Machine(
        name=name,
        location=("default-rack",),
        threads=8,
        memory_bytes=32 * GIB,
        volumes=disks,
        container_bytes=20 * GIB,
        vcores=8,
        roles=WORKER,
    ).model_copy(update=changes)


def grouped(
    *machines: Machine,
    given: AssumedFacts = NOTHING,
    node_groups: bool = False,
    probes: tuple[Probe, ...] = (),
) -> dict[str, Addition]:
    """The groups by name; what they come to must read back."""
    survey = Survey(name="ns", hadoop="3.5.0", machines=machines, node_groups=node_groups)
    additions = survey_groups(survey, given, probes)
    read = parse_inventory(new_text(additions, "ns"), "hosts.yaml")
    assert [group.names for group in read.groups] == [one.group.names for one in additions]
    return {one.group.name: one for one in additions}


def test_alike_machines_are_one_group_in_the_order_of_their_numbers() -> None:
    (group,) = grouped(*(machine(f"w{number}") for number in (10, 9, 2, 1))).values()
    assert group.group.names == ("w1", "w2", "w9", "w10")
    assert group.group.disks[0].count == 2
    assert group.group.disks[0].size_bytes == 3_980_000_000_000
    assert set(group.comments) == {("cpu",), ("disks", 0), ("nics", 0)}
    assert all(text.startswith(ASSUMED) for text in group.comments.values())


def test_what_differs_is_apart_and_what_yarn_has_of_it_is_no_difference() -> None:
    found = grouped(
        machine("w1"), machine("w2", memory_bytes=64 * GIB), machine("w3", container_bytes=GIB, vcores=2)
    )
    assert [one.group.names for one in found.values()] == [("w1", "w3"), ("w2",)]


def test_memory_is_what_is_installed() -> None:
    (group,) = grouped(
        machine("w1", memory_bytes=int(31.2 * GIB)), machine("w2", memory_bytes=int(31.3 * GIB))
    ).values()
    assert group.group.memory_bytes == 32 * GIB
    assert "Java reports 31.2 GiB" in group.comments["memory",]


def test_racks_that_hold_equally_many_are_one_group() -> None:
    found = grouped(*(machine(f"w{number}", location=("DC 1", f"r{number % 2}")) for number in range(1, 5)))
    (group,) = found.values()
    assert group.group.racks == ("dc-1-r0", "dc-1-r1")
    assert group.group.names == ("w2", "w4", "w1", "w3")


def test_racks_that_do_not_are_a_group_each() -> None:
    uneven = grouped(*(machine(f"w{number}", location=(f"{number // 4}",)) for number in range(1, 6)))
    assert {name: (one.group.racks, one.group.names) for name, one in uneven.items()} == {
        "w": (("r0",), ("w1", "w2", "w3")),
        "w-2": (("r1",), ("w4", "w5")),
    }


def test_node_groups_are_hosts() -> None:
    workers = [
        machine(f"h{host}-{number}", location=("rack-1", f"h{host}")) for host in (1, 2) for number in (1, 2)
    ]
    (group,) = grouped(*workers, node_groups=True).values()
    assert group.group.names == ("h1", "h2")
    assert group.group.cpu.threads == 16
    assert group.group.memory_bytes == 64 * GIB
    assert group.group.data_disks == 4
    assert group.group.racks == (), "one rack is none"
    assert "2 workers on each" in group.comments["name",]


def test_masters_alone_and_machines_without_disks() -> None:
    found = grouped(
        machine("w1"),
        machine("m1", roles=(Role.NAMENODE,), volumes=(), location=()),
        machine("c1", roles=(Role.NODEMANAGER,), volumes=()),
    )
    assert list(found) == ["c", "w", "m"]
    assert found["m"].group.serves == "masters"
    assert found["c"].group.data_disks == 0
    assert "no DataNode runs there" in found["c"].comments["disks", 0]


def test_what_nobody_told_is_taken_from_yarn_and_said() -> None:
    (group,) = grouped(machine("w1", threads=None, memory_bytes=None, volumes=())).values()
    assert group.group.cpu.threads == 8
    assert group.group.memory_bytes == 20 * GIB
    assert group.group.data_disks == 1
    assert all(text.startswith("assumed") for text in group.comments.values())
    assert set(group.comments) == {("cpu",), ("memory",), ("disks", 0), ("nics", 0)}


def test_storage_types_and_the_user_tell_what_disks_are() -> None:
    volumes = (Volume(storage="SSD", size_bytes=10**12), Volume(storage="DISK", size_bytes=10**12))
    (told,) = grouped(machine("w1", volumes=volumes), given=AssumedFacts(DiskKind.NVME, 25 * 10**9)).values()
    assert {disk.kind for disk in told.group.disks} == {DiskKind.SSD, DiskKind.NVME}
    assert told.group.network_bits_per_s == 25 * 10**9
    assert set(told.comments) == {("cpu",)}


def test_machines_with_addresses_only_are_counted() -> None:
    (group,) = grouped(machine("10.0.0.1"), machine("10.0.0.2")).values()
    assert group.group.count == 2
    assert group.group.hosts == ()
    assert "10.0.0.1, 10.0.0.2" in group.comments["name",]


def test_a_probe_tells_of_all_that_are_alike() -> None:
    probes = (Probe("w2.json", host("w2", cpus=8)),)
    found = grouped(machine("w1"), machine("w2"), machine("w3", threads=4), probes=probes)
    assert found["w"].group.cpu.model == "Synthetic Processor 2.5 GHz"
    assert found["w-2"].group.cpu.model is None
    with pytest.raises(UserError, match="not a machine of this cluster"):
        grouped(machine("w1"), probes=probes)
    with pytest.raises(UserError, match="8 threads, but its daemons count 4"):
        grouped(machine("w2", threads=4), probes=probes)


def work(**changes: object) -> Work:
    """A day's work."""
    return Work(
        since="2026-11-14T00:00:00+00:00",
        days=1.0,
        finished_jobs=3,
        failed_jobs=0,
        daily_read_bytes=5,
        daily_shuffled_bytes=4,
        daily_written_bytes=3,
        largest_input_bytes=2 * 10**12,
        busiest_containers=12.5,
    ).model_copy(update=changes)


def test_work_reads_back_and_its_largest_job_is_planned_for(tmp_path: Path) -> None:
    path = tmp_path / "work.yaml"
    path.write_text(write_work(work()))
    assert read_work(path) == work()
    assert demand_of(path).dataset_bytes == 2 * 10**12


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (write_work(work(largest_input_bytes=0)), "is not a workload that howdah plans for"),
        ("howdah: 1\nfinished_jobs: -1\n", "finished_jobs"),
        ("groups: []\n", "is an inventory"),
    ],
)
def test_a_file_that_is_no_work_is_refused(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "work.yaml"
    path.write_text(text)
    with pytest.raises(UserError) as error:
        demand_of(path)
    assert says in f"{error.value} {error.value.hint}"
    assert str(path) in error.value.where
