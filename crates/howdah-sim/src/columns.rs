//! Tasks and samples as columns.

use crate::attempt::{Attempt, Kind, State};
use crate::time::Time;

/// Task attempts as columns. Times are nanoseconds since the start of the run, -1 if there is none.
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
    /// The slot that it ran in, by number within its kind.
    pub slot: Vec<u32>,
    /// When it was assigned.
    pub start_ns: Vec<i64>,
    /// When it ended.
    pub end_ns: Vec<i64>,
    /// From its first byte to its last, without the start of its process and its commit.
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
    /// When a reduce had fetched all its input.
    pub shuffle_end_ns: Vec<i64>,
    /// When a reduce had merged it.
    pub merge_end_ns: Vec<i64>,
    /// CPU of its process, seconds of an unshared core.
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
    /// In the metric's unit, cumulative since the start of the run.
    pub value: Vec<f64>,
}

impl Samples {
    /// The metrics by number, with their names in howdah's run records.
    pub const METRICS: [&'static str; 6] = [
        "cpu/all/user_s",
        "cpu/all/idle_s",
        "disk/data/read_bytes",
        "disk/data/written_bytes",
        "nic/net/rx_bytes",
        "nic/net/tx_bytes",
    ];
}

/// Values of [`Tasks::state`].
const SUCCEEDED: u8 = 0;
const KILLED: u8 = 2;

impl Tasks {
    pub(crate) fn push(&mut self, workload: u8, attempt: &Attempt, host: u32, now: Time) {
        let nanoseconds = |time: Option<Time>| time.map_or(-1, |time| time.0);
        let progress = &attempt.progress;
        self.workload.push(workload);
        self.kind.push(u8::from(attempt.kind == Kind::Reduce));
        self.task.push(attempt.task);
        self.attempt.push(attempt.ordinal);
        self.host.push(host);
        self.worker.push(attempt.worker);
        self.slot.push(attempt.slot);
        self.start_ns.push(attempt.start.0);
        self.end_ns.push(now.0);
        let io = progress.first_step.zip(progress.last_step).map_or(0, |(first, last)| last - first);
        self.io_ns.push(io);
        self.input_bytes.push(progress.input_bytes as u64);
        self.output_bytes.push(progress.output_bytes as u64);
        self.spilled_bytes.push(progress.spilled_bytes as u64);
        self.shuffled_bytes.push(progress.shuffled_bytes as u64);
        self.locality.push(attempt.locality as u8);
        self.state.push(if attempt.state == State::Killed { KILLED } else { SUCCEEDED });
        self.shuffle_end_ns.push(nanoseconds(progress.shuffle_end));
        self.merge_end_ns.push(nanoseconds(progress.merge_end));
        self.cpu_s.push(progress.cpu_s);
    }
}

impl Samples {
    pub(crate) fn push(&mut self, now: Time, host: u32, metric: u8, value: f64) {
        self.time_ns.push(now.0);
        self.host.push(host);
        self.metric.push(metric);
        self.value.push(value);
    }
}
