"""The bytes of a job, layer by layer: what theory asks, what was counted, and what explains the rest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from howdah.analysis.evidence.use import MachineOfRun
from howdah.analysis.evidence.volumes import (
    ByteAccount,
    ByteExplanation,
    ByteSide,
    Direction,
    FlowLayer,
    LayerAccount,
)
from howdah.analysis.machines import Timeline, Track, counted
from howdah.analysis.phases import ClusterWork, JobBytes

# HDFS keeps a checksum of 4 bytes for every 512 (dfs.bytes-per-checksum); a DataNode counts them where it
# reads, and they lie in files of their own.
CHECKSUMS = 4 / 512
# Daemons work their metrics out anew every ten seconds (*.period in hadoop-metrics2.properties).
LAG_S = 10.0
HEADERS = 66 / 1448  # Ethernet, IP and TCP put at most so much around a full segment: 66 bytes on 1448.

_COPIES = "copies of what lost DataNodes held"


class Unreported(NamedTuple):
    """The most that attempts may have read and written of which Hadoop reports no bytes."""

    read: float
    written: float


class Traffic(NamedTuple):
    """How a job's bytes should have gone between machines."""

    local_share: float | None
    remote_share: float | None
    in_vain: int  # Bytes that were read and not used.
    copied: float = 0.0  # At most so many were written again for lost DataNodes.
    by_lot: float = 0.0  # By so many the lot may have had it otherwise, where tasks read what lies anywhere.
    unreported: Unreported = Unreported(0.0, 0.0)
    again: float = 0.0  # Input that Spark's stages read twice, as SQL does to choose ranges of a sort.

    def expected(self, work: ClusterWork) -> float:
        """Bytes every network interface together receives: what HDFS sends, and the shuffle."""
        return self.hdfs(work) + work.stored * (self.remote_share or 0.0)

    def hdfs(self, work: ClusterWork) -> float:
        """Bytes that HDFS sends from machine to machine: replicas, and input that lies elsewhere."""
        remote_share = 0.0 if self.local_share is None else 1 - self.local_share
        return work.sent * work.output + work.input * remote_share


class SampleWindow(NamedTuple):
    """Where samples are counted; ``follows`` says whether another job ended just before."""

    timeline: Timeline
    machines: tuple[MachineOfRun, ...]
    span: tuple[float, float]
    follows: bool = False

    def total(self, subject: str, metric: str, lag_s: float = 0.0) -> tuple[float, float] | None:
        """How much a counter grew over all machines that count, and how blurred that is; None: not sampled.

        ``*`` in the metric stands for every instance but the loopback interface. ``lag_s`` is how much later
        a counter may be worked out than what it counts.
        """
        tracks = [
            track
            for machine in counted(self.machines, self.timeline, subject)
            for track in self.timeline.tracks([machine], self._names(machine, metric))
        ]
        if not tracks:
            return None
        start_s, end_s = self.span[0], self.span[1] + lag_s
        blur = sum(track.uncertainty(moment) for track in tracks for moment in (start_s, end_s))
        if lag_s:
            blur += sum(_unsettled(track, self.span, lag_s, follows=self.follows) for track in tracks)
        return sum(track.growth(start_s, end_s) for track in tracks), blur

    def _names(self, machine: str, metric: str) -> list[str]:
        subject, star, quantity = metric.partition("/*/")
        if not star:
            return [metric]
        instances = self.timeline.instances(machine, subject)
        return [f"{subject}/{instance}/{quantity}" for instance in instances if instance != "lo"]


def _unsettled(track: Track, span: tuple[float, float], lag_s: float, *, follows: bool) -> float:
    """What a late counter showed around the ends of a stretch, its own or its neighbours'."""
    start_s, end_s = span
    before = track.growth(start_s, start_s + lag_s)
    if not follows:
        # What was going on before need not have been howdah's, but went on before the counter showed it.
        before = min(before, track.growth(start_s - lag_s, start_s))
    if float(track.times_s[-1]) >= end_s + lag_s:
        return before + track.growth(end_s, end_s + lag_s)
    return before + track.growth(end_s - lag_s, end_s)


def layer_accounts(
    work: ClusterWork,
    job: JobBytes,
    traffic: Traffic,
    window: SampleWindow | None,
    account: ByteAccount | None,
) -> Iterator[LayerAccount]:
    """Every layer that somebody counted, from Hadoop's counters down to the disks."""
    extra_read = job.hdfs_read - work.input
    extra_written = job.hdfs_written - work.output
    extra_stored = job.output_stored - work.stored
    lengths = extra_stored * (max(0.0, work.map_spills - 1) + work.reduce_spills)
    again = ByteExplanation("input that further stages read again", traffic.again, "measured")
    yield _hadoop("read", work, job, [_lengths(lengths), again])
    lengths = extra_stored * (work.map_spills + work.reduce_spills)
    yield _hadoop("written", work, job, [_lengths(lengths)])
    if window is not None:
        extra = (extra_read, work.replication * extra_written)
        yield from _datanodes(work, window, extra, traffic)
        replicas, shuffled = (work.sent * extra_written, extra_stored * (traffic.remote_share or 0.0))
        yield from _network(traffic, work, window, (replicas, shuffled))
    if account is not None:
        written = CHECKSUMS * work.replication * work.output
        sides: tuple[tuple[Direction, ByteSide, tuple[ByteExplanation, ...]], ...] = (
            ("read", account.read, (_checksums(CHECKSUMS * work.input),)),
            (
                "written",
                account.write,
                (_checksums(written), ByteExplanation(_COPIES, traffic.copied, "likely")),
            ),
        )
        for direction, side, hadoops in sides:
            if side.devices is None or side.should is None or not side.should:
                continue
            why = [_carried(side.reported - side.should), *_on_disk(side, hadoops)]
            missing = -(side.unexplained or 0.0)
            if direction == "written" and missing > 0 and work.files_written:
                # A job's files are deleted at its end, before much of them has left the page cache.
                reason = "intermediate files deleted before they were written back"
                why.append(ByteExplanation(reason, -min(missing, work.files_written), "guess"))
            moved = (side.devices, side.resolution)
            yield _layer(("disks", direction), side.should, moved, f"disk/*/{direction}_bytes", why)


def _datanodes(
    work: ClusterWork, window: SampleWindow, extra: tuple[float, float], traffic: Traffic
) -> Iterator[LayerAccount]:
    extra_read, extra_written = extra
    lost = ByteExplanation("read by attempts that did not succeed", traffic.in_vain, "measured")
    sums = ByteExplanation("checksums sent along", CHECKSUMS * (work.input + traffic.in_vain), "likely")
    sides: tuple[tuple[Direction, float, list[ByteExplanation]], ...] = (
        ("read", work.input, [_carried(extra_read), lost, sums]),
        ("written", work.replication * work.output, [_carried(extra_written)]),
    )
    for direction, theory, why in sides:
        moved = window.total("datanode", f"datanode/{direction}_bytes", LAG_S)
        if moved is not None and theory:
            if direction == "written":
                why.append(_copied(traffic, moved[0] - theory - extra_written))
            remaining = max(0.0, moved[0] - theory - sum(part.bytes for part in why))
            most = traffic.unreported.read if direction == "read" else traffic.unreported.written
            why.append(
                ByteExplanation(
                    "by attempts of which Hadoop reports no bytes", min(remaining, most), "likely"
                )
            )
            yield _layer(("DataNodes", direction), theory, moved, f"datanode/{direction}_bytes", why)


def _network(
    traffic: Traffic, work: ClusterWork, window: SampleWindow, extra: tuple[float, float]
) -> Iterator[LayerAccount]:
    expected, (replicas, shuffled) = traffic.expected(work), extra
    sides: tuple[tuple[Direction, str], ...] = (("received", "nic/*/rx_bytes"), ("sent", "nic/*/tx_bytes"))
    crossed = _crossed(window)
    for direction, metric in sides:
        moved = window.total("nic", metric)
        if moved is None:
            continue
        if crossed is None:
            why, blur = [_carried(replicas + shuffled)], traffic.by_lot
        else:
            # Where tasks ran and what they met there is a matter of chance; who sent it has counted it.
            by_hdfs = crossed[0] - traffic.hdfs(work)
            sent = ByteExplanation("sent by DataNodes beyond theory, as they count it", by_hdfs, "measured")
            why, blur = [sent, _carried(shuffled)], crossed[1]
        room = max(0.0, moved[0] - expected - sum(part.bytes for part in why))
        least = HEADERS * (expected + sum(part.bytes for part in why))
        why.append(ByteExplanation("packet headers", min(room, least), "guess"))
        if crossed is None:
            why.append(_copied(traffic, room - why[-1].bytes))
        yield _layer(("network", direction), expected, (moved[0], moved[1] + blur), metric, why)


def _crossed(window: SampleWindow) -> tuple[float, float] | None:
    """What DataNodes count as sent to other machines and come from them, and its blur; None: not asked."""
    sides = [
        window.total("datanode", f"datanode/remote_{direction}_bytes", LAG_S)
        for direction in ("read", "written")
    ]
    sampled = [side for side in sides if side is not None]
    if len(sampled) < len(sides):
        return None
    return sum(total for total, _ in sampled), sum(blur for _, blur in sampled)


def _lengths(size: float) -> ByteExplanation:
    return ByteExplanation("lengths that Hadoop stores with every key and value", size, "measured")


def _hadoop(
    direction: Direction, work: ClusterWork, job: JobBytes, why: list[ByteExplanation]
) -> LayerAccount:
    if direction == "read":
        theory = work.input + work.files_read
        total = job.hdfs_read + job.map_file_read + job.reduce_file_read
    else:
        theory = work.output + work.files_written
        total = job.hdfs_written + job.map_file_written + job.reduce_file_written
    by = f"HDFS_BYTES_{direction.upper()}, FILE_BYTES_{direction.upper()}"
    return _layer(("Hadoop", direction), theory, (float(total), 0.0), by, why)


def _checksums(size: float) -> ByteExplanation:
    return ByteExplanation("HDFS's checksums", size, "likely")


def _on_disk(side: ByteSide, hadoops: Sequence[ByteExplanation]) -> Iterator[ByteExplanation]:
    """What explains the devices: what HDFS itself writes before what a file system may need."""
    remaining = side.remainder or 0.0
    if remaining <= 0:
        yield from side.explained
        return
    for explanation in (*hadoops, *side.explained):
        part = min(remaining, explanation.bytes)
        remaining -= part
        yield ByteExplanation(explanation.reason, part, explanation.sure)


def _copied(traffic: Traffic, room: float) -> ByteExplanation:
    return ByteExplanation(_COPIES, min(max(0.0, room), traffic.copied), "likely")


def _carried(extra: float) -> ByteExplanation:
    """What a layer above already counted beyond theory."""
    return ByteExplanation("counted by Hadoop beyond theory already", extra, "measured")


def _layer(
    where: tuple[FlowLayer, Direction],
    theory: float,
    counted: tuple[float, float],
    by: str,
    explained: list[ByteExplanation],
) -> LayerAccount:
    total, resolution = counted
    why = tuple(part for part in explained if part.bytes)
    return LayerAccount(*where, float(theory), total, by, resolution, why)
