"""A plan of this machine for a run of the local engine: rows, tasks and memory, each with its reason."""
