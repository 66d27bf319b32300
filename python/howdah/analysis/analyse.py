"""From a run to its evidence, and from that to every finding, in the order a reader should meet them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from howdah.analysis import (
    accounting,
    answer,
    balance,
    fault_effects,
    flows,
    limits,
    links,
    losses,
    machines,
    masters,
    operation_steps,
    other_processes,
    outages,
    outcome,
    overheads,
    phases,
    region_servers,
    spark,
    storage,
    stragglers,
    table_flows,
    table_limits,
    tails,
    uneven_tasks,
    use,
)
from howdah.analysis.evidence import Analysis, Evidence
from howdah.analysis.machines import Timeline, all_series, gauges
from howdah.model.comparison import Finding
from howdah.model.prediction import KnownTimes
from howdah.model.run import RunRecord
from howdah.model.tables import RunData


def analyse(run: RunData, floor: RunData | None = None, references: Sequence[KnownTimes] = ()) -> Analysis:
    """Everything that can be concluded from a run, whichever engine made it and however it ended.

    ``floor`` is a run of the same rows with no Hadoop in the way, to say how far from it this one is;
    ``references`` are other times of the same work, to say how far off a simulated one is.
    """
    evidence = gather(run, floor, references)
    return Analysis(findings(run.record, evidence), evidence)


def gather(run: RunData, floor: RunData | None, references: Sequence[KnownTimes]) -> Evidence:
    """The data findings and figures stand on."""
    record = run.record
    timeline = Timeline(run.samples)
    times = phases.workload_times(run)
    of_run = machines.machines_of(run, timeline)
    with_disks = machines.counted(of_run, timeline, "disk")
    disks = machines.data_disks(record, timeline, with_disks)
    stretches = use.uses(timeline, of_run, times, disks)
    others = other_processes.others_uses(record, timeline, stretches)
    timed = operation_steps.timed_run(run, timeline, of_run, times)
    lost = losses.losses(timed)
    bytes_moved = accounting.accounts(record, timeline, with_disks, times, disks)
    servers = region_servers.region_server_uses(timed)
    return Evidence(
        timed=timed,
        workloads=times,
        data_disks=disks,
        use=stretches,
        series=(*all_series(timeline), *other_processes.shared_series(record, timeline)),
        gauges=gauges(timeline),
        accounts=bytes_moved,
        spreads=uneven_tasks.spreads(run, times, timed.still),
        limits=limits.limit_shares(record, times, stretches, others),
        dfsio=storage.all_figures(times),
        storage=storage.zones(record, times),
        machines=of_run,
        flows=flows.flows(timed, bytes_moved),
        replicas=balance.replica_balances(record, times),
        stragglers=stragglers.stragglers(timed, disks, others, lost),
        losses=lost,
        overheads=overheads.overheads(run, times),
        masters=masters.master_loads(timeline, times),
        master_losses=masters.master_losses(run, times),
        journals=masters.journal_loads(timeline, times),
        floors=limits.floors(run, times, stretches, floor),
        known_times=limits.known_times(times, references),
        others=others,
        neighbours=other_processes.neighbour_uses(record, timeline, stretches),
        latencies=tails.latencies(run),
        courses=timed.courses,
        tails=tails.tails(timed),
        throughput_limits=table_limits.throughput_limits(timed, servers),
        region_servers=servers,
        regions=region_servers.region_uses(timed),
        table_flows=table_flows.table_flows(timed, servers, disks),
        server_events=region_servers.server_events(run, timeline),
        fault_effects=fault_effects.fault_effects(record, timed.courses),
        spark=spark.spark_uses(run, times),
    )


Finder = Callable[[RunRecord, Evidence], Iterable[Finding]]

FINDERS: tuple[Finder, ...] = (
    answer.find_answer, outcome.find_unfinished, outcome.find_validation, fault_effects.find_kept,
    fault_effects.find_faults, fault_effects.find_not_done, outcome.find_simulated,
    other_processes.find_others, other_processes.find_others_disk, other_processes.find_neighbours,
    other_processes.find_recorded, other_processes.find_buffered, limits.find_beaten, limits.find_floors,
    table_limits.find_throughput, tails.find_tails, answer.find_times, use.find_use, answer.find_cluster_use,
    answer.find_outside, overheads.find_overheads, spark.find_driver, spark.find_cpu_floor,
    spark.find_scaling, spark.find_stage_waits, spark.find_memory, masters.find_masters, masters.find_journal,
    accounting.find_remainders, accounting.find_shortfalls, flows.find_layers, table_flows.find_table_flows,
    outcome.find_failed_operations, outcome.find_exceptions, region_servers.find_checks,
    region_servers.find_skew, region_servers.find_hot_regions, balance.find_replicas,
    masters.find_master_losses, losses.find_losses, outages.find_rebuilds, outages.find_moves,
    spark.find_killed_driver, spark.find_lost_executors, uneven_tasks.find_starving,
    stragglers.find_stragglers, uneven_tasks.find_poles, uneven_tasks.find_slowdown,
    uneven_tasks.find_failed_attempts, balance.find_imbalance, overheads.find_spills,
    overheads.find_compression, storage.find_dfsio, storage.find_zones, links.find_links,
    other_processes.find_steal, other_processes.find_pressure, use.find_swapping, other_processes.find_drops,
    use.find_budget, overheads.find_cost, use.find_coarse, other_processes.find_gaps, outcome.find_missing,
)  # fmt: skip
"""In the order in which a reader should meet their findings."""

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
