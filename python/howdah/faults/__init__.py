"""Faults of a cluster at work: what they are called, when they are done, and what is seen of them."""
