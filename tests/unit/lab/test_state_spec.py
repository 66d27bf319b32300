"""What hosts of a laboratory may be, and that nothing of a plan's words does harm."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howdah.errors import UserError
from howdah.lab import registry
from howdah.lab.kernel.disks import check_format, possible
from howdah.lab.state import Format, LabSpec
from howdah.units import GIB, MIB
from support.lab_hosts import lab_spec

LAB = Path("/srv/lab")
NAMES = st.from_regex(r"[a-z0-9](?:[a-z0-9-]{0,10}[a-z0-9])?", fullmatch=True)


def changed(change: Callable[[dict[str, Any]], object]) -> LabSpec:
    content = lab_spec(LAB, disks=1).model_dump()
    change(content)
    return LabSpec.model_validate(content)


def machine(number: int, **values: object) -> Callable[[dict[str, Any]], object]:
    def change(content: dict[str, Any]) -> None:
        content["machines"] = list(content["machines"])
        content["machines"][number] |= values

    return change


WRONG: dict[str, Callable[[dict[str, Any]], object]] = {
    "is not a valid name of a lab": lambda content: content.update(name="../lab"),
    "is not a host name": machine(1, name="w1;reboot"),
    "is the name of two machines": machine(1, name="h1-w1"),
    "is the address of two machines": machine(1, address="10.77.0.1"),
    "is outside the lab's network": machine(1, address="192.168.0.1"),
    "is not an IPv4 address": machine(1, address="somewhere"),
    "is on 'h9', which is not a host": machine(1, host="h9"),
    "is the mount of two disks": lambda content: machine(1, disks=content["machines"][0]["disks"])(content),
    "is not below the directory of mounts": machine(1, disks=({"mount": LAB / "here", "size_bytes": GIB},)),
    "is not an absolute path": machine(1, disks=({"mount": Path("/srv/lab/../x"), "size_bytes": GIB},)),
    "is not virtualised, but has": lambda content: content["hosts"][0].update(virtual=False),
    "may use 3 CPUs, but its host may use 2": lambda content: (
        machine(0, cpus=3)(content),
        content["hosts"][0].update(cpus=2),
    ),
    "may use 2 GiB, but its host may use 1 GiB": lambda content: (
        machine(0, memory_bytes=2 * GIB)(content),
        content["hosts"][0].update(memory_bytes=GIB),
    ),
}


@pytest.mark.parametrize("says", WRONG)
def test_wrong_hosts_are_refused(says: str) -> None:
    with pytest.raises(UserError) as error:
        changed(WRONG[says])

    assert says in str(error.value)
    assert error.value.hint


def test_a_spec_survives_being_written() -> None:
    spec = lab_spec(LAB, disks=2, cpus=0.5)

    assert LabSpec.model_validate_json(spec.model_dump_json()) == spec


@given(NAMES, NAMES, NAMES)
def test_names_of_one_laboratory_are_never_another_s(lab: str, other: str, host: str) -> None:
    own = (
        registry.host_space(lab, host),
        registry.machine_space(lab, host),
        registry.image_name(lab, host, 1),
    )

    for name in own:
        assert name.startswith(registry.prefix(lab))
        assert name.startswith(registry.prefix(other)) == (lab == other)


def test_one_allocation_group_is_made_two_and_said() -> None:
    form, (deviation,) = possible(Format(mkfs_options=("-d", "su=64k,agcount=1", "-K")))

    assert form.mkfs_options == ("-d", "su=64k,agcount=2", "-K")
    assert (deviation.key, deviation.planned) == ("mkfs.options", "-d su=64k,agcount=1 -K")


@pytest.mark.parametrize("options", [(), ("-d", "agcount=2"), ("-d", "agcount=16")])
def test_other_options_stay_as_planned(options: tuple[str, ...]) -> None:
    form = Format(mkfs_options=options)

    assert possible(form) == (form, ())


@pytest.mark.parametrize(
    ("form", "size_bytes", "says"),
    [
        (Format(file_system="zfs"), GIB, "howdah cannot create 'zfs'"),
        (Format(mkfs_options=("-d", "name=/dev/sda")), GIB, "is a path of this machine"),
        (Format(mount_options=("logdev=/dev/sda",)), GIB, "is a path of this machine"),
        (Format(), 100 * MIB, "is too small for mkfs.xfs"),
    ],
)
def test_formats_that_are_not_made_or_lead_elsewhere_are_refused(
    form: Format, size_bytes: int, says: str
) -> None:
    with pytest.raises(UserError, match=says):
        check_format(form, size_bytes)
