//! Tasks on slots: a fixed number of threads, each of which takes the next task when it has finished one.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::context::Context;
use crate::error::{Error, Result};

/// Signals to tasks that they should stop.
pub struct StopSignal<'a> {
    context: &'a Context,
    failed: AtomicBool,
}

impl StopSignal<'_> {
    /// Returns an error if the operation was cancelled or another task has failed.
    pub fn check(&self) -> Result<()> {
        if self.failed.load(Ordering::Relaxed) { Err(Error::Cancelled) } else { self.context.check() }
    }
}

/// Runs tasks 0 to `tasks` - 1 with one thread for each element of `slots`, which is passed to the
/// slot's tasks together with the numbers of the slot and the task.
///
/// The first failure stops the others at their next [`StopSignal::check`] and is returned.
pub fn run_tasks<S: Send>(
    slots: impl IntoIterator<Item = S>,
    tasks: usize,
    context: &Context,
    work: impl Fn(&mut S, u32, usize, &StopSignal) -> Result<()> + Sync,
) -> Result<()> {
    let next = AtomicUsize::new(0);
    let stop = StopSignal { context, failed: AtomicBool::new(false) };
    let failure = Mutex::new(None);
    std::thread::scope(|scope| {
        for (slot, mut state) in slots.into_iter().take(tasks).enumerate() {
            let (next, stop, failure, work) = (&next, &stop, &failure, &work);
            scope.spawn(move || {
                loop {
                    let task = next.fetch_add(1, Ordering::Relaxed);
                    if task >= tasks {
                        break;
                    }
                    if let Err(error) = stop.check().and_then(|()| work(&mut state, slot as u32, task, stop))
                    {
                        // Only the first failure counts: later ones may be its consequences.
                        failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                        stop.failed.store(true, Ordering::Relaxed);
                        break;
                    }
                }
            });
        }
    });
    match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_runs_once_and_slots_are_numbered() {
        let seen = Mutex::new(Vec::new());
        run_tasks([(); 3], 10, &Context::default(), |(), slot, task, _| {
            assert!(slot < 3);
            seen.lock().unwrap().push(task);
            Ok(())
        })
        .unwrap();
        let mut seen = seen.into_inner().unwrap();
        seen.sort_unstable();
        assert_eq!(seen, (0..10).collect::<Vec<_>>());
    }

    #[test]
    fn the_first_failure_stops_the_others_and_is_returned() {
        let failed = run_tasks([(); 2], 2, &Context::default(), |(), _, task, stop| {
            if task == 0 {
                return Err(Error::Memory { budget: 1, needed: 2 });
            }
            // This task never ends without the stop signal.
            while stop.check().is_ok() {
                std::thread::yield_now();
            }
            stop.check()
        });
        assert!(matches!(failed, Err(Error::Memory { budget: 1, needed: 2 })));
    }

    #[test]
    fn a_cancelled_operation_starts_no_task() {
        let context = Context::default();
        context.cancel();
        let failed = run_tasks([(); 2], 2, &context, |(), _, _, _| panic!("a task was started"));
        assert!(matches!(failed, Err(Error::Cancelled)));
    }
}
