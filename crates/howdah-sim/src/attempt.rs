//! Running task attempts.

use crate::models::scheduling::Locality;
use crate::models::start::Start;
use crate::sharing::FlowId;
use crate::time::Time;

/// The kind of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Map,
    Reduce,
}

/// The state of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// It runs, or has succeeded.
    Active,
    /// Another attempt of its task was faster.
    Killed,
}

/// An attempt of a task. Its number is its index in [`Attempts`]; a later attempt may reuse it.
#[derive(Clone, Debug)]
pub(crate) struct Attempt {
    pub(crate) kind: Kind,
    pub(crate) task: u32,
    /// 0 for the first attempt of the task.
    pub(crate) ordinal: u8,
    pub(crate) state: State,
    /// The stream that it waits for, if any.
    pub(crate) stream: Option<FlowId>,
    pub(crate) worker: u32,
    pub(crate) slot: u32,
    pub(crate) locality: Locality,
    pub(crate) start: Time,
    /// Steps begun.
    pub(crate) step: u32,
    /// The start of its process, until a stream includes it.
    pub(crate) process: Start,
    /// Its speed relative to its worker's.
    pub(crate) speed: f64,
    pub(crate) progress: Progress,
}

/// What an attempt has moved, and when.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Progress {
    pub(crate) input_bytes: f64,
    pub(crate) output_bytes: f64,
    pub(crate) spilled_bytes: f64,
    pub(crate) shuffled_bytes: f64,
    pub(crate) cpu_s: f64,
    /// The start of its first step.
    pub(crate) first_step: Option<Time>,
    /// The end of its last step.
    pub(crate) last_step: Option<Time>,
    pub(crate) shuffle_end: Option<Time>,
    pub(crate) merge_end: Option<Time>,
}

/// The running attempts.
#[derive(Debug, Default)]
pub(crate) struct Attempts {
    all: Vec<Attempt>,
    free: Vec<u32>,
}

impl Attempts {
    pub(crate) fn add(&mut self, attempt: Attempt) -> u32 {
        match self.free.pop() {
            Some(number) => {
                self.all[number as usize] = attempt;
                number
            }
            None => {
                self.all.push(attempt);
                (self.all.len() - 1) as u32
            }
        }
    }

    pub(crate) fn remove(&mut self, number: u32) {
        self.free.push(number);
    }
}

impl std::ops::Index<u32> for Attempts {
    type Output = Attempt;

    fn index(&self, number: u32) -> &Attempt {
        &self.all[number as usize]
    }
}

impl std::ops::IndexMut<u32> for Attempts {
    fn index_mut(&mut self, number: u32) -> &mut Attempt {
        &mut self.all[number as usize]
    }
}
