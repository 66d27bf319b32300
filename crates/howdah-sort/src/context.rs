//! Progress of a running kernel, and its cancellation.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::clock::monotonic;
use crate::error::{Error, Result};

/// Whether a task attempt was a map or a reduce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskKind {
    /// Reads input splits.
    Map,
    /// Writes output partitions.
    Reduce,
}

/// One finished task. Times are on the operating system's monotonic clock, see [`monotonic`].
#[derive(Clone, Debug)]
pub struct TaskAttempt {
    /// Map or reduce.
    pub kind: TaskKind,
    /// The task's number within its kind, from 0.
    pub task: u32,
    /// The slot (thread) of its kind that ran it, from 0.
    pub slot: u32,
    /// When it started.
    pub start: Duration,
    /// When its output was complete.
    pub end: Duration,
    /// Rows read.
    pub input_rows: u64,
    /// Rows written.
    pub output_rows: u64,
    /// Bytes read from files.
    pub input_bytes: u64,
    /// Bytes written to output files.
    pub output_bytes: u64,
    /// Bytes of intermediate data written (map) or read back (reduce).
    pub spilled_bytes: u64,
}

impl TaskAttempt {
    /// A task that started at `start` and ends now, without rows and bytes.
    pub fn ended(kind: TaskKind, task: usize, slot: u32, start: Duration) -> Self {
        Self {
            kind,
            task: task as u32,
            slot,
            start,
            end: monotonic(),
            input_rows: 0,
            output_rows: 0,
            input_bytes: 0,
            output_bytes: 0,
            spilled_bytes: 0,
        }
    }
}

/// Durations of the operations of one kind that ended within an interval.
#[derive(Clone, Debug)]
pub struct TimedInterval {
    /// The kind of operation.
    pub name: &'static str,
    /// When the interval began.
    pub start: Duration,
    /// When it ended.
    pub end: Duration,
    /// The number of operations.
    pub operations: u64,
    /// Their durations in microseconds, in HdrHistogram's compressed form (V2).
    pub histogram: Vec<u8>,
}

/// The progress of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The current phase's name; empty before the first.
    pub phase: &'static str,
    /// Bytes read and written so far.
    pub done_bytes: u64,
    /// Bytes to read and write in all.
    pub total_bytes: u64,
}

/// A phase of a kernel's run.
#[derive(Clone, Copy, Debug)]
pub struct Phase {
    /// The phase's name in Hadoop's terms.
    pub name: &'static str,
    /// When it started.
    pub start: Duration,
    /// When it ended.
    pub end: Duration,
}

#[derive(Default)]
struct Events {
    finished: Vec<TaskAttempt>,
    timed: Vec<TimedInterval>,
    phases: Vec<Phase>,
    open: Option<(&'static str, Duration)>,
}

/// Shared by a running kernel and its caller.
#[derive(Default)]
pub struct Context {
    cancelled: AtomicBool,
    done_bytes: AtomicU64,
    total_bytes: AtomicU64,
    events: Mutex<Events>,
}

impl Context {
    /// Requests cancellation; the kernel returns [`Error::Cancelled`] soon after.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Returns an error if cancellation was requested. Kernels call it between blocks.
    pub fn check(&self) -> Result<()> {
        if self.cancelled.load(Ordering::Relaxed) { Err(Error::Cancelled) } else { Ok(()) }
    }

    /// Announces how many bytes will be read and written in total.
    pub fn expect(&self, total_bytes: u64) {
        self.total_bytes.store(total_bytes, Ordering::Relaxed);
    }

    /// Counts bytes read or written.
    pub fn advance(&self, bytes: u64) {
        self.done_bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Starts a phase and ends the one before it, at the same moment.
    pub fn begin_phase(&self, name: &'static str) {
        let now = monotonic();
        let mut events = self.events();
        events.close(now);
        events.open = Some((name, now));
    }

    /// Ends the current phase.
    pub fn end_phase(&self) {
        self.events().close(monotonic());
    }

    /// Reports a finished task.
    pub fn finish_task(&self, task: TaskAttempt) {
        self.events().finished.push(task);
    }

    /// The kernel's progress.
    pub fn progress(&self) -> Progress {
        Progress {
            phase: self.events().open.map_or("", |(name, _)| name),
            done_bytes: self.done_bytes.load(Ordering::Relaxed),
            total_bytes: self.total_bytes.load(Ordering::Relaxed),
        }
    }

    /// Takes the tasks finished since the last call.
    pub fn take_tasks(&self) -> Vec<TaskAttempt> {
        std::mem::take(&mut self.events().finished)
    }

    /// Reports an interval that has ended.
    pub fn finish_interval(&self, interval: TimedInterval) {
        self.events().timed.push(interval);
    }

    /// Takes the intervals reported since the last call.
    pub fn take_intervals(&self) -> Vec<TimedInterval> {
        std::mem::take(&mut self.events().timed)
    }

    /// The phases that have ended.
    pub fn phases(&self) -> Vec<Phase> {
        self.events().phases.clone()
    }

    fn events(&self) -> std::sync::MutexGuard<'_, Events> {
        // A panic while the lock was held cannot leave these lists in an inconsistent state.
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Events {
    fn close(&mut self, now: Duration) {
        if let Some((name, start)) = self.open.take() {
            self.phases.push(Phase { name, start, end: now });
        }
    }
}
