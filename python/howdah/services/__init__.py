"""What running Hadoop daemons answer over HTTP, and where a client's configuration says they are.

Web asks; NameNode, ResourceManager, JobHistory and JmxReader know what to ask for. Nothing on a cluster is
changed but files below a directory that a run was given, and its own applications.
"""
