"""Runs: made ready, carried out, reported, compared, and added to."""

from __future__ import annotations

from howdah.deferred import deferred

__getattr__ = deferred(__name__)
