"""A job's bytes as boxes and streams, from the disks they are read from to the disks they come to lie on."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.analysis.cluster_work import ClusterWork, JobBytes
from howdah.analysis.evidence import Direction, Flow, FlowLayer, FlowNode, LayerAccount
from howdah.analysis.layers import Traffic

NODES = (
    FlowNode("disks-read", "disks", "disks", 0),
    FlowNode("cache", "page cache", "disks", 0),
    FlowNode("blocks-read", "DataNodes", "DataNodes", 1),
    FlowNode("maps", "maps", "Hadoop", 2),
    FlowNode("map-output", "map output", "Hadoop", 3),
    FlowNode("shuffle-network", "network", "network", 4),
    FlowNode("reduces", "reduces", "Hadoop", 5),
    FlowNode("merge-files", "merge files", "Hadoop", 6),
    FlowNode("replica-network", "network", "network", 6),
    FlowNode("blocks-written", "DataNodes", "DataNodes", 7),
    FlowNode("disks-written", "disks", "disks", 8),
)
"""Every box there can be, by columns."""


def picture(
    work: ClusterWork, said: JobBytes, traffic: Traffic, layers: tuple[LayerAccount, ...]
) -> tuple[Flow, ...]:
    """The streams of a job; those of nothing at all are left out."""
    counted = {(layer.layer, layer.direction): layer for layer in layers}
    streams = (*_reading(work, said, counted), *_between(work, said, traffic), *_writing(work, said, counted))
    return tuple(flow for flow in streams if flow.theory or flow.measured)


Counted = dict[tuple[FlowLayer, Direction], LayerAccount]


def _measured(counted: Counted, layer: FlowLayer, direction: Direction) -> float | None:
    one = counted.get((layer, direction))
    return one.counted if one else None


def _reading(work: ClusterWork, said: JobBytes, counted: Counted) -> Iterator[Flow]:
    if not work.input:
        return
    blocks = _measured(counted, "DataNodes", "read")
    disks = _measured(counted, "disks", "read")
    asked = float(work.input)
    if disks is None:
        yield Flow("disks-read", "blocks-read", "input", asked, None, "")
    else:
        # The disks' reads are the input's first: what they did not read came from the page cache.
        came = min(disks, blocks if blocks is not None else said.hdfs_read)
        yield Flow("disks-read", "blocks-read", "input", asked, came, "disk/*/read_bytes")
        cached = (blocks if blocks is not None else said.hdfs_read) - came
        yield Flow("cache", "blocks-read", "input, not read from disks", None, cached, "the difference")
    by = "datanode/read_bytes" if blocks is not None else "HDFS_BYTES_READ"
    yield Flow("blocks-read", "maps", "input", asked, blocks if blocks is not None else said.hdfs_read, by)


def _between(work: ClusterWork, said: JobBytes, traffic: Traffic) -> Iterator[Flow]:
    """Map output: written, fetched from here and from elsewhere, merged where it does not fit memory."""
    if not work.stored:
        return
    yield Flow(
        "maps",
        "map-output",
        "map output, every spill",
        work.stored * work.map_spills,
        said.map_file_written,
        "FILE_BYTES_WRITTEN",
    )
    remote = traffic.remote_share
    if remote is None:
        yield Flow("map-output", "reduces", "shuffle", work.stored, said.shuffled, "REDUCE_SHUFFLE_BYTES")
    else:
        away, here = "map-output", "reduces"
        crossed, by = said.shuffled * remote, "REDUCE_SHUFFLE_BYTES by tasks' places"
        yield Flow(
            away, here, "shuffle on one machine", work.stored * (1 - remote), said.shuffled - crossed, by
        )
        yield Flow(away, "shuffle-network", "shuffle", work.stored * remote, crossed, by)
        yield Flow("shuffle-network", here, "shuffle", work.stored * remote, crossed, by)
    yield Flow(
        "reduces",
        "merge-files",
        "map output that reduces merge on disk",
        work.stored * work.reduce_spills,
        said.reduce_file_written,
        "FILE_BYTES_WRITTEN",
    )


def _writing(work: ClusterWork, said: JobBytes, counted: Counted) -> Iterator[Flow]:
    disks = counted.get(("disks", "written"))
    files = said.map_file_written + said.reduce_file_written
    # A disk cannot tell blocks from map output, so what it wrote is shared out as Hadoop counted it.
    asked = work.replication * said.hdfs_written + files
    share = disks.counted / asked if disks and asked else None
    for source, written, theory in (
        ("map-output", said.map_file_written, work.stored * work.map_spills),
        ("merge-files", said.reduce_file_written, work.stored * work.reduce_spills),
    ):
        measured = share * written if share is not None else None
        yield Flow(source, "disks-written", "intermediate data", theory, measured, _DISKS)
    if not work.output:
        return
    blocks = _measured(counted, "DataNodes", "written")
    source = "reduces" if work.stored else "maps"
    more = (work.replication - 1) * work.output
    copied = max(0.0, blocks - said.hdfs_written) if blocks is not None else None
    by = "HDFS_BYTES_WRITTEN"
    yield Flow(source, "blocks-written", "output, first replica", work.output, said.hdfs_written, by)
    by = "datanode/written_bytes beyond HDFS_BYTES_WRITTEN"
    if more:
        yield Flow(source, "replica-network", "output, further replicas", more, copied, by)
        yield Flow("replica-network", "blocks-written", "output, further replicas", more, copied, by)
    measured = share * work.replication * said.hdfs_written if share is not None else None
    every = float(work.replication * work.output)
    yield Flow("blocks-written", "disks-written", "output, every replica", every, measured, _DISKS)


_DISKS = "disk/*/written_bytes, shared out by Hadoop's counters"
