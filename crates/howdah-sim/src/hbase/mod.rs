//! HBase under YCSB: clients ask RegionServers, and wait for processors, memory, disks and the log.
//!
//! Each thread of a client asks for one operation after another. An operation costs its client processor time, goes to
//! the server of its record's region, waits for one of its handlers, costs processor time there, reads blocks that memory
//! does not hold from a disk, waits for a sync of the log if it writes, and comes back. One sync is under way at a time
//! and takes all that has been appended since the one before (group commit). What is written goes to disks again when
//! memory is flushed and files are merged, and the disks that read are the same.
//!
//! Processors are shared equally by all that runs on them, links and disks serve in the order of arrival; processor time
//! of an operation is exponential about its mean. A closed network of such stations has an exact solution
//! (F. Baskett, K. Chandy, R. Muntz and F. Palacios, *Open, closed and mixed networks of queues*, JACM 22, 1975), which
//! the tests hold this one to.
//!
//! Some seconds of the steady state are simulated, and stand for all operations: no buffer is larger than what a long
//! run fills, so writes wait wherever disks cannot follow.

mod keys;
mod latencies;
mod log;
mod operation;
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

/// What clients of HBase saw, and what their operations used.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Asked {
    /// Operations in a second.
    pub throughput_per_s: f64,
    /// Operations in a second that were asked for; null: as many as are answered.
    pub target_per_s: Option<f64>,
    /// Operations that were simulated for all.
    pub simulated: u64,
    /// Their times, kind by kind.
    pub latencies: Vec<Latencies>,
    /// The same second by second, where samples are asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub intervals: Vec<Interval>,
    /// Share of reads that needed no disk.
    pub in_memory: f64,
    /// Every kind of station, with how busy the busiest of its kind is, 0 to 1.
    pub stations: Vec<Busy>,
}

/// How busy a kind of station is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Busy {
    /// What it is.
    pub station: &'static str,
    /// The busiest one's share of the time, 0 to 1.
    pub busy: f64,
}

/// Simulates the programs one after another.
pub(crate) fn simulate(scenario: &Scenario, hbase: &HBase, watch: &dyn Watch) -> Result<Outcome> {
    let expected: u64 = hbase.programs.iter().map(stream::counted).sum();
    watch.expect(expected);
    let mut now = Time::ZERO;
    let mut summary = Summary::default();
    for (number, program) in hbase.programs.iter().enumerate() {
        watch.begin("ycsb");
        let told = Stream::new(scenario, hbase, program, number as u64).run(watch)?;
        let seconds = program.operations as f64 / told.asked.throughput_per_s;
        let end = now.after(seconds);
        // What was used in the time that was simulated is used over and over in all of it.
        let times = seconds / told.seconds;
        let phase = PhaseSummary {
            name: "run",
            start_ns: now.0,
            end_ns: end.0,
            disk_read_bytes: told.disk_read_bytes * times,
            disk_written_bytes: told.disk_written_bytes * times,
            received_bytes: told.moved_bytes * times,
            sent_bytes: told.moved_bytes * times,
            cpu_busy: told.cpu_busy,
            ..PhaseSummary::default()
        };
        summary.activities += told.events;
        summary.workloads.push(WorkloadSummary {
            kind: program.kind.clone().into(),
            start_ns: now.0,
            end_ns: end.0,
            phases: vec![phase],
            asked: Some(told.asked),
            ..WorkloadSummary::default()
        });
        now = end;
    }
    Ok(Outcome { summary, ..Outcome::default() })
}
