"""Small plans made by hand, for tests that say exactly what is in a plan."""

from __future__ import annotations

from collections.abc import Sequence

from howdah.model.inventory import CpuLayout, DiskKind, DiskRole, DiskSet, HostGroup, Inventory, NicSet
from howdah.model.plan import (
    Capacity,
    Cluster,
    ClusterPlan,
    Layout,
    Master,
    Placement,
    Plan,
    Rack,
    Role,
    Setting,
    Topology,
    Value,
    Worker,
    WorkerPlan,
)
from howdah.model.request import PlanRequest
from howdah.units import GIB

WORKING = (Role.DATANODE, Role.NODEMANAGER)


def group(name: str = "workers", count: int = 4, hosts: Sequence[str] = ()) -> HostGroup:
    """Hosts with two sockets of ten cores, 256 GiB, 20 data disks and two ports of 10 Gb/s."""
    return HostGroup(
        name=name,
        count=count,
        hosts=tuple(hosts),
        cpu=CpuLayout(sockets=2, cores_per_socket=10, threads_per_core=2),
        memory="256GiB",
        disks=(
            DiskSet(count=2, kind=DiskKind.HDD, size="600GB", role=DiskRole.SYSTEM),
            DiskSet(count=20, kind=DiskKind.HDD, size="600GB"),
        ),
        nics=(NicSet(count=2, speed="10Gb/s"),),
    )


def kind(
    name: str = "worker", per_host: int = 1, group: str = "workers", roles: tuple[Role, ...] = WORKING
) -> Worker:
    """An equal share of such a host; a host itself where there is one of them."""
    memory = 256 * GIB if per_host == 1 else 241 * GIB // per_host
    disks = 20 // per_host
    return Worker(
        name=name,
        map_slots=22 // per_host,
        reduce_slots=22 // per_host,
        memory_bytes=memory,
        data_dirs=tuple(f"/data/{number:02d}" for number in range(1, disks + 1)),
        group=group,
        per_host=per_host,
        vcpus=40 // per_host,
        data_disks=disks,
        numa_nodes=1 if per_host > 1 else 2,
        roles=roles,
    )


def setting(key: str, value: Value, file: str, **more: object) -> Setting:
    """A setting as a rule gives it."""
    given: dict[str, object] = {"reason": "a test's reason", "source": "D0 1", "rule": "test.rule", **more}
    return Setting.model_validate({"key": key, "value": value, "file": file, **given})


def master(name: str, host: str, *roles: Role, address: str | None = None, shares: bool = False) -> Master:
    """A master on a host, in a virtual machine of its own unless it shares."""
    return Master(
        name=name,
        address=host if address is None else address,
        roles=roles,
        host=host,
        shares=shares,
        vcpus=10,
        memory_bytes=64 * GIB,
        reason="a test's reason",
    )


def plan(
    *settings: Setting,
    groups: Sequence[HostGroup] = (),
    kinds: Sequence[Worker] = (),
    places: Sequence[str] = (),
    masters: Sequence[Master] = (),
    placement: Placement = Placement.DEFAULT,
    racks: Sequence[Rack] = (),
    request: PlanRequest | None = None,
) -> ClusterPlan:
    """A plan with these parts; what is left out is one group of native hosts in one rack without masters."""
    groups = tuple(groups) or (group(),)
    kinds = tuple(kinds) or tuple(kind(group=one.name) for one in groups[:1])
    layouts = tuple(
        Layout(
            group=one.name,
            platform="native" if len(places) < 2 else f"{len(places)} per host",
            virtual=len(places) > 1,
            workers=tuple(places) or tuple(one_kind.name for one_kind in kinds if one_kind.group == one.name),
        )
        for one in groups
        if any(one_kind.group == one.name for one_kind in kinds)
    )
    names = tuple(name for one in groups for name in one.names)
    return ClusterPlan(
        platform=layouts[0].platform,
        workers=tuple(kinds),
        settings=settings,
        cluster=Cluster(
            request=request or PlanRequest(),
            inventory=Inventory(cluster="sample", groups=groups),
            layouts=layouts,
            masters=tuple(masters)
            or (master("nn1", names[0], Role.NAMENODE, Role.RESOURCEMANAGER, shares=True),),
            topology=Topology(
                placement=placement,
                real_racks=False,
                racks=tuple(racks) or (Rack(name="rack-1", hosts=names),),
                reason="All hosts stand in one rack.",
            ),
            candidates=(),
            capacity=Capacity(raw_bytes=0, usable_bytes=0, bytes_per_host=0),
        ),
    )


def worker_plan(plan: Plan) -> WorkerPlan:
    """The workers and settings of a plan, without its hosts."""
    return WorkerPlan(platform=plan.platform, workers=plan.workers, settings=plan.settings)
