"""What is predicted, as a page: times, changes, growth, and how right it was."""

from __future__ import annotations

from howdah.deferred import deferred

__getattr__ = deferred(__name__)
