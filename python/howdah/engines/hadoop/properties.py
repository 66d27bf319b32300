"""The properties that a workload sets; what it leaves at None is left to the cluster's configuration."""

from __future__ import annotations

from howdah.model.workload import Codec, Workload

_CODECS = {
    Codec.LZ4: "org.apache.hadoop.io.compress.Lz4Codec",
    Codec.SNAPPY: "org.apache.hadoop.io.compress.SnappyCodec",
    Codec.ZSTD: "org.apache.hadoop.io.compress.ZStandardCodec",
}


def file_properties(workload: Workload) -> dict[str, str]:
    """How the files that a workload writes are cut and replicated."""
    return _given({"dfs.blocksize": workload.block_bytes, "dfs.replication": workload.replication})


def sort_properties(workload: Workload) -> dict[str, str]:
    """The papers' parameters of a sort."""
    properties = _given(
        {
            "dfs.blocksize": workload.block_bytes,
            "mapreduce.job.reduces": workload.reduces,
            # TeraSort replicates its output once unless it is told otherwise, whatever dfs.replication says.
            "mapreduce.terasort.output.replication": workload.replication,
            "mapreduce.terasort.partitions.sample": workload.partition_samples,
            "mapreduce.job.reduce.slowstart.completedmaps": workload.slowstart,
        }
    )
    return properties | _compression(workload.codec)


def _compression(codec: Codec | None) -> dict[str, str]:
    if codec is None:
        return {}
    if codec is Codec.NONE:
        return {"mapreduce.map.output.compress": "false"}
    return {
        "mapreduce.map.output.compress": "true",
        "mapreduce.map.output.compress.codec": _CODECS[codec],
    }


def _given(values: dict[str, int | float | None]) -> dict[str, str]:
    return {key: f"{value}" for key, value in values.items() if value is not None}
