"""Queues: a share of the cluster for each kind of work, none of which may keep what another is owed.

With one kind of jobs there is the queue ``default`` alone.
"""

from __future__ import annotations

from collections.abc import Mapping

from howdah.model.plan import Value
from howdah.model.request import PlanRequest, WorkKind
from howdah.planner.conditions import (
    in_study,
    mapreduce_rule,
    secure_mapreduce_rule,
    secured_mapreduce,
    with_mapreduce,
)
from howdah.planner.facts import CannotTell, Facts
from howdah.planner.rule import Counsel, Decision, FamilyRule, Rule, Severity, equal
from howdah.planner.values import anything

_ROOT = "yarn.scheduler.capacity.root"
_SOURCES = ("Hadoop 3.5.0: CapacityScheduler", "howdah")
_QUEUES: dict[WorkKind, str] = {
    "mapreduce": "default",
    "terasuite": "default",
    "spark": "spark",
    "tez": "hive",
}
_DEFAULT = "default"
_HBASE = "hbase"
_SEVERAL = "with more than one kind of work on YARN, or HBase beside it"
_SMALL_SHARE = 10
"""Percent: for jobs that nobody planned for, and for those that load, copy or count HBase's tables."""
_HBASE_MOST = 50
"""Percent: more tasks that read tables at once leave RegionServers little time for their users."""


def queue_of(kind: WorkKind, request: PlanRequest) -> str:
    """The queue that jobs of a kind go to: ``default`` where there is no other."""
    return _QUEUES[kind] if _QUEUES[kind] in queue_shares(request) else _DEFAULT


def queue_shares(request: PlanRequest) -> dict[str, int]:
    """Every queue with its share in percent; they add up to 100."""
    own = dict.fromkeys(queue for kind, queue in _QUEUES.items() if kind in request.kinds)
    if len(own) == 1 and not request.hbase_used:
        return {_DEFAULT: 100}
    small = [_HBASE] if request.hbase_used else []
    if _DEFAULT not in own:
        small.append(_DEFAULT)
    left = 100 - _SMALL_SHARE * len(small)
    shares = {queue: left // len(own) for queue in own} | dict.fromkeys(small, _SMALL_SHARE)
    shares[next(iter(own))] += 100 - sum(shares.values())
    return dict(sorted(shares.items()))


def _several(facts: Facts) -> bool:
    """Whether the plan has several; how others name theirs, and divide them, is their own affair."""
    planned = facts.known_cluster is not None
    return planned and with_mapreduce(facts) and len(queue_shares(facts.request)) > 1


def _queues(facts: Facts) -> Decision:
    queues = tuple(queue_shares(facts.request))
    if len(queues) == 1:
        return Decision(queues, "the ResourceManager does not start without one")
    return Decision(queues, "one for each kind of work: jobs of one kind cannot keep what another is owed")


def _default_share(facts: Facts) -> Decision:
    share = queue_shares(facts.request)[_DEFAULT]
    return Decision(share, "the only queue has everything" if share == 100 else _why(_DEFAULT, share))


def _why(queue: str, share: int) -> str:
    if queue == _HBASE:
        return "for jobs that load, copy or count HBase's tables, apart from all others"
    if share == _SMALL_SHARE:
        return "for jobs that were not planned for, DistCp for instance"
    return "as much as every other kind of jobs is owed; what one leaves free the others use"


def _shares(facts: Facts) -> Mapping[str, Decision]:
    return {
        f"{_ROOT}.{queue}.capacity": Decision(share, _why(queue, share))
        for queue, share in queue_shares(facts.request).items()
        if queue != _DEFAULT
    }


def _limits(facts: Facts) -> Mapping[str, Decision]:
    why = "more tasks that read tables at once leave RegionServers little time for their users"
    return {f"{_ROOT}.{_HBASE}.maximum-capacity": Decision(_HBASE_MOST, why)}


def _alone(facts: Facts) -> Mapping[str, Decision]:
    return {
        f"{_ROOT}.{queue}.user-limit-factor": Decision(
            -(-100 // share), "one user alone may use the whole cluster while nobody else wants it"
        )
        for queue, share in queue_shares(facts.request).items()
    }


def _preemption(facts: Facts) -> Decision:
    if facts.known_cluster is None:
        raise CannotTell("how the cluster is shared: give a plan")
    return Decision(
        True, "otherwise it waits until tasks of others end, and executors of Spark may run for hours"
    )


def _administrators(facts: Facts) -> Decision:
    return Decision(
        facts.decided.get("yarn.admin.acl", "yarn"),
        "by itself it is *, for the root and so for every queue below it: with a ticket anybody may stop the "
        "jobs of all others, whatever yarn.acl.enable says",
    )


def _names_some(value: Value, decision: Decision, facts: Facts) -> bool:
    return "*" not in str(value)


def _submitters(facts: Facts) -> str | None:
    return (
        f"Everybody with a ticket may submit jobs to every queue: {_ROOT}.acl_submit_applications is * by "
        "itself, and a queue lets in whom one above it lets in. Set it to a blank for the root, and name "
        "users and groups (`alice,bob analysts`) for each queue, where departments share the cluster."
    )


def _labels(facts: Facts) -> str | None:
    if not facts.request.hbase_used:
        return None
    return (
        "HBase and jobs share every worker here: each has its part of memory and CPUs, jobs on tables have "
        "a queue of their own; disks they share. Where users wait for HBase's answers, give RegionServers "
        "hosts without jobs: label those (yarn.node-labels.enabled, yarn rmadmin -replaceLabelsOnNode) and "
        "give no queue the label."
    )


RULES: tuple[Rule, ...] = (
    mapreduce_rule(
        id="queues.names",
        file="capacity-scheduler.xml",
        key=f"{_ROOT}.queues",
        says="There is a queue below the root, and one for each kind of work where there are several.",
        sources=_SOURCES,
        severity=Severity.MUST,
        decide=_queues,
        accepts=anything,
    ),
    secure_mapreduce_rule(
        id="queues.administrators",
        file="capacity-scheduler.xml",
        key=f"{_ROOT}.acl_administer_queue",
        says="Jobs are stopped and moved by those who submitted them and by YARN's administrators.",
        sources=("Hadoop 3.5.0: CapacityScheduler",),
        decide=_administrators,
        accepts=_names_some,
    ),
    Counsel(
        id="queues.submitters",
        says="Who may use a queue is decided queue by queue.",
        sources=("Hadoop 3.5.0: CapacityScheduler",),
        applies=secured_mapreduce,
        condition="with --secure and MapReduce",
        tell=_submitters,
    ),
    mapreduce_rule(
        id="queues.default",
        file="capacity-scheduler.xml",
        key=f"{_ROOT}.{_DEFAULT}.capacity",
        says="The queues' shares add up to 100.",
        sources=_SOURCES,
        severity=Severity.MAY,
        decide=_default_share,
        accepts=anything,
    ),
    FamilyRule(
        id="queues.shares",
        file="capacity-scheduler.xml",
        family=f"{_ROOT}.<queue>.capacity",
        says="Every kind of work is owed a share, and may use what others leave.",
        sources=_SOURCES,
        applies=_several,
        condition=_SEVERAL,
        members=_shares,
    ),
    FamilyRule(
        id="queues.limits",
        file="capacity-scheduler.xml",
        family=f"{_ROOT}.<queue>.maximum-capacity",
        says="Jobs on HBase's tables take no more than half of the cluster.",
        sources=_SOURCES,
        applies=lambda facts: _several(facts) and facts.request.hbase_used,
        condition="with HBase beside YARN",
        members=_limits,
    ),
    FamilyRule(
        id="queues.users",
        file="capacity-scheduler.xml",
        family=f"{_ROOT}.<queue>.user-limit-factor",
        says="One user may take all of a cluster that nobody else wants.",
        sources=_SOURCES,
        applies=_several,
        condition=_SEVERAL,
        members=_alone,
    ),
    mapreduce_rule(
        id="queues.preemption",
        file="yarn-site.xml",
        key="yarn.resourcemanager.scheduler.monitor.enable",
        says="A queue gets back what it is owed within seconds.",
        sources=_SOURCES,
        # The monitor takes the capacity scheduler alone; studies ran the fair one, which has its own.
        applies=lambda facts: (
            with_mapreduce(facts) and len(queue_shares(facts.request)) > 1 and not in_study(facts)
        ),
        condition=f"{_SEVERAL}, unless a study is reproduced",
        decide=_preemption,
        accepts=equal,
    ),
    Counsel(
        id="queues.labels",
        says="Where HBase's users wait for answers, RegionServers have hosts without jobs.",
        sources=("Hadoop 3.5.0: YARN node labels", "howdah"),
        severity=Severity.MAY,
        applies=_several,
        condition="with HBase beside YARN",
        tell=_labels,
    ),
)
