"""Whether an HBase can take a run: looked at before anything is made on it."""

from __future__ import annotations

import logging
import time

from howdah.engines.hbase.admin import HBaseAdmin
from howdah.errors import RunFailed, UserError
from howdah.model.hbase import HBaseStatus

MOVED_S = 30.0
"""How long a region may be on its way: one whose log is replayed takes seconds."""
BALANCED_S = 60.0
"""How long a laboratory's regions may take until they are spread."""
LEAST_EACH = 2.0
"""Of fewer regions for each server nobody expects that they are spread."""
_POLL_S = 0.5
_LOG = logging.getLogger(__name__)
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
        raise UserError("HBase", "has no live RegionServer", "start one, and see its log")
    if status.in_transition:
        raise UserError(
            "HBase",
            f"{status.in_transition:,} of its regions have had no server for {MOVED_S:g} s or more",
            "wait until all regions are assigned; if that takes too long, diagnose and fix it with HBCK2",
        )
    return status


def balanced(admin: HBaseAdmin, status: HBaseStatus, *, may_move: bool) -> tuple[HBaseStatus, str | None]:
    """The cluster once its regions are spread over its servers, and what it has instead, in words.

    ``may_move`` has HBase's balancer called, which moves regions of all tables: on a laboratory. Elsewhere
    nothing is waited for.
    """
    end = time.monotonic() + BALANCED_S
    while may_move and is_uneven(status) and time.monotonic() < end:
        try:
            admin.balance()
        except RunFailed as error:
            _LOG.info("%s", error)
        time.sleep(_POLL_S)
        status = check_status(admin)
    if not is_uneven(status):
        return status, None
    each = ", ".join(f"{server.regions} on {server.host}" for server in status.servers)
    waited = f", {BALANCED_S:g} s after its balancer was first called" if may_move else ""
    return status, f"regions were unevenly spread over RegionServers when the run began{waited}: {each}"


def is_uneven(status: HBaseStatus) -> bool:
    """Whether a server has less than half of its part of the regions, where there are some for each."""
    mean = sum(server.regions for server in status.servers) / len(status.servers)
    return mean >= LEAST_EACH and min(server.regions for server in status.servers) < mean / 2


def _status(admin: HBaseAdmin) -> HBaseStatus:
    try:
        return admin.status()
    except RunFailed as error:
        raise _unanswered(str(error)) from error


def _unanswered(said: str) -> UserError:
    if any(word in said for word in _NO_SESSION):
        return UserError(
            "hbase.zookeeper.quorum",
            f"no ZooKeeper with an HBase registered answers there ({said})",
            "start ZooKeeper and the HMaster, or correct hbase-site.xml",
        )
    return UserError("HBase", f"does not answer: {said}", "start its HMaster, and see its log")
