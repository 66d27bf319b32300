"""Storage policies compared on a plan, as blocks of a document; every table fits 80 columns."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.model.storage_policy import HostMove, PolicyCost, StorageComparison
from howdah.report.document import Block, Bullets, Paragraph, Table
from howdah.units import format_bytes, format_count_short, format_counted, format_seconds

_NEEDS = ("policy", "verdict", "on disk", "per byte", "survives", "hosts", "racks")
_COSTS = ("policy", "network to write", "to read", "reads a month", "CPU per TB", "names")
_REBUILD = ("policy", "lost", "network", "CPU", "time", "limit")
_DRAIN = ("policy", "moved", "time", "limit")


def storage_blocks(comparison: StorageComparison) -> Iterator[Block]:
    """The answer, needs and costs of every policy, what one host takes, and the reasons."""
    yield Paragraph(_answer(comparison), "lead")
    yield Table(
        _NEEDS,
        tuple(_needs(cost) for cost in comparison.policies),
        title="What each policy needs",
        about="Hosts and racks are the fewest with which it survives a loss and rebuilds a host.",
    )
    yield Table(
        _COSTS,
        tuple(_costs(cost) for cost in comparison.policies),
        title="What each policy costs",
        about="Network is in bytes for each byte that a task on a worker writes, or reads next to its data.",
    )
    stored = [cost for cost in comparison.policies if cost.verdict != "impossible"]
    yield Table(
        _REBUILD,
        tuple(_rebuild(cost) for cost in stored),
        title=f"Rebuild of a lost {comparison.lost}",
    )
    yield Table(_DRAIN, tuple(_drain(cost) for cost in stored), title=f"Draining of a {comparison.lost}")
    yield Paragraph(
        "Rebuilding starts when the NameNode gives up lost DataNodes, after "
        f"{format_seconds(comparison.noticed_s)}, "
        f"and may take {comparison.share:.0%} of disks, network and cores from jobs.",
        "note",
    )
    if any(cost.rebuild.simulated_s is not None for cost in comparison.policies):
        yield Paragraph("Times in parentheses are simulated, block by block.", "note")
    yield Bullets(
        tuple(f"{cost.policy}: {reason}" for cost in comparison.policies for reason in cost.reasons)
    )
    if comparison.racks < 2:
        yield Paragraph("No racks are known, so the loss of one may lose data under any policy.", "note")
    yield Paragraph(
        "CPU is that of Hadoop's Java coder; ISA-L codes several times faster. HBase's directories need "
        "replicas: its log is synced, which coded files cannot be.",
        "note",
    )


def _answer(comparison: StorageComparison) -> str:
    data, best = (
        comparison.data,
        next((cost for cost in comparison.policies if cost.verdict == "recommended"), None),
    )
    age = f", {data.age_days:g} days old" if data.age_days is not None else ""
    what = f"{format_bytes(data.data_bytes)} in files of {format_bytes(data.file_bytes)}{age}"
    racks = format_counted(comparison.racks, "rack") if comparison.racks > 1 else "no known racks"
    nodes = format_counted(comparison.workers, "DataNode")
    where = f"{format_counted(comparison.hosts, 'host')} with {nodes} in {racks}"
    if best is None:
        return f"No policy is safe for {what} on {where}."
    return f"Recommended for {what} on {where}: {best.policy}, with {format_bytes(best.raw_bytes)} on disks."


def _needs(cost: PolicyCost) -> tuple[str, ...]:
    return (
        cost.policy,
        cost.verdict,
        format_bytes(cost.raw_bytes),
        f"{cost.raw_per_byte:.3g}",
        _survives(cost),
        str(cost.least_hosts),
        str(cost.least_racks) if cost.least_racks else "–",
    )


def _survives(cost: PolicyCost) -> str:
    if cost.verdict == "impossible":
        return "–"
    hosts = format_counted(cost.hosts_lost, "host")
    if cost.survives_rack is None:
        return hosts
    return f"{hosts}, a rack" if cost.survives_rack else f"{hosts}, no rack"


def _costs(cost: PolicyCost) -> tuple[str, ...]:
    return (
        cost.policy,
        f"{cost.write_network_per_byte:.2f}",
        f"{cost.read_network_per_byte:.2f}",
        format_bytes(cost.read_network_per_month) if cost.read_network_per_month else "–",
        format_seconds(cost.encode_core_s_per_tb) if cost.encode_core_s_per_tb else "–",
        format_count_short(cost.objects),
    )


def _rebuild(cost: PolicyCost) -> tuple[str, ...]:
    move = cost.rebuild
    return (
        cost.policy,
        format_bytes(move.lost_bytes),
        format_bytes(move.network_bytes),
        format_seconds(move.core_s) if move.core_s else "–",
        _time(move),
        move.limit,
    )


def _drain(cost: PolicyCost) -> tuple[str, ...]:
    return cost.policy, format_bytes(cost.drain.network_bytes), _time(cost.drain), cost.drain.limit


def _time(move: HostMove) -> str:
    """The computed time, and the simulated one."""
    computed = format_seconds(move.elapsed_s)
    return computed if move.simulated_s is None else f"{computed} (~{format_seconds(move.simulated_s)})"
