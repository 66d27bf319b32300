//! Tasks: their shares of the bytes, and their records.

use serde::Serialize;

use super::threads::{StepId, StepTimes};

/// Bytes of a row.
pub const ROW: f64 = 100.0;

/// A task. Times are nanoseconds since the run's start.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Task {
    /// `map` or `reduce`.
    pub kind: &'static str,
    pub task: u32,
    pub slot: u32,
    pub start_ns: i64,
    pub end_ns: i64,
    pub input_rows: u64,
    pub output_rows: u64,
    pub input_bytes: u64,
    pub output_bytes: u64,
    pub spilled_bytes: u64,
}

impl Task {
    /// Sets the task's times from its first step to its last.
    pub fn spanning(mut self, times: &StepTimes, first: StepId, last: StepId) -> Self {
        self.start_ns = times[first.0][first.1].0.0;
        self.end_ns = times[last.0][last.1].1.0;
        self
    }
}

/// The tasks of each slot: the next free slot takes the next task, and equal tasks end in turn.
pub fn round_robin(tasks: u32, slots: u32) -> impl Iterator<Item = (u32, Vec<u32>)> {
    let slots = slots.min(tasks).max(1);
    (0..slots).map(move |slot| (slot, (slot..tasks).step_by(slots as usize).collect()))
}

/// A task's share of a total.
pub fn task_share(total: u64, task: u32, tasks: u32) -> u64 {
    let end = |task: u32| (u128::from(total) * u128::from(task) / u128::from(tasks.max(1))) as u64;
    end(task + 1) - end(task)
}

/// Divides bytes into equal blocks of about `block` bytes, at least one. Returns their number and size.
pub fn blocks(bytes: f64, block: f64) -> (usize, f64) {
    let count = (bytes / block).ceil().max(1.0);
    (count as usize, bytes / count)
}

/// The size of a buffer: the engine's, or larger if `total_bytes` would need too many buffers to simulate.
pub fn buffer(bytes: f64, total_bytes: f64) -> f64 {
    const MAX_BUFFERS: f64 = 20_000.0;
    bytes.max(total_bytes / MAX_BUFFERS)
}
