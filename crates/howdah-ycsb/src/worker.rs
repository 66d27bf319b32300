//! The operations of one thread.

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
use crate::table::{Completion, Outcome, Scratch, Table};
use crate::times::Times;

/// A thread that waits for its next operation checks for cancellation this often.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Progress is reported this often, since a report costs as much as a fast operation.
const REPORT_INTERVAL: Duration = Duration::from_millis(10);
/// Flaws to keep with their descriptions; all are counted.
const MAX_FLAWS: usize = 10;

/// State that all threads share.
pub struct Shared<'a> {
    pub spec: &'a YcsbSpec,
    pub table: &'a Table,
    pub context: &'a Context,
    /// The start of the warm-up.
    pub start: Duration,
    /// The start of the measurement.
    pub counted_from: Duration,
    pub failed: AtomicBool,
    pub measuring: Once,
}

impl Shared<'_> {
    fn check(&self) -> Result<()> {
        if self.failed.load(Ordering::Relaxed) { Err(Error::Cancelled) } else { self.context.check() }
    }
}

/// Operations of one kind by return code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Returns {
    pub ok: u64,
    pub not_found: u64,
    pub unexpected: u64,
}

/// What a thread has counted.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    pub returns: [Returns; OPERATIONS.len()],
    /// Measured operations; a read-modify-write counts as one.
    pub operations: u64,
    pub records_read: u64,
    pub records_written: u64,
    /// Flaws, of the warm-up's operations, too.
    pub flaws: u64,
    pub first_flaws: Vec<(&'static str, String)>,
    pub end: Duration,
}

impl Tally {
    pub fn add(&mut self, tally: &Self) {
        for (sum, returns) in self.returns.iter_mut().zip(&tally.returns) {
            sum.ok += returns.ok;
            sum.not_found += returns.not_found;
            sum.unexpected += returns.unexpected;
        }
        self.operations += tally.operations;
        self.records_read += tally.records_read;
        self.records_written += tally.records_written;
        self.flaws += tally.flaws;
        self.first_flaws.extend_from_slice(&tally.first_flaws);
        self.first_flaws.truncate(MAX_FLAWS);
        self.end = self.end.max(tally.end);
    }
}

/// A thread's times of an interval, and the interval that the thread is in now.
pub struct ThreadTimes {
    pub thread: usize,
    pub interval: u64,
    pub times: Times,
    pub reached: u64,
}

/// One thread.
pub struct Worker<'a> {
    shared: &'a Shared<'a>,
    thread: usize,
    chooser: Chooser,
    random: Random,
    pace: Option<Pace>,
    sender: Sender<ThreadTimes>,
    scratch: Scratch,
    tally: Tally,
    times: Times,
    interval: u64,
    interval_end: Duration,
}

impl<'a> Worker<'a> {
    pub fn new(shared: &'a Shared<'a>, thread: usize, chooser: Chooser, sender: Sender<ThreadTimes>) -> Self {
        let mut worker = Self {
            shared,
            thread,
            chooser,
            random: Random::new(shared.spec.seed, thread as u64 + 1),
            pace: None,
            sender,
            scratch: Scratch::default(),
            tally: Tally::default(),
            times: Times::default(),
            interval: 0,
            interval_end: shared.counted_from + shared.spec.interval,
        };
        worker.pace = worker.pace_from(shared.start);
        worker
    }

    /// Operates until `operations` operations are measured.
    pub fn run(mut self, operations: u64) -> Result<Tally> {
        if self.pace.is_some() {
            wake_in_time();
        }
        let result = self.work(operations);
        if result.is_err() {
            self.shared.failed.store(true, Ordering::Relaxed);
        }
        // Measured times are valid even if a later operation failed.
        self.send_times(u64::MAX);
        result.map(|()| self.tally)
    }

    fn work(&mut self, operations: u64) -> Result<()> {
        while monotonic() < self.shared.counted_from {
            self.shared.check()?;
            let intended = self.wait(self.shared.counted_from)?;
            if monotonic() < self.shared.counted_from {
                self.operate(intended, false)?;
            }
        }
        self.shared.measuring.call_once(|| self.shared.context.begin_phase("run"));
        // Operations that the warm-up did not reach are not owed by the measurement.
        self.pace = self.pace_from(self.shared.counted_from);
        let mut reported_at = self.shared.counted_from;
        let mut unreported = 0;
        while self.tally.operations < operations {
            self.shared.check()?;
            let intended = self.wait(Duration::MAX)?;
            let end = self.operate(intended, true)?;
            self.tally.operations += 1;
            self.tally.end = end;
            unreported += 1;
            if end >= reported_at + REPORT_INTERVAL {
                self.shared.context.advance(unreported);
                (reported_at, unreported) = (end, 0);
            }
        }
        self.shared.context.advance(unreported);
        Ok(())
    }

    /// The thread's pace from a time on; None if each operation follows the one before.
    fn pace_from(&self, start: Duration) -> Option<Pace> {
        let spec = self.shared.spec;
        spec.target.map(|per_s| Pace::new(start, per_s, self.thread, spec.threads))
    }

    /// Waits for the next operation's intended time, or until `until` if that comes first.
    fn wait(&mut self, until: Duration) -> Result<Option<Duration>> {
        let Some(pace) = &mut self.pace else { return Ok(None) };
        let intended = pace.next();
        loop {
            let now = monotonic();
            if now >= intended.min(until) {
                return Ok(Some(intended));
            }
            std::thread::sleep((intended.min(until) - now).min(POLL_INTERVAL));
            self.shared.check()?;
        }
    }

    fn operate(&mut self, intended: Option<Duration>, measured: bool) -> Result<Duration> {
        let table = self.shared.table;
        let operation = self.shared.spec.mix.next(&mut self.random);
        let mut choose = || self.chooser.next(&table.counter, &mut self.random);
        let done = match operation {
            Operation::Read => table.read(choose())?,
            Operation::Insert => table.insert(&mut self.scratch)?,
            Operation::Scan => {
                let number = choose();
                let records = 1 + self.random.below(self.shared.spec.max_scan_length);
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
                self.note(Operation::Read, &read, intended, measured);
                let written = if read.outcome == Outcome::Ok { Some(self.update(number)?) } else { None };
                if let Some(written) = &written {
                    self.note(Operation::Update, written, intended, measured);
                }
                // Its parts are counted already, and so are the records that they read and wrote.
                let last = written.unwrap_or(read);
                Completion { start, end: last.end, outcome: last.outcome, read: 0, written: 0 }
            }
        };
        self.note(operation, &done, intended, measured);
        Ok(done.end)
    }

    fn update(&mut self, number: u64) -> Result<Completion> {
        let field = self.random.below(self.shared.spec.fields as u64) as usize;
        self.shared.table.update(number, field, &mut self.scratch)
    }

    fn note(&mut self, operation: Operation, done: &Completion, intended: Option<Duration>, measured: bool) {
        let returns = &mut self.tally.returns[operation as usize];
        let count = match &done.outcome {
            Outcome::Ok => &mut returns.ok,
            Outcome::NotFound(_) => &mut returns.not_found,
            Outcome::Unexpected(_) => &mut returns.unexpected,
        };
        *count += u64::from(measured);
        if let Outcome::NotFound(flaw) | Outcome::Unexpected(flaw) = &done.outcome {
            self.tally.flaws += 1;
            if self.tally.first_flaws.len() < MAX_FLAWS {
                self.tally.first_flaws.push((operation.name(), flaw.clone()));
            }
        }
        if !measured {
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

    /// Moves on to the interval that contains `now`.
    fn reach(&mut self, now: Duration) {
        let length = self.shared.spec.interval;
        let interval = ((now - self.shared.counted_from).as_nanos() / length.as_nanos()) as u64;
        self.send_times(interval);
        self.interval_end = self.shared.counted_from + length * (interval as u32 + 1);
    }

    fn send_times(&mut self, reached: u64) {
        let times = std::mem::take(&mut self.times);
        let sent = ThreadTimes { thread: self.thread, interval: self.interval, times, reached };
        // The receiver outlives all threads.
        let _ = self.sender.send(sent);
        self.interval = reached;
    }
}

/// Prevents the kernel from delaying this thread's timers by its usual 50 µs, which would count as the store's.
fn wake_in_time() {
    // SAFETY: the call changes only the calling thread's timer slack; if it fails, timers are late.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1) };
}
