"""From a run to its findings."""

from __future__ import annotations

from howdah.analysis.accounting import accounts
from howdah.analysis.balance import balances
from howdah.analysis.dfsio import all_figures
from howdah.analysis.disks import data_disks
from howdah.analysis.evidence import Analysis, Evidence
from howdah.analysis.limits import limit_shares
from howdah.analysis.phases import workload_times
from howdah.analysis.poles import spreads
from howdah.analysis.registry import findings
from howdah.analysis.series import all_series, gauges
from howdah.analysis.spills import spills
from howdah.analysis.storage import zones
from howdah.analysis.timeline import Timeline
from howdah.analysis.use import uses
from howdah.model.tables import RunData


def analyse(run: RunData) -> Analysis:
    """Everything that can be concluded from a run, whichever engine made it and however it ended."""
    evidence = gather(run)
    return Analysis(findings(run.record, evidence), evidence)


def gather(run: RunData) -> Evidence:
    """The data findings and figures stand on."""
    record = run.record
    timeline = Timeline(run.samples)
    times = workload_times(run)
    disks = data_disks(record)
    if disks is None:
        # Nothing tells which disks carry the data, so all of them are looked at.
        sampled = (disk for host in timeline.hosts for disk in timeline.instances(host, "disk"))
        disks = tuple(dict.fromkeys(sampled))
    use = uses(timeline, times, disks)
    return Evidence(
        workloads=times,
        data_disks=disks,
        use=use,
        series=all_series(timeline),
        gauges=gauges(timeline),
        accounts=accounts(record, timeline, times, disks),
        spreads=spreads(run, times),
        balances=balances(run, times, use),
        spills=spills(record, times),
        limits=limit_shares(record, times, use),
        dfsio=all_figures(record, times),
        storage=zones(record, times),
    )
