"""The one place that wires the parts together, one module for each stretch of the way.

Each module imports only what its stretch needs, so that a quick command does not wait for the
libraries of a long one; see ``deferred`` for a command that reports a mistyped flag.
"""

from __future__ import annotations

from howdah.deferred import deferred

__getattr__ = deferred(__name__)
