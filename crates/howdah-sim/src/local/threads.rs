//! Threads that pass buffers to one another: each executes its steps in order, and a step waits for steps of others.
//!
//! The local engine works this way, so it is rarely slower than its slowest part: a reader fills one buffer while the
//! sorter has the other. Steps state what they wait for; the machine determines their rates.
//! (A marked graph: F. Commoner et al., *Marked directed graphs*, 1971.)

use super::machine::{ByteCost, Machine};
use super::samples::Sampler;
use crate::time::Time;

/// A thread's number in its phase, and a step's number in its thread.
pub type StepId = (usize, usize);

/// Work on a buffer.
#[derive(Clone, Debug)]
pub struct Step {
    /// Bytes of work; a step without bytes takes no time.
    pub bytes: f64,
    /// The cost of each byte.
    pub cost: ByteCost,
    /// The disk of the bytes.
    pub disk: usize,
    /// Seconds in addition to the work, such as the wait for the last write.
    pub delay_s: f64,
    /// Steps of other threads that must have ended before.
    pub after: Vec<StepId>,
}

impl Step {
    /// A step with bytes on a disk.
    pub fn new(bytes: f64, cost: ByteCost, disk: usize) -> Self {
        Self { bytes, cost, disk, delay_s: 0.0, after: Vec::new() }
    }

    /// Adds steps that must have ended before.
    pub fn after(mut self, steps: impl IntoIterator<Item = StepId>) -> Self {
        self.after.extend(steps);
        self
    }

    /// Adds a delay at the end.
    pub fn with_delay(mut self, seconds: f64) -> Self {
        self.delay_s += seconds;
        self
    }
}

/// The threads of a phase.
#[derive(Debug, Default)]
pub struct Threads {
    pub steps: Vec<Vec<Step>>,
}

/// The start and end of each step, by thread.
pub type StepTimes = Vec<Vec<(Time, Time)>>;

impl Threads {
    /// Adds a thread without steps. Returns its number.
    pub fn add(&mut self) -> usize {
        self.steps.push(Vec::new());
        self.steps.len() - 1
    }

    /// Appends a step to a thread. Returns its id.
    pub fn push(&mut self, thread: usize, step: Step) -> StepId {
        self.steps[thread].push(step);
        (thread, self.steps[thread].len() - 1)
    }

    /// Runs all steps from `start` on. Returns their times and the end of the last.
    ///
    /// # Panics
    /// If steps wait for one another in a cycle.
    pub fn run(&self, machine: &mut Machine, sampler: &mut Sampler, start: Time) -> (StepTimes, Time) {
        let mut run = Run {
            threads: self,
            times: self.steps.iter().map(|steps| Vec::with_capacity(steps.len())).collect(),
            running: vec![None; self.steps.len()],
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
        let blocked = run.times.iter().zip(&self.steps).position(|(times, steps)| times.len() < steps.len());
        assert!(blocked.is_none(), "thread {blocked:?} waits for ever");
        (run.times, run.now)
    }
}

/// A running phase.
struct Run<'a> {
    threads: &'a Threads,
    times: StepTimes,
    /// For each thread with a running step, the step's start, and whether only its delay remains.
    running: Vec<Option<(Time, bool)>>,
    /// Threads that wait for a step of this thread.
    waiting: Vec<Vec<usize>>,
    now: Time,
}

impl Run<'_> {
    /// Starts a thread's next step unless it must wait.
    fn begin(&mut self, machine: &mut Machine, thread: usize) {
        let Some(step) = self.threads.steps[thread].get(self.times[thread].len()) else { return };
        if let Some(&(blocker, _)) =
            step.after.iter().find(|(blocker, number)| self.times[*blocker].len() <= *number)
        {
            self.waiting[blocker].push(thread);
            return;
        }
        self.running[thread] = Some((self.now, false));
        let uses = machine.uses(&step.cost, step.disk);
        let max_per_s = if step.cost.thread_s > 0.0 { 1.0 / step.cost.thread_s } else { f64::INFINITY };
        if uses.is_empty() || step.bytes <= 0.0 {
            machine.network.start(self.now, 0.0, &[], 1.0, thread as u64);
        } else {
            machine.network.start(self.now, step.bytes, &uses, max_per_s, thread as u64);
        }
    }

    fn end(&mut self, machine: &mut Machine, thread: usize) {
        let step = &self.threads.steps[thread][self.times[thread].len()];
        let (start, delaying) = self.running[thread].take().expect("the step was begun");
        if step.delay_s > 0.0 && !delaying {
            self.running[thread] = Some((start, true));
            machine.network.start(self.now, step.delay_s, &[], 1.0, thread as u64);
            return;
        }
        self.times[thread].push((start, self.now));
        let waiting = std::mem::take(&mut self.waiting[thread]);
        self.begin(machine, thread);
        for waiter in waiting {
            self.begin(machine, waiter);
        }
    }
}
