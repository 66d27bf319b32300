//! The table as a whole, held against what was written.

use std::ops::Range;

use howdah_sort::{Context, Result};

use crate::keys::{Key, hash};
use crate::table::Table;

/// Records between two looks at whether to go on.
const BLOCK: u64 = 1 << 12;

#[derive(Default)]
struct Found {
    records: u64,
    /// Of the records' names, whose sum says which they are.
    names: u64,
    /// Writes since the start, as the records say.
    writes: u64,
    flaws: u64,
    first: Option<String>,
}

/// Reads every record with so many threads; what it found wrong, with how many records that concerns.
pub fn verify(table: &Table, threads: usize, context: &Context) -> Result<Vec<String>> {
    let records = table.inserted.acknowledged();
    let parts: Vec<Range<u64>> = divided(1 << 63, threads);
    let found: Vec<Result<Found>> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            parts.into_iter().map(|part| scope.spawn(move || count(table, part, context))).collect();
        let join = |thread: std::thread::ScopedJoinHandle<_>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        threads.into_iter().map(join).collect()
    });
    let mut whole = Found::default();
    for part in found {
        let part = part?;
        whole.records += part.records;
        whole.names = whole.names.wrapping_add(part.names);
        whole.writes += part.writes;
        whole.flaws += part.flaws;
        whole.first = whole.first.or(part.first);
    }
    Ok(judged(table, records, &whole))
}

fn judged(table: &Table, records: u64, found: &Found) -> Vec<String> {
    let mut wrong = Vec::new();
    if found.records != records {
        wrong.push(format!("the table has {} records instead of {records}", found.records));
    } else if found.names != (0..records).fold(0u64, |sum, number| sum.wrapping_add(hash(number))) {
        wrong.push("the records in the table are not the inserted ones".to_owned());
    }
    if let Some(first) = &found.first {
        wrong.push(format!("{} of the records differ from the written ones: {first}", found.flaws));
    }
    let (writes, _) = table.ledger.totals();
    if table.values.versioned() && found.flaws == 0 && found.writes != writes {
        wrong.push(format!("the records show {} of {writes} writes", found.writes));
    }
    wrong
}

fn count(table: &Table, part: Range<u64>, context: &Context) -> Result<Found> {
    let mut found = Found::default();
    for pair in table.store.scan(&Key::named(part.start)) {
        let (name, record) = pair?;
        let key = Key::parse(&name);
        if key.is_some_and(|key| key.hash() >= part.end) {
            break;
        }
        found.names = found.names.wrapping_add(key.map_or(0, |key| key.hash()));
        let flaw = match table.check(&name, &record) {
            Ok(version) => {
                found.writes += u64::from(version.saturating_sub(table.ledger.base()));
                None
            }
            Err(flaw) => Some(flaw),
        };
        found.records += 1;
        found.flaws += u64::from(flaw.is_some());
        found.first = found.first.or(flaw);
        if found.records % BLOCK == 0 {
            context.check()?;
        }
    }
    Ok(found)
}

/// Numbers 0 to below `end` in as many parts, all of one size but for one.
fn divided(end: u64, parts: usize) -> Vec<Range<u64>> {
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

    fn wrong(table: &Table) -> Vec<String> {
        verify(table, 3, &Context::default()).unwrap()
    }

    fn record(table: &Table, number: u64, version: u32) -> Vec<u8> {
        let mut record = vec![0; table.values.record_bytes()];
        table.values.fill(Key::of(number).hash(), version, &mut record);
        record
    }

    #[test]
    fn what_was_written_is_found_in_every_directory() {
        let dir = tempfile::tempdir().unwrap();
        let table = table(dir.path());
        assert_eq!(wrong(&table), Vec::<String>::new());
        let done = table.scan(7, 1000, &mut Scratch::default()).unwrap();
        assert_eq!(done.outcome, Outcome::Ok);
        assert_eq!(table.read(7).unwrap().outcome, Outcome::Ok);
    }

    #[test]
    fn a_write_that_was_lost_is_found_by_readers_and_in_the_end() {
        let dir = tempfile::tempdir().unwrap();
        let table = table(dir.path());
        table.store.put(&Key::of(7), &record(&table, 7, 0)).unwrap();
        assert_eq!(wrong(&table), ["the records show 99 of 100 writes"]);
        let Outcome::Unexpected(what) = table.read(7).unwrap().outcome else { panic!("it was not found") };
        assert!(what.ends_with("lacks a write that ended before the read"), "{what}");
    }

    #[test]
    fn a_write_that_nobody_made_is_found() {
        let dir = tempfile::tempdir().unwrap();
        let table = table(dir.path());
        table.store.put(&Key::of(300), &record(&table, 300, 2)).unwrap();
        let Outcome::Unexpected(what) = table.read(300).unwrap().outcome else { panic!("it was not found") };
        assert!(what.ends_with("has a write that was never made"), "{what}");
        assert_eq!(wrong(&table), ["the records show 102 of 100 writes"]);
    }

    #[test]
    fn a_flipped_bit_is_found_by_readers_scanners_and_in_the_end() {
        let dir = tempfile::tempdir().unwrap();
        let table = table(dir.path());
        let mut broken = record(&table, 7, 1);
        broken[40] ^= 1;
        table.store.put(&Key::of(7), &broken).unwrap();
        assert!(matches!(table.read(7).unwrap().outcome, Outcome::Unexpected(_)));
        assert!(matches!(table.scan(7, 1, &mut Scratch::default()).unwrap().outcome, Outcome::Unexpected(_)));
        assert!(wrong(&table)[0].starts_with("1 of the records differ from the written ones: user"));
    }

    #[test]
    fn a_record_too_many_is_found_and_another_in_the_place_of_one() {
        let dir = tempfile::tempdir().unwrap();
        let table = table(dir.path());
        table.store.put(&Key::of(999), &record(&table, 999, 0)).unwrap();
        assert_eq!(wrong(&table), ["the table has 501 records instead of 500"]);
        let number = table.inserted.next();
        table.inserted.acknowledge(number);
        assert_eq!(wrong(&table), ["the records in the table are not the inserted ones"]);
        let missing = table.read(number).unwrap();
        assert!(matches!(missing.outcome, Outcome::NotFound(_)));
    }
}
