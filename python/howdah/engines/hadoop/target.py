"""The cluster that a run goes to, and by which means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from howdah.installation.installation import Installation
from howdah.model.cluster import Laboratory
from howdah.services.conf import ClientConf
from howdah.services.web import Web
from howdah.telemetry.source import Source

DEADLINE_S = 120.0
"""How long a queue may give no container before the job is given up."""


@dataclass(frozen=True)
class HadoopTarget:
    """Everything an engine needs to know of a cluster, a user's own or a laboratory."""

    installation: Installation
    """The jars that clients run from."""
    conf_dir: Path
    """The client's configuration directory, which is only read."""
    conf: ClientConf
    """What that directory says."""
    web: Web
    """How its daemons are asked."""
    work_dir: str
    """The directory in HDFS below which everything is written."""
    queue: str
    """The scheduler's queue that jobs go to."""
    deadline_s: float = DEADLINE_S
    """How long a queue may give no container."""
    job_settings: Mapping[str, str] = field(default_factory=dict)
    """Properties of the jobs that the user insists on."""
    machine_of: Mapping[str, str] = field(default_factory=dict)
    """The plan's worker by what Hadoop calls its node: a host name or an address."""
    sources: Sequence[Source] = ()
    """What is sampled while a job runs."""
    client_prefix: tuple[str, ...] = ()
    """The beginning of every client's command line: how to enter a laboratory's namespaces."""
    lab: Laboratory | None = None
    """What the cluster was built of, where it is howdah's laboratory."""
