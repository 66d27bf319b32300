"""What speaks for and against a division of a host, by the rules for now; a simulation may rank better later.

A weight is the share of TeraSort's time (with HBase, of YCSB's) that a platform is expected to lose
against the best conceivable one. On the vSphere 6 hosts they add up to what Table 2 measured: the
hosts themselves lose 14 % against four workers each, one virtual machine 28 %, two 6 %.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from howdah.model.inventory import HostGroup
from howdah.model.plan import Judgement
from howdah.model.request import Hypervisor, PlanRequest
from howdah.planner.platforms.division import Division
from howdah.planner.platforms.judging import hbase, mapreduce
from howdah.planner.platforms.memory import mapreduce_share
from howdah.planner.rules import platform as rules

NOT_ASKED_FOR = 1.0
"""Last of all: a hypervisor was named, and this platform goes without (howdah)."""


def judge(group: HostGroup, request: PlanRequest, division: Division) -> tuple[Judgement, ...]:
    """All that the rules say of a platform; of mixed loads, each counts for its share of the workers."""
    return tuple(_judgements(group, request, division))


def score(judgements: Sequence[Judgement]) -> float:
    """The sum of the weights, to four digits: 0 at best, -0.14 for a loss of 14 %."""
    return round(sum(judgement.weight for judgement in judgements), 4)


def _judgements(group: HostGroup, request: PlanRequest, division: Division) -> Iterator[Judgement]:
    if not division.virtual and request.hypervisor not in (None, Hypervisor.NONE):
        yield rules.HYPERVISOR.speaks_against(
            f"--hypervisor {request.hypervisor.value} was asked for, and this goes without", NOT_ASKED_FOR
        )
    share = mapreduce_share(request)
    if request.mapreduce:
        yield from _scaled(mapreduce.judgements(group, request, division), share)
    if request.hbase_used:
        yield from _scaled(hbase.judgements(division), 1 - share)


def _scaled(judgements: Iterator[Judgement], share: float) -> Iterator[Judgement]:
    for judgement in judgements:
        yield judgement.model_copy(update={"weight": round(judgement.weight * share, 4)})
