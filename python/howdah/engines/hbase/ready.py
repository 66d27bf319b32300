"""Whether an HBase can take a run: looked at before anything is made on it."""

from __future__ import annotations

import time

from howdah.engines.hbase.admin import HBaseAdmin
from howdah.errors import RunFailed, UserError
from howdah.model.hbase import HBaseStatus

MOVED_S = 30.0
"""How long a region may be on its way: one whose log is replayed takes seconds."""
_POLL_S = 0.5
_NO_SESSION = ("ConnectionLoss", "NoNode", "SessionExpired", "UnknownHost", "baseZNode")


def check_status(admin: HBaseAdmin) -> HBaseStatus:
    """How the cluster is; raises UserError where it does not answer, or has nobody to serve a table.

    Regions that are being moved are waited for: the balancer moves some at any time.
    """
    status, end = _status(admin), time.monotonic() + MOVED_S
    while status.servers and status.in_transition and time.monotonic() < end:
        time.sleep(_POLL_S)
        status = _status(admin)
    if not status.servers:
        raise UserError("HBase", "has no RegionServer that is live", "start one, and look into its log")
    if status.in_transition:
        raise UserError(
            "HBase",
            f"{status.in_transition:,} of its regions are served by nobody, for {MOVED_S:g} s and more",
            "wait until all are assigned; where that does not end, HBCK2 tells and mends it",
        )
    return status


def _status(admin: HBaseAdmin) -> HBaseStatus:
    try:
        return admin.status()
    except RunFailed as error:
        raise _unanswered(str(error)) from error


def _unanswered(said: str) -> UserError:
    if any(word in said for word in _NO_SESSION):
        return UserError(
            "hbase.zookeeper.quorum",
            f"no ZooKeeper that knows of an HBase answers there ({said})",
            "start ZooKeeper and the HMaster, or correct hbase-site.xml",
        )
    return UserError("HBase", f"does not answer: {said}", "start its HMaster, and look into its log")
