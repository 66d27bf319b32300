"""How HDFS is read and written: buffers, the page cache, short-circuit reads, checksums, compression."""

from __future__ import annotations

from collections.abc import Iterable

from howdah.planner.conditions import in_study
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation, entry_verdict
from howdah.planner.rule import Decision
from howdah.planner.rules.declare import as_number, read_rules
from howdah.units import KIB

rules = read_rules("streams.toml")


rules.accepts("pages of 4 KiB, at least 64 KiB")(
    lambda value, decision, facts: as_number(value) >= 64 * KIB and as_number(value) % (4 * KIB) == 0
)


@rules.decides(
    "streams.drop-cache-behind-reads", "streams.drop-cache-behind-writes", "streams.sync-behind-writes"
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


@rules.inspects("streams.short-circuit-of-hbase")
def _for_hbase(reading: Inspected, facts: Facts) -> Iterable[Observation]:
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


rules.accepts("the same, if HBase runs")(
    lambda value, decision, facts: value == decision.value or not facts.request.hbase_used
)


rules.when("unless short-circuit reads are off")(
    lambda facts: facts.decided.get("dfs.client.read.shortcircuit") is not False
)
rules.accepts("set, if HBase runs")(
    lambda value, decision, facts: bool(value) or not facts.request.hbase_used
)


@rules.advises("streams.native-library")
def _native_counsel(facts: Facts) -> str | None:
    if not facts.decided.get("dfs.domain.socket.path"):
        return None
    return (
        "Run `hadoop checknative` on every worker: short-circuit reads need `hadoop: true`, and a DataNode "
        "with dfs.domain.socket.path but without the native library does not start. If the library is "
        "missing, plan with --set dfs.client.read.shortcircuit=false, which omits the socket, too."
    )


@rules.inspects("streams.short-circuit-socket")
def _short_circuit_socket(reading: Inspected, facts: Facts) -> Iterable[Observation]:
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


@rules.advises("streams.whole-files")
def _whole_file_counsel(facts: Facts) -> str | None:
    if facts.cluster.worker_hosts < 2:
        return None
    return (
        "Let a map task read one block, not a whole file of many: with 3 replicas up to two thirds of the "
        "other blocks come over the network. More replicas do not make reading or writing faster."
    )
