"""Probed hosts become groups of an inventory."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from howdah.documents.files import parse_inventory
from howdah.documents.grouping import Addition, Probe, extended_text, group_hosts, new_text
from howdah.documents.hardware import describe, disk_names, installed_bytes
from howdah.errors import UserError
from howdah.model.host import Disk, Host
from howdah.model.inventory import Inventory, Serves
from howdah.model.measured import DiskZones, MeasuredFigure, ZoneRate
from howdah.probe import probe_host
from howdah.probe.tree import Space
from howdah.units import GIB, MIB
from support.measured import measured_host
from support.trees import RecordedInquiry, grow


def _probe(folder: Path, tree: str, *mounts: str) -> Host:
    spaces = {mount: Space(10**12, 10**11, 4096) for mount in mounts}
    return probe_host(grow(folder, tree), RecordedInquiry(spaces))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Host:
    """Two sockets of ten cores, 20 disks of 4 TB, / on a mirror of two of them, two ports and their bond."""
    data = [f"/data/{number:02d}" for number in range(1, 21)]
    return _probe(tmp_path_factory.mktemp("machine"), "numa-server", "/", *data)


@pytest.fixture(scope="module")
def vm(tmp_path_factory: pytest.TempPathFactory) -> Host:
    return _probe(tmp_path_factory.mktemp("machine"), "firecracker-vm", "/")


def named(host: Host, *names: str) -> list[Probe]:
    return [Probe(f"{name}.yaml", host.model_copy(update={"name": name})) for name in names]


def add(
    probes: list[Probe],
    inventory: Inventory | None = None,
    *,
    name: str | None = None,
    serves: Serves | None = None,
) -> tuple[Addition, ...]:
    return group_hosts(probes, inventory, name=name, serves=serves)


def test_a_server_in_an_inventorys_words(server: Host) -> None:
    hardware, asked, left_out = describe(server)
    cpu = hardware.cpu
    assert (cpu.sockets, cpu.cores_per_socket, cpu.threads_per_core, cpu.numa_nodes_per_socket) == (
        2,
        10,
        2,
        1,
    )
    assert hardware.memory_bytes == 256 * GIB
    assert asked["memory",] == "rounded up to installed modules: the kernel manages 251.6 GiB"
    assert sum(disk.count for disk in hardware.disks) == 20
    assert {disk.size_bytes for disk in hardware.disks} == {4 * 10**12}
    # The bond is its two ports, not a third one.
    assert [(nic.count, nic.speed_bits_per_s) for nic in hardware.nics] == [(2, 10**10)]
    assert left_out == ()


def test_what_a_virtual_machine_does_not_tell_is_asked_for(vm: Host) -> None:
    _, asked, _ = describe(vm)
    assert asked.keys() == {("name",), ("memory",), ("disks", 0), ("nics", 0)}
    text = new_text(add(named(vm, "w1")))
    assert (
        "kind: hdd, size: 274GB, role: system}  # hdd? the kernel cannot tell: write hdd, ssd or nvme" in text
    )
    assert "speed: 10Gb/s}  # 10Gb/s? the driver does not report it" in text
    assert "name: w  # probed in a virtual machine" in text


def with_disks(host: Host, *disks: Disk) -> Host:
    return host.model_copy(update={"disks": (*host.disks, *disks)})


def test_what_is_no_disk_for_data_is_left_out_and_said(server: Host) -> None:
    stick = server.disks[0].model_copy(update={"name": "sdz", "size_bytes": 4 * 10**9})
    loop = server.disks[0].model_copy(update={"name": "loop0", "kind": "loop"})
    hardware, _, left_out = describe(with_disks(server, stick, loop))
    assert hardware == describe(server).hardware
    assert left_out == ("disk sdz of 4.00 GB",)


def test_only_the_fastest_ports_carry_data(server: Host) -> None:
    slow = server.nics[-1].model_copy(update={"name": "eno3", "speed_bits_per_s": 10**9})
    down = server.nics[-1].model_copy(update={"name": "eno4", "up": False, "speed_bits_per_s": 10**11})
    hardware, _, left_out = describe(server.model_copy(update={"nics": (*server.nics, slow, down)}))
    assert hardware.nics == describe(server).hardware.nics
    assert left_out == ("network port eno3 of 1Gb/s",)


@pytest.mark.parametrize(
    ("gib", "seen_gib"),
    [
        *[
            (24, 23.54),
            (64, 62.6),
            (72, 70.7),
            (80, 78.5),
            (96, 94.2),
            (128, 125),
            (256, 251.62),
            (256, 255.9),
        ],
        *[(4, 3.75), (384, 376.4), (512, 503.5), (1024, 1007), (2048, 2014)],
    ],
)
def test_memory_is_what_is_installed(gib: int, seen_gib: float) -> None:
    assert installed_bytes(int(seen_gib * GIB)) == gib * GIB


@given(st.integers(256 * MIB, 16 * 2**40))
def test_installed_memory_is_never_less_than_seen_and_hardly_more(seen: int) -> None:
    installed = installed_bytes(seen)
    assert seen <= installed <= seen * 1.035 + 256 * MIB
    assert installed % MIB == 0


def test_alike_hosts_are_one_group(server: Host, vm: Host) -> None:
    probes = named(server, "w1.lab", "w2.lab") + named(vm, "m1") + named(server, "w3.lab")
    first, second = add(probes)
    assert (first.group.name, first.group.count, first.group.hosts) == ("w", 3, ("w[1-3].lab",))
    assert (second.group.name, second.group.hosts) == ("m", ("m1",))
    inventory = parse_inventory(new_text((first, second)), "hosts.yaml")
    assert inventory.groups == (first.group, second.group)


def test_a_name_and_a_purpose_are_taken_as_given(server: Host, vm: Host) -> None:
    (only,) = add(named(server, "w1", "w2"), name="lab", serves="masters")
    assert (only.group.name, only.group.serves) == ("lab", "masters")
    with pytest.raises(UserError) as caught:
        add(named(server, "w1") + named(vm, "w2"), name="lab")
    assert caught.value.where == "--group lab"
    assert caught.value.what == "w1.yaml and w2.yaml differ: CPUs, memory, disks, network ports"


def test_a_host_is_added_once(server: Host) -> None:
    with pytest.raises(UserError) as caught:
        add(named(server, "w1", "w2", "W1"))
    assert str(caught.value) == "W1.yaml: host 'W1' is in w1.yaml too"
    inventory = parse_inventory(new_text(add(named(server, "w1"))), "hosts.yaml")
    with pytest.raises(UserError) as caught:
        add(named(server, "w1"), inventory)
    assert str(caught.value) == "w1.yaml: host 'w1' is in group w already"


@pytest.mark.parametrize("name", ["$(id)", "my_host", "", "10.0.0.1"])
def test_a_probe_of_no_host_name_is_refused(server: Host, name: str) -> None:
    with pytest.raises(UserError, match="is not a host name"):
        add([Probe("p.yaml", server.model_copy(update={"name": name}))])


HAND_MADE = """\
# Our lab. Ask Eve before you change it.
cluster: lab
howdah: 1

groups:
- name: w      # bought in 2013
  count: 2
  hosts: ['w1', "w2"]
  memory: 256GiB
  cpu: {sockets: 2, cores_per_socket: 10, threads_per_core: 2}
  disks:
  # 7,200 rpm
  - {count: 18, kind: hdd, size: 4TB}
  - {count: 2, kind: hdd, size: 4TB, role: system}
  nics:
  - {count: 2, speed: 10GbE}

# the end
"""


def test_an_inventory_made_by_hand_keeps_its_comments_and_order(server: Host) -> None:
    inventory = parse_inventory(HAND_MADE, "hosts.yaml")
    additions = add(named(server, "w3", "w4"), inventory)
    assert [(one.existing, one.hosts) for one in additions] == [(True, 2)]
    text = extended_text(HAND_MADE, additions)
    (group,) = parse_inventory(text, "hosts.yaml").groups
    assert (group.count, group.names) == (4, ("w1", "w2", "w3", "w4"))
    changed = [
        (old, new) for old, new in zip(HAND_MADE.splitlines(), text.splitlines(), strict=True) if old != new
    ]
    assert [old.strip() for old, _ in changed] == ["count: 2", "hosts: ['w1', \"w2\"]"]


def test_other_hosts_are_appended_to_it(server: Host, vm: Host) -> None:
    inventory = parse_inventory(HAND_MADE, "hosts.yaml")
    text = extended_text(HAND_MADE, add(named(vm, "w9"), inventory))
    for line in HAND_MADE.splitlines():
        assert line in text.splitlines()
    groups = parse_inventory(text, "hosts.yaml").groups
    assert groups[0] == inventory.groups[0]
    assert (groups[1].name, groups[1].names) == ("w-2", ("w9",))
    assert "# 10Gb/s? the driver does not report it" in text


def test_an_inventory_between_brackets_is_extended_too(server: Host, vm: Host) -> None:
    text = json.dumps(YAML(typ="safe").load(HAND_MADE))
    inventory = parse_inventory(text, "hosts.yaml")
    text = extended_text(text, add(named(server, "w3") + named(vm, "m1"), inventory))
    groups = parse_inventory(text, "hosts.yaml").groups
    assert [group.names for group in groups] == [("w1", "w2", "w3"), ("m1",)]
    assert "- {count: 1, speed: 10Gb/s}  # 10Gb/s?" in text


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("memory: 256GiB", "memory: 128GiB", "memory"),
        ("10GbE", "25GbE", "network ports"),
        ("  hosts: ['w1', \"w2\"]\n", "", "its hosts have no names"),
        ("threads_per_core: 2}", "threads_per_core: 2, model: Other}", "processor model"),
        ("  nics:", "  racks: [a, b]\n  nics:", "it has racks, so each host's rack must be given by hand"),
        ("  nics:", "  serves: masters\n  nics:", "it serves masters"),
    ],
)
def test_what_is_not_alike_is_not_mixed(server: Host, old: str, new: str, why: str) -> None:
    assert old in HAND_MADE
    inventory = parse_inventory(HAND_MADE.replace(old, new), "hosts.yaml")
    (own,) = add(named(server, "x3"), inventory, serves="any")
    assert not own.existing
    with pytest.raises(UserError, match="the hosts cannot join it") as caught:
        add(named(server, "x3"), inventory, name="w", serves="any")
    assert why in caught.value.what


def test_a_group_s_name_that_is_none_is_refused_by_its_flag(server: Host) -> None:
    with pytest.raises(UserError) as caught:
        add(named(server, "w1"), name="x y")
    assert caught.value.where == "--group x y"
    assert "lower-case letters" in caught.value.hint


def test_a_probe_that_saw_no_disk_is_refused_by_its_file(server: Host) -> None:
    (probe,) = named(server.model_copy(update={"disks": ()}), "w1")
    with pytest.raises(UserError, match="disks") as caught:
        add([probe])
    assert caught.value.where == "w1.yaml"


def test_measured_disks_bring_their_rates_and_stay_alike_with_those_that_were_not_measured(
    tmp_path: Path,
) -> None:
    machine = measured_host(tmp_path, spread=0.1)
    (addition,) = add([Probe("w1.yaml", machine)])
    # As many bytes read at 4 GB/s as written at 2 GB/s: no zone is known of this virtual disk.
    text = new_text((addition,))
    assert "outer_rate: 2670MB/s, inner_rate: 2670MB/s}" in text
    assert addition.comments["disks", 0] == (
        "hdd? the kernel cannot tell: write hdd, ssd or nvme; "
        "rates of files in free space, at arbitrary places"
    )
    inventory = parse_inventory(text, "hosts.yaml")
    other = machine.model_copy(update={"name": "w2", "measured": None})
    (joined,) = add([Probe("w2.yaml", other)], inventory)
    assert joined.existing
    assert joined.group.disks == addition.group.disks


def test_zones_say_more_than_files(server: Host, tmp_path: Path) -> None:
    measured = measured_host(tmp_path).measured
    assert measured is not None
    names = disk_names(server)[0]

    def zones(name: str, *rates: float) -> DiskZones:
        places = [(0.0, rates[0]), (1.0, rates[1])]
        return DiskZones(
            disk=name,
            rates=tuple(
                ZoneRate(place=place, bytes_per_s=MeasuredFigure.of([rate])) for place, rate in places
            ),
        )

    found = (
        zones(names[0], 201.4e6, 98e6),
        zones(names[1], 199.2e6, 101.26e6),
        zones(names[2], 150e6, 99e6),
    )
    machine = server.model_copy(update={"measured": measured.model_copy(update={"zones": found})})
    (addition,) = add([Probe("w1.yaml", machine)])
    line, *others = addition.group.disks
    assert not any(one.outer_bytes_per_s for one in others)
    assert (line.outer_bytes_per_s, line.inner_bytes_per_s) == (199_000_000, 99_000_000)
    assert not any("files" in words for words in addition.comments.values())
