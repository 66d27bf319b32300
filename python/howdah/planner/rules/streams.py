"""How HDFS is read and written: buffers, the page cache, short-circuit reads, checksums, compression."""

from __future__ import annotations

from collections.abc import Iterable

from howdah.model.plan import Value
from howdah.planner.conditions import in_study, with_mapreduce
from howdah.planner.facts import Facts
from howdah.planner.reading import Observation, Reading
from howdah.planner.rule import Counsel, Decision, Inspection, Rule, SettingRule, Severity
from howdah.planner.values import as_number, fixed, one_of
from howdah.units import KIB


def _drop_behind(facts: Facts) -> Decision:
    if in_study(facts) and not facts.request.hbase_used:
        return Decision(True, "a benchmark streams its data once; the page cache is kept for map output")
    return Decision(
        False,
        "HBase reads what it wrote: its blocks stay in the page cache"
        if facts.request.hbase_used
        else "what one job writes the next one reads, often from the page cache",
    )


def _drop_behind_will_do(value: Value, decision: Decision, facts: Facts) -> bool:
    return value == decision.value or not facts.request.hbase_used


def _streaming(key: str, says: str) -> SettingRule:
    return SettingRule(
        id=f"streams.{key.removeprefix('dfs.datanode.').replace('.', '-')}",
        says=says,
        sources=("D0 56", "howdah"),
        condition="true in the paper profile without HBase",
        key=key,
        file="hdfs-site.xml",
        decide=_drop_behind,
        accepts=_drop_behind_will_do,
        today="The study streams every byte once; one in use does not, so production keeps the default.",
    )


def _compression_counsel(facts: Facts) -> str | None:
    return (
        "Let jobs write block-compressed containers (ORC, Parquet or sequence files with Snappy or "
        "Zstandard): less to write, to replicate and to read. It is the job's choice and cannot be set for "
        "all: text files compressed whole cannot be split."
    )


def _whole_file_counsel(facts: Facts) -> str | None:
    if facts.cluster.worker_hosts < 2:
        return None
    return (
        "Let a map task read one block, not a whole file of many: with 3 replicas up to two thirds of the "
        "other blocks come over the network. More replicas do not make reading or writing faster."
    )


def _reads_short(facts: Facts) -> bool:
    return facts.decided.get("dfs.client.read.shortcircuit") is not False


def _native_counsel(facts: Facts) -> str | None:
    if not facts.decided.get("dfs.domain.socket.path"):
        return None
    return (
        "Run `hadoop checknative` on every worker: short-circuit reads need `hadoop: true`, and a DataNode "
        "that has dfs.domain.socket.path and no native library does not start. Where there is none, plan "
        "with --set dfs.client.read.shortcircuit=false, which leaves the socket out too."
    )


def _short_circuit_socket(reading: Reading, facts: Facts) -> Iterable[Observation]:
    if not reading.truth("dfs.client.read.shortcircuit"):
        return
    path = reading.text("dfs.domain.socket.path")
    yield Observation(
        ok=bool(path),
        about="dfs.domain.socket.path",
        found=path or "not set",
        expected="a path, since dfs.client.read.shortcircuit is true: without one no client of HDFS starts",
        fix="set dfs.domain.socket.path to /var/lib/hadoop-hdfs/dn_socket in hdfs-site.xml",
        where=reading.where("dfs.client.read.shortcircuit"),
    )


def _for_hbase(reading: Reading, facts: Facts) -> Iterable[Observation]:
    key = "dfs.client.read.shortcircuit"
    for entry in reading.config.properties if reading.config else ():
        if entry.name == key and entry.base_name == "hbase-site.xml":
            yield Observation(
                ok=entry.text != "false",
                about=key,
                found=entry.text,
                expected="true: a RegionServer reads this file last, and then reads its own disks through a "
                "DataNode's socket",
                fix=f"remove {key} from {entry.place}: hdfs-site.xml decides it",
                where=entry.place,
            )


RULES: tuple[Rule, ...] = (
    SettingRule(
        id="streams.buffer",
        says="Streams are read and written in buffers of 128 KiB.",
        sources=("D0 56",),
        key="io.file.buffer.size",
        file="core-site.xml",
        decide=fixed(128 * KIB, "a call for every 128 KiB rather than for every 4 KiB of the default"),
        accepts=lambda value, decision, facts: (
            as_number(value) >= 64 * KIB and as_number(value) % (4 * KIB) == 0
        ),
    ),
    _streaming(
        "dfs.datanode.drop.cache.behind.reads",
        "What was read is dropped from the page cache, in a benchmark only.",
    ),
    _streaming(
        "dfs.datanode.drop.cache.behind.writes",
        "What was written is dropped from the page cache, in a benchmark only.",
    ),
    _streaming(
        "dfs.datanode.sync.behind.writes", "What was written goes to the disk at once, in a benchmark only."
    ),
    Inspection(
        id="streams.short-circuit-of-hbase",
        says="HBase's own file does not turn off short-circuit reads.",
        sources=("HDFS-347", "HBase 2.6.4: reference guide"),
        condition="where hbase-site.xml says it",
        inspect=_for_hbase,
    ),
    SettingRule(
        id="streams.short-circuit",
        says="Tasks and RegionServers read blocks on their own disks without the DataNode.",
        sources=("D3 121", "HDFS-347", "Hadoop 3.5.0: short-circuit local reads"),
        key="dfs.client.read.shortcircuit",
        file="hdfs-site.xml",
        decide=fixed(
            True,
            "most blocks are read on the host that has them: the file is opened there, instead of copied "
            "through a socket",
        ),
        accepts=lambda value, decision, facts: value is True or not facts.request.hbase_used,
        today="Needs Hadoop's native library on the DataNode: with a socket path and no library it does not "
        "start.",
    ),
    SettingRule(
        id="streams.domain-socket",
        says="Short-circuit reads have a socket by which the DataNode hands over open files.",
        sources=("D3 121", "Hadoop 3.5.0: hdfs-default.xml"),
        applies=_reads_short,
        condition="unless short-circuit reads are off",
        key="dfs.domain.socket.path",
        file="hdfs-site.xml",
        decide=fixed(
            "/var/lib/hadoop-hdfs/dn_socket",
            "in a directory that only the hdfs user may write, as HDFS checks",
        ),
        accepts=lambda value, decision, facts: bool(value) or not facts.request.hbase_used,
    ),
    Counsel(
        id="streams.native-library",
        says="Every worker has Hadoop's native library: a DataNode with a socket does not start without.",
        sources=("Hadoop 3.5.0: native libraries", "HDFS-347"),
        tell=_native_counsel,
    ),
    Inspection(
        id="streams.short-circuit-socket",
        says="Where short-circuit reads are on, their socket has a path.",
        sources=("D3 121", "Hadoop 3.5.0: hdfs-default.xml"),
        severity=Severity.MUST,
        inspect=_short_circuit_socket,
    ),
    SettingRule(
        id="streams.checksum",
        says="Blocks are checked by CRC32C, which processors compute.",
        sources=("Hadoop 3.5.0: hdfs-default.xml",),
        severity=Severity.MAY,
        key="dfs.checksum.type",
        file="hdfs-site.xml",
        decide=fixed("CRC32C", "processors have an instruction for it"),
        accepts=one_of("CRC32C"),
        written=False,
    ),
    Counsel(
        id="streams.compression",
        says="Jobs write compressed blocks.",
        sources=("D4 131",),
        severity=Severity.MAY,
        applies=with_mapreduce,
        condition="with MapReduce",
        tell=_compression_counsel,
    ),
    Counsel(
        id="streams.whole-files",
        says="A map task reads a block, not a file of many.",
        sources=("D0 62", "D0 63"),
        severity=Severity.MAY,
        applies=with_mapreduce,
        condition="with MapReduce on several hosts",
        tell=_whole_file_counsel,
    ),
)
