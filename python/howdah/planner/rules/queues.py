"""Queues: a share of the cluster for each kind of work, none of which may keep what another is owed.

With one kind of jobs there is the queue ``default`` alone.
"""

from __future__ import annotations

from collections.abc import Mapping

from howdah.model.request import PlanRequest, WorkKind
from howdah.planner.conditions import in_study, with_mapreduce
from howdah.planner.facts import Facts, MissingFact
from howdah.planner.rule import Decision
from howdah.planner.rules.declare import read_rules

rules = read_rules("queues.toml")

_ROOT = "yarn.scheduler.capacity.root"

_QUEUES: dict[WorkKind, str] = {
    "mapreduce": "default",
    "terasuite": "default",
    "spark": "spark",
    "tez": "hive",
}

_DEFAULT = "default"
_HBASE = "hbase"
_SMALL_SHARE = 10
"""Percent: for unplanned jobs, and for jobs that load, copy or count HBase's tables."""
_HBASE_MOST = 50
"""Percent: with more concurrent tasks that read tables, RegionServers have little time for other users."""


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
    remaining = 100 - _SMALL_SHARE * len(small)
    shares = {queue: remaining // len(own) for queue in own} | dict.fromkeys(small, _SMALL_SHARE)
    shares[next(iter(own))] += 100 - sum(shares.values())
    return dict(sorted(shares.items()))


@rules.decides("queues.names")
def _queues(facts: Facts) -> Decision:
    queues = tuple(queue_shares(facts.request))
    if len(queues) == 1:
        return Decision(queues, "the ResourceManager does not start without one")
    return Decision(queues, "one for each kind of work: jobs of one kind cannot keep the capacity of another")


rules.accepts("no wildcard")(lambda value, decision, facts: "*" not in str(value))


@rules.decides("queues.administrators")
def _administrators(facts: Facts) -> Decision:
    return Decision(
        facts.decided.get("yarn.admin.acl", "yarn"),
        "the default is *, for the root and so for every queue below it: any user with a ticket may stop "
        "all jobs, whatever the value of yarn.acl.enable",
    )


@rules.decides("queues.default")
def _default_share(facts: Facts) -> Decision:
    share = queue_shares(facts.request)[_DEFAULT]
    return Decision(share, "the only queue has everything" if share == 100 else _why(_DEFAULT, share))


def _why(queue: str, share: int) -> str:
    if queue == _HBASE:
        return "for jobs that load, copy or count HBase's tables, apart from all others"
    if share == _SMALL_SHARE:
        return "for jobs that were not planned for, DistCp for instance"
    return "as much as every other kind of job; capacity that one leaves free is used by the others"


@rules.when("with more than one kind of work on YARN, or with HBase next to it")
def _several(facts: Facts) -> bool:
    """Whether the plan has several; how others name theirs, and divide them, is their own affair."""
    return facts.planned and with_mapreduce(facts) and len(queue_shares(facts.request)) > 1


@rules.members("queues.shares")
def _shares(facts: Facts) -> Mapping[str, Decision]:
    return {
        f"{_ROOT}.{queue}.capacity": Decision(share, _why(queue, share))
        for queue, share in queue_shares(facts.request).items()
        if queue != _DEFAULT
    }


rules.when("with HBase next to YARN")(lambda facts: _several(facts) and facts.request.hbase_used)


@rules.members("queues.limits")
def _limits(facts: Facts) -> Mapping[str, Decision]:
    why = "with more concurrent tasks that read tables, RegionServers have little time for other users"
    return {f"{_ROOT}.{_HBASE}.maximum-capacity": Decision(_HBASE_MOST, why)}


@rules.members("queues.users")
def _alone(facts: Facts) -> Mapping[str, Decision]:
    return {
        f"{_ROOT}.{queue}.user-limit-factor": Decision(
            -(-100 // share), "a single user may use the whole cluster while no other user needs it"
        )
        for queue, share in queue_shares(facts.request).items()
    }


# The monitor takes the capacity scheduler alone; studies ran the fair one, which has its own.
rules.when("with more than one kind of work on YARN, or with HBase next to it, unless a study is reproduced")(
    lambda facts: with_mapreduce(facts) and len(queue_shares(facts.request)) > 1 and not in_study(facts)
)


@rules.decides("queues.preemption")
def _preemption(facts: Facts) -> Decision:
    if not facts.planned:
        raise MissingFact("how the cluster is shared: give a plan")
    return Decision(
        True, "otherwise a queue waits until tasks of others end, and executors of Spark may run for hours"
    )


@rules.advises("queues.labels")
def _labels(facts: Facts) -> str | None:
    if not facts.request.hbase_used:
        return None
    return (
        "HBase and jobs share every worker here: each has its part of memory and CPUs, jobs on tables have "
        "their own queue, and disks are shared. If users wait for HBase's answers, give "
        "RegionServers hosts without jobs: label those hosts (yarn.node-labels.enabled, yarn "
        "rmadmin -replaceLabelsOnNode) and "
        "give no queue the label."
    )
