"""The rules about data disks: what is made, and what is seen on a host."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howdah.model.existing import ExistingSystem
from howdah.model.host import FileSystem, XfsGeometry
from howdah.model.inventory import DiskKind, DiskRole, DiskSet
from howdah.model.request import Demand, PlanRequest
from howdah.planner.reading import Inspected, Observation
from howdah.planner.rule import AdviceRule, Inspection, SettingRule
from howdah.planner.rules.disks import least_groups
from support.facts import rules_of
from support.tuned import DISKS, MOUNTS, TB, data_mount, disk, facts, found, host, with_data

BY_ID = {rule.id: rule for rule in rules_of("disks")}
HBASE = PlanRequest(workloads=(Demand(kind="ycsb"),))
ALL_MOUNTS = "/data/01 … /data/12 (12)"


def value(rule_id: str, *sets: DiskSet) -> object:
    rule = BY_ID[rule_id]
    assert isinstance(rule, SettingRule)
    known = facts(disks=sets) if sets else facts()
    return rule.decide(known).value


def sees(rule_id: str, what: ExistingSystem) -> list[Observation]:
    rule = BY_ID[rule_id]
    assert isinstance(rule, Inspection)
    return list(rule.inspect(Inspected(what), facts()))


def seen(rule_id: str, one: FileSystem) -> tuple[bool | None, str]:
    (observation,) = sees(rule_id, found(with_data(one)))
    assert observation.about == one.mount
    assert observation.fix
    return observation.ok, observation.found


def tells(rule_id: str, *sets: DiskSet) -> str | None:
    rule = BY_ID[rule_id]
    assert isinstance(rule, AdviceRule)
    return rule.advise(facts(disks=sets))


def hdds(count: int, size: str = "4TB", role: DiskRole = DiskRole.DATA) -> DiskSet:
    return DiskSet(count=count, kind=DiskKind.HDD, size=size, role=role)


NVME = DiskSet(count=8, kind=DiskKind.NVME, size="7680GB")


def test_a_tuned_host_is_let_pass_whole() -> None:
    for rule in rules_of("disks"):
        if isinstance(rule, Inspection):
            for known in (found(), found(None, *(f"{mount}/dfs" for mount in MOUNTS))):
                bad = [one for one in rule.inspect(Inspected(known), facts()) if one.ok is not True]
                assert bad == [], rule.id


@pytest.mark.parametrize(
    ("size", "groups"), [("600GB", 2), ("2TiB", 2), ("4TB", 4), ("4TiB", 4), ("18TB", 17)]
)
def test_mkfs_makes_the_fewest_groups_it_can(size: str, groups: int) -> None:
    assert value("disks.make-file-system", hdds(12, size)) == f"-d agcount={groups}"


@given(st.integers(1, 2**60))
def test_no_group_is_larger_than_xfs_allows(size_bytes: int) -> None:
    groups = least_groups(size_bytes)
    assert groups >= 2
    assert size_bytes <= groups * 2**40


def test_flash_keeps_what_mkfs_makes_by_itself() -> None:
    assert BY_ID["disks.make-file-system"].holds(facts())
    assert not BY_ID["disks.make-file-system"].holds(facts(disks=(NVME,)))


def test_schedulers_by_kind() -> None:
    assert value("disks.queue-scheduler") == "mq-deadline"
    assert value("disks.queue-scheduler", NVME) == "none"


def test_read_ahead_is_for_streams() -> None:
    rule = BY_ID["disks.queue-read-ahead"]
    assert rule.holds(facts())
    assert not rule.holds(facts(HBASE))
    assert not rule.holds(facts(disks=(NVME,)))


def test_every_value_decided_on_passes() -> None:
    for known in (facts(), facts(HBASE), facts(disks=(NVME,)), facts(disks=(hdds(4), NVME))):
        for rule in rules_of("disks"):
            if isinstance(rule, SettingRule) and rule.holds(known):
                decision = rule.decide(known)
                assert rule.accepts(decision.value, decision, known), rule.id


@pytest.mark.parametrize(
    ("rule_id", "changes", "ok", "text"),
    [
        ("disks.jbod", {"disk": None, "disks": ("sdb", "sdc")}, False, "lies on 2 disks: sdb, sdc"),
        ("disks.kind-of-file-system", {"kind": "btrfs"}, False, "btrfs"),
        ("disks.kind-of-file-system", {"kind": "ext4"}, True, "ext4"),
        (
            "disks.allocation-groups",
            {"xfs": XfsGeometry(agcount=32, agsize_bytes=TB // 8)},
            False,
            "32 allocation groups",
        ),
        ("disks.allocation-groups", {"xfs": None}, None, "not known"),
        ("disks.access-times", {"options": ("rw", "relatime")}, False, "relatime"),
        ("disks.access-times", {"options": ("rw", "strictatime")}, False, "strictatime"),
        ("disks.access-times", {"options": ("rw",)}, False, "access times are written"),
        ("disks.discard", {"options": ("rw", "noatime", "discard")}, False, "discard"),
        ("disks.writable", {"options": ("ro", "noatime")}, False, "read-only"),
        (
            "disks.reserved-blocks",
            {"kind": "ext4", "reserved_bytes": TB // 5},
            False,
            "5.0 % reserved (200 GB)",
        ),
        ("disks.reserved-blocks", {"kind": "ext4", "reserved_bytes": 0}, True, "0 % reserved (0 B)"),
        ("disks.room", {"free_bytes": TB // 10}, False, "98 % full"),
    ],
)
def test_what_is_seen_on_a_file_system(
    rule_id: str, changes: dict[str, object], ok: bool | None, text: str
) -> None:
    assert seen(rule_id, data_mount("/data/01", "sdb", **changes)) == (ok, text)


def test_a_large_disk_may_have_a_group_for_each_tebibyte() -> None:
    size = 18 * TB
    geometry = XfsGeometry(agcount=17, agsize_bytes=2**40)
    assert seen("disks.allocation-groups", data_mount("/data/01", "sdb", size_bytes=size, xfs=geometry)) == (
        True,
        "17 allocation groups",
    )


def test_a_raid_controller_hides_what_lies_below() -> None:
    volume = disk("sdb", model="DELL PERC H730P Mini")
    (one,) = sees("disks.jbod", found(with_data(data_mount("/data/01", "sdb"), disks=(volume,))))
    assert one.ok is None
    assert "PERC" in one.found


def test_alike_file_systems_are_told_together() -> None:
    (one,) = sees("disks.access-times", found())
    assert (one.ok, one.about) == (True, ALL_MOUNTS)
    untuned = [
        data_mount(mount, name, options=("rw", "relatime")) for mount, name in zip(MOUNTS, DISKS, strict=True)
    ]
    (one,) = sees("disks.access-times", found(with_data(*untuned)))
    assert (one.ok, one.about) == (False, ALL_MOUNTS)


@pytest.mark.parametrize(
    ("rule_id", "changes", "ok"),
    [
        ("disks.alignment", {"partition_starts_bytes": (63 * 512,)}, False),
        ("disks.alignment", {"partition_starts_bytes": (1 << 20,)}, True),
        ("disks.scheduler", {"scheduler": "none"}, False),
        ("disks.scheduler", {"scheduler": "bfq", "kind": "nvme"}, False),
        ("disks.scheduler", {"scheduler": "none", "kind": "nvme"}, True),
        ("disks.scheduler", {"scheduler": None}, None),
        ("disks.read-ahead", {"read_ahead_bytes": 128 << 10}, False),
        ("disks.read-ahead", {"read_ahead_bytes": None}, None),
    ],
)
def test_what_is_seen_on_a_disk(rule_id: str, changes: dict[str, object], ok: bool | None) -> None:
    one = with_data(data_mount("/data/01", "sdb"), disks=(disk("sdb", **changes),))
    (observation,) = sees(rule_id, found(one))
    assert (observation.ok, observation.about) == (ok, "sdb")


def test_disks_of_the_system_are_not_judged() -> None:
    untuned = disk("sda", scheduler="none", read_ahead_bytes=0, partition_starts_bytes=(63 * 512,))
    one = host(disks=(untuned, *map(disk, DISKS)))
    for rule_id in ("disks.scheduler", "disks.read-ahead", "disks.alignment"):
        assert [seen.ok for seen in sees(rule_id, found(one))] == [True], rule_id


def test_data_beside_the_system_is_found() -> None:
    (bad, good) = sees(
        "disks.apart-from-system", found(None, "/var/lib/hadoop/data", "[DISK]file:///data/01/dfs")
    )
    assert (bad.ok, bad.about, bad.found) == (False, "/var/lib/hadoop/data", "lies on / (ext4)")
    assert (good.ok, good.about) == (True, "/data/01/dfs")


def test_two_directories_on_one_disk_are_found() -> None:
    (two, one) = sees("disks.one-directory-each", found(None, "/data/01/a", "/data/01/b", "/data/02/a"))
    assert (two.ok, two.about, two.found) == (
        False,
        "/data/01",
        "2 data directories: /data/01/a, /data/01/b",
    )
    assert one.ok


def test_the_configuration_says_which_mounts_hold_data() -> None:
    (one,) = sees("disks.access-times", found(None, "/data/03/dfs"))
    assert one.about == "/data/03"


def test_uneven_disks_are_found() -> None:
    small = data_mount("/data/01", "sdb", size_bytes=2 * TB, free_bytes=TB // 10)
    both = found(with_data(small, data_mount("/data/02", "sdc")))
    (sizes,) = sees("disks.equal-sizes", both)
    assert (sizes.ok, sizes.found) == (False, "2.00 TB and 4.00 TB")
    (fill,) = sees("disks.even-fill", both)
    assert (fill.ok, fill.found) == (False, "50 % and 95 % full")


def test_what_to_buy() -> None:
    system = hdds(2, role=DiskRole.SYSTEM)
    spare = hdds(1, role=DiskRole.SPARE)
    assert "operating system" in (tells("disks.system-disks", hdds(12)) or "")
    assert tells("disks.system-disks", hdds(12), system) is None
    assert "12 data disks" in (tells("disks.spare", hdds(12)) or "")
    assert tells("disks.spare", hdds(12), spare) is None
    assert tells("disks.spare", hdds(6)) is None
    assert "3.15 GB/s" in (tells("disks.controller", hdds(20)) or "")
    assert tells("disks.controller", hdds(6)) is None
    assert tells("disks.controller", NVME) is None


@pytest.mark.parametrize("mount", ["/", "/boot", "/boot/efi", "/var/lib", "/run/netns", "/home"])
def test_the_systems_own_mounts_hold_no_data(mount: str) -> None:
    one = with_data(data_mount(mount, "sdb", options=("rw", "relatime")))
    assert sees("disks.access-times", found(one)) == []


@pytest.mark.parametrize("mount", ["/data", "/data/01", "/mnt/disk1", "/hadoop", "/grid/0", "/srv/hdfs"])
def test_what_holds_data_where_no_configuration_says_so(mount: str) -> None:
    (seen,) = sees("disks.access-times", found(with_data(data_mount(mount, "sdb"))))
    assert seen.about == mount


def test_a_host_starts_without_the_disk_it_lost() -> None:
    rule = next(one for one in rules_of("disks") if one.id == "disks.mount")
    assert isinstance(rule, SettingRule)
    assert "nofail" in str(rule.decide(facts()).value)
