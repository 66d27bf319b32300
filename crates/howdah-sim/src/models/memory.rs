//! What the page cache keeps: files read again soon after they were written, and writes that wait for their disk.
//!
//! An operating system caches in the memory that heaps and daemons leave. Files that fit into it are read from it;
//! of files that do not fit nothing is left when their reader comes around, since the cache drops what was used
//! longest ago (J. Mogul's and others' "sequential flooding"). Writes return at once while the dirty share of that
//! memory is below `vm.dirty_ratio`, 20 % by default; beyond it a writer is held to its disk.
//! `dfs.datanode.drop.cache.behind.writes` leaves nothing to read, `…sync.behind.writes` nothing to wait.

use crate::scenario::{Job, Scheduling, SchedulingKind, WorkerGroup};

/// Memory of the DataNode, of the NodeManager or TaskTracker, and of the system, bytes.
const DAEMONS: f64 = 2.0 * 1024.0 * 1024.0 * 1024.0;

/// Share of the memory for caching that may be dirty (`vm.dirty_ratio`).
const DIRTY: f64 = 0.2;

/// A worker's memory for caching.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct PageCache {
    /// Bytes that may be cached.
    pub(crate) bytes: f64,
    /// Bytes that may wait for their disk.
    pub(crate) dirty_bytes: f64,
}

impl PageCache {
    pub(crate) fn new(worker: &WorkerGroup, job: &Job, scheduling: &Scheduling) -> Self {
        let maps = f64::from(worker.map_slots) * job.map_heap_bytes as f64;
        let reduces = f64::from(worker.reduce_slots) * job.reduce_heap_bytes as f64;
        let heaps = match scheduling.kind {
            SchedulingKind::Slots => maps + reduces,
            SchedulingKind::Containers => maps.max(reduces),
        };
        let bytes = (worker.memory_bytes as f64 - heaps - DAEMONS).max(0.0);
        Self { bytes, dirty_bytes: bytes * DIRTY }
    }
}
