"""From a run to its evidence, and from that to every finding, in the order a reader should meet them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from howdah.analysis.accounting import accounts, find_remainders, find_shortfalls
from howdah.analysis.answer import find_answer, find_cluster_use, find_outside, find_times
from howdah.analysis.balance import balances, find_imbalance, find_replicas, replica_balances
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
from howdah.analysis.evidence import Analysis, Evidence
from howdah.analysis.fault_effects import fault_effects, find_faults, find_kept, find_not_done
from howdah.analysis.flows import find_layers, flows
from howdah.analysis.limits import find_beaten, find_floors, floors, known_times, limit_shares
from howdah.analysis.links import find_links
from howdah.analysis.losses import find_losses, losses
from howdah.analysis.machines import cluster_disks, counted, data_disks, machines_of, on_cluster
from howdah.analysis.masters import (
    find_journal,
    find_master_losses,
    find_masters,
    journal_loads,
    master_loads,
    master_losses,
)
from howdah.analysis.operation_steps import timed_run
from howdah.analysis.other_processes import find_neighbours, neighbour_uses, others_uses, shared_series
from howdah.analysis.outages import drains, find_moves, find_rebuilds, rebuilds
from howdah.analysis.outcome import (
    find_exceptions,
    find_failed_operations,
    find_missing,
    find_simulated,
    find_unfinished,
    find_validation,
)
from howdah.analysis.overheads import (
    find_compression,
    find_cost,
    find_overheads,
    find_spills,
    overheads,
    spills,
)
from howdah.analysis.phases import workload_times
from howdah.analysis.region_servers import (
    find_checks,
    find_hot_regions,
    find_skew,
    region_server_uses,
    region_uses,
    request_checks,
    server_events,
)
from howdah.analysis.spark import spark_losses, spark_uses
from howdah.analysis.spark_findings import (
    find_cpu_floor,
    find_driver,
    find_killed_driver,
    find_lost_executors,
    find_memory,
    find_scaling,
    find_stage_waits,
)
from howdah.analysis.storage import all_figures, find_dfsio, find_zones, zones
from howdah.analysis.stragglers import find_stragglers, stragglers
from howdah.analysis.table_flows import find_table_flows, table_flows
from howdah.analysis.table_limits import find_throughput, throughput_limits
from howdah.analysis.tails import find_tails, latencies, tails
from howdah.analysis.timeline import Timeline, all_series, gauges
from howdah.analysis.uneven_tasks import (
    find_failed_attempts,
    find_poles,
    find_slowdown,
    find_starving,
    spreads,
    starvations,
)
from howdah.analysis.use import find_budget, find_coarse, find_swapping, find_use, uses
from howdah.model.finding import Finding
from howdah.model.prediction import KnownTimes
from howdah.model.run import RunRecord
from howdah.model.tables import RunData


def analyse(run: RunData, floor: RunData | None = None, known: Sequence[KnownTimes] = ()) -> Analysis:
    """Everything that can be concluded from a run, whichever engine made it and however it ended.

    ``floor`` is a run of the same rows with no Hadoop in the way, to say how far from it this one is;
    ``known`` is what else is known of the same work, to say how far off a simulated one is.
    """
    evidence = gather(run, floor, known)
    return Analysis(findings(run.record, evidence), evidence)


def gather(run: RunData, floor: RunData | None, known: Sequence[KnownTimes]) -> Evidence:
    """The data findings and figures stand on."""
    record = run.record
    timeline = Timeline(run.samples)
    times = workload_times(run)
    machines = machines_of(run, timeline)
    with_disks = counted(machines, timeline, "disk")
    sampled = [disk for host in with_disks for disk in timeline.instances(host, "disk")]
    # The machine that a cluster's run was started on tells nothing about the workers' disks.
    disks = None if on_cluster(record) else data_disks(record)
    if disks is None:
        disks = cluster_disks(record, sampled)
    use = uses(timeline, machines, times, disks)
    others = others_uses(record, timeline, use)
    lost = losses(run, timeline, machines, times)
    bytes_moved = accounts(record, timeline, with_disks, times, disks)
    timed = timed_run(run, timeline, machines, times)
    servers = region_server_uses(timed)
    return Evidence(
        workloads=times,
        data_disks=disks,
        use=use,
        series=(*all_series(timeline), *shared_series(record, timeline)),
        gauges=gauges(timeline),
        accounts=bytes_moved,
        spreads=spreads(run, times, timed.still),
        balances=balances(run, times, use),
        spills=spills(record, times),
        limits=limit_shares(record, times, use, others),
        dfsio=all_figures(record, times),
        storage=zones(record, times),
        machines=machines,
        flows=flows(run, timeline, machines, times, bytes_moved),
        replicas=replica_balances(record, machines, times),
        stragglers=stragglers(
            run, timeline, machines, times, disks, others=others, losses=lost, still=timed.still
        ),
        losses=lost,
        drains=drains(run, timeline, machines, times),
        overheads=overheads(run, times),
        masters=master_loads(timeline, times),
        master_losses=master_losses(run, times),
        journals=journal_loads(timeline, times),
        floors=floors(run, times, use, floor),
        beside=known_times(times, known),
        others=others,
        neighbours=neighbour_uses(record, timeline, use),
        latencies=latencies(run),
        starvations=starvations(run, times, timed.still),
        courses=timed.courses,
        tails=tails(timed),
        throughput_limits=throughput_limits(timed, servers),
        region_servers=servers,
        regions=region_uses(timed),
        request_checks=request_checks(timed, servers),
        table_flows=table_flows(timed, servers, disks),
        server_events=server_events(run, timeline),
        fault_effects=fault_effects(record, timed.courses),
        spark=spark_uses(run, times),
        spark_losses=spark_losses(run, times, lost),
        rebuilds=rebuilds(record, timeline),
    )


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
    reported = [
        finding.model_copy(update={"origin": record.origin})
        for find in FINDERS
        for finding in find(record, evidence)
    ]
    answers = {finding.text for finding in reported if finding.severity == "answer"}
    # The answer may be a finding on its workload word for word; a reader need not meet it twice.
    once = [finding for finding in reported if finding.severity == "answer" or finding.text not in answers]
    return tuple(sorted(once, key=lambda finding: _RANK[finding.severity]))
