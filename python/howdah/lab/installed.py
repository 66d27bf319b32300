"""The installations of Hadoop and HBase that a lab runs."""

from __future__ import annotations

from typing import NamedTuple

from howdah.installation.digests import release_of
from howdah.installation.installation import (
    HBaseInstallation,
    Installation,
    fetched_hbase,
    find_hbase,
    find_installation,
    own_hbase,
)
from howdah.lab.state import Jars, LabState
from howdah.model.plan import Cluster


class Installed(NamedTuple):
    """Hadoop, and HBase if the plan has it."""

    hadoop: Installation
    hbase: HBaseInstallation | None = None

    @property
    def jars(self) -> Jars:
        """Hadoop's installation in the lab's state."""
        return _jars(self.hadoop)

    @property
    def hbase_jars(self) -> Jars | None:
        """HBase's installation in the lab's state."""
        return _jars(self.hbase) if self.hbase else None


def find_installed(cluster: Cluster) -> Installed:
    """Return the installations for a cluster's plan; raise UserError with a hint if one is missing."""
    hadoop = find_installation()
    hbase = find_hbase(cluster.request.hbase) if cluster.request.hbase_used else None
    return _with_native_library(hadoop, hbase)


def installed(state: LabState) -> Installed:
    """Return the installations that a lab runs; raise UserError if one no longer exists."""
    jars = state.jars
    hadoop = find_installation(release=jars.version) if jars.fetched else find_installation(home=jars.home)
    hbase = None
    if state.hbase is not None:
        hbase = (
            fetched_hbase(release_of("hbase", state.hbase.version))
            if state.hbase.fetched
            else own_hbase(state.hbase.home, str(state.hbase.home))
        )
    return _with_native_library(hadoop, hbase)


def _with_native_library(hadoop: Installation, hbase: HBaseInstallation | None) -> Installed:
    """Return the installations; HBase uses Hadoop's libhadoop, if it exists."""
    return Installed(hadoop, hbase._replace(native=hadoop.native) if hbase else None)


def _jars(installation: Installation | HBaseInstallation) -> Jars:
    return Jars(home=installation.home, version=installation.version, fetched=installation.fetched)
