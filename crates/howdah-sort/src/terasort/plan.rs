//! Division of the pool's memory for a sort in memory, and for an external sort.

use super::entry::Entry;
use crate::file::ALIGN;
use crate::record::ROW;

use super::input::PAGE_ROWS;

const ENTRY: usize = size_of::<Entry>();

/// Flush buffers of a slot: one is filled while the other is written.
pub const FLUSHES: usize = 2;
/// Writes of several MiB reach the disk's full rate; larger ones only reduce the memory for rows.
const LARGEST_FLUSH: usize = 8 << 20;
const SMALLEST_FLUSH: usize = 64 << 10;

/// Sorting longer lists overlaps with reading, and leaves fewer lists to merge. Beyond 16 MB there is
/// little more to gain, while the sort after the last read grows.
const LARGEST_WINDOW: u64 = 160 * PAGE_ROWS;

/// A spilled run's index has one entry and one offset for each block of this many rows. Small blocks
/// read less beyond a batch's edges, large ones need a smaller index and compress better.
const BLOCK_ROWS: [usize; 7] = [1024, 512, 256, 128, 64, 32, 16];
/// Bytes of a block's entry and offset in the index.
pub const INDEX_BYTES: usize = ENTRY + size_of::<u64>();

/// Unaligned ends of splits and files that [`memory_needs`] allows for; each may cost two pages.
const UNALIGNED_ENDS: u64 = 256;

/// Rows of a window if a slot reads `rows` rows in one go.
pub fn window_rows(rows: u64) -> u64 {
    (rows / 16).next_multiple_of(PAGE_ROWS).clamp(PAGE_ROWS, LARGEST_WINDOW)
}

/// The size of a flush buffer if a slot has `memory` bytes in total.
fn flush_bytes(memory: usize) -> usize {
    let flush = memory / 32;
    (flush - flush % ALIGN).clamp(SMALLEST_FLUSH, LARGEST_FLUSH)
}

/// The memory of a sort in memory.
pub struct InMemoryPlan {
    /// The size of a flush buffer.
    pub flush: usize,
    /// The memory needed, bytes.
    pub needed: usize,
}

impl InMemoryPlan {
    /// The memory for `rows` rows, which take `arena` bytes in windows, and `reduce_slots` reduce slots.
    pub fn new(rows: u64, arena: usize, reduce_slots: usize) -> Self {
        let flush = flush_bytes(rows as usize * ROW / 2 / reduce_slots);
        let entries = (rows as usize * ENTRY).next_multiple_of(ALIGN);
        Self { flush, needed: arena + entries + reduce_slots * FLUSHES * flush }
    }
}

/// The memory of an external sort.
#[derive(Debug)]
pub struct ExternalPlan {
    /// The size of a flush buffer.
    pub flush: usize,
    /// Rows per block of a spilled run.
    pub block_rows: usize,
    /// Memory for all runs' indexes, bytes.
    pub index: usize,
    /// Memory for a run's windows, bytes; each map slot has two, one being read while the other is spilled.
    pub run: usize,
    /// Entries of a run; each map slot has memory for those of one run.
    pub run_entries: usize,
    /// Memory for the blocks of one batch; each reduce slot has two, and a third for rows if blocks are compressed.
    pub batch: usize,
    /// Blocks of a batch that always fit.
    pub batch_blocks: usize,
}

/// The input of a plan of an external sort.
pub struct MemoryDemand<R> {
    /// Rows to sort.
    pub rows: u64,
    /// Map slots.
    pub map_slots: usize,
    /// Reduce slots.
    pub reduce_slots: usize,
    /// Whether blocks are compressed.
    pub compressed: bool,
    /// The number of runs as a function of a run's maximum size in bytes.
    pub runs: R,
}

impl<R: Fn(usize) -> usize> MemoryDemand<R> {
    /// Divides `pool` bytes; None if they are too few for two passes.
    pub fn plan(&self, pool: usize) -> Option<ExternalPlan> {
        let plans: Vec<ExternalPlan> =
            BLOCK_ROWS.iter().filter_map(|&block_rows| self.with_blocks(pool, block_rows)).collect();
        let useful = |plan: &ExternalPlan| plan.batch_blocks * plan.block_rows;
        let best = plans.iter().map(useful).max()?;
        // The largest blocks whose edges and index have a negligible cost.
        plans.into_iter().find(|plan| useful(plan) >= best - best / 16)
    }

    /// The smallest sufficient pool, at most `enough`.
    pub fn smallest_pool(&self, enough: usize) -> usize {
        let (mut low, mut high) = (0, enough.next_multiple_of(SMALLEST_FLUSH));
        while high - low > SMALLEST_FLUSH {
            let middle = low + (high - low) / 2;
            if self.plan(middle).is_some() { high = middle } else { low = middle }
        }
        high
    }

    fn with_blocks(&self, pool: usize, block_rows: usize) -> Option<ExternalPlan> {
        let block = block_rows * ROW;
        let full_blocks = self.rows.div_ceil(block_rows as u64) as usize * INDEX_BYTES;
        let flush = flush_bytes(pool / self.map_slots.max(self.reduce_slots));
        // Every run may end with a block that is not full.
        let index = (full_blocks + pool / 64).next_multiple_of(ALIGN) + ALIGN;

        let of_map = (pool.checked_sub(index)? / self.map_slots).checked_sub(FLUSHES * flush)?;
        let of_reduce = (pool - index).checked_div(self.reduce_slots)?.checked_sub(FLUSHES * flush)?;

        // Two buffers of windows and the entries of one.
        let run = (of_map.checked_sub(ALIGN)? as u128 * ROW as u128 / (2 * ROW + ENTRY) as u128) as usize;
        let run = run - run % ALIGN;
        if run < SMALLEST_RUN {
            return None;
        }
        let runs = (self.runs)(run);
        if runs * INDEX_BYTES > pool / 64 {
            return None;
        }

        let batch = of_reduce / if self.compressed { 3 } else { 2 };
        let batch = batch - batch % ALIGN;
        // A batch may include another block of every run, and parts of two pages.
        let edges = runs * (block + 2 * ALIGN);
        let useful = batch.checked_sub(edges)?;
        // A batch of mostly edges would read everything several times.
        (useful >= batch / 4 && useful >= block).then(|| ExternalPlan {
            flush,
            block_rows,
            index,
            run,
            run_entries: run / ROW,
            batch,
            batch_blocks: useful / block,
        })
    }
}

/// A run has at least one window of [`PAGE_ROWS`] rows with its unaligned ends.
const SMALLEST_RUN: usize = PAGE_ROWS as usize * ROW + 2 * ALIGN;

/// The smallest pool that sorts `rows` rows with `slots` slots in two passes, and the smallest that
/// sorts them without spilling, bytes. Neither depends on the number of partitions.
pub fn memory_needs(rows: u64, slots: usize) -> (usize, usize) {
    // More rows than any machine can store need more memory than any machine has.
    let rows = rows.min(1 << 48);
    let slots = slots.clamp(1, 1 << 16);
    let arena = rows as usize * ROW + rows.min(UNALIGNED_ENDS) as usize * 2 * ALIGN;
    let in_memory = InMemoryPlan::new(rows, arena, slots).needed;
    let demand = MemoryDemand {
        rows,
        map_slots: slots,
        reduce_slots: slots,
        compressed: true,
        // Runs are at least a third full: see `runs::pack`.
        runs: |run: usize| 3 * (rows as usize * ROW).div_ceil(run) + 1,
    };
    (demand.smallest_pool(in_memory), in_memory)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn batches_of_a_large_sort_are_hardly_edges() {
        let demand = MemoryDemand {
            rows: 160_000_000,
            map_slots: 2,
            reduce_slots: 2,
            compressed: false,
            runs: |run: usize| 16_000_000_000_usize.div_ceil(run),
        };
        let plan = demand.plan(1_000_000_000).unwrap();
        assert!(plan.run > 200_000_000, "{plan:?}");
        assert!(plan.batch_blocks * plan.block_rows * ROW > plan.batch * 9 / 10, "{plan:?}");
    }

    #[test]
    fn extreme_sizes_have_memory_needs() {
        for (rows, slots) in [(0, 0), (1, 1), (u64::MAX, 1), (1, usize::MAX), (u64::MAX, usize::MAX)] {
            let (least, in_memory) = memory_needs(rows, slots);
            assert!(0 < least && least <= in_memory.next_multiple_of(SMALLEST_FLUSH), "{rows} rows");
        }
    }

    proptest! {
        #[test]
        fn parts_fit_the_pool_and_more_memory_never_hurts(
            rows in 1..2_000_000_000u64, slots in 1..40usize, more in 1.0..3.0f64, compressed in any::<bool>()
        ) {
            let (least, in_memory) = memory_needs(rows, slots);
            prop_assert!(least <= in_memory.next_multiple_of(SMALLEST_FLUSH));
            let pool = (least as f64 * more) as usize;
            prop_assume!(pool < in_memory);
            let demand = MemoryDemand {
                rows,
                map_slots: slots,
                reduce_slots: slots,
                compressed,
                runs: |run: usize| (rows as usize * ROW).div_ceil(run),
            };
            let plan = demand.plan(pool);
            prop_assert!(plan.is_some(), "{pool} bytes are not enough though {least} are");
            let plan = plan.unwrap();
            let map = 2 * plan.run + (plan.run_entries * ENTRY).next_multiple_of(ALIGN) + FLUSHES * plan.flush;
            let batches = if compressed { 3 } else { 2 };
            let reduce = batches * plan.batch + FLUSHES * plan.flush;
            prop_assert!(plan.index + slots * map.max(reduce) <= pool);
        }
    }
}
