"""The engine of hosts themselves, without Hadoop: programs of the operating system, run on many at once."""
