//! YCSB's table: every operation measures its time and checks what it reads.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use fjall::KvPair;
use howdah_sort::{Result, monotonic};

use crate::acknowledged::AcknowledgedCounter;
use crate::keys::Key;
use crate::ledger::Ledger;
use crate::store::{Durability, Store};
use crate::values::Values;

const LOCKS: usize = 1 << 10;

/// The store, and the expected state of its records.
pub struct Table {
    pub store: Store,
    pub values: Values,
    pub counter: AcknowledgedCounter,
    pub ledger: Ledger,
    pub write_all_fields: bool,
    pub durability: Durability,
    /// Writes of a record are serialized, as in HBase. Record n uses lock n modulo [`LOCKS`].
    locks: Vec<Mutex<()>>,
}

/// How an operation ended, by YCSB's names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Every record was as expected.
    Ok,
    /// The record does not exist.
    NotFound(String),
    /// The record differs from what was written.
    Unexpected(String),
}

/// A completed operation.
#[derive(Debug)]
pub struct Completion {
    pub start: Duration,
    pub end: Duration,
    pub outcome: Outcome,
    /// Records read, and records written.
    pub read: u64,
    pub written: u64,
}

/// Buffers of one thread.
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
        write_all_fields: bool,
        durability: Durability,
    ) -> Self {
        let locks = (0..LOCKS).map(|_| Mutex::default()).collect();
        let (counter, ledger) = (AcknowledgedCounter::new(records), Ledger::new(version));
        Self { store, values, counter, ledger, write_all_fields, durability, locks }
    }

    /// Reads all fields of a record.
    pub fn read(&self, number: u64) -> Result<Completion> {
        let key = Key::of(number);
        // A write that ended before the read began must be visible.
        let expected = self.ledger.written(number);
        let start = monotonic();
        let record = self.store.get(&key)?;
        let end = monotonic();
        let outcome = match &record {
            None => Outcome::NotFound(format!("{key} is missing")),
            Some(record) => self.check_read(&key, record, number, expected),
        };
        Ok(Completion { start, end, outcome, read: u64::from(record.is_some()), written: 0 })
    }

    fn check_read(&self, key: &Key, record: &[u8], number: u64, expected: Option<u32>) -> Outcome {
        match self.values.check(key.hash(), record) {
            Err(flaw) => Outcome::Unexpected(format!("{key} {flaw}")),
            Ok(_) if !self.values.versioned() => Outcome::Ok,
            Ok(newest) if expected.is_some_and(|expected| newest < expected) => {
                Outcome::Unexpected(format!("{key} lacks a write that ended before the read"))
            }
            // The next write may be in flight.
            Ok(newest) if newest > self.ledger.written(number).unwrap_or(self.ledger.base()) + 1 => {
                Outcome::Unexpected(format!("{key} has a write that was never made"))
            }
            Ok(_) => Outcome::Ok,
        }
    }

    /// Writes one field of a record after reading the record, or writes all fields.
    pub fn update(&self, number: u64, field: usize, scratch: &mut Scratch) -> Result<Completion> {
        let key = Key::of(number);
        let lock = self.locks[number as usize % LOCKS].lock().unwrap_or_else(PoisonError::into_inner);
        let version = self.ledger.next(number);
        let record = &mut scratch.record;
        let start;
        if self.write_all_fields {
            record.resize(self.values.record_bytes(), 0);
            self.values.fill(key.hash(), version, record);
            start = monotonic();
        } else {
            start = monotonic();
            match self.store.get(&key)? {
                None => {
                    let outcome = Outcome::NotFound(format!("{key} is missing"));
                    return Ok(Completion { start, end: monotonic(), outcome, read: 0, written: 0 });
                }
                Some(stored) if stored.len() != self.values.record_bytes() => {
                    let outcome = Outcome::Unexpected(format!("{key} has {} bytes", stored.len()));
                    return Ok(Completion { start, end: monotonic(), outcome, read: 1, written: 0 });
                }
                Some(stored) => {
                    record.clear();
                    record.extend_from_slice(&stored);
                }
            }
            self.values.fill_field(key.hash(), field, version, record);
        }
        self.store.put(&key, record)?;
        self.ledger.note(number, version);
        // As in HBase the record can be written again while this write is on its way to the disk.
        drop(lock);
        self.sync_if_required(&key)?;
        Ok(Completion {
            start,
            end: monotonic(),
            outcome: Outcome::Ok,
            read: u64::from(!self.write_all_fields),
            written: 1,
        })
    }

    /// Adds a record.
    pub fn insert(&self, scratch: &mut Scratch) -> Result<Completion> {
        let number = self.counter.next();
        let key = Key::of(number);
        let record = &mut scratch.record;
        record.resize(self.values.record_bytes(), 0);
        self.values.fill(key.hash(), 0, record);
        let start = monotonic();
        self.store.put(&key, record)?;
        self.sync_if_required(&key)?;
        let end = monotonic();
        self.counter.acknowledge(number);
        Ok(Completion { start, end, outcome: Outcome::Ok, read: 0, written: 1 })
    }

    /// Reads up to `records` records, starting at record `number`.
    pub fn scan(&self, number: u64, records: u64, scratch: &mut Scratch) -> Result<Completion> {
        let key = Key::of(number);
        let scanned = &mut scratch.scanned;
        scanned.clear();
        let start = monotonic();
        for pair in self.store.scan(&key).take(records as usize) {
            scanned.push(pair?);
        }
        let end = monotonic();
        let outcome = match scanned.first() {
            Some((first, _)) if **first == *key.as_bytes() => self.check_scan(scanned),
            _ => Outcome::NotFound(format!("{key} is missing")),
        };
        let read = scanned.len() as u64;
        scanned.clear();
        Ok(Completion { start, end, outcome, read, written: 0 })
    }

    fn check_scan(&self, scanned: &[KvPair]) -> Outcome {
        if !scanned.is_sorted_by(|before, after| before.0 < after.0) {
            return Outcome::Unexpected("a scan's records are not in the order of their names".to_owned());
        }
        let flaw = scanned.iter().find_map(|(key, record)| self.check(key, record).err());
        flaw.map_or(Outcome::Ok, Outcome::Unexpected)
    }

    /// The newest version of a record's fields, or a description of what is wrong with it.
    pub fn check(&self, key: &[u8], record: &[u8]) -> std::result::Result<u32, String> {
        let key = Key::parse(key)
            .ok_or_else(|| format!("{:?} is not the name of a record", String::from_utf8_lossy(key)))?;
        self.values.check(key.hash(), record).map_err(|flaw| format!("{key} {flaw}"))
    }

    fn sync_if_required(&self, key: &Key) -> Result<()> {
        if self.durability == Durability::FsyncWal { self.store.sync(key) } else { Ok(()) }
    }
}
