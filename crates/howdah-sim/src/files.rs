//! Files of the simulated HDFS: which disks hold the replicas of which block.

use crate::scenario::Coding;
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
    /// Places of a block: replicas, or the units of its group.
    replicas: u32,
    /// How they are coded, and each block's group; none: each block is alone.
    coded: Option<(Coding, Vec<u32>)>,
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

    /// The same files coded, if a coding is given: blocks that follow one another share the places of their group, and
    /// each is striped over all of them.
    pub(crate) fn coded(mut self, coding: Option<Coding>) -> Self {
        let Some(coding) = coding else { return self };
        let mut groups = Vec::with_capacity(self.bytes.len());
        let mut next = 0;
        for file in 0..self.count() {
            let blocks = self.of(file).len() as u32;
            groups.extend((0..blocks).map(|block| next + block / coding.data));
            next += blocks.div_ceil(coding.data);
        }
        self.replicas = coding.units();
        self.places = vec![Replica::NOWHERE; next as usize * coding.units() as usize];
        self.coded = Some((coding, groups));
        self
    }

    /// Index of a block's group, which is its own where it is alone.
    fn group(&self, block: u32) -> usize {
        self.coded.as_ref().map_or(block, |(_, groups)| groups[block as usize]) as usize
    }

    /// Whether a block is the first of its group, and whether it is the last.
    pub(crate) fn ends(&self, block: u32) -> (bool, bool) {
        let Some((_, groups)) = &self.coded else { return (true, true) };
        let other = |other: Option<u32>| {
            let group = other.and_then(|other| groups.get(other as usize));
            group != Some(&groups[block as usize])
        };
        (other(block.checked_sub(1)), other(Some(block + 1)))
    }

    /// Places that a block's data are read from: one replica, or every data unit.
    pub(crate) fn read_from(&self) -> u32 {
        self.coded.as_ref().map_or(1, |(coding, _)| coding.data)
    }

    /// Bytes of a block at one of its places: all of it in a replica, its cells in a data unit, parity in another.
    pub(crate) fn part(&self, block: u32, place: usize) -> f64 {
        let bytes = self.bytes(block);
        let Some((coding, groups)) = &self.coded else { return bytes };
        if place < coding.data as usize {
            return bytes / f64::from(coding.data);
        }
        let earlier = (0..block).rev().take_while(|&other| groups[other as usize] == groups[block as usize]);
        let before: u64 = earlier.map(|other| self.bytes[other as usize]).sum();
        let after = before + self.bytes[block as usize];
        (coding.parity_bytes(after) - coding.parity_bytes(before)) as f64
    }

    /// Core-seconds of a writer for each byte to compute the parity.
    pub(crate) fn encode_s(&self) -> f64 {
        self.coded.as_ref().map_or(0.0, |(coding, _)| coding.encode_s_per_byte)
    }

    /// Whether they are coded.
    pub(crate) fn is_coded(&self) -> bool {
        self.coded.is_some()
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

    /// Where a block is or its group, the writer's own disk first; twins are counted from the writer.
    pub(crate) fn places(&self, block: u32) -> &[Replica] {
        let first = self.group(block) * self.replicas as usize;
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
        let place = self.group(block) * self.replicas as usize + replica;
        let cached = self.cached.get_or_insert_with(Cached::default);
        cached.replicas.resize(self.places.len(), 0.0);
        cached.replicas[place] = at as f32;
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
        let first = self.group(block) * self.replicas as usize;
        let cached = self.cached.as_ref()?;
        Some((f64::from(cached.replicas[first + replica]), cached.first[worker as usize]))
    }

    pub(crate) fn place(&mut self, block: u32, places: &[Replica]) {
        let first = self.group(block) * self.replicas as usize;
        self.places[first..first + self.replicas as usize].copy_from_slice(places);
    }
}
