"""From hosts to a plan and its files, and what exists compared with the same rules."""

from __future__ import annotations

from howdah.deferred import deferred

__getattr__ = deferred(__name__)
