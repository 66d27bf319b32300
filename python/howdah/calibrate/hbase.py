"""Runs of YCSB as what is known: throughputs and times of operations, and the parameters that make them."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.calibrate.case import SHARES, WITHIN
from howdah.model.calibration import Parameter
from howdah.model.run import RunRecord, WorkloadResult
from howdah.model.workloads.ycsb import THROUGHPUT, Ycsb

_GUESSED = "from microseconds, in a cache, to what a core that is shared and not warm makes of it"
_LABORATORY = "collections of G1, and a lab's limits on CPU time"

HBASE: tuple[Parameter, ...] = (
    Parameter("hbase_client_s", "s", "CPU of a client for one operation", 6e-5, 1.5e-5, 6e-4, 0.0, _GUESSED),
    Parameter("hbase_read_s", "s", "CPU of a RegionServer for one record read",
              1e-4, 2e-5, 1e-3, 0.0, _GUESSED),
    Parameter("hbase_write_s", "s", "CPU of a RegionServer for one record written",
              1e-4, 2e-5, 1e-3, 0.0, _GUESSED),
    Parameter("hbase_byte_s", "s", "CPU of each end for each byte of a request and its answer",
              1e-8, 2e-9, 6e-8, 0.0, "copied and checked a few times: 0.02 to 0.5 GB/s a core"),
    Parameter("hbase_round_trip_s", "s", "from client to RegionServer and back without load",
              3e-4, 1e-4, 2e-3, None,
              "0.1 ms of a network and the waking of two threads; more where processors are taken"),
    Parameter("hbase_sync_s", "s",
              "what a DataNode takes to answer a sync of the log, in addition to its CPU",
              5e-4, 1e-4, 5e-3, None, "a packet of HDFS's there and back"),
    Parameter("hbase_sync_cpu_s", "s", "CPU of a DataNode for one sync of the log",
              5e-5, 1e-5, 5e-4, 0.0, _GUESSED),
    Parameter("hbase_pause_s", "s", "mean time that a RegionServer stands still at once",
              2e-2, 5e-3, 1e-1, None, _LABORATORY),
    Parameter("hbase_pause_share", "", "share of the time that a RegionServer stands still",
              2e-2, 2e-3, 2e-1, 0.0, _LABORATORY),
)  # fmt: skip
"""Fitted to runs that asked an HBase. What they cannot tell stays as expected, with its whole range."""


def asked_hbase(record: RunRecord) -> bool:
    """Whether a run asked a table rather than ran jobs."""
    return any(isinstance(workload, Ycsb) for workload in record.suite.workloads)


def metrics_of(result: WorkloadResult) -> Iterator[tuple[str, float]]:
    """Its throughput, and within what times so many of each of its operations ended."""
    wanted = tuple(f"{100 * share:g}{WITHIN}" for share in SHARES)
    for metric in result.metrics:
        if metric.name == THROUGHPUT or (metric.unit == "s" and metric.name.endswith(wanted)):
            yield f"{result.workload.kind}/{metric.name}", metric.value
