"""Which setting of a client makes it wait longer than its cluster gave no answer.

HBase's client pauses between two attempts, and longer each time (``HConstants.RETRY_BACKOFF``); HDFS's
client pauses between two NameNodes. A daemon that is dead refuses at once; from a silent one both await an
answer first.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from howdah.analysis.settings import setting_s
from howdah.analysis.wording import seconds
from howdah.model.faults import Action, FaultReport, RecoveryStep
from howdah.model.run import RunRecord

_BACKOFF = (1, 2, 3, 5, 10, 20, 40, 100, 100, 100, 100, 200, 200)
_SILENT = frozenset(
    {Action.PAUSE, Action.LOSE, Action.CUT_LINK, Action.CUT_LINK_IN, Action.CUT_LINK_OUT, Action.SLOW_LINK}
)
"""What leaves a daemon that does not even refuse a connection."""


def _action(fault: FaultReport) -> Action:
    return Action(fault.fault.split()[0])


def hbase_retry(record: RunRecord, fault: FaultReport, stall_s: float) -> str:
    """What HBase's client waits for when a stall of so many seconds is over."""
    if _action(fault) in _SILENT:
        return _named(record, "it awaits an answer of a silent RegionServer for", "hbase.rpc.timeout")
    pause_s = setting_s(record, "hbase.client.pause")
    ends = accumulate(pause_s * factor for factor in _BACKOFF)
    factor = next((each for each, end in zip(_BACKOFF, ends, strict=True) if end > stall_s), _BACKOFF[-1])
    return (
        f"after so long it pauses {seconds(factor * pause_s)} between two attempts "
        f"({factor} × hbase.client.pause, {seconds(pause_s)})"
    )


def hdfs_retry(record: RunRecord, fault: FaultReport, steps: Sequence[RecoveryStep]) -> str | None:
    """What HDFS's client waits for; None where no NameNode was hit, nor anything that does not answer."""
    silent = _action(fault) in _SILENT
    if not any("namenode" in hit for hit in fault.hit) and not any("NameNode" in step.name for step in steps):
        key = "dfs.client.socket-timeout"
        return _named(record, "it awaits an answer of a silent DataNode for", key) if silent else None
    if silent:
        return _named(record, "it awaits an answer of a silent NameNode for", "ipc.client.rpc-timeout.ms")
    key = "dfs.client.failover.sleep.max.millis"
    return _named(record, "between two attempts to fail over it pauses up to", key)


def _named(record: RunRecord, what: str, key: str) -> str:
    return f"{what} {seconds(setting_s(record, key))} ({key})"
