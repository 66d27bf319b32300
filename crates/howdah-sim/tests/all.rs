//! All tests of the simulator in one program, so they are linked only once.

#[path = "support/cluster.rs"]
mod cluster;
mod coded;
mod containers;
mod hbase;
mod job_queue;
mod laws;
mod local;
mod mechanisms;
mod order;
mod page_cache;
mod quick;
mod scenario;
mod sharing_examples;
mod sharing_laws;
mod sharing_oracle;
mod support;
