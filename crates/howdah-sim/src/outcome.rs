//! What a simulation returns: a summary, and rows of tasks and samples as columns.

use std::borrow::Cow;

use serde::Serialize;

pub use crate::columns::{Samples, Tasks};
use crate::hbase::Asked;

/// The result of a simulation.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// What happened, in short.
    pub summary: Summary,
    /// Every task attempt, if the scenario asked for them.
    pub tasks: Tasks,
    /// Samples of every host, if the scenario asked for them.
    pub samples: Samples,
}

impl Summary {
    /// The summary as JSON.
    ///
    /// # Panics
    /// Never: it has no keys but strings and no numbers that JSON lacks.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a summary is plain data")
    }
}

/// What happened, in short.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Summary {
    /// The workloads in order.
    pub workloads: Vec<WorkloadSummary>,
    /// Streams that shared the resources: the work of the simulation.
    pub activities: u64,
    /// Hosts that were simulated for all, by the quick simulation; none where every one was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub few_hosts: Option<u32>,
    /// Why the full simulation was made although the quick one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub full_because: Option<&'static str>,
}

/// One workload as it ran.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct WorkloadSummary {
    /// The program's name.
    pub kind: Cow<'static, str>,
    /// When it was submitted, nanoseconds since the start of the run.
    pub start_ns: i64,
    /// When it had ended.
    pub end_ns: i64,
    /// Its phases in order.
    pub phases: Vec<PhaseSummary>,
    /// Map tasks.
    pub maps: u64,
    /// Reduce tasks.
    pub reduces: u64,
    /// What it says it did.
    pub counters: Counters,
    /// Maps by where their input lay.
    pub locality: LocalityCounts,
    /// Input bytes that came from another host.
    pub remote_read_bytes: f64,
    /// Blocks that it wrote, by worker, replicas counted; empty if it wrote none.
    pub replicas: Vec<u32>,
    /// Blocks that it wrote with two replicas on one host.
    pub sharing_host: u64,
    /// What clients of HBase saw, where it asks one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked: Option<Asked>,
}

/// One phase of a workload.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PhaseSummary {
    /// Hadoop's word for it.
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
    /// Share of the hardware threads that was busy, mean over hosts with workers.
    pub cpu_busy: f64,
    /// Share of a core that the NameNode used.
    pub namenode_busy: f64,
    /// Share of a core that the scheduler used.
    pub scheduler_busy: f64,
}

/// What a workload says it did, as a Run record's counters.
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
    /// Rows that went to intermediate files.
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

/// Maps by where their input lay.
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
    /// Changes every counter.
    pub(crate) fn each(&mut self, change: impl Fn(u64) -> u64) {
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
    /// Changes every count.
    pub(crate) fn each(&mut self, change: impl Fn(u64) -> u64) {
        for count in [&mut self.worker, &mut self.host, &mut self.rack, &mut self.away] {
            *count = change(*count);
        }
    }
}
