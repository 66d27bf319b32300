"""Plans that laboratories are made of."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from howdah.documents.files import read_inventory, write_plan
from howdah.lab.machines import machines
from howdah.lab.state import NETWORK, Jars, LabState
from howdah.model.cluster import Laboratory
from howdah.model.inventory import DiskRole, Inventory
from howdah.model.plan import ClusterPlan, Role
from howdah.model.request import CodedDirectory, Demand, Hypervisor, Override, PlanRequest, Protection
from howdah.planner.cluster import plan_cluster
from support.hadoop_cluster import OFTEN
from support.java import BRIEF

HOSTS = Path(__file__).parents[2] / "examples/hosts-lab.yaml"
TRIO = Path(__file__).parents[1] / "data/lab/trio.yaml"

_JAVA_OPTIONS = ("_OPTS", ".java.opts", ".command-opts")
"""How the keys of what Java is started with end."""


def lab_plan(
    *,
    workers_per_host: int | None = 2,
    protection: Protection = Protection.NONE,
    secure: bool = False,
    ycsb: bool = False,
    jobs: bool = True,
    storage: bool = False,
    disk_bytes: int | None = None,
    settings: Mapping[str, str] | None = None,
    coded: tuple[CodedDirectory, ...] = (),
) -> ClusterPlan:
    """A plan of the example's two hosts, virtual unless workers are None; replication 2.

    ``storage`` is HDFS alone. ``settings`` are insisted on; ``disk_bytes`` is the size of data disks
    instead of the example's.
    """
    return plan_cluster(
        _with_disks(read_inventory(HOSTS), disk_bytes),
        PlanRequest(
            hypervisor=Hypervisor.KVM if workers_per_host else Hypervisor.NONE,
            workers_per_host=workers_per_host,
            replication=2,
            coded=coded,
            protection=protection,
            secure=secure,
            realm="EXAMPLE.COM" if secure else None,
            workloads=(Demand(kind="storage"),)
            if storage
            else (
                *([Demand(kind="terasuite", dataset_bytes=10**9)] if jobs else []),
                *([Demand(kind="ycsb")] if ycsb else []),
            ),
            overrides=tuple(Override(key=key, value=value) for key, value in (settings or {}).items()),
        ),
    )


def _with_disks(inventory: Inventory, size_bytes: int | None) -> Inventory:
    if size_bytes is None:
        return inventory
    groups = tuple(
        group.model_copy(
            update={
                "disks": tuple(
                    disk.model_copy(update={"size_bytes": size_bytes}) if disk.role is DiskRole.DATA else disk
                    for disk in group.disks
                )
            }
        )
        for group in inventory.groups
    )
    return inventory.model_copy(update={"groups": groups})


def trio_plan(*settings: tuple[str, str], secure: bool = False) -> ClusterPlan:
    """A plan of three native hosts whose masters take over from one another, with settings insisted on."""
    return plan_cluster(
        read_inventory(TRIO),
        PlanRequest(
            hypervisor=Hypervisor.NONE,
            replication=2,
            protection=Protection.HA,
            secure=secure,
            realm="EXAMPLE.COM" if secure else None,
            overrides=tuple(Override(key=key, value=value) for key, value in settings),
        ),
    )


def soon(plan: ClusterPlan) -> ClusterPlan:
    """The same plan for a laboratory of a few minutes, with what makes it wait and compute less insisted on.

    The start of Java programs is most of what it computes, and half of that is compiling what never runs for
    long; its jobs wait for heartbeats longer than their tasks run.
    """
    request = plan.cluster.request
    insisted = (Override(key=key, value=value) for key, value in soon_settings(plan).items())
    overrides = (*request.overrides, *insisted)
    return plan_cluster(plan.cluster.inventory, request.model_copy(update={"overrides": overrides}))


def soon_settings(plan: ClusterPlan) -> dict[str, str]:
    """What ``soon`` insists on."""
    options = (setting for setting in plan.settings if setting.key.endswith(_JAVA_OPTIONS))
    compiled = {setting.key: f"{setting.value} {BRIEF}" for setting in options}
    if not any(Role.NODEMANAGER in worker.roles for worker in plan.workers):
        return compiled
    return {**compiled, **OFTEN["mapred-site.xml"], **OFTEN["yarn-site.xml"]}


def save_plan(plan: ClusterPlan, folder: Path) -> Path:
    """The plan as a file."""
    path = folder / "plan.yaml"
    path.write_text(write_plan(plan))
    return path


def hbase_lab_state(directory: Path) -> LabState:
    """A laboratory of two native hosts that run jobs and HBase as it is written down."""
    return lab_state(directory, lab_plan(workers_per_host=None, ycsb=True)).model_copy(
        update={"hbase": Jars(home=Path("/cache"), version="2.6.4", fetched=True)}
    )


def lab_state(directory: Path, plan: ClusterPlan | None = None) -> LabState:
    """A laboratory of that plan as it is written down, with nothing behind it."""
    plan = plan or lab_plan()
    return LabState(
        name="lab",
        directory=directory,
        rootless=False,
        asked="digest",
        source="plan.yaml",
        complete=True,
        plan=plan,
        jars=Jars(home=Path("/cache"), version="3.5.0", fetched=True),
        machines=machines(plan, directory, NETWORK),
        spec=None,
        client_conf=directory / "client/conf",
        names={},
        laboratory=Laboratory(name="lab", rootless=False, isolation=()),
    )
