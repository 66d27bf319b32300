"""howdah: from host hardware to a proven Hadoop and HBase cluster specification."""

from importlib.metadata import version

__version__ = version("howdah")
