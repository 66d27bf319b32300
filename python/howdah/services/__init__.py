"""What running Hadoop daemons answer over HTTP: /jmx, WebHDFS, the ResourceManager, the job history.

Only reading, but for files below a directory that a run was given. Nothing here knows who asks.
"""
