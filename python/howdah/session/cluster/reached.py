"""A cluster that can be asked: everything about it that does not depend on what it is to run."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from howdah.installation import Installation
from howdah.lab.state import LabState
from howdah.model.at_once import LEAST_MB, MASTER_MB
from howdah.model.cluster import Laboratory
from howdah.model.plan import Plan
from howdah.services.conf import ClientConf
from howdah.services.web import Web
from howdah.session.lab.members import LabMembers
from howdah.telemetry.source import Source

_PATIENCE_S = 3.0
_TASK_KEYS = (
    "dfs.replication",
    "dfs.blocksize",
    "mapreduce.map.memory.mb",
    "mapreduce.reduce.memory.mb",
    MASTER_MB,
    LEAST_MB,
    "mapreduce.task.io.sort.mb",
    "mapreduce.map.output.compress",
    "mapreduce.job.reduce.slowstart.completedmaps",
)


@dataclass(frozen=True)
class Reached:
    """A laboratory or a user's cluster, and how it is reached."""

    installation: Installation
    """The jars that clients run from."""
    conf: ClientConf
    """The client's configuration."""
    web: Web
    """How its daemons are asked."""
    plan: Plan
    """What it is, planned or as found."""
    line: str
    """What it is, for the terminal."""
    machine_of: Mapping[str, str]
    """The plan's worker by what Hadoop calls its node."""
    telemetry: Web
    """How they are asked for samples."""
    sources: tuple[Source, ...]
    """What is sampled while a job runs."""
    state: LabState | None = None
    """The laboratory that it is."""
    follow: LabMembers | None = None
    """What notices machines that come and go, of a laboratory."""
    client_prefix: tuple[str, ...] = ()
    """The beginning of a client's command line."""
    lab: Laboratory | None = None
    """What it was built of, where it is a laboratory."""

    def close(self) -> None:
        """Close every connection to it."""
        self.web.close()
        self.telemetry.close()


def open_web(conf: ClientConf, names: Mapping[str, str] | None = None) -> Web:
    """A client of the cluster's web servers, as the user whom Hadoop's own client would be."""
    return Web(names, kerberos=conf.secure)


def open_telemetry(conf: ClientConf, names: Mapping[str, str] | None = None) -> Web:
    """The same for samples, which rather miss a daemon that is slow than hold up the end of a run."""
    return Web(names, kerberos=conf.secure, silence_s=_PATIENCE_S)


def told_values(conf: ClientConf) -> tuple[tuple[str, str, str], ...]:
    """The client's values that say how jobs run: key, value and where it is set."""
    values = ((key, conf.get(key), conf.where(key)) for key in _TASK_KEYS)
    return tuple((key, value, where) for key, value, where in values if value is not None)


def directory_of(given: Path | None) -> Path | None:
    """The configuration directory that was given, by flag or by Hadoop's own variable."""
    if given is not None:
        return given
    named = os.environ.get("HADOOP_CONF_DIR")
    return Path(named) if named else None
