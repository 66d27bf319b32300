"""Every finding analysis can make, in the order a reader should meet them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from howdah.analysis.accounting import find_remainders, find_shortfalls
from howdah.analysis.answer import find_answer, find_cluster_use, find_outside, find_times
from howdah.analysis.balance import find_imbalance, find_replicas
from howdah.analysis.disturbance import (
    find_buffered,
    find_drops,
    find_gaps,
    find_others,
    find_others_disk,
    find_pressure,
    find_recorded,
    find_steal,
)
from howdah.analysis.evidence import Evidence
from howdah.analysis.fault_effects import find_faults, find_kept, find_not_done
from howdah.analysis.floors import find_floors
from howdah.analysis.flows import find_layers
from howdah.analysis.limits import find_beaten
from howdah.analysis.links import find_links
from howdah.analysis.losses import find_losses
from howdah.analysis.masters import find_journal, find_master_losses, find_masters
from howdah.analysis.others import find_neighbours
from howdah.analysis.outcome import (
    find_exceptions,
    find_failed_operations,
    find_missing,
    find_simulated,
    find_unfinished,
    find_validation,
)
from howdah.analysis.overheads import find_cost, find_overheads
from howdah.analysis.poles import find_failed_attempts, find_poles, find_slowdown
from howdah.analysis.redundancy import find_moves, find_rebuilds
from howdah.analysis.region_servers import find_checks, find_hot_regions, find_skew
from howdah.analysis.spark_findings import (
    find_cpu_floor,
    find_driver,
    find_killed_driver,
    find_lost_executors,
    find_memory,
    find_scaling,
    find_stage_waits,
)
from howdah.analysis.spills import find_compression, find_spills
from howdah.analysis.starving import find_starving
from howdah.analysis.storage import find_dfsio, find_zones
from howdah.analysis.stragglers import find_stragglers
from howdah.analysis.table_flows import find_table_flows
from howdah.analysis.table_limits import find_throughput
from howdah.analysis.tails import find_tails
from howdah.analysis.use import find_budget, find_coarse, find_swapping, find_use
from howdah.model.finding import Finding
from howdah.model.run import RunRecord

Finder = Callable[[RunRecord, Evidence], Iterable[Finding]]

FINDERS: tuple[Finder, ...] = (
    find_answer,
    find_unfinished,
    find_validation,
    find_kept,
    find_faults,
    find_not_done,
    find_simulated,
    find_others,
    find_others_disk,
    find_neighbours,
    find_recorded,
    find_buffered,
    find_beaten,
    find_floors,
    find_throughput,
    find_tails,
    find_times,
    find_use,
    find_cluster_use,
    find_outside,
    find_overheads,
    find_driver,
    find_cpu_floor,
    find_scaling,
    find_stage_waits,
    find_memory,
    find_masters,
    find_journal,
    find_remainders,
    find_shortfalls,
    find_layers,
    find_table_flows,
    find_failed_operations,
    find_exceptions,
    find_checks,
    find_skew,
    find_hot_regions,
    find_replicas,
    find_master_losses,
    find_losses,
    find_rebuilds,
    find_moves,
    find_killed_driver,
    find_lost_executors,
    find_starving,
    find_stragglers,
    find_poles,
    find_slowdown,
    find_failed_attempts,
    find_imbalance,
    find_spills,
    find_compression,
    find_dfsio,
    find_zones,
    find_links,
    find_steal,
    find_pressure,
    find_swapping,
    find_drops,
    find_budget,
    find_cost,
    find_coarse,
    find_gaps,
    find_missing,
)

_RANK = {"answer": 0, "warning": 1, "note": 2}


def findings(record: RunRecord, evidence: Evidence) -> tuple[Finding, ...]:
    """All findings: the answer, then warnings, then notes, each in the order above."""
    reported = [finding for find in FINDERS for finding in find(record, evidence)]
    answers = {finding.text for finding in reported if finding.severity == "answer"}
    # The answer may be a finding on its workload word for word; a reader need not meet it twice.
    once = [finding for finding in reported if finding.severity == "answer" or finding.text not in answers]
    return tuple(sorted(once, key=lambda finding: _RANK[finding.severity]))
