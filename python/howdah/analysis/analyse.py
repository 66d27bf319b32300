"""From a run to its findings."""

from __future__ import annotations

from collections.abc import Sequence

from howdah.analysis.accounting import accounts
from howdah.analysis.balance import balances, replica_balances
from howdah.analysis.evidence import Analysis, Evidence
from howdah.analysis.fault_effects import fault_effects
from howdah.analysis.floors import floors, known_times
from howdah.analysis.flows import flows
from howdah.analysis.limits import limit_shares
from howdah.analysis.losses import losses
from howdah.analysis.machines import cluster_disks, counted, data_disks, machines_of, on_cluster
from howdah.analysis.masters import journal_loads, master_loads, master_losses
from howdah.analysis.operation_steps import timed_run
from howdah.analysis.others import neighbour_uses, others_uses, shared_series
from howdah.analysis.overheads import overheads
from howdah.analysis.phases import workload_times
from howdah.analysis.poles import spreads
from howdah.analysis.redundancy import drains, rebuilds
from howdah.analysis.region_servers import region_server_uses, region_uses, request_checks, server_events
from howdah.analysis.registry import findings
from howdah.analysis.series import all_series, gauges
from howdah.analysis.spark import spark_uses
from howdah.analysis.spark_losses import spark_losses
from howdah.analysis.spills import spills
from howdah.analysis.starving import starvations
from howdah.analysis.storage import all_figures, zones
from howdah.analysis.stragglers import stragglers
from howdah.analysis.table_flows import table_flows
from howdah.analysis.table_limits import throughput_limits
from howdah.analysis.tails import latencies, tails
from howdah.analysis.timeline import Timeline
from howdah.analysis.use import uses
from howdah.model.prediction import KnownTimes
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
