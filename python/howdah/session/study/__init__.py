"""A study from its file through its runs to its paper."""

from __future__ import annotations

from howdah.deferred import deferred

__getattr__ = deferred(__name__)
