"""What a run runs: a suite by name, and the size of everything in it."""
