//! What a slot tells of the tasks it ran.

use std::time::Duration;

use crate::clock::monotonic;
use crate::context::{Context, TaskAttempt, TaskKind};

/// The row of a swim-lane chart that one slot fills.
pub struct Lane<'a> {
    context: &'a Context,
    kind: TaskKind,
    slot: u32,
    free_since: Duration,
}

/// What one task did.
#[derive(Clone, Copy, Default)]
pub struct Work {
    /// Rows read and written.
    pub rows: u64,
    /// Bytes read from files.
    pub input_bytes: u64,
    /// Bytes written to output files.
    pub output_bytes: u64,
    /// Bytes of intermediate data written or read back.
    pub spilled_bytes: u64,
}

impl<'a> Lane<'a> {
    /// The lane of slot `slot` of its kind.
    pub fn new(context: &'a Context, kind: TaskKind, slot: usize) -> Self {
        Self { context, kind, slot: slot as u32, free_since: Duration::ZERO }
    }

    /// Reports a task that ends now.
    ///
    /// A slot reads ahead for its next task while it finishes the last one. It holds one task at a
    /// time, so what it did ahead counts from when the last one ended.
    pub fn finish(&mut self, task: u32, started: Duration, work: Work) {
        let (start, end) = (started.max(self.free_since), monotonic());
        self.free_since = end;
        self.report(task, start, end, work);
    }

    /// Reports tasks that were done as one and end now: each gets a share of the time that goes with its rows.
    pub fn finish_together(&mut self, started: Duration, tasks: &[(u32, Work)]) {
        let (mut start, end) = (started.max(self.free_since), monotonic());
        self.free_since = end;
        let time = end.saturating_sub(start);
        let rows: u64 = tasks.iter().map(|(_, work)| work.rows).sum();
        for &(task, work) in tasks {
            let share = if rows == 0 { 0.0 } else { work.rows as f64 / rows as f64 };
            let end = start + time.mul_f64(share);
            self.report(task, start, end, work);
            start = end;
        }
    }

    fn report(&self, task: u32, start: Duration, end: Duration, work: Work) {
        self.context.finish_task(TaskAttempt {
            kind: self.kind,
            task,
            slot: self.slot,
            start,
            end,
            input_rows: work.rows,
            output_rows: work.rows,
            input_bytes: work.input_bytes,
            output_bytes: work.output_bytes,
            spilled_bytes: work.spilled_bytes,
        });
    }
}
