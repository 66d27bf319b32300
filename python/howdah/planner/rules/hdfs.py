"""HDFS: blocks, replicas, deleted files, and how files are read and written."""

from __future__ import annotations

from collections.abc import Iterable

from howdah.errors import UserError
from howdah.model.plan import Input, Placement, Value
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation, entry_verdict, named_hosts
from howdah.planner.rule import Decision, Values, in_study
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
_DOMAINS_FOR_THREE = 4
_REPLICAS = 3


@rules.decides("hdfs.block-size")
def _block_size(facts: Facts) -> Decision:
    request = facts.request
    if request.hbase_used and not request.mapreduce:
        return Decision(
            _SMALL_BLOCK,
            "the release's default: HBase writes files of many HDFS blocks and reads its own smaller "
            "blocks from them",
        )
    dataset = request.dataset_bytes
    if dataset is None:
        return Decision(
            _LARGE_BLOCK,
            "fewer and longer tasks, and half the blocks in the NameNode's memory; no dataset was named",
        )
    slots = max(1, facts.cluster.map_slots)
    per_slot = dataset / _LARGE_BLOCK / slots
    inputs = (
        Input(name="dataset", value=dataset, unit="B"),
        Input(name="map tasks at once", value=slots),
        Input(name="blocks of 256 MiB for each", value=round(per_slot, 1)),
    )
    if per_slot < _BLOCKS_PER_SLOT:
        return Decision(
            _SMALL_BLOCK,
            f"{format_bytes(dataset)} in blocks of 256 MiB is {per_slot:.1f} for each of "
            f"{format_counted(slots, 'map slot')}, fewer than {_BLOCKS_PER_SLOT}: the last wave of tasks "
            "would leave slots idle",
            inputs,
        )
    return Decision(
        _LARGE_BLOCK,
        f"fewer and longer tasks: {format_bytes(dataset)} is still {per_slot:.0f} blocks for each of "
        f"{format_counted(slots, 'map slot')}",
        inputs,
    )


rules.accepts("up to one for each host")(
    lambda value, decision, facts: as_number(decision.value) <= as_number(value) <= facts.cluster.worker_hosts
)


@rules.decides("hdfs.replication")
def _replication(facts: Facts) -> Decision:
    hosts = facts.cluster.worker_hosts
    inputs = (Input(name="hosts with workers", value=hosts),)
    requested = facts.request.replication
    if requested is not None:
        if requested < 1 or requested > hosts:
            raise UserError(
                "--replication",
                f"{requested} replicas cannot be kept on {format_counted(hosts, 'host')} with workers, one "
                "on each",
                f"give 1 to {hosts}" if hosts > 1 else "give 1",
            )
        return Decision(requested, _asked_because(requested, hosts), inputs)
    if hosts >= _DOMAINS_FOR_THREE:
        return Decision(
            _REPLICAS,
            f"{hosts} hosts carry workers: a lost host leaves two replicas, and room to copy the third",
            inputs,
        )
    value = min(_REPLICAS, hosts)
    if value == _REPLICAS:
        because = (
            "3 hosts carry workers: one replica on each; while one is lost no other host "
            "can take its replicas"
        )
    elif value == 1:
        because = "only 1 host with workers: keep only data on it that can be reproduced"
    else:
        because = f"only {format_counted(hosts, 'host')} with workers: more replicas would share a host"
    return Decision(value, because, inputs)


def _asked_because(requested: int, hosts: int) -> str:
    if requested == 1:
        return "requested; one lost disk loses data for good: only for data that can be reproduced"
    if requested == hosts:
        return f"requested; each of {hosts} hosts holds a replica, so no other can take a lost one"
    return f"requested; {hosts} hosts carry workers"


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
    return Decision(
        "NEVER",
        f"{workers} DataNodes keep {format_counted(int(facts.number('dfs.replication')), 'replica')}: no "
        "other can replace a lost one, and by default every open write then fails, HBase's log "
        "included; the NameNode copies the replica once the DataNode is back",
        (Input(name="DataNodes", value=workers),),
    )


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
            yield entry_verdict(
                entry,
                entry.text.strip() != "1" or not _has_several_datanodes(reading, facts),
                about="dfs.replication",
                found=f"{entry.text} in {entry.base_name}",
            )


def _is_alone(reading: Inspected, facts: Facts) -> bool:
    """Whether one host has all DataNodes, as far as can be seen."""
    if facts.planned:
        return facts.cluster.worker_hosts == 1
    if not reading.has_config:
        return False
    hosts = len(reading.config.datanode_hosts)
    return hosts == 1 or (hosts == 0 and len(named_hosts(reading)) < 2)


@rules.inspects("hdfs.one-host")
def _one_host(reading: Inspected, facts: Facts) -> Iterable[Observation]:
    if reading.number("dfs.replication") != 1 or _has_several_datanodes(reading, facts):
        return
    yield reading.verdict(
        "dfs.replication",
        False,
        found="1, on the only host" if _is_alone(reading, facts) else "1, and no file lists the workers",
    )


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
            yield entry_verdict(entry, entry.text != "false", about=key)


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
def _native_counsel(facts: Facts) -> Values | None:
    if not facts.decided.get("dfs.domain.socket.path"):
        return None
    return {}


@rules.inspects("streams.short-circuit-socket")
def _short_circuit_socket(reading: Inspected, facts: Facts) -> Iterable[Observation]:
    if not reading.truth("dfs.client.read.shortcircuit"):
        return
    path = reading.text("dfs.domain.socket.path")
    yield reading.verdict(
        "dfs.domain.socket.path", bool(path), elsewhere=reading.where("dfs.client.read.shortcircuit")
    )


@rules.advises("streams.whole-files")
def _whole_file_counsel(facts: Facts) -> Values | None:
    if facts.cluster.worker_hosts < 2:
        return None
    return {}
