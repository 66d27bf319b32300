"""What a plan's settings come to for the file system, the scheduler and the tasks of a job."""

from __future__ import annotations

import math
from collections.abc import Callable
from pkgutil import resolve_name
from typing import Any, Literal, NamedTuple

from howdah.errors import UserError
from howdah.model.placement import AtOnce, Container, Room, counts_vcores, granted_bytes
from howdah.model.plan import Cluster, ClusterPlan, Worker, value_text
from howdah.model.request import Hadoop1, Profile, Protection
from howdah.model.storage_policy import POLICIES, ErasurePolicy
from howdah.model.workloads.base import Workload
from howdah.model.workloads.dfsio import DfsioWrite
from howdah.model.workloads.option import BLOCK_SIZE, ERASURE_CODING
from howdah.model.workloads.suite import Suite
from howdah.model.workloads.terasort import CODEC, PARTITION_SAMPLES, SLOWSTART, Codec
from howdah.releases import catalogue
from howdah.releases.values import heap_bytes, read_bool, read_float, read_size, starts_quickly
from howdah.simulation.scenario import Coding, JobSettings, Masters, Scheduling, SimulatedHdfs
from howdah.units import MIB

_CODECS = {"SnappyCodec": Codec.SNAPPY, "Lz4Codec": Codec.LZ4, "ZStandardCodec": Codec.ZSTD}
_RATIOS = {Codec.NONE: 1.0, Codec.LZ4: 1.8, Codec.SNAPPY: 2.27, Codec.ZSTD: 3.18}
"""What each codec makes of TeraGen's rows, as measured on sorted runs of the local engine."""
_STUDY_RATIOS = _RATIOS | {Codec.SNAPPY: 4.9}  # Hadoop 1's rows had a filler, which shrinks far more (D0 51).
_SAMPLES = "mapreduce.terasort.partitions.sample"
_STUDY_LOCALITY_S = 0.1  # mapred.fairscheduler.locality.delay of the studies, 100 ms (D0 54).
_AT_ONCE_S = 1.0
"""The heartbeat that stands today for reports of a task's end at once (D0 54).

With a longer one TaskTrackers report at their intervals alone, as those of the other studies did."""
_BEATS_PER_S = 100  # Heartbeats that a JobTracker requests in all (mapred.heartbeats.in.second).

_HOMES = ("/user", "")  # Directories above the home directories of users, the nearest first.

_BEAT = "yarn.scheduler.capacity.per-node-heartbeat"
"""What a node is given at one of its heartbeats: the first container whatever the limits are."""
_ROUNDS = "yarn.scheduler.capacity.schedule-asynchronously"


class PlannedSettings:
    """The settings that hold for one kind of worker, the first if none is named."""

    def __init__(self, plan: ClusterPlan, kind: Worker | None = None) -> None:
        # Settings of jobs and of the file system are the cluster's: the kinds of workers agree on them.
        kind = kind or plan.workers[0]
        self._versions = plan.cluster.request.hadoop, plan.cluster.request.hbase
        self._values = {
            setting.key: value_text(setting.value)
            for setting in plan.settings
            if setting.worker in (None, kind.name) and setting.group in (None, kind.group)
        }

    def text(self, key: str) -> str:
        """A property as Hadoop reads it; empty where neither the plan nor its release gives one."""
        planned = self._values.get(key)
        if planned is not None:
            return planned.strip()
        hadoop, hbase = self._versions
        default = catalogue.default_of(key, catalogue.hadoop(hadoop))
        return default or catalogue.default_of(key, catalogue.hbase(hbase)) or ""

    def number(self, key: str) -> float:
        """A property that is a number; raises UserError where it is none."""
        text = self.text(key)
        if (number := read_float(text)) is None:
            raise _wrong(key, text, "a number")
        return number

    def number_or(self, key: str, otherwise: float) -> float:
        """A property that is a number, or what holds where neither the plan nor the release gives one."""
        return self.number(key) if self.text(key) else otherwise

    def size(self, key: str) -> int:
        """A property that is a size in bytes, with a prefix or without; raises UserError where it is none."""
        text = self.text(key)
        size = read_size(text)
        if size is None or size < 0:
            raise _wrong(key, text, "a size such as 134217728 or 128m")
        return size

    def flag(self, key: str) -> bool:
        """A property that is true or false."""
        return read_bool(self.text(key)) is True

    def heap(self, kind: str) -> int:
        """The heap of a ``map`` or ``reduce`` task: what its options say, else a share of its container."""
        explicit = heap_bytes(self.text(f"mapreduce.{kind}.java.opts"))
        if explicit is not None:
            return explicit
        return int(self.container(kind) * self.number("mapreduce.job.heap.memory-mb.ratio"))

    def container(self, kind: str) -> int:
        """Memory of a ``map`` or ``reduce`` task's container, bytes."""
        mebibytes = self.number(f"mapreduce.{kind}.memory.mb")
        # -1 is Hadoop's own default for "1024, or what the heap needs".
        return int(mebibytes if mebibytes > 0 else 1024) << 20


def _wrong(key: str, text: str, expected: str) -> UserError:
    return UserError(f"plan: {key}", f"{text!r} is not {expected}", "correct it in the plan, or plan again")


_USUAL_SAMPLES, _STUDY_SAMPLES = 100_000, 2_000_000
"""Keys that TeraSort samples for its partitions: its own default, and what the study took (D0 53)."""


def scheduling_kind(cluster: Cluster) -> Literal["slots", "containers"]:
    """The studies ran Hadoop 1, whose slots the paper profile keeps; all others have YARN's containers."""
    return "slots" if cluster.request.profile is Profile.PAPER else "containers"


def tasks_at_once(plan: ClusterPlan, kind: Worker) -> AtOnce:
    """Planned slots, or YARN's containers without masters; raises UserError where no tasks run."""
    at_once = _tasks_at_once(plan, kind)
    if not at_once.maps or not at_once.reduces:
        problem = "runs no map or no reduce tasks: the plan is not for MapReduce"
        raise UserError(f"plan: worker {kind.name}", problem, "plan with --workload terasuite")
    return at_once


def _tasks_at_once(plan: ClusterPlan, kind: Worker) -> AtOnce:
    if scheduling_kind(plan.cluster) == "slots" or not kind.map_slots or not kind.reduce_slots:
        return AtOnce(kind.map_slots, kind.reduce_slots)
    planned = PlannedSettings(plan, kind)
    vcores = int(planned.number("yarn.nodemanager.resource.cpu-vcores"))
    by_vcores = counts_vcores(planned.text("yarn.scheduler.capacity.resource-calculator"))
    room = Room(
        int(planned.number("yarn.nodemanager.resource.memory-mb")) * MIB, vcores if by_vcores else None
    )
    least = int(planned.number("yarn.scheduler.minimum-allocation-mb")) * MIB

    def fit(task: str) -> int:
        return room.holds(Container(granted_bytes(planned.container(task), least)))

    return AtOnce(fit("map"), fit("reduce"))


def translator(workload: Workload, hint: str) -> Callable[..., Any]:
    """What turns a workload into the simulator's program; raises UserError for one that is not simulated."""
    simulate = workload.programs.get("sim")
    if simulate is None:
        raise UserError("SUITE", f"{workload.kind} is not simulated", hint)
    resolved: Callable[..., Any] = resolve_name(simulate)
    return resolved


def hdfs_of(planned: PlannedSettings, cluster: Cluster, suite: Suite) -> SimulatedHdfs:
    """The file system as planned, with the block size and the replicas that a run requests itself."""
    writes = (workload for workload in suite.workloads if isinstance(workload, DfsioWrite))
    requested = next((workload.replication for workload in writes), None)
    replication = int(planned.number("dfs.replication")) if requested is None else requested
    return SimulatedHdfs(
        replication=replication,
        block_bytes=block_bytes_of(planned, suite),
        placement=cluster.topology.placement,
        coding=coding_of(policy_of(cluster, suite)),
        readahead_bytes=planned.size("dfs.datanode.readahead.bytes"),
        drop_behind_writes=planned.flag("dfs.datanode.drop.cache.behind.writes"),
        sync_behind_writes=planned.flag("dfs.datanode.sync.behind.writes"),
    )


def policy_of(cluster: Cluster, suite: Suite) -> ErasurePolicy | None:
    """The erasure coding policy of the suite's files; None if they have replicas.

    It is the one that the run requests, or that of the plan's directory above users' home directories, where
    a run's files are.
    """
    name = suite.first(ERASURE_CODING)
    if name is None:
        policies = {directory.path.rstrip("/"): directory.policy for directory in cluster.request.coded}
        name = next((policies[path] for path in _HOMES if path in policies), None)
    return None if name is None else POLICIES[name]


def coding_of(policy: ErasurePolicy | None) -> Coding | None:
    """A policy as the simulator reads it, with the speed of Hadoop's Java coder on the reference core."""
    if policy is None:
        return None
    return Coding(
        data=policy.data,
        parity=policy.parity,
        cell_bytes=policy.cell_bytes,
        encode_s_per_byte=1 / policy.java.encoded_bytes_per_s,
    )


def block_bytes_of(planned: PlannedSettings, suite: Suite) -> int:
    """The size of a block, bytes: as a run requests it, otherwise as planned."""
    requested = [size for workload in suite.workloads if (size := BLOCK_SIZE.of(workload)) is not None]
    return max(requested, default=planned.size("dfs.blocksize"))


def scheduling_of(planned: PlannedSettings, cluster: Cluster, suite: Suite, workers: int) -> Scheduling:
    """The scheduler: the studies' slots, or YARN's containers."""
    slowstart = suite.first(SLOWSTART)
    if slowstart is None:
        slowstart = planned.number("mapreduce.job.reduce.slowstart.completedmaps")
    heartbeat_s = planned.number("yarn.resourcemanager.nodemanagers.heartbeat-interval-ms") / 1000
    scheduling = Scheduling(
        kind=scheduling_kind(cluster),
        slowstart=slowstart,
        heartbeat_s=heartbeat_s,
        # A NodeManager reports the end of a container at once (sendOutofBandHeartBeat).
        out_of_band=True,
        locality_delay_s=0.0,
        speculative=planned.flag("mapreduce.map.speculative"),
        jvm_reuse=False,
    )
    if scheduling.kind == "slots":
        hadoop1 = cluster.request.hadoop1 or _usual_hadoop1(heartbeat_s, workers)
        fields = ("heartbeat_s", "out_of_band", "locality_delay_s", "jvm_reuse", "job_queue")
        return scheduling.model_copy(update={field: getattr(hadoop1, field) for field in fields})
    if planned.text("yarn.resourcemanager.scheduler.class").endswith("FairScheduler"):
        several = planned.flag("yarn.scheduler.fair.assignmultiple")
        return scheduling.model_copy(update={"containers_per_beat": None if several else 1})
    # The time between two rounds; without them, heartbeats give containers out.
    round_s = None
    if planned.flag(f"{_ROUNDS}.enable"):
        round_s = max(1.0, planned.number(f"{_ROUNDS}.scheduling-interval-ms")) / 1000
    # Each offer of a worker without the block is let pass, and no more of them than there are workers.
    passed = min(max(0.0, planned.number("yarn.scheduler.capacity.node-locality-delay")), workers)
    return scheduling.model_copy(
        update={
            "round_s": round_s,
            "containers_per_beat": _containers_per_beat(planned),
            "off_switch_per_beat": max(1, int(planned.number(f"{_BEAT}.maximum-offswitch-assignments"))),
            "locality_delay_s": passed * (round_s or heartbeat_s) / workers,
        }
    )


def _usual_hadoop1(heartbeat_s: float, workers: int) -> Hadoop1:
    """Hadoop 1 as a plan of the paper profile has it, whose study is not named."""
    at_once = heartbeat_s <= _AT_ONCE_S
    return Hadoop1(
        heartbeat_s=max(heartbeat_s, math.ceil(workers / _BEATS_PER_S)),
        out_of_band=at_once,
        locality_delay_s=_STUDY_LOCALITY_S if at_once else 0.0,
    )


def _containers_per_beat(planned: PlannedSettings) -> int | None:
    """Containers that a heartbeat brings at most; None where -1 says that nothing limits them."""
    if not planned.flag(f"{_BEAT}.multiple-assignments-enabled"):
        return 1
    most = int(planned.number(f"{_BEAT}.maximum-container-assignments"))
    return None if most == -1 else max(1, most)


class QuickCompilers(NamedTuple):
    """Which JVMs of a job have only the quick compiler."""

    tasks: bool
    master: bool


def quick_compilers(planned: PlannedSettings) -> QuickCompilers:
    """Which JVMs have only the quick compiler; those of reduces count as those of maps."""
    tasks, master = "mapreduce.map.java.opts", "yarn.app.mapreduce.am.command-opts"
    return QuickCompilers(starts_quickly(planned.text(tasks)), starts_quickly(planned.text(master)))


def job_of(planned: PlannedSettings, cluster: Cluster, suite: Suite) -> JobSettings:
    """A job's settings; compression that a run requests goes before what is planned."""
    requested = suite.first(CODEC)
    codec = _codec(planned) if requested is None else requested
    study = scheduling_kind(cluster) == "slots"
    hadoop1 = cluster.request.hadoop1
    ratios = _STUDY_RATIOS if study else _RATIOS
    samples = suite.first(PARTITION_SAMPLES)
    if samples is None:
        samples = int(planned.number_or(_SAMPLES, _STUDY_SAMPLES if study else _USUAL_SAMPLES))
    input_buffer = planned.number("mapreduce.reduce.shuffle.input.buffer.percent")
    # Of the heap in Hadoop 1, and since then of the memory for map output (MergeManagerImpl).
    kept_of = 1.0 if study else input_buffer
    return JobSettings(
        io_sort_bytes=int(planned.number("mapreduce.task.io.sort.mb")) * MIB,
        io_sort_spill=planned.number("mapreduce.map.sort.spill.percent"),
        io_sort_records=hadoop1.sort_records if hadoop1 else None,
        io_sort_factor=int(planned.number("mapreduce.task.io.sort.factor")),
        parallel_copies=int(planned.number("mapreduce.reduce.shuffle.parallelcopies")),
        map_heap_bytes=planned.heap("map"),
        reduce_heap_bytes=planned.heap("reduce"),
        shuffle_input_buffer=input_buffer,
        shuffle_merge=planned.number("mapreduce.reduce.shuffle.merge.percent"),
        merge_outputs=hadoop1.merge_outputs if hadoop1 else None,
        reduce_input_buffer=planned.number("mapreduce.reduce.input.buffer.percent") * kept_of,
        codec=codec,
        compression_ratio=ratios[codec],
        partition_samples=samples,
    )


def masters_of(cluster: Cluster) -> Masters:
    """The masters, on the slowest of their cores; a standby takes no part in the work, a shadow does."""
    hadoop1 = cluster.request.hadoop1
    lockstep = cluster.request.protection is Protection.FT
    if hadoop1 is not None and hadoop1.lockstep is not None:
        lockstep = hadoop1.lockstep
    hosts = {master.host for master in cluster.masters}
    speeds = [group.cpu.speed or 1.0 for group in cluster.inventory.groups if hosts & set(group.names)]
    return Masters(speed=min(speeds, default=1.0), protection="ft" if lockstep else "none")


def _codec(planned: PlannedSettings) -> Codec:
    if not planned.flag("mapreduce.map.output.compress"):
        return Codec.NONE
    name = planned.text("mapreduce.map.output.compress.codec")
    codec = _CODECS.get(name.rpartition(".")[2])
    if codec is None:
        hint = f"plan with one of {', '.join(_CODECS)}"
        raise UserError("plan: mapreduce.map.output.compress.codec", f"{name} is not simulated", hint)
    return codec
