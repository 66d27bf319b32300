"""The cluster specification: what the planner decides and an engine obeys, and the files that it renders to.

For one machine without Hadoop a plan is small (``WorkerPlan``): one native worker, its task slots, its
memory and its data directories. The plan of a cluster (``ClusterPlan``) also contains the hosts, the masters
and the topology. Every value has its reason and its source.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal, Self

from pydantic import Discriminator, NonNegativeInt, Tag, model_validator

from howdah.errors import UserError
from howdah.model.base import Model, WrongValue
from howdah.model.hostname import check_whole
from howdah.model.inventory import FORMAT, Count, Inventory
from howdah.model.request import PlanRequest

Value = int | float | str | bool | tuple[str, ...]  # A decided value.


class Role(StrEnum):
    """What runs on a worker or a master."""

    DATANODE = "DataNode"
    NODEMANAGER = "NodeManager"
    REGIONSERVER = "RegionServer"
    NAMENODE = "NameNode"
    SECONDARY_NAMENODE = "SecondaryNameNode"
    JOURNALNODE = "JournalNode"
    FAILOVER_CONTROLLER = "ZKFailoverController"
    ZOOKEEPER = "ZooKeeper"
    RESOURCEMANAGER = "ResourceManager"
    JOB_HISTORY = "JobHistoryServer"
    HMASTER = "HMaster"


class Input(Model):
    """One number that went into a value."""

    name: str  # What it is, in the words of an inventory or a plan.
    value: int | float | str | bool  # The number itself, in SI base units.
    unit: str = ""  # Its unit: ``B``, ``B/s``, ``bit/s``, ``s`` or nothing.


class Breach(Model):
    """A rule that a value of the user's breaks."""

    rule: str  # The rule's id.
    says: str  # What the rule asks for here.
    severity: Literal["must", "should", "may"] = "should"
    """Whether breaking it is fatal, doubtful, or only not the best choice."""


class Setting(Model):
    """One decided value with the reason for it."""

    key: str  # What was decided, in Hadoop's own key where there is one.
    value: Value  # The value decided on.
    reason: str  # Why, in a sentence.
    source: str  # Where the reason comes from.
    origin: Literal["rule", "user"] = "rule"  # Whether a rule chose the value or the user gave it.
    rule: str | None = None  # The id of the rule that decides it.
    file: str | None = None  # The file of a ConfigSet it belongs to; none for numbers of the plan itself.
    worker: str | None = None  # The kind of worker it holds for, where kinds differ.
    group: str | None = None  # The group of hosts it holds for, where groups differ.
    inputs: tuple[Input, ...] = ()  # The numbers that went in.
    breaks: tuple[Breach, ...] = ()  # The rules that a user's value breaks.


class Worker(Model):
    """A kind of worker: what of a host runs tasks, the host itself (native) or a virtual machine."""

    name: str  # The worker's name in tasks and figures; in a cluster, the name of its kind.
    map_slots: NonNegativeInt  # Map tasks at once.
    reduce_slots: NonNegativeInt  # Reduce tasks at once.
    memory_bytes: NonNegativeInt
    """Its memory: of a cluster's worker all it has, on the local engine the budget to stay within."""
    data_dirs: tuple[str, ...] = ()  # Absolute paths, used evenly.
    group: str | None = None  # The group of hosts it lives on.
    per_host: Count = 1  # How many of this kind one full host carries.
    vcpus: int | None = None  # Its virtual CPUs; a host's threads when native.
    data_disks: int | None = None  # Data disks of its own.
    numa_nodes: int | None = None  # NUMA nodes its CPUs and memory come from; 1 is local memory only.
    roles: tuple[Role, ...] = ()  # What runs on it.

    @property
    def own_name(self) -> str:
        """Its kind's name without that of its group, which it bears where there are several groups."""
        return self.name.removeprefix(f"{self.group}-")


class Layout(Model):
    """How the hosts of one group are divided."""

    group: str  # The group.
    platform: str  # ``native``, ``4 per host``, ``2 small + 2 large per host``.
    virtual: bool  # Whether workers are virtual machines.
    workers: tuple[str, ...]  # The kinds of workers on one full host, one entry for each worker: its places.


class Master(Model):
    """One place for master daemons."""

    name: str  # Its short name, ``nn1`` for instance; unique in the plan.
    address: str  # The host name it answers to.
    roles: tuple[Role, ...]  # The daemons it runs.
    host: str  # The physical host it is on.
    takes: tuple[str, ...] = ()
    """The kinds of workers that make room for it on that host, one for each place; none where it shares."""
    whole_host: bool = False  # Whether the host runs no workers at all.
    shares: bool = False  # Whether it shares the operating system with the workers' daemons.
    vcpus: int  # Its virtual CPUs.
    memory_bytes: int  # Its memory.
    shadow_host: str | None = None  # The host of its Fault Tolerance shadow, where the same places are freed.
    rule: str | None = None  # The id of the rule that places it.
    reason: str  # Why it is there.


class Rack(Model):
    """A rack, real or virtual, and its hosts."""

    name: str  # As it appears in a network location: ``/name``.
    hosts: tuple[str, ...]  # Its hosts, as name patterns.


class Placement(StrEnum):
    """How HDFS is configured to keep the replicas of a block on different hosts."""

    DEFAULT = "default"
    NODE_GROUPS = "node-groups"
    UPGRADE_DOMAINS = "upgrade-domains"


class Topology(Model):
    """Where hosts are in the network, as HDFS and YARN are configured."""

    placement: Placement  # How replicas are kept on different hosts.
    real_racks: bool  # Whether the racks are those of the inventory.
    racks: tuple[Rack, ...]  # Every rack with its hosts, masters' hosts included.
    reason: str  # Why this placement, and what it costs.


class Judgement(Model):
    """The judgement of one rule on one platform."""

    rule: str  # The rule's id.
    verdict: Literal["for", "against", "refused"]  # Which way it speaks.
    text: str  # The judgement in words, with the numbers.
    weight: float = 0.0  # How much it counts: the share of TeraSort's time it is worth, 0.12 for 12 %.


class Candidate(Model):
    """One platform that a group of hosts allows, or why it does not."""

    group: str  # The group of hosts.
    platform: str  # ``native``, ``4 per host``, ``2 small + 2 large per host``.
    verdict: Literal["recommended", "possible", "refused"]  # What becomes of it.
    workers: int  # Workers in the whole group once masters have their places; 0 when refused.
    kinds: tuple[Worker, ...]  # The kinds of workers on a full host; none when refused.
    score: float  # The sum of its judgements' weights, the highest is recommended.
    judgements: tuple[Judgement, ...]  # Its pros and cons.


class Year(Model):
    """What one year's data needs."""

    year: int  # 0 is today.
    need_bytes: int  # Data to be held, before replication.
    hosts: int  # Hosts that hold it.
    first_full: str  # What is the first to be full, in words.
    fill: dict[str, float]  # How full each resource is with the planned number of hosts, 0 to 1, by its name.


class Capacity(Model):
    """How much the cluster holds, and how long."""

    raw_bytes: int  # All data disks of the workers.
    usable_bytes: int  # Data it holds after replication and reserves.
    bytes_per_host: int  # Data one host more would hold.
    years: tuple[Year, ...] = ()  # Year by year, if growth was requested.
    hosts_needed: int | None = None
    """Hosts that the last year needs, masters included; None if growth was not requested."""
    group: str | None = None  # The group whose hosts are counted.


class Advice(Model):
    """Something an administrator should know that is no setting."""

    rule: str  # The rule's id.
    severity: Literal["must", "should", "may"]  # How much it matters.
    text: str  # What to do or to know, with the numbers.
    source: str  # Where it comes from.


class Cluster(Model):
    """Which hosts carry what, and what was weighed against it."""

    howdah: Literal[1] = FORMAT  # The format's version.
    request: PlanRequest  # What the user requested.
    inventory: Inventory  # The hosts.
    layouts: tuple[Layout, ...]  # How each group is divided.
    masters: tuple[Master, ...]  # Where the masters are.
    topology: Topology  # Racks, node groups and the placement of replicas.
    candidates: tuple[Candidate, ...]  # Every platform that was weighed, the best of each group first.
    capacity: Capacity  # How much it holds.
    advice: tuple[Advice, ...] = ()  # What is no setting.

    @property
    def port_bits_per_s(self) -> dict[str, int]:
        """What the ports of each host carry each way, by its name: all of it, others' parts of it, too."""
        sharing = self.request.sharing
        return {
            host: ((sharing.whole_host(host) if sharing is not None else None) or group).network_bits_per_s
            for group in self.inventory.groups
            for host in group.names
        }


_NO_CLUSTER = (
    "has no `cluster`: it is incomplete, or a plan of one machine",
    "give a plan that `howdah plan` wrote from an inventory of hosts",
)


class BasePlan(Model):
    """Workers and settings: what an engine needs of any plan."""

    platform: str  # How hosts are divided into workers.
    workers: tuple[Worker, ...]  # The workers of one machine; of a cluster the kinds of workers.
    settings: tuple[Setting, ...]  # Every decided value with its reason.


class WorkerPlan(BasePlan):
    """A plan without hosts: of this machine, or of a running cluster as its daemons report it."""

    cluster: None = None  # Always null: only the plan of a cluster has hosts.


class ClusterPlan(BasePlan):
    """A plan that `howdah plan` makes from an inventory."""

    cluster: Cluster  # Which hosts carry what.

    @model_validator(mode="before")
    @classmethod
    def _of_a_cluster(cls, data: Any) -> Any:
        """Refuse a whole plan that has no cluster; a misspelt key is another fault."""
        if isinstance(data, dict) and data.get("cluster") is None and data.keys() <= cls.model_fields.keys():
            raise WrongValue(*_NO_CLUSTER)
        return data

    @model_validator(mode="after")
    def _whole(self) -> Self:
        check_whole(self.workers, self.cluster)
        return self


WORKER_PLAN, CLUSTER_PLAN = "worker plan", "cluster plan"  # pydantic's names of a plan's types in errors.


def _kind(plan: Any) -> str:
    cluster = plan.get("cluster") if isinstance(plan, dict) else getattr(plan, "cluster", None)
    return WORKER_PLAN if cluster is None else CLUSTER_PLAN


Plan = Annotated[
    Annotated[WorkerPlan, Tag(WORKER_PLAN)] | Annotated[ClusterPlan, Tag(CLUSTER_PLAN)],
    Discriminator(_kind),
]  # The plan of a run: read as one of a cluster if it has ``cluster``.


def cluster_plan(plan: Plan, where: str) -> ClusterPlan:
    """Return the plan of a cluster; raises UserError naming ``where`` for any other plan."""
    if isinstance(plan, ClusterPlan):
        return plan
    raise UserError(where, *_NO_CLUSTER)


def value_text(value: Value) -> str:
    """A value as Hadoop reads it: ``true``, ``0.05``, ``a,b``."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return ",".join(value)
    if isinstance(value, float):
        # Hadoop's whole-number keys reject 1e-05 and readers of the file stumble over it.
        return f"{value:.12f}".rstrip("0").rstrip(".") if value else "0"
    return str(value)


def planned_text(plan: Plan, key: str) -> str:
    """What the plan gives a key, the first where kinds differ; empty where it gives nothing."""
    return next((value_text(setting.value) for setting in plan.settings if setting.key == key), "")


class ConfigFile(Model):
    """One file, by its path below the ConfigSet's directory."""

    path: str  # Relative, with forward slashes: ``hadoop/core-site.xml``.
    content: str  # Its whole text; the same plan gives the same text.
    executable: bool = False


class ConfigSet(Model):
    """All files, sorted by path."""

    files: tuple[ConfigFile, ...]
