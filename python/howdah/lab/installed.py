"""The installations that a laboratory runs, found again by every command."""

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
    """Hadoop, and HBase where the plan has it."""

    hadoop: Installation
    hbase: HBaseInstallation | None = None

    @property
    def jars(self) -> Jars:
        """What is written down of Hadoop."""
        return _jars(self.hadoop)

    @property
    def hbase_jars(self) -> Jars | None:
        """What is written down of HBase."""
        return _jars(self.hbase) if self.hbase else None


def find_installed(cluster: Cluster) -> Installed:
    """What is to run a cluster's plan; raises UserError, with the fix, for what is not on this machine."""
    hadoop = find_installation()
    hbase = find_hbase(cluster.request.hbase) if cluster.request.hbase_used else None
    return _beside(hadoop, hbase)


def installed(state: LabState) -> Installed:
    """What a laboratory runs; raises UserError if it is there no more."""
    jars = state.jars
    hadoop = find_installation(release=jars.version) if jars.fetched else find_installation(home=jars.home)
    hbase = None
    if state.hbase is not None:
        hbase = (
            fetched_hbase(release_of("hbase", state.hbase.version))
            if state.hbase.fetched
            else own_hbase(state.hbase.home, str(state.hbase.home))
        )
    return _beside(hadoop, hbase)


def _beside(hadoop: Installation, hbase: HBaseInstallation | None) -> Installed:
    """HBase reads HDFS with the libhadoop that Hadoop has, if it has one."""
    return Installed(hadoop, hbase._replace(native=hadoop.native) if hbase else None)


def _jars(installation: Installation | HBaseInstallation) -> Jars:
    return Jars(home=installation.home, version=installation.version, fetched=installation.fetched)
