//! A deterministic simulator of Hadoop on hosts that need not exist: integer time, seeded randomness, no wall clock.

mod error;
pub mod parameters;
pub mod queue;
pub mod random;
pub mod scenario;
pub mod sharing;
pub mod time;

pub use error::{Error, Result};
pub use parameters::{Parameter, Parameters};
pub use scenario::Scenario;
