"""Hadoop's and HBase's jars on this machine, fetched or a user's own, and how to start their programs."""

from howdah.installation.command import BRIEF, PROGRAMS, java_command
from howdah.installation.digests import cache_folder
from howdah.installation.find import find_hbase, find_installation
from howdah.installation.installation import HBaseInstallation, Installation
from howdah.installation.java import java_home

__all__ = [
    "BRIEF",
    "PROGRAMS",
    "HBaseInstallation",
    "Installation",
    "cache_folder",
    "find_hbase",
    "find_installation",
    "java_command",
    "java_home",
]
