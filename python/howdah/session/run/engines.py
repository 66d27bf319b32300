"""A run made ready by the engine that was asked for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from pkgutil import resolve_name

from howdah.errors import UserError
from howdah.model.engines import all_options, engines
from howdah.model.workloads.registered import programs
from howdah.model.workloads.suite import suites
from howdah.planner.suite.request import RunRequest, check_use
from howdah.session.run.prepared import Prepared

__all__ = ["RunRequest", "prepare"]


def prepare(
    engine: str | None,
    request: RunRequest,
    *,
    runs_dir: Path,
    command: Sequence[str],
    seed: int | None,
    keep_data: bool,
) -> Prepared:
    """Make a run ready; raises UserError, having written nothing, where it could not start.

    Without an engine, the first one runs it that can.
    """
    engine = engine or _first(request.suite)
    registered = engines().get(engine)
    if registered is None:
        raise UserError("--engine", f"{engine!r} is not an engine", f"one of {', '.join(engines())}")
    elsewhere = {option for each in engines().values() for option in each.options} - {*registered.options}
    for name in request.given:
        if all_options()[name] in elsewhere:
            check_use(all_options()[name], engine)
    prepared: Prepared = resolve_name(registered.prepare)(
        request, runs_dir=runs_dir, command=command, seed=seed, keep_data=keep_data
    )
    return prepared


def _first(suite: str) -> str:
    """The first engine that runs every program of a suite; the first of all for a suite that is not known."""
    kinds = suites().get(suite, ())
    able = (name for name in engines() if all(name in programs()[kind].programs for kind in kinds))
    return next(able, next(iter(engines())))
