"""Digests that tell whether two runs had the same machine, plan, work and input."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

from howdah.engines.local import tera
from howdah.model.base import Model
from howdah.model.host import Host
from howdah.model.job import Job


def digests(job: Job) -> dict[str, str]:
    """SHA-256 of host, plan, suite and, where the user gave files to read, of their names and times.

    What changes on a host from minute to minute, free space for instance, is left out.
    """
    found = {"host": _host(job.host), "plan": _model(job.plan), "suite": _model(job.suite)}
    inputs = job.suite.workloads[0].inputs
    if inputs:
        found["inputs"] = _files(tera.user_files(inputs))
    return found


def _host(host: Host) -> str:
    content = host.model_dump_json(
        exclude={
            "memory": {"available_bytes"},
            "file_systems": {"__all__": {"free_bytes"}},
            "virtualisation": {"steal_share"},
            "cgroup": {"memory_used_bytes"},
            "unread": True,
        }
    )
    return _sha256(content)


def _files(files: Iterable[Path]) -> str:
    """Reading the content would fill the page cache that a run is to find as it was."""
    facts = [(str(file.resolve()), file.stat().st_size, file.stat().st_mtime_ns) for file in files]
    return _sha256(json.dumps(facts))


def _model(part: Model) -> str:
    return _sha256(part.model_dump_json())


def _sha256(content: str) -> str:
    return hashlib.sha256(content.encode()).hexdigest()
