//! Threads that fail together.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::context::Context;
use crate::error::{Error, Result};

/// Shared by the threads of one phase, which pass buffers to one another through channels.
///
/// A thread that fails drops its ends of the channels; the others then return [`Error::Cancelled`] because their channels
/// are closed. The phase's error is the first other one.
pub struct Team<'a> {
    context: &'a Context,
    failed: AtomicBool,
    failure: Mutex<Option<Error>>,
}

impl<'a> Team<'a> {
    /// A team without threads.
    pub fn new(context: &'a Context) -> Self {
        Self { context, failed: AtomicBool::new(false), failure: Mutex::new(None) }
    }

    /// Returns an error if the operation was cancelled or another thread has failed.
    pub fn check(&self) -> Result<()> {
        if self.failed.load(Ordering::Relaxed) { Err(Error::Cancelled) } else { self.context.check() }
    }

    /// Runs a thread's work and keeps its error.
    pub fn run(&self, work: impl FnOnce() -> Result<()>) {
        if let Err(error) = work() {
            let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
            if matches!(*failure, None | Some(Error::Cancelled)) {
                *failure = Some(error);
            }
            self.failed.store(true, Ordering::Relaxed);
        }
    }

    /// The error of the phase, after all threads have ended.
    pub fn end(self) -> Result<()> {
        self.failure.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }
}

/// The error of a thread whose channel was closed by another thread's failure.
pub fn closed<E>(_: E) -> Error {
    Error::Cancelled
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn the_failure_that_closed_the_channels_is_returned() {
        let context = Context::default();
        let team = Team::new(&context);
        let (sender, receiver) = mpsc::channel::<()>();
        std::thread::scope(|scope| {
            scope.spawn(|| team.run(move || receiver.recv().map_err(closed)));
            scope.spawn(|| {
                team.run(move || {
                    drop(sender);
                    Err(Error::Memory { budget: 1, needed: 2 })
                })
            });
        });
        assert!(team.check().is_err());
        assert!(matches!(team.end(), Err(Error::Memory { budget: 1, needed: 2 })));
    }
}
