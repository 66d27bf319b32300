"""Charts of a plan."""
