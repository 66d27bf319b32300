//! A deterministic simulator of Hadoop on hosts that need not exist: integer time, seeded randomness, no wall clock.

pub mod queue;
pub mod random;
pub mod sharing;
pub mod time;
