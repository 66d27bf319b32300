"""Where a report's numbers come from: run, host, versions, digests, and what measuring cost."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from itertools import groupby

from howdah.analysis.evidence import Evidence
from howdah.analysis.wording import named, percent
from howdah.model.cluster import ClusterState
from howdah.model.host import Disk, FileSystem, Host, Nic
from howdah.model.run import RunRecord
from howdah.report.document import FactList, Table
from howdah.report.words import NONE, moment, table_of
from howdah.units import format_bytes, format_counted, format_memory, format_seconds


def simulated_tables(record: RunRecord, evidence: Evidence) -> Iterator[Table]:
    """What is known of the same work, its intervals, its phases' use; nothing of a measured run."""
    simulated = record.simulated
    count = simulated.replications if simulated else 1
    over = f"Over {format_counted(count, 'simulation')}; figures above show the one with the run's own seed."
    # A cluster that was not measured is simulated from seeds alone, unless it is calibrated.
    guessed = simulated is not None and simulated.calibration is None and record.plan.cluster is not None
    tables = (
        *_comparisons(evidence),
        table_of(
            simulated.bands if simulated else (),
            "workload or phase {place} | median {median_s:s} | 5 % are below {low_s:s} | "
            "5 % are above {high_s:s} | from the median {apart}",
            "How far chance moves the simulated times" if guessed else "How certain the simulated times are",
            f"{over} How far off they are is unknown without a calibration." if guessed else over,
            place=lambda band: named(band.workload, band.phase),
            apart=lambda band: (
                f"\N{MINUS SIGN}{percent(1 - band.low_s / band.median_s)}, "
                f"+{percent(band.high_s / band.median_s - 1)}"
                if band.median_s > 0
                else ""
            ),
        ),
        table_of(
            [
                (result.workload.kind, use)
                for result in record.workloads
                if result.used is not None
                for use in result.used.phases
            ],
            "phase {place} | CPU busy {1.cpu_busy:%} | disks read {1.disk_read_bytes:B} | "
            "disks wrote {1.disk_written_bytes:B} | between hosts {1.received_bytes:B} | "
            "NameNode {1.namenode_busy:%} | scheduler {1.scheduler_busy:%}",
            "What each phase used",
            "Of all hosts together; the masters' load is in per cent of one core.",
            place=lambda pair: named(pair[0], pair[1].phase),
        ),
    )
    yield from (section for section in tables if section.rows)


def simulation_facts(record: RunRecord) -> tuple[tuple[str, str], ...]:
    simulated = record.simulated
    if simulated is None:
        return ()
    return (
        ("calibration", simulated.calibration or "none: every parameter has its default"),
        ("simulations", f"{simulated.replications:,}"),
        ("streams simulated", f"{simulated.activities:,}"),
        *((name, f"{value:.4g}") for name, value in sorted(simulated.parameters.items())),
    )


def _comparisons(evidence: Evidence) -> Iterator[Table]:
    for source, group in groupby(evidence.known_times, lambda time: time.source):
        times = list(group)
        first = times[0]
        alike = "The same work on the same hosts, divided in the same way"
        yield table_of(
            times,
            f"of {{of}} | simulated {{simulated_s:s}} | {first.origin} {{known_s:s}} | error {{error:±%}}",
            f"Compared with the {first.origin} run {source}",
            f"{alike}, but with {'; '.join(first.differs)}." if first.differs else f"{alike}.",
            of=lambda time: named(time.workload, time.phase),
        )


MOST_NAMES = 8  # More names than this are not listed.


def provenance(record: RunRecord) -> tuple[FactList, ...]:
    """The facts in the order run, digests, telemetry, cluster and its jobs, host."""
    heading = "Host it was started on" if record.cluster else "Host"
    heading = "Host it was simulated on" if record.simulated else heading
    groups = [
        FactList(
            "Run",
            (
                ("record", record.id),
                ("started", moment(record.created)),
                ("outcome", f"{record.outcome.value} after {format_seconds(record.elapsed_s)}"),
                ("origin", record.origin.value),
                ("command", shlex.join(record.command)),
                ("seed", str(record.seed)),
                ("howdah", record.howdah_version),
                ("engine", f"{record.engine} {record.engine_version}"),
                ("record schema", str(record.schema_version)),
            ),
            frozenset({"command"}),
        ),
        digest_facts(record.digests),
        FactList("Cost of measuring", _telemetry(record)),
        FactList("Simulation", simulation_facts(record)),
        FactList("Cluster", _cluster(record.cluster) if record.cluster else ()),
        FactList(
            "Jobs",
            tuple(
                (result.workload.kind, f"{result.job.id}, reported by the {result.job.told_by}")
                for result in record.workloads
                if result.job
            ),
        ),
        FactList(heading, _host(_alone(record.host) if record.cluster else record.host)),
    ]
    return tuple(group for group in groups if group.entries)


def digest_facts(digests: Mapping[str, str]) -> FactList:
    return FactList("Digests (SHA-256)", tuple(sorted(digests.items())), frozenset(digests))


def _cluster(cluster: ClusterState) -> tuple[tuple[str, str], ...]:
    lab = cluster.lab
    built = "without root" if lab and lab.rootless else "with root"
    return (
        *((("lab", f"{lab.name}, built {built}"),) if lab else ()),
        ("Hadoop", cluster.hadoop_version),
        ("client", cluster.client_version),
        ("file system", cluster.default_fs),
        ("written below", cluster.work_dir),
        ("queue", cluster.queue),
        ("Kerberos", "yes" if cluster.secure else "no"),
        ("free space", f"{format_bytes(cluster.free_bytes)} of {format_bytes(cluster.capacity_bytes)}"),
        ("DataNodes", _counted_names(cluster.datanodes)),
        ("NodeManagers", _counted_names(cluster.nodemanagers)),
    )


def _counted_names(names: tuple[str, ...]) -> str:
    """How many, and who, as far as a line has room for them."""
    shown = ", ".join(names[:MOST_NAMES])
    return f"{len(names):,}: {shown}" + (" …" if len(names) > MOST_NAMES else "")


def _alone(host: Host) -> Host:
    """A host without its loop devices: they are laboratories', and no job is started from one."""
    loops = {disk.name for disk in host.disks if disk.kind == "loop"}
    disks = tuple(disk for disk in host.disks if disk.name not in loops)
    file_systems = tuple(system for system in host.file_systems if system.disk not in loops)
    return host.model_copy(update={"disks": disks, "file_systems": file_systems})


def _host(host: Host) -> tuple[tuple[str, str], ...]:
    cpu, memory, virtual = host.cpu, host.memory, host.virtualisation
    counts = [(cpu.sockets, "socket"), (cpu.cores, "core"), (cpu.threads, "thread")]
    counts.append((len(cpu.numa_nodes), "NUMA node"))
    clock = f", up to {cpu.max_hz / 1e9:.1f} GHz" if cpu.max_hz else ""
    machine = (
        f"virtual machine, {virtual.hypervisor or 'hypervisor unknown'}" if virtual.is_virtual else "physical"
    )
    if virtual.container:
        machine += f", in a container ({virtual.container})"
    steal = f"{100 * virtual.steal_share:.2g} % since boot" if virtual.steal_share is not None else NONE
    parts = []
    if host.usable_cpus < host.cpu.threads:
        parts.append(f"{host.usable_cpus:g} CPUs")
    if host.cgroup.memory_limit_bytes is not None:
        parts.append(f"{format_memory(host.cgroup.memory_limit_bytes)} of memory")
    items = [
        ("name", host.name),
        ("machine", machine),
        ("CPU", f"{cpu.model or cpu.architecture}{clock}"),
        ("cores", ", ".join(format_counted(count, noun) for count, noun in counts)),
        ("memory", f"{format_memory(memory.total_bytes)}, swap {format_memory(memory.swap_total_bytes)}"),
        *((("left to howdah", allowance),) if (allowance := ", ".join(parts)) else ()),
        ("huge pages", f"transparent: {memory.transparent_huge_pages or 'not read'}"),
        ("CPU time stolen", steal),
        *(("disk", _disk(disk)) for disk in host.disks),
        *(("file system", _file_system(file_system)) for file_system in host.file_systems),
        *(("network", _nic(nic)) for nic in host.nics),
        ("kernel", host.software.kernel),
        ("distribution", host.software.distribution or NONE),
        ("Java", host.software.java or "none"),
        *(("not read", f"{gap.what}: {gap.why}") for gap in host.unread),
    ]
    return tuple(items)


def _disk(disk: Disk) -> str:
    scheduler = f"scheduler {disk.scheduler}" if disk.scheduler else ""
    return _joined(", ", disk.name, disk.kind, disk.model, format_bytes(disk.size_bytes), scheduler)


def _file_system(system: FileSystem) -> str:
    agcount = f"agcount {system.xfs.agcount}" if system.xfs else ""
    return _joined("; ", f"{system.mount} on {system.device}", system.kind, ",".join(system.options), agcount)


def _nic(nic: Nic) -> str:
    speed = f"{nic.speed_bits_per_s / 1e9:g} Gbit/s" if nic.speed_bits_per_s else "speed not known"
    return _joined(", ", nic.name, nic.driver, speed, f"MTU {nic.mtu}")


def _joined(separator: str, *parts: str | None) -> str:
    return separator.join(part for part in parts if part)


def _telemetry(record: RunRecord) -> tuple[tuple[str, str], ...]:
    cost = record.telemetry
    if cost is None:
        return ()
    share = f" ({100 * cost.cpu_s / cost.elapsed_s:.2g} % of one core)" if cost.elapsed_s > 0 else ""
    return (
        ("interval", format_seconds(cost.interval_s)),
        ("CPU time", f"{cost.cpu_s:.3f} s{share}"),
        ("samples taken", f"{cost.ticks:,}, {cost.late_ticks:,} of them late"),
    )
