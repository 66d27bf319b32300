"""The one place that wires the parts together, one module for each stretch of the way.

Each module imports only what its stretch needs, so that a quick command does not wait for the
libraries of a long one; see ``deferred`` for a command that reports a mistyped flag.

Public functions raise UserError for what cannot be done as requested, before anything is changed; RunFailed
for what fails on the way, with what it leaves; and Aborted if the user stops them.
"""

from __future__ import annotations

from howdah.deferred import deferred

__getattr__ = deferred(__name__)
