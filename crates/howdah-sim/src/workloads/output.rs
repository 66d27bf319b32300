//! Writes of files to HDFS: one block after another, through a pipeline of replicas or striped by the writer over
//! the units of its group.

use crate::files::Files;
use crate::twins::{Replica, Site};
use crate::world::World;

/// Files that tasks write.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) files: Files,
    /// Blocks by worker, replicas included.
    per_worker: Vec<u32>,
    /// Bytes by worker, replicas included.
    bytes: Vec<f64>,
    /// Blocks with two replicas on one host.
    sharing_host: u64,
    /// Bytes in use on each disk before.
    filled: Vec<f64>,
    chosen: Vec<Replica>,
}

impl Output {
    pub(crate) fn new(world: &World<'_>, files: Files) -> Self {
        let filled =
            world.cluster.disks.iter().map(|disk| world.network.capacities().disk(disk.resource).filled());
        Self {
            files,
            per_worker: vec![0; world.cluster.workers.len()],
            bytes: vec![0.0; world.cluster.workers.len()],
            sharing_host: 0,
            filled: filled.collect(),
            chosen: Vec::new(),
        }
    }

    /// Block `after` of a file, if there is one.
    pub(crate) fn block(&self, file: u32, after: u32) -> Option<u32> {
        let blocks = self.files.blocks_of(file);
        (after < blocks.end - blocks.start).then(|| blocks.start + after)
    }

    /// Places a block's replicas and adds a byte's way through its pipeline to the uses. Returns the seconds that the
    /// NameNode and the DataNodes take for its setup.
    pub(crate) fn begin(&mut self, world: &mut World<'_>, writer: u32, block: u32) -> f64 {
        let (first, _) = self.files.group_edges(block);
        if first {
            self.place(world, writer, block);
        }
        let parameters = &world.scenario.parameters;
        let (coded, bytes) = (self.files.is_coded(), self.files.bytes(block));
        let mut from = Site::itself(writer);
        for (number, replica) in self.files.replicas(block).iter().enumerate() {
            let (disk, part_bytes) = (replica.disk(), self.files.part_bytes(block, number));
            let to = Site { worker: world.cluster.disks[disk as usize].worker, twin: replica.twin() };
            world.uses.receive(&world.cluster, parameters, from, to, part_bytes / bytes);
            let behind = !world.scenario.hdfs.sync_behind_writes;
            if !(behind && world.writebacks.take(&mut world.cluster, disk, part_bytes)) {
                world.uses.write(&world.cluster, disk, part_bytes / bytes);
            }
            if !coded {
                from = to;
            }
        }
        if !first {
            return 0.0;
        }
        // Every DataNode reports its replica.
        let reports_s = parameters.namenode_block_s * f64::from(self.files.replica_count());
        let answered = world.namenode.serve(world.now, reports_s);
        // A writer has a separate stream to each unit.
        let hops = if coded { 1.0 } else { f64::from(self.files.replica_count()) };
        answered.since(world.now) + parameters.block_s + hops * world.scenario.network.round_trip_s
    }

    /// Adds a block that exists before the run.
    pub(crate) fn add_existing(&mut self, world: &mut World<'_>, writer: u32, block: u32) {
        if self.files.group_edges(block).0 {
            self.place(world, writer, block);
        }
        self.store(world, block);
    }

    fn place(&mut self, world: &mut World<'_>, writer: u32, block: u32) {
        world.placer.place(&mut world.cluster, writer, self.files.replica_count(), &mut self.chosen);
        self.files.set_replicas(block, &self.chosen);
    }

    /// Ends the write of a block.
    pub(crate) fn end(&mut self, world: &mut World<'_>, block: u32) {
        self.store(world, block);
        let stored: f64 = (0..self.files.replica_count())
            .map(|replica| self.files.part_bytes(block, replica as usize))
            .sum();
        world.watch.advance(stored as u64);
    }

    /// Adds a block to its disks and page caches, and ends its streams.
    fn store(&mut self, world: &mut World<'_>, block: u32) {
        let (first, last) = self.files.group_edges(block);
        let replicas = self.files.replicas(block);
        if last {
            world.placer.written(&world.cluster, replicas);
        }
        let host = |replica: &Replica| (world.cluster.host_of_disk(replica.disk()), replica.twin());
        let sharing = (1..replicas.len())
            .any(|later| replicas[..later].iter().any(|replica| host(replica) == host(&replicas[later])));
        self.sharing_host += u64::from(sharing && first);
        for replica in 0..replicas.len() {
            let disk = world.cluster.disks[self.files.replicas(block)[replica].disk() as usize];
            let bytes = self.files.part_bytes(block, replica);
            self.per_worker[disk.worker as usize] += u32::from(first);
            world.network.capacities_mut().disk_mut(disk.resource).fill(bytes);
            self.bytes[disk.worker as usize] += bytes;
            if !world.scenario.hdfs.drop_behind_writes {
                let worker = &mut world.cluster.workers[disk.worker as usize];
                worker.cached_bytes += bytes;
                self.files.set_cached(block, replica, worker.cached_bytes);
            }
        }
    }

    /// The written files; adds the locations of their blocks to the workload's summary.
    pub(crate) fn finish(mut self, world: &mut World<'_>) -> Files {
        let workload = world.recorder.workload();
        workload.replicas = self.per_worker;
        workload.sharing_host = self.sharing_host;
        let workers = world.cluster.workers.iter().zip(&self.bytes);
        self.files.set_cached_start(workers.map(|(worker, bytes)| worker.cached_bytes - bytes).collect());
        let offsets =
            world.cluster.disks.iter().zip(&self.filled).map(|(disk, before)| {
                (before + world.network.capacities().disk(disk.resource).filled()) / 2.0
            });
        self.files.set_disk_offsets(offsets.collect());
        self.files
    }
}
