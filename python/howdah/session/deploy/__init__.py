"""From a plan and hosts to a running cluster."""

from __future__ import annotations

from howdah.deferred import deferred

__getattr__ = deferred(__name__)
