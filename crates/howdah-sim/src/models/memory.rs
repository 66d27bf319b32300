//! What the page cache keeps: files read again soon after they were written, and writes that wait for their disk.
//!
//! An operating system caches in the memory that daemons and what tasks use of their heaps leave: a map its sort
//! buffer, a reduce what it fetches. Of files that fit into it everything is read from it, of larger ones the share that
//! fits. (A cache that dropped what was used longest ago would keep less of them, J. Mogul's and others' "sequential
//! flooding"; TeraValidate on seven hosts with 1 and with 3.5 TB, which read 304 and 203 MB/s a host, says that it keeps
//! that share.)
//! Writes return at once while the dirty share of that memory is below `vm.dirty_ratio`, 20 % by default; beyond it a
//! writer is held to its disk.
//! `dfs.datanode.drop.cache.behind.writes` leaves nothing to read, `…sync.behind.writes` nothing to wait.

use crate::parameters::Parameters;
use crate::scenario::{Job, Scheduling, SchedulingKind, WorkerGroup};

/// Memory of the DataNode, of the NodeManager or TaskTracker, and of the system, bytes.
const DAEMONS: f64 = 2.0 * 1024.0 * 1024.0 * 1024.0;

/// A worker's memory for caching.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct PageCache {
    /// Bytes that may be cached.
    pub(crate) bytes: f64,
    /// Bytes that may wait for their disk.
    pub(crate) dirty_bytes: f64,
}

/// What a task's Java machine uses besides its buffers, bytes.
const TASK: f64 = 200e6;

impl PageCache {
    /// That of a worker on which so many reduces run at once at the most.
    pub(crate) fn new(
        worker: &WorkerGroup,
        reduces: u32,
        job: &Job,
        scheduling: &Scheduling,
        parameters: &Parameters,
    ) -> Self {
        let (map_heap, reduce_heap) = (job.map_heap_bytes as f64, job.reduce_heap_bytes as f64);
        let maps = f64::from(worker.map_slots) * map_heap.min(job.io_sort_bytes as f64 + TASK);
        let fetched = reduce_heap * job.shuffle_input_buffer;
        let reduces = f64::from(worker.reduce_slots.min(reduces)) * reduce_heap.min(fetched + TASK);
        let heaps = match scheduling.kind {
            SchedulingKind::Slots => maps + reduces,
            SchedulingKind::Containers => maps.max(reduces),
        };
        let bytes = (worker.memory_bytes as f64 - heaps - DAEMONS).max(0.0);
        Self { bytes: bytes * parameters.used_once_cached, dirty_bytes: bytes * parameters.dirty_share }
    }

    /// The share of so many bytes, written before and read once, that is read from memory.
    pub(crate) fn kept(&self, bytes: f64) -> f64 {
        (self.bytes / bytes.max(1.0)).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::PageCache;

    #[test]
    fn what_fits_is_kept() {
        let cache = PageCache { bytes: 100.0, dirty_bytes: 20.0 };
        assert_eq!([0.0, 100.0, 200.0, 400.0].map(|bytes| cache.kept(bytes)), [1.0, 1.0, 0.5, 0.25]);
    }
}
