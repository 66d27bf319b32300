"""Requests of runs from values by name, of a program's options and an engine's alike."""

from __future__ import annotations

from typing import Any

from howdah.model.engines import all_options
from howdah.model.run_request import RunRequest


def run_request(suite: Any = "terasuite", **values: Any) -> RunRequest:
    """A suite with so much said of it, by options' names or fields: ``rows=1000``, ``file_bytes=4096``."""
    known = all_options()
    called = {option.field: name for name, option in reversed(list(known.items()))}
    called |= {name: name for name in known}
    given = {called[name]: value for name, value in values.items() if value is not None}
    return RunRequest(suite=suite, given=given)
