//! Files of the simulated HDFS: which disks hold the replicas of which block.

use crate::models::memory::PageCache;
use crate::twins::Replica;

/// What a worker has of some files, and the page cache that they were written through.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cached {
    pub(crate) bytes: f64,
    pub(crate) cache: PageCache,
}

/// Files of one workload, alike in replication.
#[derive(Clone, Debug, Default)]
pub(crate) struct Files {
    replicas: u32,
    /// Index of each file's first block, and the number of blocks at the end.
    first: Vec<u32>,
    /// Bytes of each block.
    bytes: Vec<u64>,
    /// Where each block's replicas are, one block after another.
    places: Vec<Replica>,
    /// For each disk of the cluster, how many bytes from its outer edge the middle of their data lies.
    middle: Vec<f64>,
    /// For each worker, how much of them it has and its page cache may hold; empty: it holds nothing.
    cached: Vec<Cached>,
    /// Bytes of each file.
    sizes: Vec<u64>,
}

impl Files {
    /// Files of so many bytes each, cut into blocks of which none has a replica yet.
    pub(crate) fn new(sizes: impl Iterator<Item = u64>, block_bytes: u64, replicas: u32) -> Self {
        let mut files = Self { replicas, first: vec![0], ..Self::default() };
        for size in sizes {
            let mut left = size;
            while left > 0 {
                let block = left.min(block_bytes);
                files.bytes.push(block);
                left -= block;
            }
            files.sizes.push(size);
            files.first.push(files.bytes.len() as u32);
        }
        files.places = vec![Replica::NOWHERE; files.bytes.len() * replicas as usize];
        files
    }

    pub(crate) fn count(&self) -> u32 {
        (self.first.len() - 1) as u32
    }

    pub(crate) fn blocks(&self) -> u32 {
        self.bytes.len() as u32
    }

    pub(crate) fn replicas(&self) -> u32 {
        self.replicas
    }

    /// The blocks of a file.
    pub(crate) fn of(&self, file: u32) -> std::ops::Range<u32> {
        self.first[file as usize]..self.first[file as usize + 1]
    }

    /// Bytes of a block.
    pub(crate) fn bytes(&self, block: u32) -> f64 {
        self.bytes[block as usize] as f64
    }

    /// Bytes of a file.
    pub(crate) fn file_bytes(&self, file: u32) -> f64 {
        self.sizes[file as usize] as f64
    }

    /// Where a block is, the writer's own disk first; twins are counted from the writer.
    pub(crate) fn places(&self, block: u32) -> &[Replica] {
        let first = block as usize * self.replicas as usize;
        &self.places[first..first + self.replicas as usize]
    }

    /// Says where on each disk their data lie.
    pub(crate) fn lie_at(&mut self, middle: Vec<f64>) {
        self.middle = middle;
    }

    /// Where on each disk their data lie, bytes from the outer edge.
    pub(crate) fn middle(&self) -> &[f64] {
        &self.middle
    }

    /// Says how much of them each worker has and may cache.
    pub(crate) fn cache(&mut self, cached: Vec<Cached>) {
        self.cached = cached;
    }

    /// The share of them that a worker's page cache holds, where so many other bytes have come into it since.
    pub(crate) fn cached(&self, worker: u32, displaced: f64) -> f64 {
        self.cached.get(worker as usize).map_or(0.0, |part| part.cache.kept(part.bytes + displaced))
    }

    pub(crate) fn place(&mut self, block: u32, places: &[Replica]) {
        let first = block as usize * self.replicas as usize;
        self.places[first..first + self.replicas as usize].copy_from_slice(places);
    }
}
