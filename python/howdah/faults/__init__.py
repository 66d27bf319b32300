"""Faults on schedule: written, checked, played beside a workload; what clients saw, and what became of what they wrote."""
