"""Plans and inventories are written so that they read back as they were."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howdah.documents.files import parse_inventory, read_inventory, read_plan, write_inventory, write_plan
from howdah.documents.read import DocumentKind
from howdah.errors import UserError
from howdah.model.hostname import MOST_HOSTS
from howdah.model.inventory import CpuLayout, DiskKind, DiskRole, DiskSet, HostGroup, Inventory, NicSet
from howdah.model.plan import Advice, Breach, ClusterPlan, Input, Rack, Setting
from howdah.model.request import Demand, Growth, Hypervisor, Override, PlanRequest
from howdah.units import exact_bits_per_s, exact_bytes
from support import plans

EXAMPLES = Path(__file__).parents[3] / "examples"

_TEXT = st.text(max_size=30)
_COUNT = st.integers(1, 64)
_BYTES = st.integers(1, 10**16).map(exact_bytes)
_INPUT = st.builds(
    Input,
    name=_TEXT,
    value=st.one_of(st.booleans(), st.integers(), st.floats(allow_nan=False), _TEXT),
    unit=st.sampled_from(["", "B", "B/s", "s"]),
)
_SETTING = st.builds(
    Setting,
    key=_TEXT,
    value=st.one_of(
        st.booleans(),
        st.integers(),
        st.floats(allow_nan=False),
        _TEXT,
        st.lists(_TEXT, max_size=4).map(tuple),
    ),
    reason=_TEXT,
    source=_TEXT,
    origin=st.sampled_from(["rule", "user"]),
    rule=st.none() | _TEXT,
    worker=st.none() | _TEXT,
    inputs=st.lists(_INPUT, max_size=2).map(tuple),
    breaks=st.lists(st.builds(Breach, rule=_TEXT, says=_TEXT), max_size=2).map(tuple),
)
_DISKS = st.builds(
    DiskSet,
    count=_COUNT,
    kind=st.sampled_from(DiskKind),
    size=_BYTES,
    role=st.sampled_from(DiskRole),
    outer_rate=st.none() | _BYTES.map("{}/s".format),
)
_GROUP = st.builds(
    HostGroup,
    name=st.from_regex(r"[a-z][a-z0-9-]{0,30}", fullmatch=True),
    count=st.integers(1, 200),
    cpu=st.builds(CpuLayout, sockets=_COUNT, cores_per_socket=_COUNT, model=st.none() | _TEXT),
    memory=_BYTES,
    disks=st.lists(_DISKS, min_size=1, max_size=3).map(tuple),
    nics=st.builds(NicSet, count=_COUNT, speed=st.integers(1, 10**12).map(exact_bits_per_s)).map(
        lambda nic: (nic,)
    ),
    serves=st.sampled_from(["any", "workers", "masters"]),
)


@given(st.lists(_GROUP, min_size=1, max_size=3, unique_by=lambda group: group.name))
@settings(max_examples=60, deadline=None)
def test_an_inventory_reads_back_as_it_was(groups: list[HostGroup]) -> None:
    names = [name for group in groups for name in group.names]
    if len(set(names)) == len(names):
        inventory = Inventory(groups=tuple(groups))
        assert parse_inventory(write_inventory(inventory), "hosts.yaml") == inventory


@given(st.lists(_SETTING, max_size=4))
@settings(max_examples=60, deadline=None)
def test_a_plan_reads_back_as_it_was(given_settings: list[Setting]) -> None:
    plan = plans.plan(*given_settings)
    text = write_plan(plan)
    again = DocumentKind("a plan", "", ClusterPlan).parse(text, "plan.yaml")
    assert again == plan
    # Equal is not enough: 1 == True == 1.0.
    assert [type(one.value) for one in again.settings] == [type(one.value) for one in plan.settings]
    assert write_plan(again) == text


def full_plan() -> ClusterPlan:
    request = PlanRequest(
        workloads=(Demand(kind="ycsb", records=300_000_000), Demand(kind="terasuite")),
        hypervisor=Hypervisor.VSPHERE,
        overrides=(Override(key="dfs.blocksize", value="128MiB"),),
        growth=Growth(need_bytes=3 * 10**14, per_year=0.4, years=3),
    )
    plan = plans.plan(
        plans.setting(
            "dfs.blocksize",
            256 * 2**20,
            "hdfs-site.xml",
            reason='A long one: with "quotes", a # and commas.',
            inputs=(Input(name="block", value=256 * 2**20, unit="B"), Input(name="hosts", value=32)),
        ),
        plans.setting("dfs.datanode.data.dir", ("/data/01/dfs", "/data/02/dfs"), "hdfs-site.xml"),
        plans.setting("dfs.permissions.enabled", False, "hdfs-site.xml", origin="user"),
        kinds=[plans.kind(), plans.kind("share", per_host=4)],
        request=request,
    )
    advice = Advice(rule="a.b", severity="may", text="Look.", source="D0 37")
    return plan.model_copy(update={"cluster": plan.cluster.model_copy(update={"advice": (advice,)})})


def test_a_plan_is_written_for_people(tmp_path: Path) -> None:
    plan = full_plan()
    text = write_plan(plan)
    lines = {line.strip() for line in text.splitlines()}
    assert "memory_bytes: 274877906944  # 256 GiB" in lines
    assert "- {name: block, value: 268435456, unit: B}  # 256 MiB" in lines
    assert "memory_bytes: 64692944896  # 60.25 GiB" in lines
    assert "need_bytes: 300000000000000  # 300 TB" in lines
    assert "value: [/data/01/dfs, /data/02/dfs]" in lines
    assert "hadoop: 3.5.0" in text.replace('"', "")  # a default may change, the plan must not
    assert "null" not in text
    assert "origin: user" in lines
    assert "origin: rule" not in lines
    assert max(map(len, text.splitlines())) <= 130
    path = tmp_path / "plan.yaml"
    path.write_text(text)
    assert read_plan(path) == plan


def test_a_plan_of_the_most_hosts_reads_back() -> None:
    group = plans.group(count=MOST_HOSTS, hosts=[f"w[000001-{MOST_HOSTS}]"])
    plan = plans.plan(groups=[group], racks=[Rack(name="rack-1", hosts=group.hosts)])
    text = write_plan(plan)
    assert len(text) < 5_000
    assert DocumentKind("a plan", "", ClusterPlan).parse(text, "plan.yaml") == plan


@pytest.mark.parametrize(
    ("name", "hosts", "data_disks"),
    [
        ("hosts-32", 32, 640),
        ("hosts-7", 7, 70),
        ("hosts-ft", 24, 288),
        ("hosts-hbase", 4, 18),
        ("hosts-amax", 8, 42),
        ("hosts-nvme", 16, 128),
        ("hosts-mixed", 20, 336),
        ("hosts-lab", 3, 8),
        ("hosts-lab-hbase", 3, 8),
        ("hosts-lab-ha", 5, 8),
        ("hosts-lab-shared", 6, 8),
    ],
)
def test_the_examples_are_read(name: str, hosts: int, data_disks: int) -> None:
    inventory = read_inventory(EXAMPLES / f"{name}.yaml")
    assert inventory.host_count == hosts
    assert sum(group.count * group.data_disks for group in inventory.worker_groups) == data_disks
    assert parse_inventory(write_inventory(inventory), "") == inventory


def test_every_example_is_tested() -> None:
    named = {values[0] for mark in test_the_examples_are_read.pytestmark for values in mark.args[1]}  # type: ignore[attr-defined]
    assert {path.stem for path in EXAMPLES.glob("*.yaml")} == named


@pytest.mark.parametrize(
    ("written", "edited"), [("map_slots: 22", "map_slots: -22"), ("per_host: 1", "per_host: 0")]
)
def test_a_plan_edited_to_what_cannot_be_is_refused_at_its_line(
    tmp_path: Path, written: str, edited: str
) -> None:
    path = tmp_path / "plan.yaml"
    text = write_plan(plans.plan())
    assert written in text
    path.write_text(text.replace(written, edited), encoding="utf-8")
    line = text[: text.index(written)].count("\n") + 1
    with pytest.raises(UserError) as caught:
        read_plan(path)
    assert f"plan.yaml:{line}:" in str(caught.value)
    assert edited.partition(":")[0] in str(caught.value)
