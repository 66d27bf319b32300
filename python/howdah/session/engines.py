"""The engines by name, each with what makes a run ready for it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import Field

from howdah.errors import UserError
from howdah.model.base import Model
from howdah.planner.suite.request import RunRequest
from howdah.planner.suite.suites import SUITES
from howdah.session.prepared import Prepared

__all__ = ["ENGINES", "SUITES", "ClusterChoice", "RunRequest", "prepare"]


class ClusterChoice(Model):
    """Which cluster to run on, and how; what is left at None is found."""

    conf: Path | None = None
    """A client's configuration directory."""
    lab: str | None = None
    """A laboratory by name."""
    plan: Path | None = None
    """The plan of the cluster that ``conf`` leads to."""
    hdfs_dir: str | None = None
    """The directory in HDFS below which everything is written."""
    queue: str | None = None
    """The scheduler's queue."""
    deadline_s: float | None = None
    """How long a queue may give no container."""
    job_settings: dict[str, str] = Field(default_factory=dict)
    """Properties of the jobs that the user insists on."""


ENGINES = ("local", "hadoop")
"""The engines' names on the command line."""

_FLAGS = {
    "conf": "--conf",
    "lab": "--lab",
    "plan": "--plan",
    "hdfs_dir": "--hdfs-dir",
    "queue": "--queue",
    "deadline_s": "--deadline",
    "job_settings": "--set",
}


def prepare(
    engine: str,
    request: RunRequest,
    where: ClusterChoice,
    *,
    runs_dir: Path,
    command: Sequence[str],
    seed: int | None,
    keep_data: bool,
) -> Prepared:
    """Make a run ready; raises UserError, having written nothing, where it could not start."""
    if engine not in ENGINES:
        raise UserError("--engine", f"{engine!r} is not an engine", f"one of {', '.join(ENGINES)}")
    # Imported when they are asked for: each brings libraries that the other does without.
    if engine == "hadoop":
        from howdah.session.cluster import prepare_cluster  # noqa: PLC0415

        return prepare_cluster(
            request, where, runs_dir=runs_dir, command=command, seed=seed, keep_data=keep_data
        )
    from howdah.session.local import prepare_local  # noqa: PLC0415

    for name, flag in _FLAGS.items():
        if getattr(where, name):
            raise UserError(flag, "--engine local does not use it", "it belongs to --engine hadoop")
    return prepare_local(request, runs_dir=runs_dir, command=command, seed=seed, keep_data=keep_data)
