//! The page cache: files read again soon after they were written, and writes that wait for their disk.
//!
//! An operating system caches in the memory that daemons and heaps leave; a map uses its sort buffer, a reduce the data
//! it has fetched. Files that fit are read from the cache; of larger ones the share that fits. (A cache that evicted the
//! least recently used pages would keep less, J. Mogul's and others' "sequential flooding". TeraValidate on seven hosts
//! with 1 and with 3.5 TB read 304 and 203 MB/s a host, which shows that it keeps that share.)
//! Data that are used once fill half of it: Linux keeps its list of inactive pages at least as long as that of active
//! ones, which contains data that were used before (J. Weiner, *Better active/inactive list balancing*, 2012).
//! Writes return at once while the dirty part of that memory is below the middle of `vm.dirty_background_ratio` and
//! `vm.dirty_ratio`, 10 and 20 % by default; beyond it a writer is throttled to its disk (balance_dirty_pages).
//! `dfs.datanode.drop.cache.behind.writes` leaves nothing to read, `…sync.behind.writes` nothing to wait.

use crate::parameters::Parameters;
use crate::scenario::{Job, Scheduling, SchedulingKind, WorkerGroup};

/// Memory of the DataNode, the NodeManager or TaskTracker, and the system, bytes.
const DAEMON_BYTES: f64 = 2.0 * 1024.0 * 1024.0 * 1024.0;

/// The page cache of a worker.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct PageCache {
    /// Capacity, bytes.
    pub(crate) bytes: f64,
    /// Dirty bytes that may wait for their disk.
    pub(crate) dirty_bytes: f64,
}

/// Memory of a task's JVM in addition to its buffers, bytes.
const TASK_BYTES: f64 = 200e6;

impl PageCache {
    /// The cache of a worker on which at most `reduces` reduces run at the same time.
    pub(crate) fn new(
        worker: &WorkerGroup,
        reduces: u32,
        job: &Job,
        scheduling: &Scheduling,
        parameters: &Parameters,
    ) -> Self {
        let (map_heap, reduce_heap) = (job.map_heap_bytes as f64, job.reduce_heap_bytes as f64);
        let maps = f64::from(worker.map_slots) * map_heap.min(job.io_sort_bytes as f64 + TASK_BYTES);
        let fetched = reduce_heap * job.shuffle_input_buffer;
        let reduces = f64::from(worker.reduce_slots.min(reduces)) * reduce_heap.min(fetched + TASK_BYTES);
        let heaps = match scheduling.kind {
            SchedulingKind::Slots => maps + reduces,
            SchedulingKind::Containers => maps.max(reduces),
        };
        let bytes = (worker.memory_bytes as f64 - heaps - DAEMON_BYTES).max(0.0);
        Self { bytes: bytes * parameters.used_once_cached, dirty_bytes: bytes * parameters.dirty_share }
    }

    /// The share of `bytes` bytes, written before and read once, that is read from memory.
    pub(crate) fn kept(&self, bytes: f64) -> f64 {
        (self.bytes / bytes.max(1.0)).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::PageCache;
    use crate::parameters::Parameters;
    use crate::scenario::{Job, Scheduling, SchedulingKind, WorkerGroup};

    #[test]
    fn data_that_are_used_once_fill_half_of_the_cache() {
        let worker = WorkerGroup {
            count: 1,
            vcpus: 8,
            memory_bytes: 64 << 30,
            disks: 1,
            local_disks: None,
            numa_nodes: 1,
            map_slots: 8,
            reduce_slots: 8,
        };
        let cache = |parameters: &Parameters| PageCache::new(&worker, 6, &job(), &scheduling(), parameters);
        let all = cache(&Parameters { used_once_cached: 1.0, ..Parameters::default() });
        let half = cache(&Parameters::default());
        assert_eq!(half.bytes, all.bytes / 2.0);
        // The limit of dirty pages does not depend on how often data are used.
        assert_eq!(half.dirty_bytes, all.dirty_bytes);
        assert!((half.dirty_bytes / all.bytes - 0.15).abs() < 1e-12);
    }

    fn job() -> Job {
        Job { map_heap_bytes: 512 << 20, reduce_heap_bytes: 512 << 20, ..Job::for_tests() }
    }

    fn scheduling() -> Scheduling {
        Scheduling {
            kind: SchedulingKind::Slots,
            slowstart: 0.05,
            heartbeat_s: 3.0,
            out_of_band: false,
            round_s: None,
            containers_per_beat: None,
            off_switch_per_beat: None,
            job_queue: false,
            locality_delay_s: 0.0,
            speculative: false,
            jvm_reuse: false,
        }
    }

    #[test]
    fn files_that_fit_are_kept() {
        let cache = PageCache { bytes: 100.0, dirty_bytes: 20.0 };
        assert_eq!([0.0, 100.0, 200.0, 400.0].map(|bytes| cache.kept(bytes)), [1.0, 1.0, 0.5, 0.25]);
    }
}
