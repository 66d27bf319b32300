"""Digests of a run's machine, plan and work, for comparisons of runs."""

from __future__ import annotations

import hashlib

from howdah.model.base import Model
from howdah.model.host import Host
from howdah.model.job import Job


def job_digests(job: Job) -> dict[str, str]:
    """SHA-256 of host, plan and suite, by name.

    Values of a host that change every minute, free space for instance, are left out.
    """
    return {"host": _host(job.host), "plan": _model(job.plan), "suite": _model(job.suite)}


def sha256(content: str) -> str:
    """A text's digest in hex."""
    return hashlib.sha256(content.encode()).hexdigest()


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
    return sha256(content)


def _model(part: Model) -> str:
    return sha256(part.model_dump_json())
