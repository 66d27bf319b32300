"""What a plan will take, before it is built; and how right that was."""

from __future__ import annotations

from howdah.deferred import deferred

__getattr__ = deferred(__name__)
