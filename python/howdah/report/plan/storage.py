"""Storage policies compared on a plan, as blocks of a document."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.model.storage_cost import HostMove, PolicyCost, StorageComparison
from howdah.report.document import Block, Bullets, Paragraph, Table
from howdah.units import format_bytes, format_count_short, format_counted, format_seconds

_COLUMNS = (
    "policy",
    "verdict",
    "on disk",
    "per byte",
    "survives",
    "least hosts",
    "least racks",
    "network to write",
    "to read",
    "reads a month",
    "CPU per TB",
    "names",
)
_MOVES = (
    "policy",
    "lost",
    "read",
    "network",
    "CPU",
    "time",
    "limit",
    "drained in",
    "its network",
    "its limit",
)


def storage_blocks(comparison: StorageComparison) -> Iterator[Block]:
    """The answer, the costs of every policy, what one host takes, and the reasons."""
    yield Paragraph(_answer(comparison), "lead")
    yield Table(_COLUMNS, tuple(_row(cost) for cost in comparison.policies), title="Policies")
    share = f"{comparison.share:.0%}"
    yield Table(
        _MOVES,
        tuple(_moves(cost) for cost in comparison.policies if cost.verdict != "impossible"),
        title=f"One {comparison.lost}",
        about=f"Rebuilding takes {share} of disks, network and cores from jobs, and starts when the NameNode "
        f"gives up the lost DataNodes, after {format_seconds(comparison.noticed_s)}.",
    )
    if any(cost.rebuild.simulated_s is not None for cost in comparison.policies):
        yield Paragraph("Times in parentheses are simulated, block by block.", "note")
    yield Bullets(
        tuple(f"{cost.policy}: {reason}" for cost in comparison.policies for reason in cost.reasons)
    )
    if comparison.racks < 2:
        yield Paragraph("No racks are known, so the loss of one may lose data under any policy.", "note")
    yield Paragraph(
        "Network and CPU are computed for tasks on workers and for Hadoop's Java coder; ISA-L codes several "
        "times faster. HBase's directories need replicas: its log is synced, which coded files cannot be.",
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
    hosts, nodes = format_counted(comparison.hosts, "host"), format_counted(comparison.workers, "DataNode")
    where = f"{hosts} with {nodes} in {racks}"
    if best is None:
        return f"No policy is safe for {what} on {where}."
    return f"Recommended for {what} on {where}: {best.policy}, with {format_bytes(best.raw_bytes)} on disks."


def _row(cost: PolicyCost) -> tuple[str, ...]:
    return (
        cost.policy,
        cost.verdict,
        format_bytes(cost.raw_bytes),
        f"{cost.raw_per_byte:.3g}",
        _survives(cost),
        str(cost.least_hosts),
        str(cost.least_racks) if cost.least_racks else "–",
        f"{cost.write_network_per_byte:.2f}",
        f"{cost.read_network_per_byte:.2f}",
        format_bytes(cost.read_network_per_month) if cost.read_network_per_month else "–",
        format_seconds(cost.encode_core_s_per_tb) if cost.encode_core_s_per_tb else "–",
        format_count_short(cost.objects),
    )


def _survives(cost: PolicyCost) -> str:
    hosts = format_counted(cost.hosts_lost, "host")
    if cost.survives_rack is None:
        return hosts
    return f"{hosts}, a rack" if cost.survives_rack else f"{hosts}, no rack"


def _moves(cost: PolicyCost) -> tuple[str, ...]:
    rebuild, drain = cost.rebuild, cost.drain
    return (
        cost.policy,
        format_bytes(rebuild.lost_bytes),
        format_bytes(rebuild.read_bytes),
        format_bytes(rebuild.network_bytes),
        _cores(rebuild),
        _time(rebuild),
        rebuild.limit,
        _time(drain),
        format_bytes(drain.network_bytes),
        drain.limit,
    )


def _time(move: HostMove) -> str:
    """The computed time, and the simulated one."""
    computed = format_seconds(move.elapsed_s)
    return computed if move.simulated_s is None else f"{computed} (~{format_seconds(move.simulated_s)})"


def _cores(move: HostMove) -> str:
    return format_seconds(move.core_s) if move.core_s else "–"
