"""Requests of runs from values by name, of options and of the machine alike."""

from __future__ import annotations

from typing import Any

from howdah.model.workloads.registered import options
from howdah.planner.suite.request import RunRequest


def run_request(suite: Any = "terasuite", **values: Any) -> RunRequest:
    """A suite with so much said of it: ``rows=1000`` is an option's, ``map_slots=2`` the machine's."""
    known = options()
    # Workloads call some options by a name with its unit: file_bytes for file_size.
    called = {option.field: name for name, option in reversed(list(known.items()))} | {
        name: name for name in known
    }
    given = {called[name]: value for name, value in values.items() if name in called and value is not None}
    rest = {name: value for name, value in values.items() if name not in called}
    return RunRequest.model_validate({"suite": suite, "given": given, **rest})
