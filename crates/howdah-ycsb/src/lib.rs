//! YCSB's core workload (`site.ycsb.workloads.CoreWorkload`, 0.17.0) on a store in this process.
//!
//! The same keys, distributions, mixes and times as YCSB's, with no network, no daemon and no Java in the
//! way: the floor under what the same operations cost on a cluster. Whatever is read back is compared
//! with what was written. Nothing here knows Python.

mod distribution;
mod inserted;
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
