//! YCSB's core workload (`site.ycsb.workloads.CoreWorkload`, 0.17.0) on a store in this process.
//!
//! It has YCSB's keys, distributions, mixes and latencies, without a network, daemons or Java: the floor
//! under the cost of the same operations on a cluster. Every record that is read is compared with what was
//! written. This crate does not depend on Python.

mod acknowledged;
mod distribution;
mod keys;
mod ledger;
mod mix;
mod pace;
mod program;
mod random;
mod spec;
mod store;
mod table;
mod times;
mod values;
mod verify;
mod worker;

pub use distribution::{Distribution, Zipfian};
pub use keys::{KEY_BYTES, Key};
pub use mix::{Mix, OPERATIONS, Operation};
pub use program::{Fault, OperationReport, YcsbReport, ycsb};
pub use random::Random;
pub use spec::YcsbSpec;
pub use store::{Durability, Store};
pub use values::Values;
