//! Files of the simulated HDFS: the disks of every block's replicas.

use crate::scenario::Coding;
use crate::twins::Replica;

/// Positions of files in the workers' page caches. A position is the number of bytes cached before.
#[derive(Clone, Debug, Default)]
struct Cached {
    /// For each replica; 32 bits are precise enough.
    positions: Vec<f32>,
    /// For each worker, the position at which its data would begin if it had written them at once and last.
    starts: Vec<f64>,
}

/// The files of a workload, with the same number of replicas.
#[derive(Clone, Debug, Default)]
pub(crate) struct Files {
    /// Replicas of a block, or units of its group.
    replica_count: u32,
    /// How they are erasure-coded, and each block's group; none: every block is its own group.
    coded: Option<(Coding, Vec<u32>)>,
    /// Index of each file's first block, and the number of blocks at the end.
    first: Vec<u32>,
    /// Bytes of each block.
    bytes: Vec<u64>,
    /// The replicas of each group, one group after another.
    replicas: Vec<Replica>,
    /// For each disk of the cluster, the mean position of their data, bytes from its outer edge.
    disk_offsets: Vec<f64>,
    /// None: no page cache contains any of them.
    cached: Option<Cached>,
    /// Bytes of each file.
    sizes: Vec<u64>,
}

impl Files {
    /// Files with these sizes, split into blocks without replicas.
    pub(crate) fn new(sizes: impl Iterator<Item = u64>, block_bytes: u64, replica_count: u32) -> Self {
        let mut files = Self { replica_count, first: vec![0], ..Self::default() };
        for size in sizes {
            let mut remaining = size;
            while remaining > 0 {
                let block = remaining.min(block_bytes);
                files.bytes.push(block);
                remaining -= block;
            }
            files.sizes.push(size);
            files.first.push(files.bytes.len() as u32);
        }
        files.replicas = vec![Replica::UNPLACED; files.bytes.len() * replica_count as usize];
        files
    }

    /// The same files with erasure coding, if any: consecutive blocks form a group and are striped over its units.
    pub(crate) fn coded(mut self, coding: Option<Coding>) -> Self {
        let Some(coding) = coding else { return self };
        let mut groups = Vec::with_capacity(self.bytes.len());
        let mut next = 0;
        for file in 0..self.count() {
            let blocks = self.blocks_of(file).len() as u32;
            groups.extend((0..blocks).map(|block| next + block / coding.data));
            next += blocks.div_ceil(coding.data);
        }
        self.replica_count = coding.units();
        self.replicas = vec![Replica::UNPLACED; next as usize * coding.units() as usize];
        self.coded = Some((coding, groups));
        self
    }

    /// Index of a block's group.
    fn group(&self, block: u32) -> usize {
        self.coded.as_ref().map_or(block, |(_, groups)| groups[block as usize]) as usize
    }

    /// Whether a block is the first of its group, and whether it is the last.
    pub(crate) fn group_edges(&self, block: u32) -> (bool, bool) {
        let Some((_, groups)) = &self.coded else { return (true, true) };
        let differs = |neighbour: Option<u32>| {
            let group = neighbour.and_then(|neighbour| groups.get(neighbour as usize));
            group != Some(&groups[block as usize])
        };
        (differs(block.checked_sub(1)), differs(Some(block + 1)))
    }

    /// Replicas or units that a block is read from: one replica, or every data unit.
    pub(crate) fn read_width(&self) -> u32 {
        self.coded.as_ref().map_or(1, |(coding, _)| coding.data)
    }

    /// Bytes of a block in one of its replicas or units: all of it in a replica, its cells in a data unit, or parity.
    pub(crate) fn part_bytes(&self, block: u32, index: usize) -> f64 {
        let bytes = self.bytes(block);
        let Some((coding, groups)) = &self.coded else { return bytes };
        if index < coding.data as usize {
            return bytes / f64::from(coding.data);
        }
        let in_group = |earlier: &u32| groups[*earlier as usize] == groups[block as usize];
        let before: u64 =
            (0..block).rev().take_while(in_group).map(|earlier| self.bytes[earlier as usize]).sum();
        let after = before + self.bytes[block as usize];
        (coding.parity_bytes(after) - coding.parity_bytes(before)) as f64
    }

    /// Core-seconds that a writer needs for the parity of a byte.
    pub(crate) fn encode_s_per_byte(&self) -> f64 {
        self.coded.as_ref().map_or(0.0, |(coding, _)| coding.encode_s_per_byte)
    }

    /// Whether they are erasure-coded.
    pub(crate) fn is_coded(&self) -> bool {
        self.coded.is_some()
    }

    pub(crate) fn count(&self) -> u32 {
        (self.first.len() - 1) as u32
    }

    pub(crate) fn blocks(&self) -> u32 {
        self.bytes.len() as u32
    }

    pub(crate) fn replica_count(&self) -> u32 {
        self.replica_count
    }

    /// The blocks of a file.
    pub(crate) fn blocks_of(&self, file: u32) -> std::ops::Range<u32> {
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

    /// The replicas of a block or of its group, the writer's own first; twins are counted from the writer.
    pub(crate) fn replicas(&self, block: u32) -> &[Replica] {
        let first = self.group(block) * self.replica_count as usize;
        &self.replicas[first..first + self.replica_count as usize]
    }

    /// Sets the mean position of their data on each disk, bytes from the outer edge.
    pub(crate) fn set_disk_offsets(&mut self, offsets: Vec<f64>) {
        self.disk_offsets = offsets;
    }

    /// The mean position of their data on each disk, bytes from the outer edge.
    pub(crate) fn disk_offsets(&self) -> &[f64] {
        &self.disk_offsets
    }

    /// Notes that a replica of a block has entered a page cache at a position.
    pub(crate) fn set_cached(&mut self, block: u32, replica: usize, position: f64) {
        let index = self.group(block) * self.replica_count as usize + replica;
        let cached = self.cached.get_or_insert_with(Cached::default);
        cached.positions.resize(self.replicas.len(), 0.0);
        cached.positions[index] = position as f32;
    }

    /// Sets, for each worker, the position at which its data would begin if it had written them at once.
    pub(crate) fn set_cached_start(&mut self, starts: Vec<f64>) {
        if let Some(cached) = &mut self.cached {
            cached.starts = starts;
        }
    }

    /// Removes them from all page caches.
    pub(crate) fn clear_cached(&mut self) {
        self.cached = None;
    }

    /// The position of a replica in its worker's page cache, and the position at which the worker's data begin; none if no
    /// page cache contains any of them.
    pub(crate) fn cached_at(&self, block: u32, replica: Replica, worker: u32) -> Option<(f64, f64)> {
        let index = self.replicas(block).iter().position(|&stored| stored == replica)?;
        let first = self.group(block) * self.replica_count as usize;
        let cached = self.cached.as_ref()?;
        Some((f64::from(cached.positions[first + index]), cached.starts[worker as usize]))
    }

    pub(crate) fn set_replicas(&mut self, block: u32, replicas: &[Replica]) {
        let first = self.group(block) * self.replica_count as usize;
        self.replicas[first..first + self.replica_count as usize].copy_from_slice(replicas);
    }
}
