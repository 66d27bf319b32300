"""A plan as terminal text and as a page."""

from __future__ import annotations

from howdah.deferred import deferred

__getattr__ = deferred(__name__)
