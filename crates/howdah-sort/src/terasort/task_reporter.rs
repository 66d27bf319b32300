//! Reports the tasks of a slot.

use std::time::Duration;

use crate::clock::monotonic;
use crate::context::{Context, TaskAttempt, TaskKind};

/// Reports the tasks of one slot, one after another.
pub struct TaskReporter<'a> {
    context: &'a Context,
    kind: TaskKind,
    slot: u32,
    free_since: Duration,
}

/// The counters of a task.
#[derive(Clone, Copy, Default)]
pub struct TaskCounters {
    /// Rows read and written.
    pub rows: u64,
    /// Bytes read from files.
    pub input_bytes: u64,
    /// Bytes written to output files.
    pub output_bytes: u64,
    /// Bytes of intermediate data written or read back.
    pub spilled_bytes: u64,
}

impl<'a> TaskReporter<'a> {
    /// The reporter of slot `slot` of its kind.
    pub fn new(context: &'a Context, kind: TaskKind, slot: usize) -> Self {
        Self { context, kind, slot: slot as u32, free_since: Duration::ZERO }
    }

    /// Reports a task that ends now.
    ///
    /// A slot reads ahead for its next task while it finishes the last one. Tasks of a slot must not overlap, so the
    /// reported start is not before the end of the last task.
    pub fn finish(&mut self, task: u32, started: Duration, counters: TaskCounters) {
        let (start, end) = (started.max(self.free_since), monotonic());
        self.free_since = end;
        self.report(task, start, end, counters);
    }

    /// Reports tasks that were executed together and end now: each gets a part of the time in proportion to its rows.
    pub fn finish_together(&mut self, started: Duration, tasks: &[(u32, TaskCounters)]) {
        let (mut start, end) = (started.max(self.free_since), monotonic());
        self.free_since = end;
        let time = end.saturating_sub(start);
        let rows: u64 = tasks.iter().map(|(_, counters)| counters.rows).sum();
        for &(task, counters) in tasks {
            let share = if rows == 0 { 0.0 } else { counters.rows as f64 / rows as f64 };
            let end = start + time.mul_f64(share);
            self.report(task, start, end, counters);
            start = end;
        }
    }

    fn report(&self, task: u32, start: Duration, end: Duration, counters: TaskCounters) {
        self.context.finish_task(TaskAttempt {
            kind: self.kind,
            task,
            slot: self.slot,
            start,
            end,
            input_rows: counters.rows,
            output_rows: counters.rows,
            input_bytes: counters.input_bytes,
            output_bytes: counters.output_bytes,
            spilled_bytes: counters.spilled_bytes,
        });
    }
}
