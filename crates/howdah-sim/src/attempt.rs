//! Task attempts that are under way.

use crate::models::scheduling::Locality;
use crate::models::start::Start;
use crate::sharing::FlowId;
use crate::time::Time;

/// Map or reduce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Map,
    Reduce,
}

/// How an attempt ended, or that it has not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// It runs, or has succeeded.
    Sound,
    /// Another attempt of its task was faster.
    Killed,
}

/// One attempt of a task; its number is its place in [`Attempts`], which a later one may get again.
#[derive(Clone, Debug)]
pub(crate) struct Attempt {
    pub(crate) kind: Kind,
    pub(crate) task: u32,
    /// 0 for the first attempt of the task.
    pub(crate) again: u8,
    pub(crate) state: State,
    /// The stream that it waits for.
    pub(crate) stream: Option<FlowId>,
    pub(crate) worker: u32,
    pub(crate) slot: u32,
    pub(crate) locality: Locality,
    pub(crate) start: Time,
    /// Steps that it has begun.
    pub(crate) step: u32,
    /// What its process spends before its first byte, until a stream has taken it.
    pub(crate) process: Start,
    /// Its own speed, relative to its worker's.
    pub(crate) speed: f64,
    /// What its program keeps of it: bytes in, out and spilled.
    pub(crate) done: Done,
}

/// What an attempt has moved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Done {
    pub(crate) input_bytes: f64,
    pub(crate) output_bytes: f64,
    pub(crate) spilled_bytes: f64,
    pub(crate) shuffled_bytes: f64,
    pub(crate) cpu_s: f64,
    /// When its first step began.
    pub(crate) first: Option<Time>,
    /// When its last step was over.
    pub(crate) last: Option<Time>,
    pub(crate) shuffle_end: Option<Time>,
    pub(crate) merge_end: Option<Time>,
}

/// The attempts under way.
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
