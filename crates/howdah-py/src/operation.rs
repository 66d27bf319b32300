//! A running kernel on a separate thread.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use howdah_sort::{Context, TaskKind, catch_panic};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::errors::Failure;
use crate::reports::Report;

type Outcome = Result<Box<dyn Report>, Failure>;

#[derive(Default)]
struct Shared {
    context: Context,
    outcome: Mutex<Option<Outcome>>,
    ended: Condvar,
}

impl Shared {
    fn outcome(&self) -> MutexGuard<'_, Option<Outcome>> {
        self.outcome.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait(&self, timeout: Duration) -> bool {
        let (outcome, _) = self
            .ended
            .wait_timeout_while(self.outcome(), timeout, |outcome| outcome.is_none())
            .unwrap_or_else(PoisonError::into_inner);
        outcome.is_some()
    }
}

/// A running kernel; dropping it cancels the work and waits for its end.
#[pyclass(frozen, generic, module = "howdah._native")]
pub struct Operation {
    shared: Arc<Shared>,
    worker: Option<JoinHandle<()>>,
}

impl Operation {
    /// Starts the kernel on a thread with the given name.
    pub fn start<R: Report>(
        name: &str,
        kernel: impl FnOnce(&Context) -> howdah_sort::Result<R> + Send + 'static,
    ) -> PyResult<Self> {
        let shared = Arc::new(Shared::default());
        let worker_shared = Arc::clone(&shared);
        let work = move || {
            let outcome = match catch_panic(|| kernel(&worker_shared.context)) {
                Ok(Ok(report)) => Ok(Box::new(report) as Box<dyn Report>),
                Ok(Err(error)) => Err(Failure::Kernel(error)),
                Err(message) => Err(Failure::Panic(message)),
            };
            *worker_shared.outcome() = Some(outcome);
            worker_shared.ended.notify_all();
        };
        let worker = std::thread::Builder::new().name(name.to_owned()).spawn(work)?;
        Ok(Self { shared, worker: Some(worker) })
    }
}

impl Drop for Operation {
    fn drop(&mut self) {
        self.shared.context.cancel();
        let Some(worker) = self.worker.take() else { return };
        // The worker reports its own panics, so joining it cannot fail.
        let join = || drop(worker.join());
        // Other Python threads continue meanwhile, unless the interpreter is shutting down.
        let mut join = Some(join);
        Python::try_attach(|py| py.detach(|| join.take().map(|join| join())));
        if let Some(join) = join {
            join();
        }
    }
}

#[pymethods]
impl Operation {
    fn wait(&self, py: Python<'_>, timeout_s: f64) -> PyResult<bool> {
        if timeout_s.is_nan() || timeout_s < 0.0 {
            return Err(PyValueError::new_err(format!(
                "timeout_s: {timeout_s} is not a duration; give 0 or more"
            )));
        }
        // A time that is too long for a Duration is waited for without a limit.
        let timeout = Duration::try_from_secs_f64(timeout_s).unwrap_or(Duration::MAX);
        Ok(py.detach(|| self.shared.wait(timeout)))
    }

    fn cancel(&self) {
        self.shared.context.cancel();
    }

    fn progress(&self) -> Progress {
        let howdah_sort::Progress { phase, done_bytes, total_bytes } = self.shared.context.progress();
        Progress { phase, done_bytes, total_bytes }
    }

    fn take_tasks(&self) -> Vec<Task> {
        self.shared.context.take_tasks().into_iter().map(Task::from).collect()
    }

    fn take_intervals(&self) -> Vec<Timed> {
        self.shared.context.take_intervals().into_iter().map(Timed::from).collect()
    }

    fn phases(&self) -> Vec<(&'static str, u64, u64)> {
        let phases = self.shared.context.phases();
        phases
            .into_iter()
            .map(|phase| (phase.name, nanoseconds(phase.start), nanoseconds(phase.end)))
            .collect()
    }

    fn result(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        match &*self.shared.outcome() {
            Some(Ok(report)) => report.to_python(py),
            Some(Err(failure)) => Err(failure.to_py_err()),
            None => Err(PyRuntimeError::new_err("the operation is still running; wait for it to end first")),
        }
    }
}

/// The progress of an operation.
#[pyclass(frozen, get_all, module = "howdah._native")]
pub struct Progress {
    phase: &'static str,
    done_bytes: u64,
    total_bytes: u64,
}

/// One finished task.
#[pyclass(frozen, get_all, module = "howdah._native")]
pub struct Task {
    kind: &'static str,
    task: u32,
    slot: u32,
    start_ns: u64,
    end_ns: u64,
    input_rows: u64,
    output_rows: u64,
    input_bytes: u64,
    output_bytes: u64,
    spilled_bytes: u64,
}

impl From<howdah_sort::TaskAttempt> for Task {
    fn from(task: howdah_sort::TaskAttempt) -> Self {
        Self {
            kind: match task.kind {
                TaskKind::Map => "map",
                TaskKind::Reduce => "reduce",
            },
            task: task.task,
            slot: task.slot,
            start_ns: nanoseconds(task.start),
            end_ns: nanoseconds(task.end),
            input_rows: task.input_rows,
            output_rows: task.output_rows,
            input_bytes: task.input_bytes,
            output_bytes: task.output_bytes,
            spilled_bytes: task.spilled_bytes,
        }
    }
}

/// Durations of the operations of one kind in an interval.
#[pyclass(frozen, get_all, module = "howdah._native")]
pub struct Timed {
    name: &'static str,
    start_ns: u64,
    end_ns: u64,
    operations: u64,
    histogram: Vec<u8>,
}

impl From<howdah_sort::TimedInterval> for Timed {
    fn from(timed: howdah_sort::TimedInterval) -> Self {
        Self {
            name: timed.name,
            start_ns: nanoseconds(timed.start),
            end_ns: nanoseconds(timed.end),
            operations: timed.operations,
            histogram: timed.histogram,
        }
    }
}

fn nanoseconds(time: Duration) -> u64 {
    // A monotonic clock overflows 64 bits of nanoseconds after 584 years.
    time.as_nanos() as u64
}
