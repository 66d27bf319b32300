//! What a simulation returns: a summary, and rows of tasks and samples as columns.

use serde::Serialize;

use crate::attempt::{Attempt, Kind, State};
use crate::cluster::Cluster;
use crate::models::scheduling::Locality;
use crate::scenario::Record;
use crate::time::Time;
use crate::world::{HostTotals, Totals};

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
}

/// One workload as it ran.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct WorkloadSummary {
    /// The program's name.
    pub kind: &'static str,
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

/// Task attempts as columns. Times are nanoseconds since the start of the run, none as -1.
#[derive(Clone, Debug, Default)]
pub struct Tasks {
    /// Number of the workload, from 0.
    pub workload: Vec<u8>,
    /// 0: map, 1: reduce.
    pub kind: Vec<u8>,
    /// Number of the task within its kind.
    pub task: Vec<u32>,
    /// Number of the attempt.
    pub attempt: Vec<u8>,
    /// Number of the host.
    pub host: Vec<u32>,
    /// Number of the worker.
    pub worker: Vec<u32>,
    /// The place of its kind that it ran in.
    pub slot: Vec<u32>,
    /// When it was assigned.
    pub start_ns: Vec<i64>,
    /// When it had ended.
    pub end_ns: Vec<i64>,
    /// From its first byte to its last: without the start of its process and its commit.
    pub io_ns: Vec<i64>,
    /// Bytes read.
    pub input_bytes: Vec<u64>,
    /// Bytes written.
    pub output_bytes: Vec<u64>,
    /// Bytes written to intermediate files.
    pub spilled_bytes: Vec<u64>,
    /// Bytes fetched from maps.
    pub shuffled_bytes: Vec<u64>,
    /// 0: worker, 1: host, 2: rack, 3: away.
    pub locality: Vec<u8>,
    /// 0: succeeded, 1: failed, 2: killed.
    pub state: Vec<u8>,
    /// When a reduce had all its input.
    pub shuffle_end_ns: Vec<i64>,
    /// When a reduce had merged it.
    pub merge_end_ns: Vec<i64>,
    /// CPU of its process, seconds of a core that shares nothing.
    pub cpu_s: Vec<f64>,
}

/// Samples of hosts as columns.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    /// Nanoseconds since the start of the run.
    pub time_ns: Vec<i64>,
    /// Number of the host.
    pub host: Vec<u32>,
    /// Number of the metric in [`Samples::METRICS`].
    pub metric: Vec<u8>,
    /// In the metric's unit, grown since the start of the run.
    pub value: Vec<f64>,
}

impl Samples {
    /// The metrics by number, as howdah's Run record names them.
    pub const METRICS: [&'static str; 6] = [
        "cpu/all/user_s",
        "cpu/all/idle_s",
        "disk/data/read_bytes",
        "disk/data/written_bytes",
        "nic/net/rx_bytes",
        "nic/net/tx_bytes",
    ];
}

/// Takes everything down that the outcome will tell.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    outcome: Outcome,
    tasks: bool,
    begun: Totals,
}

impl Ledger {
    pub(crate) fn new(record: &Record) -> Self {
        Self { tasks: record.tasks, ..Self::default() }
    }

    pub(crate) fn begin_workload(&mut self, kind: &'static str, begun: Totals) {
        let start_ns = begun.time.0;
        self.outcome.summary.workloads.push(WorkloadSummary { kind, start_ns, ..Default::default() });
        self.begun = begun;
    }

    /// The workload that runs.
    pub(crate) fn workload(&mut self) -> &mut WorkloadSummary {
        self.outcome.summary.workloads.last_mut().expect("a workload is begun before anything is counted")
    }

    /// Ends the phase that began with the workload or with the end of the one before.
    pub(crate) fn end_phase(&mut self, name: &'static str, cluster: &Cluster, ended: Totals) {
        let phase = phase(name, cluster, &self.begun, &ended);
        self.begun = ended;
        self.workload().phases.push(phase);
    }

    pub(crate) fn end_workload(&mut self, now: Time) {
        self.workload().end_ns = now.0;
    }

    pub(crate) fn end_attempt(&mut self, attempt: &Attempt, host: u32, now: Time) {
        if attempt.kind == Kind::Map && attempt.state == State::Sound {
            let locality = &mut self.workload().locality;
            match attempt.locality {
                Locality::Worker => locality.worker += 1,
                Locality::Host => locality.host += 1,
                Locality::Rack => locality.rack += 1,
                Locality::Away => locality.away += 1,
            }
        }
        if self.tasks {
            let workload = (self.outcome.summary.workloads.len() - 1) as u8;
            self.outcome.tasks.push(workload, attempt, host, now);
        }
    }

    pub(crate) fn sample(&mut self, now: Time, host: u32, metric: u8, value: f64) {
        let samples = &mut self.outcome.samples;
        samples.time_ns.push(now.0);
        samples.host.push(host);
        samples.metric.push(metric);
        samples.value.push(value);
    }

    pub(crate) fn finish(mut self, activities: u64) -> Outcome {
        self.outcome.summary.activities = activities;
        self.outcome
    }
}

fn phase(name: &'static str, cluster: &Cluster, begun: &Totals, ended: &Totals) -> PhaseSummary {
    let seconds = ended.time.since(begun.time);
    let share = |before: f64, after: f64| if seconds > 0.0 { (after - before) / seconds } else { 0.0 };
    let mut sums = HostTotals::default();
    let mut busy = 0.0;
    for (number, host) in cluster.hosts.iter().enumerate() {
        let (before, after) = (begun.hosts[number], ended.hosts[number]);
        sums.read_bytes += after.read_bytes - before.read_bytes;
        sums.written_bytes += after.written_bytes - before.written_bytes;
        sums.received_bytes += after.received_bytes - before.received_bytes;
        sums.sent_bytes += after.sent_bytes - before.sent_bytes;
        busy += share(before.busy_s, after.busy_s) / host.processors.count();
    }
    let working = cluster.hosts.iter().filter(|host| !host.workers.is_empty()).count();
    PhaseSummary {
        name,
        start_ns: begun.time.0,
        end_ns: ended.time.0,
        disk_read_bytes: sums.read_bytes,
        disk_written_bytes: sums.written_bytes,
        received_bytes: sums.received_bytes,
        sent_bytes: sums.sent_bytes,
        cpu_busy: busy / working as f64,
        namenode_busy: share(begun.namenode_s, ended.namenode_s),
        scheduler_busy: share(begun.scheduler_s, ended.scheduler_s),
    }
}

/// Values of [`Tasks::state`].
const SUCCEEDED: u8 = 0;
const KILLED: u8 = 2;

impl Tasks {
    fn push(&mut self, workload: u8, attempt: &Attempt, host: u32, now: Time) {
        let nanoseconds = |time: Option<Time>| time.map_or(-1, |time| time.0);
        let done = &attempt.done;
        self.workload.push(workload);
        self.kind.push(u8::from(attempt.kind == Kind::Reduce));
        self.task.push(attempt.task);
        self.attempt.push(attempt.again);
        self.host.push(host);
        self.worker.push(attempt.worker);
        self.slot.push(attempt.slot);
        self.start_ns.push(attempt.start.0);
        self.end_ns.push(now.0);
        let io = done.first.zip(done.last).map_or(0, |(first, last)| last - first);
        self.io_ns.push(io);
        self.input_bytes.push(done.input_bytes as u64);
        self.output_bytes.push(done.output_bytes as u64);
        self.spilled_bytes.push(done.spilled_bytes as u64);
        self.shuffled_bytes.push(done.shuffled_bytes as u64);
        self.locality.push(attempt.locality as u8);
        self.state.push(if attempt.state == State::Killed { KILLED } else { SUCCEEDED });
        self.shuffle_end_ns.push(nanoseconds(done.shuffle_end));
        self.merge_end_ns.push(nanoseconds(done.merge_end));
        self.cpu_s.push(done.cpu_s);
    }
}
