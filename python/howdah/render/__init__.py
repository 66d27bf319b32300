"""Plan -> ConfigSet: the files that a cluster needs, and the directory they are written to."""
