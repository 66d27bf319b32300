//! The result of a simulation: a summary, and tasks and samples as columns.

use std::borrow::Cow;

use serde::Serialize;

pub use crate::columns::{Samples, Tasks};
use crate::hbase::ClientSummary;

/// The result of a simulation.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The summary.
    pub summary: Summary,
    /// Every task attempt, if the scenario requests them.
    pub tasks: Tasks,
    /// Samples of every host, if the scenario requests them.
    pub samples: Samples,
}

impl Summary {
    /// The summary as JSON.
    ///
    /// # Panics
    /// Never: all keys are strings and all numbers finite.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a summary is plain data")
    }
}

/// The summary of a simulation.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Summary {
    /// The workloads in order.
    pub workloads: Vec<WorkloadSummary>,
    /// Streams that shared resources; a measure of the simulation's size.
    pub activities: u64,
    /// Hosts that the quick simulation simulated; none if all were simulated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub few_hosts: Option<u32>,
    /// Why the full simulation ran although the scenario requested the quick one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub full_because: Option<&'static str>,
}

/// A simulated workload.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct WorkloadSummary {
    /// The program's name.
    pub kind: Cow<'static, str>,
    /// When it was submitted, nanoseconds since the start of the run.
    pub start_ns: i64,
    /// When it ended.
    pub end_ns: i64,
    /// Its phases in order.
    pub phases: Vec<PhaseSummary>,
    /// Map tasks.
    pub maps: u64,
    /// Reduce tasks.
    pub reduces: u64,
    /// Its counters.
    pub counters: Counters,
    /// Maps by the location of their input.
    pub locality: LocalityCounts,
    /// Input bytes that came from another host.
    pub remote_read_bytes: f64,
    /// Written blocks by worker, replicas included; empty if it wrote none.
    pub replicas: Vec<u32>,
    /// Written blocks with two replicas on one host.
    pub sharing_host: u64,
    /// Requests to HBase as clients measured them, if it sends any.
    #[serde(rename = "asked", skip_serializing_if = "Option::is_none")]
    pub clients: Option<ClientSummary>,
}

/// A phase of a workload.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PhaseSummary {
    /// Its name in Hadoop's terms.
    pub name: &'static str,
    /// Nanoseconds since the start of the run.
    pub start_ns: i64,
    /// Nanoseconds since the start of the run.
    pub end_ns: i64,
    /// Bytes read from disks.
    pub disk_read_bytes: f64,
    /// Bytes written to disks.
    pub disk_written_bytes: f64,
    /// Bytes that hosts received from others.
    pub received_bytes: f64,
    /// Bytes that hosts sent to others.
    pub sent_bytes: f64,
    /// Busy share of the hardware threads, mean over hosts with workers.
    pub cpu_busy: f64,
    /// Busy share of the NameNode's core.
    pub namenode_busy: f64,
    /// Busy share of the scheduler's core.
    pub scheduler_busy: f64,
}

/// A workload's counters, with their names in run records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Counters {
    /// Rows read.
    pub input_rows: u64,
    /// Rows written.
    pub output_rows: u64,
    /// Input bytes read.
    pub read_bytes: u64,
    /// Output bytes written, one replica.
    pub written_bytes: u64,
    /// Rows written to intermediate files.
    pub spilled_rows: u64,
    /// Intermediate data before compression, bytes.
    pub spilled_raw_bytes: u64,
    /// Intermediate data on disk, bytes.
    pub spilled_bytes: u64,
    /// Bytes of intermediate files read back.
    pub spill_read_bytes: u64,
    /// Intermediate bytes that reduces fetched.
    pub shuffled_bytes: u64,
}

/// Maps by the location of their input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LocalityCounts {
    /// On the worker.
    pub worker: u64,
    /// On another worker of the host.
    pub host: u64,
    /// In the rack.
    pub rack: u64,
    /// In another rack.
    pub away: u64,
}

impl Counters {
    /// Applies a function to every counter.
    pub(crate) fn update_all(&mut self, change: impl Fn(u64) -> u64) {
        for counter in [
            &mut self.input_rows,
            &mut self.output_rows,
            &mut self.read_bytes,
            &mut self.written_bytes,
            &mut self.spilled_rows,
            &mut self.spilled_raw_bytes,
            &mut self.spilled_bytes,
            &mut self.spill_read_bytes,
            &mut self.shuffled_bytes,
        ] {
            *counter = change(*counter);
        }
    }
}

impl LocalityCounts {
    /// Applies a function to every count.
    pub(crate) fn update_all(&mut self, change: impl Fn(u64) -> u64) {
        for count in [&mut self.worker, &mut self.host, &mut self.rack, &mut self.away] {
            *count = change(*count);
        }
    }
}
