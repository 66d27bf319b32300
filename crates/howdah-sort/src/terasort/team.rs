//! Threads that fail together.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::context::Context;
use crate::error::{Error, Result};

/// Shared by the threads of one phase, which hand buffers to one another over channels.
///
/// A thread that fails drops its ends of the channels; the others then find them closed, which they
/// return as [`Error::Cancelled`]. The error that counts is the first one that is not.
pub struct Team<'a> {
    context: &'a Context,
    failed: AtomicBool,
    failure: Mutex<Option<Error>>,
}

impl<'a> Team<'a> {
    /// A team without members yet.
    pub fn new(context: &'a Context) -> Self {
        Self { context, failed: AtomicBool::new(false), failure: Mutex::new(None) }
    }

    /// Fails if the operation was cancelled or another thread has failed.
    pub fn check(&self) -> Result<()> {
        if self.failed.load(Ordering::Relaxed) { Err(Error::Cancelled) } else { self.context.check() }
    }

    /// Does a thread's work and keeps its failure.
    pub fn run(&self, work: impl FnOnce() -> Result<()>) {
        if let Err(error) = work() {
            let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
            if matches!(*failure, None | Some(Error::Cancelled)) {
                *failure = Some(error);
            }
            self.failed.store(true, Ordering::Relaxed);
        }
    }

    /// What went wrong, once all threads have ended.
    pub fn end(self) -> Result<()> {
        self.failure.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }
}

/// What a thread returns that finds a channel closed by another's failure.
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
                    Err(Error::Memory { given: 1, needed: 2 })
                })
            });
        });
        assert!(team.check().is_err());
        assert!(matches!(team.end(), Err(Error::Memory { given: 1, needed: 2 })));
    }
}
