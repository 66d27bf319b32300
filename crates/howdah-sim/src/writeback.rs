//! Dirty pages on their way to disks, behind the tasks that wrote them.

use crate::cluster::Cluster;
use crate::machine::Machine;
use crate::sharing::Network;
use crate::time::Time;
use crate::uses::Uses;

/// Tags from here on are of writebacks, below it of attempts.
const FIRST_TAG: u64 = 1 << 32;

/// One block's way from a page cache to a disk.
#[derive(Clone, Copy, Debug)]
struct Writeback {
    disk: u32,
    bytes: f64,
}

/// Those under way, and those that begin with the next stream.
#[derive(Debug, Default)]
pub(crate) struct Writebacks {
    all: Vec<Writeback>,
    free: Vec<u32>,
    beginning: Vec<Writeback>,
    /// Whether writers are held to their disks at once.
    synchronous: bool,
}

impl Writebacks {
    pub(crate) fn new(synchronous: bool) -> Self {
        Self { synchronous, ..Self::default() }
    }

    /// Takes a block for a disk into its worker's page cache, if that has room for more dirty pages.
    pub(crate) fn take(&mut self, cluster: &mut Cluster, disk: u32, bytes: f64) -> bool {
        let worker = &mut cluster.workers[cluster.disks[disk as usize].worker as usize];
        if self.synchronous || worker.dirty_bytes + bytes > worker.cache.dirty_bytes {
            return false;
        }
        worker.dirty_bytes += bytes;
        self.beginning.push(Writeback { disk, bytes });
        true
    }

    /// Starts those that were taken.
    pub(crate) fn begin(
        &mut self,
        now: Time,
        cluster: &Cluster,
        network: &mut Network<Machine>,
        uses: &mut Uses,
    ) {
        for writeback in self.beginning.drain(..) {
            let number = self.free.pop().unwrap_or_else(|| {
                self.all.push(writeback);
                (self.all.len() - 1) as u32
            });
            self.all[number as usize] = writeback;
            uses.clear().write(cluster, writeback.disk, 1.0);
            let tag = FIRST_TAG + u64::from(number);
            network.start(now, writeback.bytes, uses.as_slice(), f64::INFINITY, tag);
        }
    }

    /// Ends one, if the tag is of one.
    pub(crate) fn end(&mut self, cluster: &mut Cluster, tag: u64) -> bool {
        let Some(number) = tag.checked_sub(FIRST_TAG) else { return false };
        let Writeback { disk, bytes } = self.all[number as usize];
        self.free.push(number as u32);
        let worker = cluster.disks[disk as usize].worker as usize;
        cluster.workers[worker].dirty_bytes -= bytes;
        true
    }
}
