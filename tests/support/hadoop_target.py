"""A real cluster as the engine of Hadoop is told of it."""

from __future__ import annotations

import getpass

from howdah.engines.hadoop.target import HadoopTarget
from howdah.installation.digests import release_of
from howdah.installation.installation import installed
from howdah.services.conf import ClientConf
from howdah.services.web import Web
from howdah.telemetry.source import this_machine
from support.daemons import LIB
from support.hadoop_cluster import HadoopCluster


def hadoop_target(cluster: HadoopCluster, work_dir: str) -> HadoopTarget:
    """The cluster with clients from the same jars, and what this machine samples of itself."""
    return HadoopTarget(
        installation=installed(LIB.parent, release_of("hadoop", "3.5.0")),
        conf_dir=cluster.conf,
        conf=ClientConf.read(cluster.conf),
        web=Web(user=getpass.getuser()),
        work_dir=work_dir,
        queue="default",
        machine_of={"localhost": "localhost"},
        sources=this_machine("localhost"),
    )
