//! One thread's operations.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::time::Duration;

use howdah_sort::{Context, Error, Result, monotonic};

use crate::distribution::Chooser;
use crate::mix::{OPERATIONS, Operation};
use crate::pace::Pace;
use crate::random::Random;
use crate::spec::YcsbSpec;
use crate::table::{Done, Outcome, Scratch, Table};
use crate::times::Times;

/// A thread that waits for its time looks this often whether to go on.
const NAP: Duration = Duration::from_millis(50);
/// Progress is told this often, since telling it costs as much as a fast operation.
const TOLD: Duration = Duration::from_millis(10);
/// Flaws that are kept word by word; all are counted.
const MOST_FLAWS: usize = 10;

/// What all threads share.
pub struct Shared<'a> {
    pub spec: &'a YcsbSpec,
    pub table: &'a Table,
    pub context: &'a Context,
    /// When they begin.
    pub start: Duration,
    /// When operations begin to count.
    pub counted_from: Duration,
    pub failed: AtomicBool,
    pub counting: Once,
}

impl Shared<'_> {
    fn check(&self) -> Result<()> {
        if self.failed.load(Ordering::Relaxed) { Err(Error::Cancelled) } else { self.context.check() }
    }
}

/// How often operations of one kind ended in which way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Returns {
    pub ok: u64,
    pub not_found: u64,
    pub unexpected: u64,
}

/// What a thread did.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    pub returns: [Returns; OPERATIONS.len()],
    /// Operations, a read-modify-write as one.
    pub operations: u64,
    pub records_read: u64,
    pub records_written: u64,
    /// Those of operations that did not count too.
    pub flaws: u64,
    pub first_flaws: Vec<(&'static str, String)>,
    pub end: Duration,
}

impl Tally {
    pub fn add(&mut self, other: &Self) {
        for (mine, theirs) in self.returns.iter_mut().zip(&other.returns) {
            mine.ok += theirs.ok;
            mine.not_found += theirs.not_found;
            mine.unexpected += theirs.unexpected;
        }
        self.operations += other.operations;
        self.records_read += other.records_read;
        self.records_written += other.records_written;
        self.flaws += other.flaws;
        self.first_flaws.extend_from_slice(&other.first_flaws);
        self.first_flaws.truncate(MOST_FLAWS);
        self.end = self.end.max(other.end);
    }
}

/// A thread's times of an interval, and the interval that it is in now.
pub struct Handed {
    pub thread: usize,
    pub interval: u64,
    pub times: Times,
    pub reached: u64,
}

/// One thread at work.
pub struct Worker<'a> {
    shared: &'a Shared<'a>,
    thread: usize,
    chooser: Chooser,
    random: Random,
    pace: Option<Pace>,
    hand: Sender<Handed>,
    scratch: Scratch,
    tally: Tally,
    times: Times,
    interval: u64,
    interval_end: Duration,
}

impl<'a> Worker<'a> {
    pub fn new(shared: &'a Shared<'a>, thread: usize, chooser: Chooser, hand: Sender<Handed>) -> Self {
        let mut worker = Self {
            shared,
            thread,
            chooser,
            random: Random::new(shared.spec.seed, thread as u64 + 1),
            pace: None,
            hand,
            scratch: Scratch::default(),
            tally: Tally::default(),
            times: Times::default(),
            interval: 0,
            interval_end: shared.counted_from + shared.spec.interval,
        };
        worker.pace = worker.paced(shared.start);
        worker
    }

    /// Goes on until so many of its operations have counted.
    pub fn run(mut self, operations: u64) -> Result<Tally> {
        if self.pace.is_some() {
            wake_in_time();
        }
        let done = self.work(operations);
        if done.is_err() {
            self.shared.failed.store(true, Ordering::Relaxed);
        }
        // Times of operations that were answered are true whatever came after them.
        self.hand_over(u64::MAX);
        done.map(|()| self.tally)
    }

    fn work(&mut self, operations: u64) -> Result<()> {
        while monotonic() < self.shared.counted_from {
            self.shared.check()?;
            let intended = self.wait(self.shared.counted_from)?;
            if monotonic() < self.shared.counted_from {
                self.operate(intended, false)?;
            }
        }
        self.shared.counting.call_once(|| self.shared.context.begin_phase("run"));
        // What the warm-up did not come to is not owed by what counts.
        self.pace = self.paced(self.shared.counted_from);
        let mut told = self.shared.counted_from;
        let mut untold = 0;
        while self.tally.operations < operations {
            self.shared.check()?;
            let intended = self.wait(Duration::MAX)?;
            let end = self.operate(intended, true)?;
            self.tally.operations += 1;
            self.tally.end = end;
            untold += 1;
            if end >= told + TOLD {
                self.shared.context.advance(untold);
                (told, untold) = (end, 0);
            }
        }
        self.shared.context.advance(untold);
        Ok(())
    }

    /// When this thread's operations should begin from a time on; None where each follows the one before.
    fn paced(&self, start: Duration) -> Option<Pace> {
        let spec = self.shared.spec;
        spec.target.map(|per_s| Pace::new(start, per_s, self.thread, spec.threads))
    }

    /// Waits for the next operation's time, or until one is over at which there is none any more.
    fn wait(&mut self, until: Duration) -> Result<Option<Duration>> {
        let Some(pace) = &mut self.pace else { return Ok(None) };
        let intended = pace.next();
        loop {
            let now = monotonic();
            if now >= intended.min(until) {
                return Ok(Some(intended));
            }
            std::thread::sleep((intended.min(until) - now).min(NAP));
            self.shared.check()?;
        }
    }

    fn operate(&mut self, intended: Option<Duration>, counts: bool) -> Result<Duration> {
        let table = self.shared.table;
        let operation = self.shared.spec.mix.next(&mut self.random);
        let mut choose = || self.chooser.next(&table.inserted, &mut self.random);
        let done = match operation {
            Operation::Read => table.read(choose())?,
            Operation::Insert => table.insert(&mut self.scratch)?,
            Operation::Scan => {
                let number = choose();
                let records = 1 + self.random.below(self.shared.spec.scanned);
                table.scan(number, records, &mut self.scratch)?
            }
            Operation::Update => {
                let number = choose();
                self.update(number)?
            }
            Operation::ReadModifyWrite => {
                let number = choose();
                let read = table.read(number)?;
                let start = read.start;
                self.note(Operation::Read, &read, intended, counts);
                let written = if read.outcome == Outcome::Ok { Some(self.update(number)?) } else { None };
                if let Some(written) = &written {
                    self.note(Operation::Update, written, intended, counts);
                }
                // Its parts have been counted, and what they read and wrote.
                let last = written.unwrap_or(read);
                Done { start, end: last.end, outcome: last.outcome, read: 0, written: 0 }
            }
        };
        self.note(operation, &done, intended, counts);
        Ok(done.end)
    }

    fn update(&mut self, number: u64) -> Result<Done> {
        let field = self.random.below(self.shared.spec.fields as u64) as usize;
        self.shared.table.update(number, field, &mut self.scratch)
    }

    fn note(&mut self, operation: Operation, done: &Done, intended: Option<Duration>, counts: bool) {
        let returns = &mut self.tally.returns[operation as usize];
        let kind = match &done.outcome {
            Outcome::Ok => &mut returns.ok,
            Outcome::NotFound(_) => &mut returns.not_found,
            Outcome::Unexpected(_) => &mut returns.unexpected,
        };
        *kind += u64::from(counts);
        if let Outcome::NotFound(flaw) | Outcome::Unexpected(flaw) = &done.outcome {
            self.tally.flaws += 1;
            if self.tally.first_flaws.len() < MOST_FLAWS {
                self.tally.first_flaws.push((operation.name(), flaw.clone()));
            }
        }
        if !counts {
            return;
        }
        self.tally.records_read += done.read;
        self.tally.records_written += done.written;
        if done.end >= self.interval_end {
            self.reach(done.end);
        }
        let intended = intended.map(|intended| done.end.saturating_sub(intended));
        self.times.record(operation, done.end.saturating_sub(done.start), intended);
    }

    /// Moves on to the interval that a time is in.
    fn reach(&mut self, now: Duration) {
        let length = self.shared.spec.interval;
        let interval = ((now - self.shared.counted_from).as_nanos() / length.as_nanos()) as u64;
        self.hand_over(interval);
        self.interval_end = self.shared.counted_from + length * (interval as u32 + 1);
    }

    fn hand_over(&mut self, reached: u64) {
        let times = std::mem::take(&mut self.times);
        let handed = Handed { thread: self.thread, interval: self.interval, times, reached };
        // Whoever takes them is there as long as its threads are.
        let _ = self.hand.send(handed);
        self.interval = reached;
    }
}

/// Asks the kernel not to put off this thread's timers by its usual 50 µs, which would count as the store's.
fn wake_in_time() {
    // SAFETY: the call changes nothing but the calling thread's own slack; where it fails, timers are late.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1) };
}
