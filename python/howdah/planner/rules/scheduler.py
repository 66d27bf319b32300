"""The ResourceManager: its scheduler, its heap, which hosts may join, what survives a restart."""

from __future__ import annotations

import math

from howdah.model.plan import Input, Role
from howdah.model.request import Profile, Protection
from howdah.planner.budget import chosen_sizes, container_mb
from howdah.planner.conditions import WITH_MAPREDUCE, with_mapreduce
from howdah.planner.facts import Facts
from howdah.planner.heap import CONTAINERS_PER_GIB, WORKERS_PER_GIB, heap_enough, size_of, sized_heap
from howdah.planner.reading import is_temporary
from howdah.planner.rule import MAY, Decision
from howdah.planner.rules.declare import Condition, Rules, anything, between, one_of
from howdah.planner.rules.security import login
from howdah.units import MIB, format_count

_SCHEDULERS = "org.apache.hadoop.yarn.server.resourcemanager.scheduler"
_CAPACITY = f"{_SCHEDULERS}.capacity.CapacityScheduler"
_FAIR = f"{_SCHEDULERS}.fair.FairScheduler"
_DOMINANT = "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator"
_RECOVERY = "org.apache.hadoop.yarn.server.resourcemanager.recovery"
_CONF = "/etc/hadoop/conf"
_JOBS_AT_ONCE = 5
_MASTERS_SHARE = (0.1, 0.5)
rules = Rules(file="yarn-site.xml")
mapreduce = rules.under(when=WITH_MAPREDUCE)


def _login(facts: Facts) -> tuple[str, ...]:
    return login("yarn", facts) if facts.request.protection is Protection.HA else ()


@mapreduce.setting(
    "scheduler.heap",
    "YARN_RESOURCEMANAGER_OPTS",
    sources="D1 81, D1 87, howdah",
    file="yarn-env.sh",
    accepts=heap_enough,
    today="The papers gave all daemons one HADOOP_HEAPSIZE of 1300 (D0 142); each has its own today.",
)
def _heap(facts: Facts) -> Decision:
    """The ResourceManager's heap is 1 GiB, and another for every 250 NodeManagers and 50,000 containers, at
    least 2."""
    size = size_of(facts)
    decided = sized_heap(
        Role.RESOURCEMANAGER,
        facts,
        f"1 GiB, and another for every {WORKERS_PER_GIB} of {format_count(size.workers)} NodeManagers and "
        f"{format_count(CONTAINERS_PER_GIB)} of {format_count(size.containers)} concurrent containers, if "
        "its host has the memory",
        *_login(facts),
    )
    inputs = (
        Input(name="NodeManagers", value=size.workers),
        Input(name="containers at once", value=size.containers),
    )
    return decided._replace(inputs=inputs)


def _paper(facts: Facts) -> bool:
    return facts.request.mapreduce and facts.request.profile is Profile.PAPER


@mapreduce.setting(
    "scheduler.class",
    "yarn.resourcemanager.scheduler.class",
    MAY,
    sources="D0 54, Hadoop 3.5.0: yarn-default.xml",
    accepts=one_of(_CAPACITY, _FAIR),
    today="The JobTracker's FairScheduler went with it; YARN has one of the same name.",
)
def _scheduler(facts: Facts) -> Decision:
    """The CapacityScheduler; in a study the FairScheduler."""
    if _paper(facts):
        return Decision(_FAIR, "as the study ran")
    return Decision(
        _CAPACITY,
        "the release's default: queues with a capacity each; users of other queues may use free capacity",
    )


mapreduce.fixed(
    "scheduler.fair-step",
    "yarn.scheduler.increment-allocation-mb",
    512,
    MAY,
    when=Condition("paper profile", _paper),
    accepts=between(1, 1024),
).text(
    "The FairScheduler rounds containers to the same steps as the least allocation.",
    "its own default of 1024 would round containers up",
    "howdah",
)


def _counts_vcores(facts: Facts) -> bool:
    """Whether vcores are more than the release's default, which says nothing of a host."""
    vcores = facts.decided.get("yarn.nodemanager.resource.cpu-vcores")
    return with_mapreduce(facts) and (facts.planned or vcores not in (None, -1, 8))


mapreduce.fixed(
    "scheduler.resources",
    "yarn.scheduler.capacity.resource-calculator",
    _DOMINANT,
    when=Condition("with MapReduce, if vcores of workers are set", _counts_vcores),
    default_harms=True,
    file="capacity-scheduler.xml",
).text(
    "Both memory and vcores count.",
    "with memory alone, small containers would run more at once than there are vcores",
    "X11, howdah",
)


@mapreduce.setting(
    "scheduler.masters-share",
    "yarn.scheduler.capacity.maximum-am-resource-percent",
    MAY,
    sources="howdah",
    file="capacity-scheduler.xml",
    accepts=between(0.05, 0.6),
)
def _masters_share(facts: Facts) -> Decision:
    """Application masters may take a tenth of the cluster, more of a small one."""
    sizes = chosen_sizes(facts)
    total = sum(container_mb(kind, sizes, facts) * count for kind, count in facts.cluster.kinds)
    share = _JOBS_AT_ONCE * sizes.master_mb / max(1, total)
    least, most = _MASTERS_SHARE
    value = math.ceil(100 * min(most, max(least, share))) / 100
    return Decision(
        value,
        f"room for at least {_JOBS_AT_ONCE} jobs at once; more would leave their tasks too little"
        if value < most
        else "half of a small cluster: its jobs share the containers",
        (Input(name="memory of all containers", value=total * MIB, unit="B"),),
    )


mapreduce.fixed(
    "scheduler.include",
    "yarn.resourcemanager.nodes.include-path",
    f"{_CONF}/yarn.include",
    MAY,
    accepts=anything,
).text(
    "Only listed hosts may register as NodeManagers.",
    "only listed hosts may register as NodeManagers",
    "howdah",
)
mapreduce.fixed(
    "scheduler.exclude",
    "yarn.resourcemanager.nodes.exclude-path",
    f"{_CONF}/yarn.exclude",
    MAY,
    accepts=anything,
).text(
    "Listing a NodeManager here drains it before you remove it.",
    "a NodeManager listed here finishes its containers and gets no more",
    "howdah",
)


def _one_resourcemanager(facts: Facts) -> bool:
    return facts.request.mapreduce and facts.request.protection is not Protection.HA


mapreduce.fixed(
    "scheduler.recovery",
    "yarn.resourcemanager.recovery.enabled",
    True,
    when=Condition("with one ResourceManager; a pair has its own rules", _one_resourcemanager),
).text("Jobs survive a restart of the ResourceManager.", "jobs continue", "howdah")

_ONE_RESOURCEMANAGER = Condition("with one ResourceManager", _one_resourcemanager)

mapreduce.fixed(
    "scheduler.recovery-store",
    "yarn.resourcemanager.store.class",
    f"{_RECOVERY}.LeveldbRMStateStore",
    MAY,
    when=_ONE_RESOURCEMANAGER,
    accepts=one_of(f"{_RECOVERY}.FileSystemRMStateStore", f"{_RECOVERY}.ZKRMStateStore"),
).text(
    "A single ResourceManager remembers jobs on its own disk.",
    "it starts without waiting for HDFS; a pair keeps this in ZooKeeper",
    "howdah",
)
mapreduce.fixed(
    "scheduler.recovery-folder",
    "yarn.resourcemanager.leveldb-state-store.path",
    "/var/lib/hadoop/yarn-state",
    MAY,
    when=_ONE_RESOURCEMANAGER,
    accepts=lambda value, decision, facts: bool(value) and not is_temporary(str(value)),
).text(
    "The ResourceManager's state is in a permanent directory.",
    "the default is below hadoop.tmp.dir",
    "howdah",
)


rules.advice(
    "scheduler.fair",
    MAY,
    sources="D0 54, X11",
    when=Condition("paper profile", _paper, profiles=frozenset({Profile.PAPER})),
).text(
    "The FairScheduler of today counts offers, the study's counted time.",
    "The study's FairScheduler waited 100 ms for a node with the data; today "
    "yarn.scheduler.fair.locality.threshold.node counts missed offers instead. Its queues are in "
    "yarn.scheduler.fair.allocation.file, fair-scheduler.xml, and without the file every job runs in a "
    "queue called default.",
)


rules.advice(
    "scheduler.control-groups",
    MAY,
    sources="howdah",
    when=Condition(
        "with MapReduce, without --secure", lambda facts: facts.request.mapreduce and not facts.request.secure
    ),
).text(
    "Control groups enforce vcores if users compete.",
    "Linux divides CPUs between tasks without regard to vcores. If users compete, let "
    "LinuxContainerExecutor put each container in a control group "
    "(yarn.nodemanager.resource.cpu.enabled), which enforces vcores.",
)
