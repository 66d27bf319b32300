"""Facts as the planner would know them, built without planning."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from howdah.model.existing import ExistingSystem, FoundConfig, FoundProperty
from howdah.model.inventory import CpuLayout, DiskKind, DiskSet, HostGroup, NicSet
from howdah.model.plan import Master, Placement, Rack, Role, Topology, Value, Worker
from howdah.model.request import Demand, PlanRequest, Profile
from howdah.planner.facts import ClusterFacts, Facts
from howdah.planner.reading import Inspected
from howdah.planner.rule import Decision, Inspection, Rule, SettingRule
from howdah.planner.rules.catalogue import RULES
from howdah.units import GIB, exact_bytes

TERASORT = (Demand(kind="terasuite"),)
HBASE = (Demand(kind="ycsb"),)
MIX = (*TERASORT, *HBASE)


def a_group(*, disks: int = 20, disk_bytes: int = 600 * 10**9, ports: int = 2) -> HostGroup:
    """Hosts of the vSphere 6 study."""
    return HostGroup(
        name="hosts",
        count=32,
        cpu=CpuLayout(sockets=2, cores_per_socket=10, threads_per_core=2),
        memory="256GiB",
        disks=(DiskSet(count=disks, kind=DiskKind.HDD, size=exact_bytes(disk_bytes)),),
        nics=(NicSet(count=ports, speed="10GbE"),),
    )


def a_worker(
    memory_gib: float = 60.25, *, slots: int = 6, disks: int = 5, vcpus: int = 10, per_host: int = 4
) -> Worker:
    """A quarter of such a host."""
    return Worker(
        name="worker",
        group="hosts",
        map_slots=slots,
        reduce_slots=slots,
        memory_bytes=int(memory_gib * GIB),
        data_dirs=tuple(f"/data/{number:02d}" for number in range(1, disks + 1)),
        data_disks=disks,
        vcpus=vcpus,
        per_host=per_host,
    )


def a_master(
    *roles: Role, memory_gib: int = 60, shares: bool = False, host: str = "h01.example.com"
) -> Master:
    """A place of its own for master daemons, or one beside a worker's."""
    return Master(
        name="m1",
        address="m1.example.com",
        roles=roles,
        host=host,
        shares=shares,
        vcpus=10,
        memory_bytes=memory_gib * GIB,
        reason="a test's",
    )


MASTERS = (a_master(Role.NAMENODE, Role.RESOURCEMANAGER, Role.ZOOKEEPER, Role.HMASTER),)


def rules_of(subject: str) -> tuple[Rule, ...]:
    """The rules of a subject in their order."""
    return tuple(rule for rule in RULES if rule.subject == subject)


def facts_of(
    worker: Worker | None = None,
    *,
    kinds: Sequence[tuple[Worker, int]] = (),
    request: PlanRequest | None = None,
    group: HostGroup | None = None,
    masters: tuple[Master, ...] = MASTERS,
    worker_hosts: int = 31,
    domain: str = "example.com",
) -> Facts:
    """Facts of a cluster of such workers, 126 of them unless ``kinds`` says otherwise."""
    worker = worker or (kinds[0][0] if kinds else a_worker())
    group = group or a_group()
    counted = tuple(kinds) or ((worker, 126),)
    disk_bytes = group.data_bytes // group.data_disks
    return Facts(
        request=request or PlanRequest(),
        known_group=group,
        known_worker=worker,
        known_cluster=ClusterFacts(
            name="cluster",
            hosts=32,
            worker_hosts=worker_hosts,
            kinds=counted,
            masters=masters,
            topology=Topology(
                placement=Placement.DEFAULT,
                real_racks=False,
                racks=(Rack(name="rack-1", hosts=("h[01-32].example.com",)),),
                reason="a test's",
            ),
            virtual=True,
            raw_bytes=sum((kind.data_disks or 0) * count * disk_bytes for kind, count in counted),
            domain=domain,
            groups=(group,),
        ),
    )


def asking(
    workloads: tuple[Demand, ...] = TERASORT,
    *,
    dataset: int | None = None,
    paper: bool = False,
    secure: bool = False,
) -> PlanRequest:
    """A request for some work."""
    if dataset is not None:
        workloads = tuple(
            demand.model_copy(update={"dataset_bytes": dataset}) if demand.kind == "terasuite" else demand
            for demand in workloads
        )
    return PlanRequest(
        workloads=workloads, profile=Profile.PAPER if paper else Profile.PRODUCTION, secure=secure
    )


def decided_by(
    modules: Iterable[Iterable[Rule]], facts: Facts
) -> dict[str, tuple[SettingRule, Decision, Facts]]:
    """What the rules of these modules decide in turn, by key, with the facts that each decided by."""
    decisions: dict[str, tuple[SettingRule, Decision, Facts]] = {}
    for rules in modules:
        for rule in rules:
            if isinstance(rule, SettingRule) and rule.holds(facts):
                decision = rule.decide(facts)
                decisions[rule.key] = (rule, decision, facts)
                facts = facts.deciding(rule.key, decision.value)
    return decisions


def values_of(modules: Iterable[Iterable[Rule]], facts: Facts) -> dict[str, Value]:
    """The values alone."""
    return {key: decision.value for key, (_, decision, _) in decided_by(modules, facts).items()}


HADOOP_RULES = tuple(
    rules_of(subject)
    for subject in (
        "hdfs",
        "streams",
        "namenode",
        "volumes",
        "datanode",
        "mapreduce",
        "sorting",
        "shuffle",
        "jobs",
        "yarn",
        "nodemanager",
        "scheduler",
        "containers",
        "hbase",
        "regionserver",
        "security",
        "kerberos",
        "rights",
        "tls",
        "jvm",
    )
)
"""The rules about Hadoop's and HBase's own settings, in the order of the catalogue."""


def a_configuration(
    properties: Mapping[str, str] | None = None, environment: Mapping[str, str] | None = None
) -> ExistingSystem:
    """A configuration directory with these properties in one file and these variables in another."""
    return ExistingSystem(
        config=FoundConfig(
            folder="/etc/hadoop/conf",
            files=("site.xml", "hadoop-env.sh"),
            properties=tuple(
                FoundProperty(name=name, text=text, file="site.xml", line=line)
                for line, (name, text) in enumerate((properties or {}).items(), start=1)
            ),
            environment=tuple(
                FoundProperty(name=name, text=text, file="hadoop-env.sh", line=line)
                for line, (name, text) in enumerate((environment or {}).items(), start=1)
            ),
        )
    )


def rule_named(rule_id: str) -> Rule:
    """The rule of that id."""
    return next(rule for rules in HADOOP_RULES for rule in rules if rule.id == rule_id)


def seen(rule_id: str, found: ExistingSystem, facts: Facts | None = None) -> list[bool | None]:
    """What an inspection says of a configuration, observation by observation."""
    rule = rule_named(rule_id)
    assert isinstance(rule, Inspection)
    return [one.ok for one in rule.inspect(Inspected(found), facts or facts_of())]


def will_do(rule_id: str, value: Value, facts: Facts | None = None) -> bool:
    """Whether a rule accepts a value that exists, beside the values that the rules before it decide."""
    facts = facts or facts_of()
    rule = rule_named(rule_id)
    assert isinstance(rule, SettingRule)
    _, decision, known = decided_by(HADOOP_RULES, facts)[rule.key]
    return rule.accepts(value, decision, known)
