//! Files of the simulated HDFS: which disks hold the replicas of which block.

use crate::twins::Replica;

/// When files came into page caches, told by how many bytes had come into a worker's by then.
#[derive(Clone, Debug, Default)]
struct Cached {
    /// For each replica; so many bytes need no more digits.
    replicas: Vec<f32>,
    /// For each worker, as if it had written what it has of them last and at once: before that.
    first: Vec<f64>,
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
    /// None: no page cache holds anything of them.
    cached: Option<Cached>,
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

    /// A replica of a block has come into a page cache, after so many bytes in all.
    pub(crate) fn cache(&mut self, block: u32, replica: usize, at: f64) {
        let replicas = self.places.len();
        let cached = self.cached.get_or_insert_with(Cached::default);
        cached.replicas.resize(replicas, 0.0);
        cached.replicas[block as usize * self.replicas as usize + replica] = at as f32;
    }

    /// All are written; what each worker has of them came after so many bytes in its page cache, as if it came at once.
    pub(crate) fn cached_after(&mut self, first: Vec<f64>) {
        if let Some(cached) = &mut self.cached {
            cached.first = first;
        }
    }

    /// No page cache holds anything of them.
    pub(crate) fn forget_cached(&mut self) {
        self.cached = None;
    }

    /// After how many bytes in its worker's page cache a replica came into it, and after how many the worker's came as if
    /// they came at once; none if no page cache holds anything of them.
    pub(crate) fn cached_at(&self, block: u32, place: Replica, worker: u32) -> Option<(f64, f64)> {
        let replica = self.places(block).iter().position(|&other| other == place)?;
        let first = block as usize * self.replicas as usize;
        let cached = self.cached.as_ref()?;
        Some((f64::from(cached.replicas[first + replica]), cached.first[worker as usize]))
    }

    pub(crate) fn place(&mut self, block: u32, places: &[Replica]) {
        let first = block as usize * self.replicas as usize;
        self.places[first..first + self.replicas as usize].copy_from_slice(places);
    }
}
