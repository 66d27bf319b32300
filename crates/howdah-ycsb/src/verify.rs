//! Compares the whole table with what was written.

use std::ops::Range;

use howdah_sort::{Context, Result};

use crate::keys::{Key, hash};
use crate::table::Table;

/// Records between two checks for cancellation.
const BLOCK: u64 = 1 << 12;

/// What a scan of a part of the table counted.
#[derive(Default)]
struct Count {
    records: u64,
    /// The sum of the keys' hashes, which identifies the set of records.
    hash_sum: u64,
    /// Writes since the start, by the records' versions.
    writes: u64,
    flaws: u64,
    first_flaw: Option<String>,
}

/// Reads every record with `threads` threads and describes all differences.
pub fn verify(table: &Table, threads: usize, context: &Context) -> Result<Vec<String>> {
    let records = table.counter.acknowledged();
    let parts: Vec<Range<u64>> = split(1 << 63, threads);
    let counts: Vec<Result<Count>> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            parts.into_iter().map(|part| scope.spawn(move || count(table, part, context))).collect();
        let join = |thread: std::thread::ScopedJoinHandle<_>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        threads.into_iter().map(join).collect()
    });
    let mut total = Count::default();
    for part in counts {
        let part = part?;
        total.records += part.records;
        total.hash_sum = total.hash_sum.wrapping_add(part.hash_sum);
        total.writes += part.writes;
        total.flaws += part.flaws;
        total.first_flaw = total.first_flaw.or(part.first_flaw);
    }
    Ok(differences(table, records, &total))
}

fn differences(table: &Table, records: u64, count: &Count) -> Vec<String> {
    let mut differences = Vec::new();
    if count.records != records {
        differences.push(format!("the table has {} records instead of {records}", count.records));
    } else if count.hash_sum != (0..records).fold(0u64, |sum, number| sum.wrapping_add(hash(number))) {
        differences.push("the records in the table are not the inserted ones".to_owned());
    }
    if let Some(first) = &count.first_flaw {
        differences.push(format!("{} of the records differ from the written ones: {first}", count.flaws));
    }
    let (writes, _) = table.ledger.totals();
    if table.values.versioned() && count.flaws == 0 && count.writes != writes {
        differences.push(format!("the records show {} of {writes} writes", count.writes));
    }
    differences
}

fn count(table: &Table, part: Range<u64>, context: &Context) -> Result<Count> {
    let mut count = Count::default();
    for pair in table.store.scan(&Key::from_hash(part.start)) {
        let (name, record) = pair?;
        let key = Key::parse(&name);
        if key.is_some_and(|key| key.hash() >= part.end) {
            break;
        }
        count.hash_sum = count.hash_sum.wrapping_add(key.map_or(0, |key| key.hash()));
        let flaw = match table.check(&name, &record) {
            Ok(version) => {
                count.writes += u64::from(version.saturating_sub(table.ledger.base()));
                None
            }
            Err(flaw) => Some(flaw),
        };
        count.records += 1;
        count.flaws += u64::from(flaw.is_some());
        count.first_flaw = count.first_flaw.or(flaw);
        if count.records % BLOCK == 0 {
            context.check()?;
        }
    }
    Ok(count)
}

/// Splits 0 to below `end` into `parts` ranges of equal size, up to one.
fn split(end: u64, parts: usize) -> Vec<Range<u64>> {
    let bound = |part: usize| (u128::from(end) * part as u128 / parts as u128) as u64;
    (0..parts).map(|part| bound(part)..bound(part + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Durability, Store};
    use crate::table::{Outcome, Scratch};
    use crate::values::Values;

    fn table(dir: &std::path::Path) -> Table {
        let dirs = [dir.join("a"), dir.join("b")];
        let store = Store::open(&dirs, 1 << 20, Durability::SyncWal).unwrap();
        let table = Table::new(store, Values::new(3, 4, 16), 0, 0, false, Durability::SyncWal);
        for _ in 0..500 {
            table.insert(&mut Scratch::default()).unwrap();
        }
        for number in 0..100 {
            table.update(number, 1, &mut Scratch::default()).unwrap();
        }
        table
    }

    fn verified(table: &Table) -> Vec<String> {
        verify(table, 3, &Context::default()).unwrap()
    }

    fn record(table: &Table, number: u64, version: u32) -> Vec<u8> {
        let mut record = vec![0; table.values.record_bytes()];
        table.values.fill(Key::of(number).hash(), version, &mut record);
        record
    }

    #[test]
    fn every_written_record_is_in_the_table() {
        let dir = tempfile::tempdir().unwrap();
        let table = table(dir.path());
        assert_eq!(verified(&table), Vec::<String>::new());
        let done = table.scan(7, 1000, &mut Scratch::default()).unwrap();
        assert_eq!(done.outcome, Outcome::Ok);
        assert_eq!(table.read(7).unwrap().outcome, Outcome::Ok);
    }

    #[test]
    fn a_lost_write_is_detected_by_reads_and_by_the_verification() {
        let dir = tempfile::tempdir().unwrap();
        let table = table(dir.path());
        table.store.put(&Key::of(7), &record(&table, 7, 0)).unwrap();
        assert_eq!(verified(&table), ["the records show 99 of 100 writes"]);
        let Outcome::Unexpected(flaw) = table.read(7).unwrap().outcome else { panic!("not detected") };
        assert!(flaw.ends_with("lacks a write that ended before the read"), "{flaw}");
    }

    #[test]
    fn an_unexpected_write_is_detected() {
        let dir = tempfile::tempdir().unwrap();
        let table = table(dir.path());
        table.store.put(&Key::of(300), &record(&table, 300, 2)).unwrap();
        let Outcome::Unexpected(flaw) = table.read(300).unwrap().outcome else { panic!("not detected") };
        assert!(flaw.ends_with("has a write that was never made"), "{flaw}");
        assert_eq!(verified(&table), ["the records show 102 of 100 writes"]);
    }

    #[test]
    fn a_flipped_bit_is_detected_by_reads_scans_and_the_verification() {
        let dir = tempfile::tempdir().unwrap();
        let table = table(dir.path());
        let mut broken = record(&table, 7, 1);
        broken[40] ^= 1;
        table.store.put(&Key::of(7), &broken).unwrap();
        assert!(matches!(table.read(7).unwrap().outcome, Outcome::Unexpected(_)));
        assert!(matches!(table.scan(7, 1, &mut Scratch::default()).unwrap().outcome, Outcome::Unexpected(_)));
        assert!(verified(&table)[0].starts_with("1 of the records differ from the written ones: user"));
    }

    #[test]
    fn an_extra_record_is_detected_and_so_is_a_wrong_one() {
        let dir = tempfile::tempdir().unwrap();
        let table = table(dir.path());
        table.store.put(&Key::of(999), &record(&table, 999, 0)).unwrap();
        assert_eq!(verified(&table), ["the table has 501 records instead of 500"]);
        let number = table.counter.next();
        table.counter.acknowledge(number);
        assert_eq!(verified(&table), ["the records in the table are not the inserted ones"]);
        let missing = table.read(number).unwrap();
        assert!(matches!(missing.outcome, Outcome::NotFound(_)));
    }
}
