//! TeraSort: windows read and sorted, then merged into the outputs; in between spilled, if they do not fit the memory.

mod in_memory;
mod spilled;

use super::scenario::{Doubling, Packing};
use super::tasks::ROW;
use super::{Bench, Ran};

/// Rows that fill whole pages: windows are whole numbers of them.
const PAGE_ROWS: u64 = 1024;
/// The longest window.
const LARGEST_WINDOW: u64 = 160 * PAGE_ROWS;
/// Flush buffers of a slot: one is filled while the other is written.
const FLUSHES: usize = 2;
/// The largest flush buffer, and the smallest.
const LARGEST_FLUSH: f64 = 8.0 * 1024.0 * 1024.0;
const SMALLEST_FLUSH: f64 = 65_536.0;
/// What a row's entry takes beside the row.
const ENTRY: f64 = 16.0;

/// What is sorted, into how many tasks it is divided, and what it costs.
pub(super) struct Sort {
    pub(super) rows: u64,
    pub(super) maps: u32,
    pub(super) reduces: u32,
    pub(super) sort_s: Doubling,
    pub(super) merge_s: Doubling,
    pub(super) codec: Option<Packing>,
}

impl Sort {
    fn bytes(&self) -> f64 {
        self.rows as f64 * ROW
    }
}

impl Bench<'_> {
    /// Sorts within the pool; in one pass where so many bytes of memory, which are enough for that, are there.
    pub(super) fn terasort(&mut self, sort: &Sort, in_memory_bytes: u64) -> Ran {
        let in_memory = in_memory_bytes <= self.scenario.pool_bytes;
        let mut ran = Ran::begun();
        ran.in_memory = Some(in_memory);
        if in_memory {
            self.sort_in_memory(sort, &mut ran)
        } else {
            self.sort_spilling(sort, &mut ran)
        }
        ran
    }
}

/// Rows read and sorted at once where one slot has so many to read in one go.
fn window_rows(rows: u64) -> u64 {
    (rows / 16).next_multiple_of(PAGE_ROWS).clamp(PAGE_ROWS, LARGEST_WINDOW)
}

/// The size of a flush buffer where each slot has so many bytes for everything.
fn flush_bytes(memory: f64) -> f64 {
    (memory / 32.0).clamp(SMALLEST_FLUSH, LARGEST_FLUSH)
}
