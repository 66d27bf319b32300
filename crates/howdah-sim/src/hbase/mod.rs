//! HBase under YCSB: clients send requests to RegionServers, and wait for processors, memory, disks and the log.
//!
//! Each thread of a client executes one operation after another. An operation costs its client processor time, goes to
//! the server of its record's region, waits for one of its handlers, costs processor time there, reads uncached blocks
//! from a disk, waits for a sync of the log if it writes, and returns. Only one sync is in flight at a time;
//! it includes everything appended since the one before (group commit). Written data go to disks again when
//! memory is flushed and files are merged, and the same disks serve reads.
//!
//! Processors are shared equally by all jobs, links and disks serve in the order of arrival; processor time
//! of an operation has an exponential distribution. A closed network of such stations has an exact solution
//! (F. Baskett, K. Chandy, R. Muntz and F. Palacios, *Open, closed and mixed networks of queues*, JACM 22, 1975), with
//! which the tests compare this one.
//!
//! A few seconds of the steady state are simulated and represent all operations. No buffer is larger than what a long
//! run fills, so writes wait whenever disks cannot follow.

mod latencies;
mod log;
mod operation;
mod popularity;
mod regions;
mod requests;
mod scenario;
mod servers;
mod stations;
mod stream;

use serde::Serialize;

pub use latencies::{Interval, Latencies};
pub use scenario::{Distribution, Durability, HBase, Log, Program, Shares};

use crate::error::Result;
use crate::outcome::{Outcome, PhaseSummary, Summary, WorkloadSummary};
use crate::scenario::Scenario;
use crate::time::Time;
use crate::watch::Watch;
use stream::Stream;

/// Results of HBase's clients, and the use of their resources.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ClientSummary {
    /// Operations a second.
    pub throughput_per_s: f64,
    /// Target of operations a second; null: as many as possible.
    pub target_per_s: Option<f64>,
    /// Simulated operations.
    pub simulated: u64,
    /// Durations by kind of operation.
    pub latencies: Vec<Latencies>,
    /// The same for every second, if samples are requested.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub intervals: Vec<Interval>,
    /// Share of reads that needed no disk.
    pub in_memory: f64,
    /// The busiest station of each kind.
    pub stations: Vec<StationUse>,
}

/// The use of the busiest station of a kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StationUse {
    /// The kind of station.
    pub station: &'static str,
    /// The busy share of the time, 0 to 1.
    pub busy: f64,
}

/// Simulates the programs one after another.
pub(crate) fn simulate(scenario: &Scenario, hbase: &HBase, watch: &dyn Watch) -> Result<Outcome> {
    let expected: u64 = hbase.programs.iter().map(stream::measured_operations).sum();
    watch.expect(expected);
    let mut now = Time::ZERO;
    let mut summary = Summary::default();
    for (number, program) in hbase.programs.iter().enumerate() {
        watch.begin("ycsb");
        let stream = Stream::new(scenario, hbase, program, number as u64).run(watch)?;
        let seconds = program.operations as f64 / stream.clients.throughput_per_s;
        let end = now.after(seconds);
        // The use of resources in the simulated seconds is extrapolated to all.
        let scale = seconds / stream.seconds;
        let phase = PhaseSummary {
            name: "run",
            start_ns: now.0,
            end_ns: end.0,
            disk_read_bytes: stream.disk_read_bytes * scale,
            disk_written_bytes: stream.disk_written_bytes * scale,
            received_bytes: stream.moved_bytes * scale,
            sent_bytes: stream.moved_bytes * scale,
            cpu_busy: stream.cpu_busy,
            ..PhaseSummary::default()
        };
        summary.activities += stream.events;
        summary.workloads.push(WorkloadSummary {
            kind: program.kind.clone().into(),
            start_ns: now.0,
            end_ns: end.0,
            phases: vec![phase],
            clients: Some(stream.clients),
            ..WorkloadSummary::default()
        });
        now = end;
    }
    Ok(Outcome { summary, ..Outcome::default() })
}
