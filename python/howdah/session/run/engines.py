"""The engines by name, each with what makes a run ready for it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from howdah.errors import UserError
from howdah.planner.suite.request import RunRequest
from howdah.session.run.prepared import ClusterChoice, Prepared

__all__ = ["ENGINES", "ClusterChoice", "RunRequest", "prepare"]


ENGINES = ("local", "hadoop", "sim")
"""The engines' names on the command line."""


class _Flag(NamedTuple):
    name: str
    engines: tuple[str, ...]


_FLAGS = {
    "conf": _Flag("--conf", ("hadoop",)),
    "lab": _Flag("--lab", ("hadoop",)),
    "plan": _Flag("--plan", ("hadoop", "sim")),
    "hdfs_dir": _Flag("--hdfs-dir", ("hadoop",)),
    "queue": _Flag("--queue", ("hadoop",)),
    "deadline_s": _Flag("--deadline", ("hadoop",)),
    "job_settings": _Flag("--set", ("hadoop",)),
    "probe": _Flag("--probe", ("sim",)),
    "calibration": _Flag("--calibration", ("sim",)),
    "replications": _Flag("--replications", ("sim",)),
}
"""What says which cluster, and the engines that use it."""


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
    for name, flag in _FLAGS.items():
        if engine not in flag.engines and getattr(where, name):
            belongs = " or ".join(f"--engine {each}" for each in flag.engines)
            raise UserError(flag.name, f"--engine {engine} does not use it", f"it belongs to {belongs}")
    # Imported when they are asked for: each brings libraries that the others do without.
    if engine == "hadoop":
        from howdah.session.run.cluster import prepare_cluster  # noqa: PLC0415

        return prepare_cluster(
            request, where, runs_dir=runs_dir, command=command, seed=seed, keep_data=keep_data
        )
    if engine == "sim" and where.probe is not None:
        from howdah.session.run.simulated_local import prepare_simulated_local  # noqa: PLC0415

        return prepare_simulated_local(
            request, where, runs_dir=runs_dir, command=command, seed=seed, keep_data=keep_data
        )
    if engine == "sim":
        from howdah.session.run.simulated import prepare_simulation  # noqa: PLC0415

        return prepare_simulation(
            request, where, runs_dir=runs_dir, command=command, seed=seed, keep_data=keep_data
        )
    from howdah.session.run.local import prepare_local  # noqa: PLC0415

    return prepare_local(request, runs_dir=runs_dir, command=command, seed=seed, keep_data=keep_data)
