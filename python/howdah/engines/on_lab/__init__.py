"""What engines need of a lab: which one, its telemetry, and runs with faults on it."""
