//! The version last written of each record, kept outside the store.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

const CHUNK: usize = 1 << 16;
const CHUNKS: usize = 1 << 20;

/// The last written version of every updated record: four bytes each, in chunks allocated on first use.
pub struct Ledger {
    /// The newest version in the table at the start; no record has a newer one.
    base: u32,
    chunks: Vec<OnceLock<Box<[AtomicU32]>>>,
}

impl Ledger {
    /// The largest number of records.
    pub const MAX_RECORDS: u64 = (CHUNK * CHUNKS) as u64;

    /// A ledger without writes, of a table whose newest version is `base`.
    pub fn new(base: u32) -> Self {
        Self { base, chunks: (0..CHUNKS).map(|_| OnceLock::new()).collect() }
    }

    /// The newest version at the start.
    pub fn base(&self) -> u32 {
        self.base
    }

    /// The last version written of a record; None if it was not written since the start.
    pub fn written(&self, number: u64) -> Option<u32> {
        let chunk = self.chunks[number as usize / CHUNK].get()?;
        Some(chunk[number as usize % CHUNK].load(Ordering::Acquire)).filter(|&version| version > 0)
    }

    /// The version of the record's next write. The caller must hold the record's lock.
    pub fn next(&self, number: u64) -> u32 {
        self.written(number).unwrap_or(self.base) + 1
    }

    /// Notes that a version can be read from now on. The caller must hold the record's lock.
    pub fn note(&self, number: u64, version: u32) {
        let chunk = self.chunks[number as usize / CHUNK]
            .get_or_init(|| (0..CHUNK).map(|_| AtomicU32::new(0)).collect());
        chunk[number as usize % CHUNK].store(version, Ordering::Release);
    }

    /// The number of writes, and the newest version of any record.
    pub fn totals(&self) -> (u64, u32) {
        let all = || self.chunks.iter().filter_map(OnceLock::get).flat_map(|chunk| chunk.iter());
        let versions = || all().map(|version| version.load(Ordering::Acquire)).filter(|&version| version > 0);
        let writes = versions().map(|version| u64::from(version - self.base)).sum();
        (writes, versions().max().unwrap_or(self.base))
    }
}
