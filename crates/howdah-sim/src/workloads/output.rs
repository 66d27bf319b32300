//! Files written to HDFS: one block after another, each through its own pipeline of replicas, or striped by the writer over
//! the units of its group.

use crate::files::Files;
use crate::twins::{Replica, Site};
use crate::world::World;

/// Files that tasks write.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) files: Files,
    /// Blocks by worker, replicas counted.
    per_worker: Vec<u32>,
    /// Bytes by worker, replicas counted.
    bytes: Vec<f64>,
    /// Blocks with two replicas on one host.
    sharing_host: u64,
    /// How full each disk was before.
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

    /// The block of a file after so many, if there is one.
    pub(crate) fn block(&self, file: u32, after: u32) -> Option<u32> {
        let blocks = self.files.of(file);
        (after < blocks.end - blocks.start).then(|| blocks.start + after)
    }

    /// Places a block's replicas and adds a byte's way through its pipeline to the uses. Returns the seconds that the
    /// NameNode and the DataNodes take to set it up.
    pub(crate) fn begin(&mut self, world: &mut World<'_>, writer: u32, block: u32) -> f64 {
        let (first, _) = self.files.ends(block);
        if first {
            self.place(world, writer, block);
        }
        let parameters = &world.scenario.parameters;
        let (coded, bytes) = (self.files.is_coded(), self.files.bytes(block));
        let mut from = Site::itself(writer);
        for (number, place) in self.files.places(block).iter().enumerate() {
            let (disk, part) = (place.disk(), self.files.part(block, number));
            let to = Site { worker: world.cluster.disks[disk as usize].worker, twin: place.twin() };
            world.uses.receive(&world.cluster, parameters, from, to, part / bytes);
            let behind = !world.scenario.hdfs.sync_behind_writes;
            if !(behind && world.writebacks.take(&mut world.cluster, disk, part)) {
                world.uses.write(&world.cluster, disk, part / bytes);
            }
            if !coded {
                from = to;
            }
        }
        if !first {
            return 0.0;
        }
        // Every DataNode tells of its replica.
        let told_s = parameters.namenode_block_s * f64::from(self.files.replicas());
        let answered = world.namenode.serve(world.now, told_s);
        // A writer has a stream of its own to each unit.
        let hops = if coded { 1.0 } else { f64::from(self.files.replicas()) };
        answered.since(world.now) + parameters.block_s + hops * world.scenario.network.round_trip_s
    }

    /// A block has been there before the run.
    pub(crate) fn there(&mut self, world: &mut World<'_>, writer: u32, block: u32) {
        if self.files.ends(block).0 {
            self.place(world, writer, block);
        }
        self.settle(world, block);
    }

    fn place(&mut self, world: &mut World<'_>, writer: u32, block: u32) {
        world.placer.place(&mut world.cluster, writer, self.files.replicas(), &mut self.chosen);
        self.files.place(block, &self.chosen);
    }

    /// A block is written: it takes room, and its DataNodes have a stream less.
    pub(crate) fn end(&mut self, world: &mut World<'_>, block: u32) {
        self.settle(world, block);
        let stored: f64 =
            (0..self.files.replicas()).map(|place| self.files.part(block, place as usize)).sum();
        world.watch.advance(stored as u64);
    }

    fn settle(&mut self, world: &mut World<'_>, block: u32) {
        let (first, last) = self.files.ends(block);
        let places = self.files.places(block);
        if last {
            world.placer.written(&world.cluster, places);
        }
        let host = |place: &Replica| (world.cluster.host_of_disk(place.disk()), place.twin());
        let sharing = (1..places.len())
            .any(|later| places[..later].iter().any(|place| host(place) == host(&places[later])));
        self.sharing_host += u64::from(sharing && first);
        for replica in 0..places.len() {
            let disk = world.cluster.disks[self.files.places(block)[replica].disk() as usize];
            let bytes = self.files.part(block, replica);
            self.per_worker[disk.worker as usize] += u32::from(first);
            world.network.capacities_mut().disk_mut(disk.resource).fill(bytes);
            self.bytes[disk.worker as usize] += bytes;
            if !world.scenario.hdfs.drop_behind_writes {
                let worker = &mut world.cluster.workers[disk.worker as usize];
                worker.cached_bytes += bytes;
                self.files.cache(block, replica, worker.cached_bytes);
            }
        }
    }

    /// The files, once all are written; the workload's summary tells where they lie.
    pub(crate) fn finish(mut self, world: &mut World<'_>) -> Files {
        let workload = world.ledger.workload();
        workload.replicas = self.per_worker;
        workload.sharing_host = self.sharing_host;
        let workers = world.cluster.workers.iter().zip(&self.bytes);
        self.files.cached_after(workers.map(|(worker, bytes)| worker.cached_bytes - bytes).collect());
        let middle =
            world.cluster.disks.iter().zip(&self.filled).map(|(disk, before)| {
                (before + world.network.capacities().disk(disk.resource).filled()) / 2.0
            });
        self.files.lie_at(middle.collect());
        self.files
    }
}
