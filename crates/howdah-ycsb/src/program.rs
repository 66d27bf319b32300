//! Runs a program: opens its table, operates on it and verifies what it wrote.

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
use crate::worker::{Returns, Shared, Tally, ThreadTimes, Worker};

/// What is wrong with the table or with an answer: the operation that detected it, and a description.
pub type Fault = (&'static str, String);

/// How operations of one kind ended, by YCSB's names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperationReport {
    /// The operation's name.
    pub name: &'static str,
    /// Operations by return code: `OK`, `NOT_FOUND`, `UNEXPECTED_STATE`. Codes without operations are left out.
    pub returns: BTreeMap<&'static str, u64>,
}

/// The result of a program.
#[derive(Clone, Debug)]
pub struct YcsbReport {
    /// Measured operations; a read-modify-write counts as one.
    pub operations: u64,
    /// From the start of the measurement to the end of the last operation.
    pub elapsed: Duration,
    /// Return codes of each kind of operation; the parts of a read-modify-write count as reads and updates, too.
    pub returns: Vec<OperationReport>,
    /// Latencies of each kind, in the form of [`howdah_sort::TimedInterval`]: name, number, histogram.
    pub times: Vec<(&'static str, u64, Vec<u8>)>,
    /// Records that were read.
    pub records_read: u64,
    /// Records that were written.
    pub records_written: u64,
    /// Records in the table at the end.
    pub records: u64,
    /// The newest version of any record at the end.
    pub version: u32,
    /// The first faults; empty if every answer and the table were right.
    pub faults: Vec<Fault>,
}

/// Returns freed memory of the store to the system, or the allocator would keep it during the next program.
fn trim() {
    #[cfg(target_env = "gnu")]
    // SAFETY: the call moves nothing that is in use, and any thread may make it.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Runs a program: opens or creates the table, warms up, measures, and reads the whole table back.
///
/// Progress counts measured operations. Wrong answers are counted and reported; a failure of the store
/// is [`Error::Io`].
pub fn ycsb(spec: &YcsbSpec, context: &Context) -> Result<YcsbReport> {
    let result = run(spec, context);
    // A cancelled program shows how far it got, too.
    context.end_phase();
    result
}

fn run(spec: &YcsbSpec, context: &Context) -> Result<YcsbReport> {
    spec.check()?;
    context.expect(spec.operations);
    context.begin_phase("open");
    let store = Store::open(&spec.dirs, spec.cache_bytes, spec.durability)?;
    let values = Values::new(spec.table_seed, spec.fields, spec.field_bytes);
    let table = Table::new(store, values, spec.records, spec.version, spec.write_all_fields, spec.durability);
    let (tally, times, start) = operate(spec, &table, context)?;
    context.begin_phase("sync");
    table.store.sync_all()?;
    context.begin_phase("verify");
    let differences = verify(&table, spec.threads.min(available()), context)?;
    let mut faults = tally.first_flaws;
    faults.extend(differences.into_iter().map(|difference| ("verify", difference)));
    let (_, version) = table.ledger.totals();
    let records = table.counter.acknowledged();
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
    // A load reads no record, so the smallest chooser will do.
    let chooser = Chooser::new(spec.distribution, spec.records.max(1), expected);
    let start = monotonic();
    let shared = Shared {
        spec,
        table,
        context,
        start,
        counted_from: start + spec.warm_up,
        failed: AtomicBool::new(false),
        measuring: Once::new(),
    };
    if !spec.warm_up.is_zero() {
        context.begin_phase("warm-up");
    }
    let (sender, receiver) = mpsc::channel();
    let mut intervals = Intervals::new(context, shared.counted_from, spec.interval, spec.threads);
    let tally = std::thread::scope(|scope| {
        let mut threads = Vec::new();
        for thread in 0..spec.threads {
            let worker = Worker::new(&shared, thread, chooser.clone(), sender.clone());
            let operations = part(spec.operations, thread, spec.threads);
            let spawned = std::thread::Builder::new()
                .name("howdah-ycsb".to_owned())
                .spawn_scoped(scope, move || worker.run(operations));
            threads.push(spawned.map_err(|error| {
                shared.failed.store(true, Ordering::Relaxed);
                Error::Io { path: "a thread".into(), action: "start", source: error }
            })?);
        }
        drop(sender);
        let collected = collect_times(table, &receiver, &mut intervals);
        if collected.is_err() {
            shared.failed.store(true, Ordering::Relaxed);
        }
        let mut total = Tally::default();
        let mut failure = None;
        for thread in threads {
            match thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)) {
                Ok(tally) => total.add(&tally),
                // Threads stopped by another thread's error return Cancelled; the error itself takes precedence.
                Err(error) if matches!(failure, None | Some(Error::Cancelled)) => failure = Some(error),
                Err(_) => {}
            }
        }
        collected.and(failure.map_or(Ok(total), Err))
    })?;
    Ok((tally, intervals.total(), start + spec.warm_up))
}

/// Collects the times of all threads until they have ended; flushes a buffered journal every second.
fn collect_times(
    table: &Table,
    receiver: &mpsc::Receiver<ThreadTimes>,
    intervals: &mut Intervals,
) -> Result<()> {
    loop {
        match receiver.recv_timeout(Duration::from_secs(1)) {
            Ok(ThreadTimes { thread, interval, times, reached }) => {
                intervals.add(thread, interval, &times, reached);
            }
            Err(mpsc::RecvTimeoutError::Timeout) => table.store.flush()?,
            Err(mpsc::RecvTimeoutError::Disconnected) => return Ok(()),
        }
    }
}

fn part(total: u64, index: usize, parts: usize) -> u64 {
    total / parts as u64 + u64::from((index as u64) < total % parts as u64)
}

fn reports(returns: &[Returns; OPERATIONS.len()]) -> Vec<OperationReport> {
    let reports = OPERATIONS.iter().zip(returns).map(|(operation, returns)| {
        let codes =
            [("OK", returns.ok), ("NOT_FOUND", returns.not_found), ("UNEXPECTED_STATE", returns.unexpected)];
        let returns = codes.into_iter().filter(|(_, count)| *count > 0).collect();
        OperationReport { name: operation.name(), returns }
    });
    reports.filter(|report| !report.returns.is_empty()).collect()
}
