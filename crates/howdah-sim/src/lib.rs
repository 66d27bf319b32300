//! A deterministic simulator of Hadoop on hosts that need not exist: integer time, seeded randomness, no wall clock.
