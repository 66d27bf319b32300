"""The ResourceManager: its scheduler, its heap, which hosts may join, what survives a restart."""

from __future__ import annotations

import math

from howdah.model.plan import Input, Role
from howdah.model.request import Profile, Protection
from howdah.planner.budget import chosen_sizes, container_mb
from howdah.planner.conditions import mapreduce_rule, with_mapreduce
from howdah.planner.facts import Facts
from howdah.planner.heap import heap_enough
from howdah.planner.master_heaps import CONTAINERS_PER_GIB, WORKERS_PER_GIB, size_of, sized_heap
from howdah.planner.reading import is_temporary
from howdah.planner.rule import Counsel, Decision, Rule, Severity, equal
from howdah.planner.rules.security.settings import login
from howdah.planner.values import anything, between, fixed, one_of
from howdah.units import MIB, format_count

_SCHEDULERS = "org.apache.hadoop.yarn.server.resourcemanager.scheduler"
_CAPACITY = f"{_SCHEDULERS}.capacity.CapacityScheduler"
_FAIR = f"{_SCHEDULERS}.fair.FairScheduler"
_DOMINANT = "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator"
_RECOVERY = "org.apache.hadoop.yarn.server.resourcemanager.recovery"
_CONF = "/etc/hadoop/conf"
_JOBS_AT_ONCE = 5
_MASTERS_SHARE = (0.1, 0.5)


def _counts_vcores(facts: Facts) -> bool:
    """Whether vcores are more than the release's default, which says nothing of a host."""
    planned = facts.known_cluster is not None
    vcores = facts.decided.get("yarn.nodemanager.resource.cpu-vcores")
    return with_mapreduce(facts) and (planned or vcores not in (None, -1, 8))


def _paper(facts: Facts) -> bool:
    return facts.request.mapreduce and facts.request.profile is Profile.PAPER


def _one_resourcemanager(facts: Facts) -> bool:
    return facts.request.mapreduce and facts.request.protection is not Protection.HA


def _scheduler(facts: Facts) -> Decision:
    if _paper(facts):
        return Decision(_FAIR, "as the study ran")
    return Decision(
        _CAPACITY, "the release's default: queues with a share each, filled by the users who need them"
    )


def _masters_share(facts: Facts) -> Decision:
    sizes = chosen_sizes(facts)
    total = sum(container_mb(kind, sizes, facts) * count for kind, count in facts.cluster.kinds)
    wanted = _JOBS_AT_ONCE * sizes.master_mb / max(1, total)
    least, most = _MASTERS_SHARE
    value = math.ceil(100 * min(most, max(least, wanted))) / 100
    return Decision(
        value,
        f"room for at least {_JOBS_AT_ONCE} jobs at once; more would leave their tasks too little"
        if value < most
        else "half of a small cluster: its jobs share what there is",
        (Input(name="memory of all containers", value=total * MIB, unit="B"),),
    )


def _login(facts: Facts) -> tuple[str, ...]:
    return login("yarn", facts) if facts.request.protection is Protection.HA else ()


def _heap(facts: Facts) -> Decision:
    size = size_of(facts)
    decided = sized_heap(
        Role.RESOURCEMANAGER,
        facts,
        f"1 GiB, and another for every {WORKERS_PER_GIB} of {format_count(size.workers)} NodeManagers and "
        f"{format_count(CONTAINERS_PER_GIB)} of {format_count(size.containers)} containers that run at once, "
        "as far as its place has them",
        *_login(facts),
    )
    inputs = (
        Input(name="NodeManagers", value=size.workers),
        Input(name="containers at once", value=size.containers),
    )
    return decided._replace(inputs=inputs)


def _fair_counsel(facts: Facts) -> str | None:
    return (
        "The study's FairScheduler waited 100 ms for a node with the data; today "
        "yarn.scheduler.fair.locality.threshold.node counts missed offers instead. Its queues are in "
        "yarn.scheduler.fair.allocation.file, fair-scheduler.xml, and without the file every job runs in a "
        "queue called default."
    )


def _cgroups_counsel(facts: Facts) -> str | None:
    return (
        "Tasks share CPUs as Linux schedules them. Where users compete, let LinuxContainerExecutor put each "
        "container in a control group (yarn.nodemanager.resource.cpu.enabled): vcores then decide who "
        "computes."
    )


RULES: tuple[Rule, ...] = (
    mapreduce_rule(
        id="scheduler.heap",
        file="yarn-env.sh",
        key="YARN_RESOURCEMANAGER_OPTS",
        says="The ResourceManager's heap is 1 GiB, and another for every 250 NodeManagers and 50,000 "
        "containers, at least 2.",
        sources=("D1 81", "D1 87", "howdah"),
        decide=_heap,
        accepts=heap_enough,
        today="The papers gave all daemons one HADOOP_HEAPSIZE of 1300 (D0 142); each has its own today.",
    ),
    mapreduce_rule(
        id="scheduler.class",
        file="yarn-site.xml",
        key="yarn.resourcemanager.scheduler.class",
        says="The CapacityScheduler; in a study the FairScheduler.",
        sources=("D0 54", "Hadoop 3.5.0: yarn-default.xml"),
        severity=Severity.MAY,
        decide=_scheduler,
        accepts=one_of(_CAPACITY, _FAIR),
        today="The JobTracker's FairScheduler went with it; YARN has one of the same name.",
    ),
    mapreduce_rule(
        id="scheduler.fair-step",
        file="yarn-site.xml",
        key="yarn.scheduler.increment-allocation-mb",
        says="The FairScheduler rounds containers to the same steps as the least allocation.",
        sources=("howdah",),
        severity=Severity.MAY,
        applies=_paper,
        condition="paper profile",
        decide=fixed(512, "its own default of 1024 would round containers up"),
        accepts=between(1, 1024),
    ),
    mapreduce_rule(
        id="scheduler.resources",
        default_harms=True,
        applies=_counts_vcores,
        condition="with MapReduce, where vcores of workers are set",
        file="capacity-scheduler.xml",
        key="yarn.scheduler.capacity.resource-calculator",
        says="Both memory and vcores count.",
        sources=("X11", "howdah"),
        decide=fixed(
            _DOMINANT, "with memory alone, small containers would run more at once than there are vcores"
        ),
        accepts=equal,
    ),
    mapreduce_rule(
        id="scheduler.masters-share",
        file="capacity-scheduler.xml",
        key="yarn.scheduler.capacity.maximum-am-resource-percent",
        says="Application masters may take a tenth of the cluster, more of a small one.",
        sources=("howdah",),
        severity=Severity.MAY,
        decide=_masters_share,
        accepts=between(0.05, 0.6),
    ),
    mapreduce_rule(
        id="scheduler.include",
        file="yarn-site.xml",
        key="yarn.resourcemanager.nodes.include-path",
        says="Only listed hosts may register as NodeManagers.",
        sources=("howdah",),
        severity=Severity.MAY,
        decide=fixed(f"{_CONF}/yarn.include", "only listed hosts may register as NodeManagers"),
        accepts=anything,
    ),
    mapreduce_rule(
        id="scheduler.exclude",
        file="yarn-site.xml",
        key="yarn.resourcemanager.nodes.exclude-path",
        says="A NodeManager is emptied before it is taken away by listing it.",
        sources=("howdah",),
        severity=Severity.MAY,
        decide=fixed(
            f"{_CONF}/yarn.exclude", "a NodeManager listed here finishes what it runs and gets no more"
        ),
        accepts=anything,
    ),
    mapreduce_rule(
        id="scheduler.recovery",
        file="yarn-site.xml",
        key="yarn.resourcemanager.recovery.enabled",
        says="Jobs survive a restart of the ResourceManager.",
        sources=("howdah",),
        applies=_one_resourcemanager,
        condition="with one ResourceManager; a pair has rules of its own",
        decide=fixed(True, "jobs go on where they were"),
        accepts=equal,
    ),
    mapreduce_rule(
        id="scheduler.recovery-store",
        file="yarn-site.xml",
        key="yarn.resourcemanager.store.class",
        says="A single ResourceManager remembers jobs on its own disk.",
        sources=("howdah",),
        severity=Severity.MAY,
        applies=_one_resourcemanager,
        condition="with one ResourceManager",
        decide=fixed(
            f"{_RECOVERY}.LeveldbRMStateStore",
            "it starts without waiting for HDFS; a pair keeps this in ZooKeeper",
        ),
        accepts=one_of(f"{_RECOVERY}.FileSystemRMStateStore", f"{_RECOVERY}.ZKRMStateStore"),
    ),
    mapreduce_rule(
        id="scheduler.recovery-folder",
        file="yarn-site.xml",
        key="yarn.resourcemanager.leveldb-state-store.path",
        says="What it remembers is in a directory that nothing empties.",
        sources=("howdah",),
        severity=Severity.MAY,
        applies=_one_resourcemanager,
        condition="with one ResourceManager",
        decide=fixed("/var/lib/hadoop/yarn-state", "the default is below hadoop.tmp.dir"),
        accepts=lambda value, decision, facts: bool(value) and not is_temporary(str(value)),
    ),
    Counsel(
        id="scheduler.fair",
        says="The FairScheduler of today counts offers where the study's counted time.",
        sources=("D0 54", "X11"),
        severity=Severity.MAY,
        applies=_paper,
        condition="paper profile",
        profiles=frozenset({Profile.PAPER}),
        tell=_fair_counsel,
    ),
    Counsel(
        id="scheduler.control-groups",
        says="Control groups make vcores count where users compete.",
        sources=("howdah",),
        severity=Severity.MAY,
        applies=lambda facts: facts.request.mapreduce and not facts.request.secure,
        condition="with MapReduce, without --secure",
        tell=_cgroups_counsel,
    ),
)
