"""Digests of a job of the local engine, of the files that a user gave it too."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from howdah.engines.digests import job_digests, sha256
from howdah.engines.local import tera
from howdah.model.job import Job
from howdah.model.workloads.terasort import INPUT


def digests(job: Job) -> dict[str, str]:
    """SHA-256 of host, plan, suite and, where the user gave files to read, of their names and times."""
    inputs = INPUT.of(job.suite.workloads[0])
    files = {"inputs": _files(tera.user_files(inputs))} if inputs else {}
    return {**job_digests(job), **files}


def _files(files: Iterable[Path]) -> str:
    """Reading the content would fill the page cache that a run is to find as it was."""
    facts = [(str(file.resolve()), file.stat().st_size, file.stat().st_mtime_ns) for file in files]
    return sha256(json.dumps(facts))
