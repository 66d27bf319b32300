"""What holds of every plan, whatever the hosts and the request, all the way to a checked configuration."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

from howdah.audit.audit import audit
from howdah.audit.folder import known_releases, read_folders
from howdah.documents.files import read_plan, write_plan
from howdah.errors import UserError
from howdah.model.existing import CheckVerdict
from howdah.model.inventory import HostGroup, Inventory
from howdah.model.placement import PlacedHost, placed_hosts
from howdah.model.plan import Cluster, ClusterPlan, Role
from howdah.model.request import Demand, Growth, Hypervisor, PlanRequest, Profile, Protection
from howdah.planner.cluster import plan_cluster
from howdah.render.cluster import render

pytestmark = pytest.mark.slow

PAIRS = (Role.NAMENODE, Role.RESOURCEMANAGER, Role.JOURNALNODE, Role.ZOOKEEPER, Role.HMASTER)

requests = st.builds(
    PlanRequest,
    workloads=st.sampled_from(
        [
            (Demand(kind="terasuite"),),
            (Demand(kind="terasuite", dataset_bytes=10**12),),
            (Demand(kind="ycsb", records=10**8),),
            (Demand(kind="terasuite"), Demand(kind="ycsb")),
        ]
    ),
    replication=st.sampled_from([None, None, 1, 2, 3]),
    hypervisor=st.sampled_from([None, *Hypervisor]),
    protection=st.sampled_from(Protection),
    secure=st.booleans(),
    profile=st.sampled_from([Profile.PRODUCTION, Profile.PRODUCTION, Profile.PAPER]),
    workers_per_host=st.sampled_from([None, None, None, 1, 2, 4]),
    hadoop=st.sampled_from(["3.5.0", "3.4.2"]),
    growth=st.sampled_from([None, Growth(need_bytes=3 * 10**14, per_year=0.4, years=3)]),
)


@st.composite
def groups(draw: st.DrawFn, name: str) -> HostGroup:
    racks = draw(st.sampled_from([0, 0, 1, 2, 4]))
    count = draw(st.integers(1, 12)) * max(1, racks)
    return HostGroup.model_validate(
        {
            "name": name,
            "count": count,
            "hosts": [f"{name}[001-{count:03d}].example.com"],
            "cpu": {
                "sockets": draw(st.sampled_from([1, 2, 4])),
                "cores_per_socket": draw(st.integers(2, 32)),
                "threads_per_core": draw(st.sampled_from([1, 2])),
            },
            "memory": f"{draw(st.integers(16, 1024))}GiB",
            "disks": [
                {
                    "count": draw(st.integers(1, 24)),
                    "kind": draw(st.sampled_from(["hdd", "ssd", "nvme"])),
                    "size": draw(st.sampled_from(["600GB", "4TB", "16TB"])),
                }
            ],
            "nics": [
                {
                    "count": draw(st.integers(1, 2)),
                    "speed": draw(st.sampled_from(["1Gb/s", "10Gb/s", "100Gb/s"])),
                }
            ],
            "racks": [f"r{number}" for number in range(racks)],
        }
    )


@st.composite
def inventories(draw: st.DrawFn) -> Inventory:
    names = ["old", "new", "heads"][: draw(st.sampled_from([1, 1, 1, 2, 3]))]
    return Inventory(groups=tuple(draw(groups(name)) for name in names))


def law(test: Callable[[Inventory, PlanRequest], None]) -> Callable[[], None]:
    """A test of any hosts and any request; a plan takes longer than hypothesis would wait for."""
    checked = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
    return checked(given(inventories(), requests)(test))


def planned(inventory: Inventory, request: PlanRequest) -> tuple[ClusterPlan, Cluster]:
    """The plan; a refusal must say where, what and what would be right, and is no example."""
    try:
        plan = plan_cluster(inventory, request)
    except UserError as error:
        if not (error.where and error.what and error.hint):
            raise AssertionError(f"an unclear refusal: {error}, {error.hint}") from error
        reject()
    return plan, plan.cluster


@law
def test_machines_have_names_of_their_own_and_hosts_carry_no_more_than_they_have(
    inventory: Inventory, request: PlanRequest
) -> None:
    plan, cluster = planned(inventory, request)
    kinds = {kind.name: kind for kind in plan.workers}
    groups_by_name = {group.name: group for group in inventory.groups}
    names: Counter[str] = Counter()
    for host in placed_hosts(cluster):
        names.update(worker.name for worker in host.workers)
        group = groups_by_name[host.group]
        own = [master for master in (*host.masters, *host.shadows) if not master.shares]
        vcpus = sum(kinds[worker.kind].vcpus or 0 for worker in host.workers)
        memory = sum(kinds[worker.kind].memory_bytes for worker in host.workers)
        disks = sum(kinds[worker.kind].data_disks or 0 for worker in host.workers)
        assert vcpus + sum(master.vcpus for master in own) <= group.cpu.threads
        assert memory + sum(master.memory_bytes for master in own) <= group.memory_bytes
        assert disks <= group.data_disks
    assert [name for name, count in names.items() if count > 1] == []


@law
def test_masters_that_stand_in_for_each_other_are_on_different_hosts(
    inventory: Inventory, request: PlanRequest
) -> None:
    _, cluster = planned(inventory, request)
    for role in PAIRS:
        hosts = [master.host for master in cluster.masters if role in master.roles]
        assert len(hosts) == len(set(hosts))
    assert all(master.shadow_host != master.host for master in cluster.masters)


def _places(host: PlacedHost) -> Iterator[str]:
    yield from (worker.name for worker in host.workers)


@law
def test_replicas_have_as_many_hosts_as_they_need(inventory: Inventory, request: PlanRequest) -> None:
    plan, cluster = planned(inventory, request)
    replication = next(one.value for one in plan.settings if one.key == "dfs.replication")
    hosts = [host for host in placed_hosts(cluster) if host.workers]
    assert isinstance(replication, int)
    assert 1 <= replication <= len(hosts)
    keys = {one.key for one in plan.settings}
    if any(len(list(_places(host))) > 1 for host in hosts) and len(hosts) > 1:
        assert "dfs.block.replicator.classname" in keys


@law
def test_a_plan_reads_back_as_it_was_written(inventory: Inventory, request: PlanRequest) -> None:
    plan, _ = planned(inventory, request)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "plan.yaml"
        path.write_text(write_plan(plan))
        assert read_plan(path) == plan


@law
def test_what_a_plan_renders_to_passes_its_own_check(inventory: Inventory, request: PlanRequest) -> None:
    plan, _ = planned(inventory, request)
    configs = render(plan)
    assert render(plan) == configs
    with tempfile.TemporaryDirectory() as folder:
        for file in configs.files:
            path = Path(folder) / file.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(file.content)
        # A folder for each kind of worker, for masters and clients, and for HBase.
        for conf in sorted(
            path for path in Path(folder).glob("h*") if path.is_dir() and path.name != "hypervisor"
        ):
            report = audit(read_folders([conf]), [], plan, known_releases(None, plan, None))
            failed = [
                check
                for check in report.checks
                if check.verdict is CheckVerdict.FAIL and check.rule != "hdfs.single-replica"
            ]
            # A single replica is only planned where it was asked for, and is said to be wrong even then.
            assert failed == [], conf.name


@law
def test_a_plan_is_the_same_each_time(inventory: Inventory, request: PlanRequest) -> None:
    plan, _ = planned(inventory, request)
    assert plan_cluster(inventory, request) == plan
