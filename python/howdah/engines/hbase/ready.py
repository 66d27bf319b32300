"""Whether an HBase can take a run: looked at before anything is made on it."""

from __future__ import annotations

from howdah.engines.hbase.admin import HBaseAdmin
from howdah.errors import RunFailed, UserError
from howdah.model.hbase import HBaseStatus

_NO_SESSION = ("ConnectionLoss", "NoNode", "SessionExpired", "UnknownHost", "baseZNode")


def check_status(admin: HBaseAdmin) -> HBaseStatus:
    """How the cluster is; raises UserError where it does not answer, or has nobody to serve a table."""
    try:
        status = admin.status()
    except RunFailed as error:
        raise _unanswered(str(error)) from error
    if not status.servers:
        raise UserError("HBase", "has no RegionServer that is live", "start one, and look into its log")
    if status.in_transition:
        raise UserError(
            "HBase",
            f"{status.in_transition:,} of its regions are served by nobody at the moment",
            "wait until all are assigned; where that does not end, HBCK2 tells and mends it",
        )
    return status


def _unanswered(said: str) -> UserError:
    if any(word in said for word in _NO_SESSION):
        return UserError(
            "hbase.zookeeper.quorum",
            f"no ZooKeeper that knows of an HBase answers there ({said})",
            "start ZooKeeper and the HMaster, or correct hbase-site.xml",
        )
    return UserError("HBase", f"does not answer: {said}", "start its HMaster, and look into its log")
