"""From hosts and a request to a plan, by rules."""

from __future__ import annotations

from howdah.deferred import deferred

__getattr__ = deferred(__name__)
