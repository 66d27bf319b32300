"""Byte accounting: what should move, what the workload says moved, and what the data disks counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from howdah.analysis.evidence import Evidence
from howdah.analysis.evidence.times import WorkloadTime
from howdah.analysis.evidence.volumes import ByteAccount, ByteExplanation, ByteSide
from howdah.analysis.machines import Timeline, Track
from howdah.analysis.phases import cluster_work, job_bytes, replication_of, window_of, work_of
from howdah.analysis.wording import Figure, conclude
from howdah.model.comparison import Finding
from howdah.model.run import Outcome, RunRecord, WorkloadResult
from howdah.model.workloads.base import Moved
from howdah.units import format_bytes, listed

# Inodes, extents, directories and the journal cost large sequential files well under this share.
METADATA_SHARE = 0.01
_DIRTY = ("memory/dirty_bytes", "memory/writeback_bytes")

# An unexplained remainder above this share of all bytes moved asks for attention (D0, RULES 73 and 64:
# storage throughput integrated over time should equal the expected volume).
UNEXPLAINED_SHARE = 0.03
# Every host writes a log line or a journal block now and then; so little is no one's concern.
BACKGROUND_BYTES = 8e6
WORTH_SAYING_SHARE = 0.001  # Parts of a remainder below this share of the bytes moved are not worth a clause.
# The counters of a workload may differ from theory by headers and padding, not by more than this share;
# blocks of spilled data that two partitions share and both read make a few per cent.
SAID_SHARE = 0.01
SAID_TOO_FAR = 0.05


def explain_read(
    timeline: Timeline,
    hosts: tuple[str, ...],
    window: tuple[float, float],
    side: ByteSide,
    *,
    buffered: bool | None,
    written: float,
) -> Iterator[ByteExplanation]:
    """Why devices read more or less than requested; ``written`` is what the workload itself wrote."""
    remainder = side.unexplained or 0.0
    if remainder > 0:
        yield from _metadata(remainder, side.reported)
    elif buffered is not False:
        # Cached pages can have served no more than was there when the workload began or was written since.
        sampled = bool(timeline.tracks(hosts, ("memory/cached_bytes",)))
        held = _gauges(timeline, hosts, ("memory/cached_bytes",), window[0]) + (written if buffered else 0.0)
        # Caches that nobody sampled, those of a lab's workers for instance, are bounded by nothing.
        served = min(-remainder, held) if sampled or not buffered else -remainder
        if served > 0:
            yield ByteExplanation(
                "read from the page cache", -served, "likely" if buffered and sampled else "guess"
            )


def explain_written(
    timeline: Timeline,
    hosts: tuple[str, ...],
    window: tuple[float, float],
    side: ByteSide,
    *,
    buffered: bool | None,
) -> Iterator[ByteExplanation]:
    """Why devices wrote more or less than was asked for."""
    remainder = side.unexplained or 0.0
    begun, ended = (_gauges(timeline, hosts, _DIRTY, moment) for moment in window)
    dirtied = ended - begun
    cached = "still in the page cache at the end, written back later"
    if remainder < 0 < dirtied:
        yield ByteExplanation(cached, -min(-remainder, dirtied), "measured")
    elif remainder < 0 and buffered and not timeline.tracks(hosts, _DIRTY):
        yield ByteExplanation(cached, remainder, "guess")
    if remainder > 0:
        early = min(remainder, max(0.0, -dirtied))
        if early > 0:
            yield ByteExplanation("dirty in the page cache before it started", early, "measured")
        yield from _metadata(remainder - early, side.reported)


def _metadata(remainder: float, reported: float) -> Iterator[ByteExplanation]:
    share = min(remainder, METADATA_SHARE * reported)
    if share > 0:
        yield ByteExplanation("file-system metadata and journal", share, "guess")


def _gauges(timeline: Timeline, hosts: tuple[str, ...], metrics: tuple[str, ...], time_s: float) -> float:
    """Gauges over all hosts together, 0 where they were not sampled."""
    return sum(float(track.at(time_s)) for track in timeline.tracks(hosts, metrics))


def accounts(
    record: RunRecord,
    timeline: Timeline,
    hosts: tuple[str, ...],
    times: tuple[WorkloadTime, ...],
    data_disks: tuple[str, ...],
) -> tuple[ByteAccount, ...]:
    """The account of every workload that moves bytes, over all disks of ``hosts`` that carry data."""
    sides = []
    for time in times:
        result = time.result
        work, reported = _moved(result)
        if not any(reported) and not (work is not None and any(work)):
            continue
        window = window_of(record, timeline, time)
        tracks = {
            direction: timeline.tracks(hosts, [f"disk/{disk}/{direction}_bytes" for disk in data_disks])
            for direction in ("read", "written")
        }
        read = _side(tracks["read"], window, work.read if work else None, reported.read)
        write = _side(tracks["written"], window, work.write if work else None, reported.write)
        if result.outcome is Outcome.SUCCEEDED and window is not None:
            # A workload that stopped half-way had no chance to count all it moved: nothing to explain.
            fio = _fio(result, window)
            read = _set_fio_apart(read, tracks["read"], fio)
            # HDFS and the shuffle always go through the page cache.
            buffered = True if result.job is not None else result.buffered_io
            why = explain_read(timeline, hosts, window, read, buffered=buffered, written=write.reported)
            read = replace(read, explained=(*read.explained, *why))
            write = _set_fio_apart(write, tracks["written"], fio)
            why = explain_written(timeline, hosts, window, write, buffered=buffered)
            write = replace(write, explained=(*write.explained, *why))
        sides.append(ByteAccount(time.workload, data_disks, read, write))
    return tuple(sides)


def _moved(result: WorkloadResult) -> tuple[Moved | None, Moved]:
    """What the disks should move by theory, and by the workload's own counters."""
    counters = result.counters
    if result.job is not None:
        theory = cluster_work(result)
        counted = job_bytes(result.job).on_devices(replication_of(result) or 1)
        return (theory.devices if theory else None), counted
    return work_of(result), Moved(
        counters.read_bytes + counters.spill_read_bytes, counters.written_bytes + counters.spilled_bytes
    )


def _side(
    tracks: list[Track], window: tuple[float, float] | None, should: float | None, reported: float
) -> ByteSide:
    if not tracks or window is None:
        return ByteSide(should, reported, None, 0.0, ())
    devices = sum(track.growth(*window) for track in tracks)
    resolution = sum(track.uncertainty(moment) for track in tracks for moment in window)
    return ByteSide(should, reported, devices, resolution, ())


def _fio(result: WorkloadResult, window: tuple[float, float]) -> list[tuple[float, float]]:
    """When fio had the disks: between the storage test's phases, if the record holds what it measured."""
    if not result.raw_limits:
        return []
    ends = [moment for phase in result.phases for moment in (phase.start_s, phase.end_s)]
    cuts = [window[0], *ends, window[1]]
    return list(zip(cuts[::2], cuts[1::2], strict=True))


def _set_fio_apart(side: ByteSide, tracks: list[Track], fio: list[tuple[float, float]]) -> ByteSide:
    """Set aside what fio moved to measure the raw disk."""
    moved = sum(track.growth(start_s, end_s) for start_s, end_s in fio for track in tracks)
    if moved <= 0:
        return side
    part = ByteExplanation("by fio, measuring the raw disk", moved, "measured")
    blur = sum(track.uncertainty(moment) for cuts in fio for moment in cuts for track in tracks)
    return replace(side, explained=(*side.explained, part), resolution=side.resolution + blur)


def tolerance(account: ByteAccount, side: ByteSide) -> float:
    """How large an unexplained remainder may be: a share of all bytes moved, or what samples cannot tell."""
    moved = max(account.read.reported + account.write.reported, side.reported)
    return max(UNEXPLAINED_SHARE * moved, side.resolution, BACKGROUND_BYTES)


def find_remainders(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """One finding per workload whose devices were sampled: the bytes agree, or by how much they do not."""
    for account in evidence.accounts:
        sides = [("read", account.read), ("wrote", account.write)]
        sampled = [(verb, side) for verb, side in sides if side.unexplained is not None]
        time = evidence.time_of(account.workload)
        # What a job moved is shown layer by layer, the devices among them.
        if not sampled or time.outcome is not Outcome.SUCCEEDED or time.result.job:
            continue
        off = [
            (verb, side) for verb, side in sampled if abs(side.unexplained or 0.0) > tolerance(account, side)
        ]
        accounts = off or [(verb, side) for verb, side in sampled if side.reported]
        if accounts:
            yield conclude(
                "byte-accounting",
                account,
                words="disks",
                warns=bool(off),
                numbers=(figure for verb, side in sampled for figure in _numbers(verb, side)),
                clauses="; ".join(_clause(account, *side, bool(off)) for side in accounts),
            )


def explained(parts: Iterable[ByteExplanation], least: float) -> str:
    """What explains a difference, as far as it is more than the least; empty if nothing is."""
    words = [
        f"{format_bytes(abs(part.bytes))} {part.reason} ({part.sure})"
        for part in parts
        if abs(part.bytes) > least
    ]
    return f", of the difference {listed(words)}" if words else ""


def _clause(account: ByteAccount, verb: str, side: ByteSide, off: bool) -> str:
    devices, unexplained = side.devices or 0.0, side.unexplained or 0.0
    but = "but " if off else ""
    counted = format_bytes(side.reported)
    text = f"{listed(account.disks)} {verb} {format_bytes(devices)}, {but}the program counted {counted}"
    # Next to a large unexplained part a small explained one only distracts.
    least = max(WORTH_SAYING_SHARE * side.reported, 0.1 * abs(unexplained) if off else 0.0)
    text += explained(side.explained, least)
    if off:
        text += f", {format_bytes(abs(unexplained))} unexplained"
    if side.resolution > UNEXPLAINED_SHARE * (side.reported or devices):
        text += f" (± {format_bytes(side.resolution)} between samples)"
    if not off:
        return text
    if unexplained > 0:
        return f"{text}: others used the disk, or it moved more than it reports"
    return f"{text}: a cache below the file system, or data that never reached the disk"


def _numbers(verb: str, side: ByteSide) -> Iterator[Figure]:
    if side.should is not None:
        yield (f"should have {'read' if verb == 'read' else 'written'}", side.should, "B")
    yield (f"reported {verb}", side.reported, "B")
    yield (f"devices {verb}", side.devices or 0.0, "B")
    yield (f"{verb}, unexplained", side.unexplained or 0.0, "B")


def find_shortfalls(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Counters that disagree with theory: the workload moved more or less than it had to."""
    for account in evidence.accounts:
        if evidence.time_of(account.workload).result.job:
            continue
        for verb, side in (("read", account.read), ("written", account.write)):
            if side.should is None or abs(side.reported - side.should) <= SAID_SHARE * max(side.should, 1.0):
                continue
            apart = abs(side.reported - side.should)
            yield conclude(
                "bytes-against-theory",
                account,
                warns=apart > SAID_TOO_FAR * side.should,
                verb=verb,
                side=side,
                apart=apart,
                less="less" if side.reported < side.should else "more",
            )
