"""Calibration: which values of the simulator's parameters explain known runs.

It gets a function that simulates a case, and does not depend on how that works.
"""

from __future__ import annotations

from howdah.deferred import deferred

__getattr__ = deferred(__name__)
