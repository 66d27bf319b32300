"""Studies: which runs a matrix asks for, and which is next."""

from __future__ import annotations

from howdah.deferred import deferred

__getattr__ = deferred(__name__)
