"""howdah: plan, check, deploy and measure Hadoop and HBase clusters on your own hosts."""

from __future__ import annotations

from importlib.metadata import version

from howdah.deferred import deferred

__version__ = version("howdah")

__getattr__ = deferred(__name__)
