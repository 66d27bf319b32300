"""The local engine simulated: what one measured machine would take for a suite without Hadoop."""
