"""howdah: from host hardware to a proven Hadoop and HBase cluster specification."""

from __future__ import annotations

from importlib.metadata import version

from howdah.deferred import deferred

__version__ = version("howdah")

__getattr__ = deferred(__name__)
