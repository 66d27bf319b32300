"""This machine measured: about a minute of work on its processors, memory and disks."""
