//! YCSB's table: its operations, each with what it took and whether what it found was right.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use fjall::KvPair;
use howdah_sort::{Result, monotonic};

use crate::inserted::Inserted;
use crate::keys::Key;
use crate::ledger::Ledger;
use crate::store::{Durability, Store};
use crate::values::Values;

const LOCKS: usize = 1 << 10;

/// The store, and what is known of its records.
pub struct Table {
    pub store: Store,
    pub values: Values,
    pub inserted: Inserted,
    pub ledger: Ledger,
    pub whole: bool,
    pub durability: Durability,
    /// Writes of one record follow one another, as in HBase; a number's lock is that of its last digits.
    locks: Vec<Mutex<()>>,
}

/// How an operation ended, in YCSB's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It found what should be there.
    Ok,
    /// The record is not there.
    NotFound(String),
    /// The record is not what was written.
    Unexpected(String),
}

/// One operation that has ended.
#[derive(Debug)]
pub struct Done {
    pub start: Duration,
    pub end: Duration,
    pub outcome: Outcome,
    /// Records that were read, and those that were written.
    pub read: u64,
    pub written: u64,
}

/// One thread's memory.
#[derive(Default)]
pub struct Scratch {
    record: Vec<u8>,
    scanned: Vec<KvPair>,
}

impl Table {
    pub fn new(
        store: Store,
        values: Values,
        records: u64,
        version: u32,
        whole: bool,
        durability: Durability,
    ) -> Self {
        let locks = (0..LOCKS).map(|_| Mutex::default()).collect();
        let (inserted, ledger) = (Inserted::new(records), Ledger::new(version));
        Self { store, values, inserted, ledger, whole, durability, locks }
    }

    /// Reads all fields of a record.
    pub fn read(&self, number: u64) -> Result<Done> {
        let key = Key::of(number);
        // What was written before the read began must be seen by it.
        let least = self.ledger.written(number);
        let start = monotonic();
        let record = self.store.get(&key)?;
        let end = monotonic();
        let outcome = match &record {
            None => Outcome::NotFound(format!("{key} is missing")),
            Some(record) => self.judge(&key, record, number, least),
        };
        Ok(Done { start, end, outcome, read: u64::from(record.is_some()), written: 0 })
    }

    fn judge(&self, key: &Key, record: &[u8], number: u64, least: Option<u32>) -> Outcome {
        match self.values.check(key.hash(), record) {
            Err(flaw) => Outcome::Unexpected(format!("{key} {flaw}")),
            Ok(_) if !self.values.versioned() => Outcome::Ok,
            Ok(newest) if least.is_some_and(|least| newest < least) => {
                Outcome::Unexpected(format!("{key} lacks a write that ended before the read"))
            }
            // One more write may be under way.
            Ok(newest) if newest > self.ledger.written(number).unwrap_or(self.ledger.base()) + 1 => {
                Outcome::Unexpected(format!("{key} has a write that was never made"))
            }
            Ok(_) => Outcome::Ok,
        }
    }

    /// Writes one field of a record, which is read for it, or all of them.
    pub fn update(&self, number: u64, field: usize, scratch: &mut Scratch) -> Result<Done> {
        let key = Key::of(number);
        let lock = self.locks[number as usize % LOCKS].lock().unwrap_or_else(PoisonError::into_inner);
        let version = self.ledger.next(number);
        let record = &mut scratch.record;
        let start;
        if self.whole {
            record.resize(self.values.record_bytes(), 0);
            self.values.fill(key.hash(), version, record);
            start = monotonic();
        } else {
            start = monotonic();
            match self.store.get(&key)? {
                None => {
                    let outcome = Outcome::NotFound(format!("{key} is missing"));
                    return Ok(Done { start, end: monotonic(), outcome, read: 0, written: 0 });
                }
                Some(found) if found.len() != self.values.record_bytes() => {
                    let outcome = Outcome::Unexpected(format!("{key} has {} bytes", found.len()));
                    return Ok(Done { start, end: monotonic(), outcome, read: 1, written: 0 });
                }
                Some(found) => {
                    record.clear();
                    record.extend_from_slice(&found);
                }
            }
            self.values.fill_field(key.hash(), field, version, record);
        }
        self.store.put(&key, record)?;
        self.ledger.note(number, version);
        // As in HBase others may write the record while this write is on its way to the disk.
        drop(lock);
        self.settle(&key)?;
        Ok(Done { start, end: monotonic(), outcome: Outcome::Ok, read: u64::from(!self.whole), written: 1 })
    }

    /// Adds a record.
    pub fn insert(&self, scratch: &mut Scratch) -> Result<Done> {
        let number = self.inserted.next();
        let key = Key::of(number);
        let record = &mut scratch.record;
        record.resize(self.values.record_bytes(), 0);
        self.values.fill(key.hash(), 0, record);
        let start = monotonic();
        self.store.put(&key, record)?;
        self.settle(&key)?;
        let end = monotonic();
        self.inserted.acknowledge(number);
        Ok(Done { start, end, outcome: Outcome::Ok, read: 0, written: 1 })
    }

    /// Reads so many records from one on.
    pub fn scan(&self, number: u64, records: u64, scratch: &mut Scratch) -> Result<Done> {
        let key = Key::of(number);
        let scanned = &mut scratch.scanned;
        scanned.clear();
        let start = monotonic();
        for pair in self.store.scan(&key).take(records as usize) {
            scanned.push(pair?);
        }
        let end = monotonic();
        let outcome = match scanned.first() {
            Some((first, _)) if **first == *key.as_bytes() => self.judge_all(scanned),
            _ => Outcome::NotFound(format!("{key} is missing")),
        };
        let read = scanned.len() as u64;
        scanned.clear();
        Ok(Done { start, end, outcome, read, written: 0 })
    }

    fn judge_all(&self, scanned: &[KvPair]) -> Outcome {
        if !scanned.is_sorted_by(|before, after| before.0 < after.0) {
            return Outcome::Unexpected("a scan's records are not in the order of their names".to_owned());
        }
        let flaw = scanned.iter().find_map(|(name, record)| self.check(name, record).err());
        flaw.map_or(Outcome::Ok, Outcome::Unexpected)
    }

    /// The newest version of a record's fields, or what is wrong with it.
    pub fn check(&self, name: &[u8], record: &[u8]) -> std::result::Result<u32, String> {
        let key = Key::parse(name)
            .ok_or_else(|| format!("{:?} is not the name of a record", String::from_utf8_lossy(name)))?;
        self.values.check(key.hash(), record).map_err(|flaw| format!("{key} {flaw}"))
    }

    fn settle(&self, key: &Key) -> Result<()> {
        if self.durability == Durability::FsyncWal { self.store.sync(key) } else { Ok(()) }
    }
}
