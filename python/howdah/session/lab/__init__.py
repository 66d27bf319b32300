"""Laboratories: built of a plan, looked at, sampled and removed."""

from __future__ import annotations

from howdah.deferred import deferred

__getattr__ = deferred(__name__)
