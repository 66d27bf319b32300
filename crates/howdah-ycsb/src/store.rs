//! The store: one log-structured tree of fjall in each directory.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use fjall::{Config, KvPair, PartitionCreateOptions, PartitionHandle, PersistMode, Slice};
use howdah_sort::{Error, Result};

use crate::keys::Key;

/// What an acknowledged write has reached, by HBase's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// The journal's buffer in this process, of a few KiB.
    AsyncWal,
    /// The journal in the memory of the operating system; it survives the process.
    SyncWal,
    /// The disk.
    FsyncWal,
}

/// Records, spread over directories by their keys.
pub struct Store {
    shards: Vec<Shard>,
}

struct Shard {
    dir: PathBuf,
    keyspace: fjall::Keyspace,
    records: PartitionHandle,
    /// Writes handed to the journal.
    written: AtomicU64,
    /// The number of these that are certainly on the disk.
    synced: Mutex<u64>,
}

impl Store {
    /// Opens or creates the stores of the directories; they share `cache_bytes`.
    pub fn open(dirs: &[PathBuf], cache_bytes: u64, durability: Durability) -> Result<Self> {
        let buffered = durability == Durability::AsyncWal;
        let shard_cache_bytes = cache_bytes / dirs.len().max(1) as u64;
        let shards =
            dirs.iter().map(|dir| Shard::open(dir, shard_cache_bytes, buffered)).collect::<Result<_>>()?;
        Ok(Self { shards })
    }

    fn shard(&self, key: &Key) -> &Shard {
        &self.shards[(key.hash() % self.shards.len() as u64) as usize]
    }

    /// A record's bytes.
    pub fn get(&self, key: &Key) -> Result<Option<Slice>> {
        let shard = self.shard(key);
        shard.records.get(key.as_bytes()).map_err(shard.failed("read"))
    }

    /// Writes a record; it can be read when the call returns.
    pub fn put(&self, key: &Key, record: &[u8]) -> Result<()> {
        let shard = self.shard(key);
        shard.records.insert(key.as_bytes(), record).map_err(shard.failed("write"))?;
        shard.written.fetch_add(1, Ordering::Release);
        Ok(())
    }

    /// Waits until the last write of a record is on the disk.
    ///
    /// A thread that waits for the lock is usually covered by the call of the thread before it, so many
    /// writes need few calls.
    pub fn sync(&self, key: &Key) -> Result<()> {
        let shard = self.shard(key);
        let required = shard.written.load(Ordering::Acquire);
        let mut synced = shard.synced.lock().unwrap_or_else(PoisonError::into_inner);
        if *synced < required {
            let written = shard.written.load(Ordering::Acquire);
            shard.persist(PersistMode::SyncData)?;
            *synced = written;
        }
        Ok(())
    }

    /// Hands buffered writes to the operating system.
    pub fn flush(&self) -> Result<()> {
        self.shards.iter().try_for_each(|shard| shard.persist(PersistMode::Buffer))
    }

    /// Waits until everything is on the disks.
    pub fn sync_all(&self) -> Result<()> {
        self.shards.iter().try_for_each(|shard| shard.persist(PersistMode::SyncAll))
    }

    /// The records from a key on, in the order of their keys.
    pub fn scan(&self, from: &Key) -> impl Iterator<Item = Result<KvPair>> + use<'_> {
        let from = Slice::from(from.as_bytes());
        let mut heads: Vec<_> = self
            .shards
            .iter()
            .map(|shard| {
                let range = shard.records.range(from.clone()..);
                range.map(|pair| pair.map_err(shard.failed("read"))).peekable()
            })
            .collect();
        std::iter::from_fn(move || {
            // With one directory there is nothing to merge.
            let index = if heads.len() == 1 { 0 } else { next_head(&mut heads)? };
            heads[index].next()
        })
    }
}

/// The index of the head that comes next; errors come before all keys.
fn next_head<I: Iterator<Item = Result<KvPair>>>(heads: &mut [std::iter::Peekable<I>]) -> Option<usize> {
    heads
        .iter_mut()
        .enumerate()
        .filter_map(|(index, head)| {
            head.peek().map(|pair| (pair.as_ref().ok().map(|(key, _)| key.clone()), index))
        })
        .min()
        .map(|(_, index)| index)
}

impl Shard {
    fn open(dir: &Path, cache_bytes: u64, buffered: bool) -> Result<Self> {
        let failed = |error| io_error(dir, "open the store", error);
        let config = Config::new(dir).cache_size(cache_bytes).manual_journal_persist(buffered);
        let keyspace = config.open().map_err(failed)?;
        let options = PartitionCreateOptions::default().manual_journal_persist(buffered);
        let records = keyspace.open_partition("records", options).map_err(failed)?;
        Ok(Self { dir: dir.to_owned(), keyspace, records, written: AtomicU64::new(0), synced: Mutex::new(0) })
    }

    fn persist(&self, mode: PersistMode) -> Result<()> {
        self.keyspace.persist(mode).map_err(self.failed("sync"))
    }

    fn failed(&self, action: &'static str) -> impl Fn(fjall::Error) -> Error {
        move |error| io_error(&self.dir, action, error)
    }
}

fn io_error(dir: &Path, action: &'static str, error: fjall::Error) -> Error {
    let source = match error {
        fjall::Error::Io(error) | fjall::Error::Storage(fjall::LsmError::Io(error)) => error,
        error => io::Error::other(error.to_string()),
    };
    Error::Io { path: dir.to_owned(), action, source }
}
