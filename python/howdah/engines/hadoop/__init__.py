"""The hadoop engine: the suite as MapReduce jobs on a cluster that runs already."""
