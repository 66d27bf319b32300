"""Installations of Hadoop, HBase and Spark on this machine, and the command lines of their programs."""
