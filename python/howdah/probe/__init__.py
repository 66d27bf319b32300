"""This machine as a Host, from /proc and /sys and without privileges."""

from howdah.probe.host import probe_host
from howdah.probe.line import host_line

__all__ = ["host_line", "probe_host"]
