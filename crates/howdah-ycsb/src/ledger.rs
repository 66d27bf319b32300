//! Which version of each record was written last, kept outside of the store.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

const CHUNK: usize = 1 << 16;
const CHUNKS: usize = 1 << 20;

/// The last version written of every record that was updated: four bytes each, in chunks made when they are needed.
pub struct Ledger {
    /// What the table's newest version was at the start: every record has this one or an older one.
    base: u32,
    chunks: Vec<OnceLock<Box<[AtomicU32]>>>,
}

impl Ledger {
    /// The most records that it holds.
    pub const MOST: u64 = (CHUNK * CHUNKS) as u64;

    /// Nothing was written since the table had these versions at most.
    pub fn new(base: u32) -> Self {
        Self { base, chunks: (0..CHUNKS).map(|_| OnceLock::new()).collect() }
    }

    /// The versions at the start.
    pub fn base(&self) -> u32 {
        self.base
    }

    /// The last version written of a record; None where it was not written since the start.
    pub fn written(&self, number: u64) -> Option<u32> {
        let chunk = self.chunks[number as usize / CHUNK].get()?;
        Some(chunk[number as usize % CHUNK].load(Ordering::Acquire)).filter(|&version| version > 0)
    }

    /// The version that the record's next write has. Who asks holds the record's lock.
    pub fn next(&self, number: u64) -> u32 {
        self.written(number).unwrap_or(self.base) + 1
    }

    /// Notes that a version can be read from now on. Who says so holds the record's lock.
    pub fn note(&self, number: u64, version: u32) {
        let chunk = self.chunks[number as usize / CHUNK]
            .get_or_init(|| (0..CHUNK).map(|_| AtomicU32::new(0)).collect());
        chunk[number as usize % CHUNK].store(version, Ordering::Release);
    }

    /// How many writes there were, and the newest version of any record.
    pub fn totals(&self) -> (u64, u32) {
        let all = || self.chunks.iter().filter_map(OnceLock::get).flat_map(|chunk| chunk.iter());
        let versions = || all().map(|version| version.load(Ordering::Acquire)).filter(|&version| version > 0);
        let writes = versions().map(|version| u64::from(version - self.base)).sum();
        (writes, versions().max().unwrap_or(self.base))
    }
}
