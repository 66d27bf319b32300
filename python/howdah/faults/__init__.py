"""Faults of a working cluster: grammar, schedule, injection, revert, probes, ledger and recovery."""
