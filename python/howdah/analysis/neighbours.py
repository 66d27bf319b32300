"""What other laboratories on a laboratory's hosts used of these while workloads ran."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from howdah.analysis.evidence import Evidence, NeighbourUse, StretchUse
from howdah.analysis.timeline import Timeline
from howdah.analysis.wording import listed, number, percent
from howdah.model.finding import Finding
from howdah.model.run import RunRecord

_NOTED = 0.03
_MUCH = 0.1
"""From a tenth of a host's link or CPUs on a run's times are not what they are without the neighbour."""


def neighbour_uses(
    record: RunRecord, timeline: Timeline, stretches: Iterable[StretchUse]
) -> tuple[NeighbourUse, ...]:
    """What each had of the hosts in every workload; empty where nobody else was on them."""
    cluster = record.plan.cluster
    if cluster is None or cluster.request.sharing is None:
        return ()
    return tuple(
        use
        for stretch in stretches
        if stretch.phase is None and not stretch.coarse
        for use in _uses(cluster.port_bits_per_s, timeline, stretch)
    )


def _uses(ports: Mapping[str, int], timeline: Timeline, stretch: StretchUse) -> Iterator[NeighbourUse]:
    names = {lab: host for host in timeline.hosts for lab in timeline.instances(host, "neighbour")}
    for lab in names:
        hosts = [host for host in timeline.hosts if lab in timeline.instances(host, "neighbour")]
        yield NeighbourUse(
            workload=stretch.workload,
            lab=lab,
            hosts=tuple(hosts),
            cpus=sum(_grown(timeline, host, lab, "cpu_s", stretch) for host in hosts) / stretch.seconds,
            link=max(
                _grown(timeline, host, lab, way, stretch) / stretch.seconds * 8 / ports[host]
                for host in hosts
                for way in ("sent_bytes", "received_bytes")
            ),
        )


def _grown(timeline: Timeline, host: str, lab: str, quantity: str, stretch: StretchUse) -> float:
    return timeline.growth(host, f"neighbour/{lab}/{quantity}", stretch.start_s, stretch.end_s)


def find_neighbours(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """One finding for each laboratory that was at work on the same hosts meanwhile."""
    for lab in dict.fromkeys(use.lab for use in evidence.neighbours):
        uses = [use for use in evidence.neighbours if use.lab == lab and use.link >= _NOTED]
        if not uses:
            continue
        much = any(use.link >= _MUCH for use in uses)
        told = [
            f"{percent(use.link)} of a host's link and {use.cpus:.2g} CPUs during {use.workload}"
            for use in uses
        ]
        hosts = listed(list(uses[0].hosts))
        yield Finding(
            id="neighbours",
            severity="warning" if much else "note",
            text=f'lab "{lab}" is on {hosts}, too, and used {listed(told)}'
            + (": times of this run are not those of hosts without neighbours" if much else ""),
            sure="measured",
            origin=record.origin,
            numbers=tuple(number(f"link, {use.workload}", use.link, "1") for use in uses),
        )
