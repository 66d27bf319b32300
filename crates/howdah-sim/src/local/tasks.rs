//! Tasks: how bytes are shared out to them, and what is told of each.

use serde::Serialize;

use super::threads::{StepId, Times};

/// The length of a row.
pub const ROW: f64 = 100.0;

/// One task as it ran. Times are nanoseconds since the run's start.
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
    /// A task from its first step to its last.
    pub fn spanning(mut self, times: &Times, first: StepId, last: StepId) -> Self {
        self.start_ns = times[first.0][first.1].0.0;
        self.end_ns = times[last.0][last.1].1.0;
        self
    }
}

/// Tasks that each slot runs: the next free slot takes the next task, and as tasks are alike, that is in turn.
pub fn in_turn(tasks: u32, slots: u32) -> impl Iterator<Item = (u32, Vec<u32>)> {
    let slots = slots.min(tasks).max(1);
    (0..slots).map(move |slot| (slot, (slot..tasks).step_by(slots as usize).collect()))
}

/// A task's share of a total.
pub fn share(total: u64, task: u32, tasks: u32) -> u64 {
    let end = |task: u32| (u128::from(total) * u128::from(task) / u128::from(tasks.max(1))) as u64;
    end(task + 1) - end(task)
}

/// Bytes cut into equal blocks of about so many, at least one.
pub fn blocks(bytes: f64, block: f64) -> (usize, f64) {
    let count = (bytes / block).ceil().max(1.0);
    (count as usize, bytes / count)
}

/// A buffer as large as the engine's, or larger where there would be too many of them to go through one by one.
pub fn buffer(bytes: f64, of_all: f64) -> f64 {
    const MOST: f64 = 20_000.0;
    bytes.max(of_all / MOST)
}
