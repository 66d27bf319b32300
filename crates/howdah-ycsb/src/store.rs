//! The store: fjall's log-structured trees, one for each directory.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use fjall::{Config, KvPair, PartitionCreateOptions, PartitionHandle, PersistMode, Slice};
use howdah_sort::{Error, Result};

use crate::keys::Key;

/// What a write has reached when it is acknowledged, in HBase's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// The journal's buffer in this process, of a few KiB.
    AsyncWal,
    /// The journal in the operating system's memory: it survives the process.
    SyncWal,
    /// The disk.
    FsyncWal,
}

/// Records spread over directories by their names.
pub struct Store {
    shards: Vec<Shard>,
}

struct Shard {
    dir: PathBuf,
    keyspace: fjall::Keyspace,
    records: PartitionHandle,
    /// Writes that have been handed to the journal.
    written: AtomicU64,
    /// So many of them are known to be on the disk.
    synced: Mutex<u64>,
}

impl Store {
    /// Opens the stores of the directories, or makes them; `cache_bytes` are shared by all.
    pub fn open(dirs: &[PathBuf], cache_bytes: u64, durability: Durability) -> Result<Self> {
        let buffered = durability == Durability::AsyncWal;
        let share = cache_bytes / dirs.len().max(1) as u64;
        let shards = dirs.iter().map(|dir| Shard::open(dir, share, buffered)).collect::<Result<_>>()?;
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

    /// Writes a record; readers see it from now on.
    pub fn put(&self, key: &Key, record: &[u8]) -> Result<()> {
        let shard = self.shard(key);
        shard.records.insert(key.as_bytes(), record).map_err(shard.failed("write"))?;
        shard.written.fetch_add(1, Ordering::Release);
        Ok(())
    }

    /// Waits until what was written of a record is on the disk.
    ///
    /// Whoever waits for another's call finds its own write on the disk too, so that many need few calls.
    pub fn sync(&self, key: &Key) -> Result<()> {
        let shard = self.shard(key);
        let mine = shard.written.load(Ordering::Acquire);
        let mut synced = shard.synced.lock().unwrap_or_else(PoisonError::into_inner);
        if *synced < mine {
            let reached = shard.written.load(Ordering::Acquire);
            shard.persist(PersistMode::SyncData)?;
            *synced = reached;
        }
        Ok(())
    }

    /// Hands what is buffered to the operating system.
    pub fn flush(&self) -> Result<()> {
        self.shards.iter().try_for_each(|shard| shard.persist(PersistMode::Buffer))
    }

    /// Waits until everything is on the disks.
    pub fn sync_all(&self) -> Result<()> {
        self.shards.iter().try_for_each(|shard| shard.persist(PersistMode::SyncAll))
    }

    /// The records from a name on, in the order of their names.
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
            // With one directory there is nothing to choose from.
            let place = if heads.len() == 1 { 0 } else { least(&mut heads)? };
            heads[place].next()
        })
    }
}

/// The place of what comes next: an error before all names.
fn least<I: Iterator<Item = Result<KvPair>>>(heads: &mut [std::iter::Peekable<I>]) -> Option<usize> {
    let names = heads.iter_mut().enumerate();
    names
        .filter_map(|(place, head)| {
            head.peek().map(|pair| (pair.as_ref().ok().map(|(key, _)| key.clone()), place))
        })
        .min()
        .map(|(_, place)| place)
}

impl Shard {
    fn open(dir: &Path, cache_bytes: u64, buffered: bool) -> Result<Self> {
        let failed = |error| failure(dir, "open the store", error);
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
        move |error| failure(&self.dir, action, error)
    }
}

fn failure(dir: &Path, action: &'static str, error: fjall::Error) -> Error {
    let source = match error {
        fjall::Error::Io(error) | fjall::Error::Storage(fjall::LsmError::Io(error)) => error,
        other => io::Error::other(other.to_string()),
    };
    Error::Io { path: dir.to_owned(), action, source }
}
