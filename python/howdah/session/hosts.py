"""This machine, as the stages before a plan see it."""

from __future__ import annotations

from howdah.probe import probe_host
from howdah.probe.line import host_line

__all__ = ["host_line", "probe_host"]
