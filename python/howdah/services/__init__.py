"""Clients of running Hadoop daemons over HTTP, and their addresses in a client's configuration.

Web sends the requests of NameNode, ResourceManager, JobHistory and JmxReader. They change nothing on a
cluster except files below the directory of a run, and the run's own applications.
"""
