"""How HDFS is read and written: buffers, the page cache, short-circuit reads, checksums, compression."""

from __future__ import annotations

from collections.abc import Iterable

from howdah.model.plan import Value
from howdah.planner.conditions import WITH_MAPREDUCE, in_study, with_mapreduce
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation, entry_verdict
from howdah.planner.rule import MAY, MUST, Decision
from howdah.planner.rules.declare import Condition, Options, Rules, as_number, one_of
from howdah.units import KIB

rules = Rules(file="hdfs-site.xml")

rules.fixed(
    "streams.buffer",
    "io.file.buffer.size",
    128 * KIB,
    file="core-site.xml",
    accepts=lambda value, decision, facts: as_number(value) >= 64 * KIB and as_number(value) % (4 * KIB) == 0,
).text(
    "Streams are read and written in buffers of 128 KiB.",
    "a call for every 128 KiB rather than for every 4 KiB of the default",
    "D0 56",
)


def _drop_behind(facts: Facts) -> Decision:
    if in_study(facts) and not facts.request.hbase_used:
        return Decision(True, "a benchmark streams its data once; the page cache is kept for map output")
    return Decision(
        False,
        "HBase reads its own files again: their blocks stay in the page cache"
        if facts.request.hbase_used
        else "the next job often reads a job's output from the page cache",
    )


def _drop_behind_will_do(value: Value, decision: Decision, facts: Facts) -> bool:
    return value == decision.value or not facts.request.hbase_used


_STREAMED: Options = {
    "sources": "D0 56, howdah",
    "when": "true in the paper profile without HBase",
    "accepts": _drop_behind_will_do,
    "today": "The study streams every byte once; one in use does not, so production keeps the default.",
}
rules.setting("streams.drop-cache-behind-reads", "dfs.datanode.drop.cache.behind.reads", **_STREAMED).by(
    "Read data are dropped from the page cache, in a benchmark only.", _drop_behind
)
rules.setting("streams.drop-cache-behind-writes", "dfs.datanode.drop.cache.behind.writes", **_STREAMED).by(
    "Written data are dropped from the page cache, in a benchmark only.", _drop_behind
)
rules.setting("streams.sync-behind-writes", "dfs.datanode.sync.behind.writes", **_STREAMED).by(
    "Written data go to the disk at once in benchmarks only.", _drop_behind
)


@rules.inspection(
    "streams.short-circuit-of-hbase",
    sources="HDFS-347, HBase 2.6.4: reference guide",
    when="hbase-site.xml sets dfs.client.read.shortcircuit",
)
def _for_hbase(reading: Inspected, facts: Facts) -> Iterable[Observation]:
    """HBase's own file does not turn off short-circuit reads."""
    key = "dfs.client.read.shortcircuit"
    for entry in reading.properties:
        if entry.name == key and entry.base_name == "hbase-site.xml":
            yield entry_verdict(
                entry,
                entry.text != "false",
                about=key,
                expected="true: a RegionServer reads this file last, and then reads its own disks through a "
                "DataNode's socket",
                fix=f"remove {key} from {entry.place}: hdfs-site.xml decides it",
            )


rules.fixed(
    "streams.short-circuit",
    "dfs.client.read.shortcircuit",
    True,
    accepts=lambda value, decision, facts: value is True or not facts.request.hbase_used,
    today="Needs Hadoop's native library on the DataNode: with a socket path and no library it does not "
    "start.",
).text(
    "Tasks and RegionServers read blocks on their own disks without the DataNode.",
    "most blocks are read on their own host: the reader opens the file instead of copying it "
    "through a socket",
    "D3 121, HDFS-347, Hadoop 3.5.0: short-circuit local reads",
)


rules.fixed(
    "streams.domain-socket",
    "dfs.domain.socket.path",
    "/var/lib/hadoop-hdfs/dn_socket",
    when=Condition(
        "unless short-circuit reads are off",
        lambda facts: facts.decided.get("dfs.client.read.shortcircuit") is not False,
    ),
    accepts=lambda value, decision, facts: bool(value) or not facts.request.hbase_used,
).text(
    "Short-circuit reads have a socket by which the DataNode hands over open files.",
    "in a directory that only the hdfs user may write, as HDFS checks",
    "D3 121, Hadoop 3.5.0: hdfs-default.xml",
)


@rules.advice("streams.native-library", sources="Hadoop 3.5.0: native libraries, HDFS-347")
def _native_counsel(facts: Facts) -> str | None:
    """Every worker has Hadoop's native library: a DataNode with a socket does not start without."""
    if not facts.decided.get("dfs.domain.socket.path"):
        return None
    return (
        "Run `hadoop checknative` on every worker: short-circuit reads need `hadoop: true`, and a DataNode "
        "with dfs.domain.socket.path but without the native library does not start. If the library is "
        "missing, plan with --set dfs.client.read.shortcircuit=false, which omits the socket, too."
    )


@rules.inspection("streams.short-circuit-socket", MUST, sources="D3 121, Hadoop 3.5.0: hdfs-default.xml")
def _short_circuit_socket(reading: Inspected, facts: Facts) -> Iterable[Observation]:
    """Where short-circuit reads are on, their socket has a path."""
    if not reading.truth("dfs.client.read.shortcircuit"):
        return
    path = reading.text("dfs.domain.socket.path")
    yield reading.verdict(
        "dfs.domain.socket.path",
        bool(path),
        found=path or "not set",
        expected="a path, since dfs.client.read.shortcircuit is true: without one no client of HDFS starts",
        fix="set dfs.domain.socket.path to /var/lib/hadoop-hdfs/dn_socket in hdfs-site.xml",
        elsewhere=reading.where("dfs.client.read.shortcircuit"),
    )


rules.fixed(
    "streams.checksum", "dfs.checksum.type", "CRC32C", MAY, accepts=one_of("CRC32C"), written=False
).text(
    "Blocks are checked by CRC32C, which processors compute.",
    "processors have an instruction for it",
    "Hadoop 3.5.0: hdfs-default.xml",
)


rules.advice("streams.compression", MAY, sources="D4 131", when=WITH_MAPREDUCE).text(
    "Jobs write compressed blocks.",
    "Let jobs write block-compressed containers (ORC, Parquet or sequence files with Snappy or "
    "Zstandard): less to write, to replicate and to read. It is the job's choice and cannot be set for "
    "all: text files compressed whole cannot be split.",
)


@rules.advice(
    "streams.whole-files",
    MAY,
    sources="D0 62, D0 63",
    when=Condition("with MapReduce on several hosts", with_mapreduce),
)
def _whole_file_counsel(facts: Facts) -> str | None:
    """A map task reads a block, not a file of many."""
    if facts.cluster.worker_hosts < 2:
        return None
    return (
        "Let a map task read one block, not a whole file of many: with 3 replicas up to two thirds of the "
        "other blocks come over the network. More replicas do not make reading or writing faster."
    )
