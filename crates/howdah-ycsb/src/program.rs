//! A program from its table's opening to the proof of what it left.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Once, mpsc};
use std::time::Duration;

use howdah_sort::{Context, Error, Result, monotonic};

use crate::distribution::Chooser;
use crate::mix::{OPERATIONS, Operation};
use crate::spec::YcsbSpec;
use crate::store::Store;
use crate::table::Table;
use crate::times::{Intervals, MergedTimes};
use crate::values::Values;
use crate::verify::verify;
use crate::worker::{Handed, Returns, Shared, Tally, Worker};

/// What is wrong with the table or with an answer: where it was found, and what it is.
pub type Fault = (&'static str, String);

/// How operations of one kind ended, by YCSB's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperationReport {
    /// Which kind.
    pub name: &'static str,
    /// How many ended in each way that there was: `OK`, `NOT_FOUND`, `UNEXPECTED_STATE`.
    pub returns: BTreeMap<&'static str, u64>,
}

/// What a program did.
#[derive(Clone, Debug)]
pub struct YcsbReport {
    /// Operations that counted, a read-modify-write as one.
    pub operations: u64,
    /// From the first of them to the end of the last.
    pub elapsed: Duration,
    /// Each kind with how its operations ended; the parts of a read-modify-write are among reads and updates.
    pub returns: Vec<OperationReport>,
    /// Times of each kind, in the form of [`howdah_sort::TimedInterval`]: name, number, histogram.
    pub times: Vec<(&'static str, u64, Vec<u8>)>,
    /// Records that were read.
    pub records_read: u64,
    /// Records that were written.
    pub records_written: u64,
    /// Records in the table at the end.
    pub records: u64,
    /// The newest version of any record at the end.
    pub version: u32,
    /// The first of what was wrong; empty where all was right.
    pub faults: Vec<Fault>,
}

/// Gives back what the allocator keeps of memory that the store has let go of, which the next program would add to.
fn trim() {
    #[cfg(target_env = "gnu")]
    // SAFETY: the call moves nothing that is in use, and any thread may make it.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Runs a program: opens the table or makes it, warms up, measures, and reads the whole table back.
///
/// Progress is in operations that count. Answers that are wrong are counted and reported; what the
/// store itself fails with is [`Error::Io`].
pub fn ycsb(spec: &YcsbSpec, context: &Context) -> Result<YcsbReport> {
    let done = run(spec, context);
    // One that was stopped says how far it had come, too.
    context.end_phase();
    done
}

fn run(spec: &YcsbSpec, context: &Context) -> Result<YcsbReport> {
    spec.check()?;
    context.expect(spec.operations);
    context.begin_phase("open");
    let store = Store::open(&spec.dirs, spec.cache_bytes, spec.durability)?;
    let values = Values::new(spec.table_seed, spec.fields, spec.field_bytes);
    let table = Table::new(store, values, spec.records, spec.version, spec.whole, spec.durability);
    let (tally, times, start) = operate(spec, &table, context)?;
    context.begin_phase("sync");
    table.store.sync_all()?;
    context.begin_phase("verify");
    let wrong = verify(&table, spec.threads.min(available()), context)?;
    let mut faults = tally.first_flaws;
    faults.extend(wrong.into_iter().map(|what| ("verify", what)));
    let (_, version) = table.ledger.totals();
    let records = table.inserted.acknowledged();
    drop(table);
    trim();
    Ok(YcsbReport {
        operations: tally.operations,
        elapsed: tally.end.saturating_sub(start),
        returns: reports(&tally.returns),
        times: times.encoded(),
        records_read: tally.records_read,
        records_written: tally.records_written,
        records,
        version,
        faults,
    })
}

fn available() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn operate(spec: &YcsbSpec, table: &Table, context: &Context) -> Result<(Tally, MergedTimes, Duration)> {
    let expected = (spec.operations as f64 * spec.mix.share(Operation::Insert)) as u64;
    // A load asks for no record that is there.
    let chooser = Chooser::new(spec.distribution, spec.records.max(1), expected);
    let start = monotonic();
    let shared = Shared {
        spec,
        table,
        context,
        start,
        counted_from: start + spec.warm_up,
        failed: AtomicBool::new(false),
        counting: Once::new(),
    };
    if !spec.warm_up.is_zero() {
        context.begin_phase("warm-up");
    }
    let (hand, handed) = mpsc::channel();
    let mut intervals = Intervals::new(context, shared.counted_from, spec.interval, spec.threads);
    let tally = std::thread::scope(|scope| {
        let mut threads = Vec::new();
        for thread in 0..spec.threads {
            let worker = Worker::new(&shared, thread, chooser.clone(), hand.clone());
            let share = part(spec.operations, thread, spec.threads);
            let spawned = std::thread::Builder::new()
                .name("howdah-ycsb".to_owned())
                .spawn_scoped(scope, move || worker.run(share));
            threads.push(spawned.map_err(|error| {
                shared.failed.store(true, Ordering::Relaxed);
                Error::Io { path: "a thread".into(), action: "start", source: error }
            })?);
        }
        drop(hand);
        let taken = take_times(table, &handed, &mut intervals);
        if taken.is_err() {
            shared.failed.store(true, Ordering::Relaxed);
        }
        let mut whole = Tally::default();
        let mut failure = None;
        for thread in threads {
            match thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)) {
                Ok(tally) => whole.add(&tally),
                // Threads that another one stopped say that they were cancelled: what stopped it comes first.
                Err(error) if matches!(failure, None | Some(Error::Cancelled)) => failure = Some(error),
                Err(_) => {}
            }
        }
        taken.and(failure.map_or(Ok(whole), Err))
    })?;
    Ok((tally, intervals.whole(), start + spec.warm_up))
}

/// Takes what threads hand over until all have ended; a buffered journal is handed on every second.
fn take_times(table: &Table, handed: &mpsc::Receiver<Handed>, intervals: &mut Intervals) -> Result<()> {
    loop {
        match handed.recv_timeout(Duration::from_secs(1)) {
            Ok(Handed { thread, interval, times, reached }) => {
                intervals.take(thread, interval, &times, reached);
            }
            Err(mpsc::RecvTimeoutError::Timeout) => table.store.flush()?,
            Err(mpsc::RecvTimeoutError::Disconnected) => return Ok(()),
        }
    }
}

fn part(whole: u64, place: usize, parts: usize) -> u64 {
    whole / parts as u64 + u64::from((place as u64) < whole % parts as u64)
}

fn reports(returns: &[Returns; OPERATIONS.len()]) -> Vec<OperationReport> {
    let named = OPERATIONS.iter().zip(returns).map(|(operation, returns)| {
        let ways =
            [("OK", returns.ok), ("NOT_FOUND", returns.not_found), ("UNEXPECTED_STATE", returns.unexpected)];
        let returns = ways.into_iter().filter(|(_, count)| *count > 0).collect();
        OperationReport { name: operation.name(), returns }
    });
    named.filter(|report| !report.returns.is_empty()).collect()
}
