"""What a report says of a simulated run alone: how sure its times are, and what each phase used."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from howdah.analysis.evidence import Evidence
from howdah.analysis.wording import named, percent, seconds, signed
from howdah.model.run import RunRecord
from howdah.report.document import Table
from howdah.units import format_bytes, format_counted


def simulated_tables(record: RunRecord, evidence: Evidence) -> Iterator[Table]:
    """What is known of the same work, its intervals, its phases' use; nothing of a measured run."""
    tables = (*_beside(evidence), _bands(record), _use(record))
    yield from (section for section in tables if section.rows)


def simulation_facts(record: RunRecord) -> tuple[tuple[str, str], ...]:
    """What the simulation rests on."""
    simulated = record.simulated
    if simulated is None:
        return ()
    return (
        ("calibration", simulated.calibration or "none: every parameter has its default"),
        ("simulations", f"{simulated.replications:,}"),
        ("streams simulated", f"{simulated.activities:,}"),
        *((name, f"{value:.4g}") for name, value in sorted(simulated.parameters.items())),
    )


def _beside(evidence: Evidence) -> Iterator[Table]:
    """A table for each published or measured run of the same work."""
    for source, group in groupby(evidence.beside, lambda time: time.source):
        times = list(group)
        first = times[0]
        rows = tuple(
            (
                named(time.workload, time.phase),
                seconds(time.simulated_s),
                seconds(time.known_s),
                signed(time.error),
            )
            for time in times
        )
        alike = "The same work on the same hosts, divided in the same way"
        yield Table(
            ("of", "simulated", first.origin, "error"),
            rows,
            f"Compared with the {first.origin} run {source}",
            f"{alike}, but with {'; '.join(first.differs)}." if first.differs else f"{alike}.",
        )


def _bands(record: RunRecord) -> Table:
    simulated = record.simulated
    bands = simulated.bands if simulated else ()
    rows = tuple(
        (
            named(band.workload, band.phase),
            seconds(band.median_s),
            seconds(band.low_s),
            seconds(band.high_s),
            f"\N{MINUS SIGN}{percent(1 - band.low_s / band.median_s)}, "
            f"+{percent(band.high_s / band.median_s - 1)}"
            if band.median_s > 0
            else "",
        )
        for band in bands
    )
    count = simulated.replications if simulated else 1
    over = f"Over {format_counted(count, 'simulation')}; figures above show the one with the run's own seed."
    # A cluster that was not measured is simulated from seeds alone, unless it is calibrated.
    guessed = simulated is not None and simulated.calibration is None and record.plan.cluster is not None
    return Table(
        ("workload or phase", "median", "5 % are below", "5 % are above", "from the median"),
        rows,
        "How far chance moves the simulated times" if guessed else "How certain the simulated times are",
        f"{over} How far off they are is unknown without a calibration." if guessed else over,
    )


def _use(record: RunRecord) -> Table:
    rows = tuple(
        (
            named(result.workload.kind, use.phase),
            percent(use.cpu_busy),
            format_bytes(use.disk_read_bytes),
            format_bytes(use.disk_written_bytes),
            format_bytes(use.received_bytes),
            percent(use.namenode_busy),
            percent(use.scheduler_busy),
        )
        for result in record.workloads
        if result.used is not None
        for use in result.used.phases
    )
    columns = ("phase", "CPU busy", "disks read", "disks wrote", "between hosts", "NameNode", "scheduler")
    return Table(
        columns,
        rows,
        "What each phase used",
        "Of all hosts together; the masters' load is in per cent of one core.",
    )
