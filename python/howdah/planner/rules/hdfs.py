"""HDFS: blocks, replicas, deleted files, and how files are read and written."""

from __future__ import annotations

from collections.abc import Iterable

from howdah.errors import UserError
from howdah.model.plan import Placement, Value
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation, entry_verdict
from howdah.planner.rule import Decision, inputs_of
from howdah.planner.rules.declare import as_number, read_rules
from howdah.planner.rules.ha.services import own_pairs
from howdah.units import KIB, MIB, format_bytes, format_counted

rules = read_rules("hdfs.toml")

_LARGE_BLOCK = 256 * MIB
_SMALL_BLOCK = 128 * MIB
_BLOCKS_PER_SLOT = 1.5
"""Fewer blocks for each map slot, and the last wave of tasks is a good part of the job (D0 65).

Half a block's time is lost in each slot at the end of the maps. Blocks of 128 MiB halve that loss, and double
the starts of tasks. A task's JVM starts with 2 to 3 s of CPU, and sorts 128 MiB in 5 to 6 s (Java 17,
TeraSort in one JVM), so larger blocks take less time from about one for each slot on."""
_REPLICAS = 3


@rules.decides("hdfs.block-size")
def _block_size(facts: Facts) -> Decision:
    request = facts.request
    if request.hbase_used and not request.mapreduce:
        return Decision(_SMALL_BLOCK, words="hbase")
    dataset = request.dataset_bytes
    if dataset is None:
        return Decision(_LARGE_BLOCK, words="no_dataset")
    slots = max(1, facts.cluster.map_slots)
    blocks, size = dataset / _LARGE_BLOCK / slots, ("dataset", dataset, "B")
    inputs = inputs_of(size, ("map tasks at once", slots), ("blocks of 256 MiB for each", round(blocks, 1)))
    counted = format_counted(slots, "map slot")
    values = {"dataset": format_bytes(dataset), "blocks": blocks, "slots": counted}
    value, words = (_SMALL_BLOCK, "few") if blocks < _BLOCKS_PER_SLOT else (_LARGE_BLOCK, "many")
    return Decision(value, inputs=inputs, values=values, words=words)


rules.accepts("up to one for each host")(
    lambda value, decision, facts: as_number(decision.value) <= as_number(value) <= facts.cluster.worker_hosts
)


@rules.decides("hdfs.replication")
def _replication(facts: Facts) -> Decision:
    hosts = facts.cluster.worker_hosts
    inputs, values = inputs_of(("hosts with workers", hosts)), {"hosts": hosts}
    requested = facts.request.replication
    if requested is not None:
        if requested < 1 or requested > hosts:
            on_hosts = f"on {format_counted(hosts, 'host')} with workers, one on each"
            problem = f"{requested} replicas cannot be kept {on_hosts}"
            raise UserError("--replication", problem, f"give 1 to {hosts}" if hosts > 1 else "give 1")
        words = "requested_one" if requested == 1 else "requested_all" if requested == hosts else "requested"
        return Decision(requested, inputs=inputs, values=values, words=words)
    words = "more" if hosts > _REPLICAS else {1: "one", _REPLICAS: "three"}.get(hosts, "two")
    return Decision(min(_REPLICAS, hosts), inputs=inputs, values=values, words=words)


@rules.when("no more DataNodes than replicas, and three or more")
def _no_other_datanode(facts: Facts) -> bool:
    """Whether a pipeline that loses a DataNode finds no other; by default it asks for one from three on."""
    replicas = facts.decided.get("dfs.replication")
    if not facts.planned or not isinstance(replicas, int):
        return False
    return replicas >= _REPLICAS and facts.cluster.workers <= replicas


@rules.accepts("writes go on")
def _goes_on(value: Value, decision: Decision, facts: Facts) -> bool:
    off = facts.decided.get("dfs.client.block.write.replace-datanode-on-failure.enable") is False
    tries = facts.decided.get("dfs.client.block.write.replace-datanode-on-failure.best-effort") is True
    return str(value).strip().upper() == "NEVER" or off or tries


@rules.decides("hdfs.replace-datanode")
def _replace(facts: Facts) -> Decision:
    workers = facts.cluster.workers
    replicas = format_counted(int(facts.number("dfs.replication")), "replica")
    values = {"workers": workers, "replicas": replicas}
    return Decision("NEVER", inputs=inputs_of(("DataNodes", workers)), values=values)


@rules.inspects("hdfs.single-replica")
def _single_replica(reading: Inspected, facts: Facts) -> Iterable[Observation]:
    value = reading.number("dfs.replication")
    if value is None or not _has_several_datanodes(reading, facts):
        return
    if "hbase-site.xml" in reading.where("dfs.replication"):
        # What only HBase's file says is a rule of its own.
        return
    yield reading.verdict("dfs.replication", value >= 2, found=f"{value:.15g}")


def _has_several_datanodes(reading: Inspected, facts: Facts) -> bool:
    """Whether DataNodes are on several hosts: as files list them, or since NameNodes are on several."""
    if facts.planned:
        return facts.cluster.worker_hosts > 1
    hosts = len(reading.config.datanode_hosts)
    return hosts > 1 or (hosts == 0 and bool(own_pairs(reading)))


@rules.inspects("hdfs.replica-of-hbase")
def _replica_of_hbase(reading: Inspected, facts: Facts) -> Iterable[Observation]:
    for entry in reading.properties:
        if entry.base_name == "hbase-site.xml" and entry.name == "dfs.replication":
            ok = entry.text.strip() != "1" or not _has_several_datanodes(reading, facts)
            yield entry_verdict(entry, ok, about=entry.name, found=f"{entry.text} in {entry.base_name}")


@rules.inspects("hdfs.one-host")
def _one_host(reading: Inspected, facts: Facts) -> Iterable[Observation]:
    if reading.number("dfs.replication") != 1 or _has_several_datanodes(reading, facts):
        return
    # One host has all DataNodes, as far as can be seen.
    hosts = facts.cluster.worker_hosts if facts.planned else len(reading.config.datanode_hosts)
    alone = hosts == 1 or (not facts.planned and hosts == 0 and not reading.has_several_hosts)
    shown = "1, on the only host" if alone else "1, and no file lists the workers"
    yield reading.verdict("dfs.replication", False, found=shown)


rules.accepts("at least an hour or the plan's")(
    lambda value, decision, facts: as_number(value) >= min(60, as_number(decision.value))
)


@rules.when("unless upgrade domains need their own list")
def _include_lists(facts: Facts) -> bool:
    cluster = facts.known_cluster
    return cluster is None or cluster.topology.placement is not Placement.UPGRADE_DOMAINS


rules.accepts("pages of 4 KiB, at least 64 KiB")(
    lambda value, decision, facts: as_number(value) >= 64 * KIB and as_number(value) % (4 * KIB) == 0
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


rules.advises("streams.native-library")(
    lambda facts: {} if facts.decided.get("dfs.domain.socket.path") else None
)


rules.advises("streams.whole-files")(lambda facts: {} if facts.cluster.worker_hosts > 1 else None)
