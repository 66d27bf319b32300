"""This machine as a Host, from /proc and /sys and without privileges."""

from howdah.probe.host import host_line, probe_host

__all__ = ["host_line", "probe_host"]
