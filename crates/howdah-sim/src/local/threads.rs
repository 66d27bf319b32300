//! Threads that hand buffers to one another: each does its steps in order, and a step waits for others' steps.
//!
//! This is how the local engine works, and why it is no slower than its slowest part for long: a reader fills one
//! buffer while the sorter has the other. What waits for what is said step by step; how fast steps go is shared out by
//! the machine. (A marked graph: F. Commoner et al., *Marked directed graphs*, 1971.)

use super::machine::{Byte, Machine};
use super::samples::Sampler;
use crate::time::Time;

/// A thread's number in its phase, and a step's number in its thread.
pub type StepId = (usize, usize);

/// One piece of work on a buffer.
#[derive(Clone, Debug)]
pub struct Step {
    /// Bytes of work; none is a moment.
    pub bytes: f64,
    /// What each of them takes.
    pub byte: Byte,
    /// The disk that they lie on.
    pub disk: usize,
    /// Seconds that it takes beside its work, such as waiting for the last write.
    pub delay_s: f64,
    /// Steps of other threads that must have ended before.
    pub after: Vec<StepId>,
}

impl Step {
    /// Work on so many bytes that lie on a disk.
    pub fn of(bytes: f64, byte: Byte, disk: usize) -> Self {
        Self { bytes, byte, disk, delay_s: 0.0, after: Vec::new() }
    }

    /// The same after other steps.
    pub fn after(mut self, steps: impl IntoIterator<Item = StepId>) -> Self {
        self.after.extend(steps);
        self
    }

    /// The same with a delay at its end.
    pub fn with_delay(mut self, seconds: f64) -> Self {
        self.delay_s += seconds;
        self
    }
}

/// The threads of a phase, and the times of their steps once they have run.
#[derive(Debug, Default)]
pub struct Threads {
    pub steps: Vec<Vec<Step>>,
}

/// When each step began and ended, by thread.
pub type Times = Vec<Vec<(Time, Time)>>;

impl Threads {
    /// Adds a thread without steps; its number.
    pub fn add(&mut self) -> usize {
        self.steps.push(Vec::new());
        self.steps.len() - 1
    }

    /// Appends a step to a thread; the step's id.
    pub fn push(&mut self, thread: usize, step: Step) -> StepId {
        self.steps[thread].push(step);
        (thread, self.steps[thread].len() - 1)
    }

    /// Runs all steps from a moment on. Returns their times and the moment after the last.
    ///
    /// # Panics
    /// If a step waits for one that waits for it.
    pub fn run(&self, machine: &mut Machine, sampler: &mut Sampler, start: Time) -> (Times, Time) {
        let mut run = Run {
            threads: self,
            times: self.steps.iter().map(|steps| Vec::with_capacity(steps.len())).collect(),
            begun: vec![None; self.steps.len()],
            waiting: vec![Vec::new(); self.steps.len()],
            now: start,
        };
        (0..self.steps.len()).for_each(|thread| run.begin(machine, thread));
        while let Some(due) = machine.network.due() {
            sampler.catch_up(machine, due);
            let finished = machine.network.finish().expect("a flow is due");
            run.now = finished.time;
            run.end(machine, finished.tag as usize);
        }
        let left = run.times.iter().zip(&self.steps).position(|(times, steps)| times.len() < steps.len());
        assert!(left.is_none(), "thread {left:?} waits for ever");
        (run.times, run.now)
    }
}

/// A phase under way.
struct Run<'a> {
    threads: &'a Threads,
    times: Times,
    /// When each thread's step under way began, and whether only its delay is left.
    begun: Vec<Option<(Time, bool)>>,
    /// Threads that wait for a step of this thread.
    waiting: Vec<Vec<usize>>,
    now: Time,
}

impl Run<'_> {
    /// Begins a thread's next step if nothing that it waits for is missing.
    fn begin(&mut self, machine: &mut Machine, thread: usize) {
        let Some(step) = self.threads.steps[thread].get(self.times[thread].len()) else { return };
        if let Some(&(other, _)) =
            step.after.iter().find(|(other, number)| self.times[*other].len() <= *number)
        {
            self.waiting[other].push(thread);
            return;
        }
        self.begun[thread] = Some((self.now, false));
        let uses = machine.uses(&step.byte, step.disk);
        let alone = if step.byte.thread_s > 0.0 { 1.0 / step.byte.thread_s } else { f64::INFINITY };
        if uses.is_empty() || step.bytes <= 0.0 {
            machine.network.start(self.now, 0.0, &[], 1.0, thread as u64);
        } else {
            machine.network.start(self.now, step.bytes, &uses, alone, thread as u64);
        }
    }

    fn end(&mut self, machine: &mut Machine, thread: usize) {
        let step = &self.threads.steps[thread][self.times[thread].len()];
        let (begun, delaying) = self.begun[thread].take().expect("the step was begun");
        if step.delay_s > 0.0 && !delaying {
            self.begun[thread] = Some((begun, true));
            machine.network.start(self.now, step.delay_s, &[], 1.0, thread as u64);
            return;
        }
        self.times[thread].push((begun, self.now));
        let waiting = std::mem::take(&mut self.waiting[thread]);
        self.begin(machine, thread);
        for other in waiting {
            self.begin(machine, other);
        }
    }
}
