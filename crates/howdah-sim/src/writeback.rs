//! Writeback of dirty pages, behind the tasks that wrote them.
//!
//! The pages of a disk are written in the order in which they were dirtied, a batch at a time. The flusher is one stream
//! at the disk, in addition to those of writers that the kernel throttles because too many pages are dirty.

use crate::cluster::Cluster;
use crate::machine::Machine;
use crate::sharing::Network;
use crate::time::Time;
use crate::uses::Uses;

/// Tags from here on belong to writebacks, lower ones to attempts.
const FIRST_TAG: u64 = 1 << 32;

/// Batches of a worker's dirty pages if all its memory for them is full.
const BATCHES: f64 = 16.0;

/// The dirty pages of a disk.
#[derive(Clone, Copy, Debug, Default)]
struct Dirty {
    waiting_bytes: f64,
    /// Bytes of the batch that is being written.
    writing_bytes: f64,
}

/// The dirty pages of all disks.
#[derive(Debug)]
pub(crate) struct Writebacks {
    disks: Vec<Dirty>,
    /// Disks that start a batch together with the next stream.
    beginning: Vec<u32>,
}

impl Writebacks {
    pub(crate) fn new(disks: usize) -> Self {
        Self { disks: vec![Dirty::default(); disks], beginning: Vec::new() }
    }

    /// Adds bytes for a disk to its worker's page cache, unless that has too many dirty pages.
    pub(crate) fn take(&mut self, cluster: &mut Cluster, disk: u32, bytes: f64) -> bool {
        let worker = &mut cluster.workers[cluster.disks[disk as usize].worker as usize];
        if worker.dirty_bytes + bytes > worker.cache.dirty_bytes {
            return false;
        }
        worker.dirty_bytes += bytes;
        let dirty = &mut self.disks[disk as usize];
        if dirty.waiting_bytes == 0.0 && dirty.writing_bytes == 0.0 {
            self.beginning.push(disk);
        }
        dirty.waiting_bytes += bytes;
        true
    }

    /// Starts the next batch of disks that have none in flight.
    pub(crate) fn begin(
        &mut self,
        now: Time,
        cluster: &Cluster,
        network: &mut Network<Machine>,
        uses: &mut Uses,
    ) {
        for disk in self.beginning.drain(..) {
            let dirty = &mut self.disks[disk as usize];
            let worker = &cluster.workers[cluster.disks[disk as usize].worker as usize];
            let batch = dirty.waiting_bytes.min(worker.cache.dirty_bytes / BATCHES);
            dirty.waiting_bytes -= batch;
            dirty.writing_bytes = batch;
            uses.clear().write(cluster, disk, 1.0);
            network.start(now, batch, uses.as_slice(), f64::INFINITY, FIRST_TAG + u64::from(disk));
        }
    }

    /// Ends a batch, if the tag belongs to one.
    pub(crate) fn end(&mut self, cluster: &mut Cluster, tag: u64) -> bool {
        let Some(disk) = tag.checked_sub(FIRST_TAG) else { return false };
        let dirty = &mut self.disks[disk as usize];
        let worker = cluster.disks[disk as usize].worker as usize;
        cluster.workers[worker].dirty_bytes -= std::mem::take(&mut dirty.writing_bytes);
        if dirty.waiting_bytes > 0.0 {
            self.beginning.push(disk as u32);
        }
        true
    }
}
