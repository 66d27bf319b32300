"""This machine measured: about a minute of work on its processors, memory and disks."""

from howdah.probe.measuring.measure import measure

__all__ = ["measure"]
