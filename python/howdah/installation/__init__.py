"""Hadoop's released jars on this machine, fetched or a user's own, and how to start their programs."""
