//! A deterministic simulator of Hadoop on hosts that need not exist: integer time, seeded randomness, no wall clock.

mod attempt;
mod cluster;
mod columns;
mod error;
mod files;
pub mod hbase;
mod job;
mod ledger;
mod local;
mod machine;
mod meter;
mod models;
pub mod outcome;
pub mod parameters;
mod places;
pub mod queue;
pub mod random;
mod run;
mod sampler;
pub mod scenario;
pub mod sharing;
pub mod time;
mod totals;
mod uses;
mod watch;
mod workloads;
mod world;
mod writeback;

pub use cluster::Sharing;
pub use error::{Error, Result};
pub use local::simulate_local;
pub use outcome::Outcome;
pub use parameters::{Parameter, Parameters};
pub use run::{simulate, simulate_with};
pub use scenario::Scenario;
pub use watch::{Unwatched, Watch};
