//! TeraSort: windows are read and sorted, then merged into the outputs; if they do not fit into memory, they are spilled.

mod in_memory;
mod spilled;

use super::scenario::{Doubling, Packing};
use super::tasks::ROW;
use super::{Simulation, WorkloadOutcome};

/// Rows that fill whole pages: the rows of a window are a multiple of this.
const PAGE_ROWS: u64 = 1024;
/// The largest window, rows.
const LARGEST_WINDOW: u64 = 160 * PAGE_ROWS;
/// Flush buffers of a slot: one is filled while the other is written.
const FLUSHES: usize = 2;
/// The largest flush buffer, and the smallest, bytes.
const LARGEST_FLUSH: f64 = 8.0 * 1024.0 * 1024.0;
const SMALLEST_FLUSH: f64 = 65_536.0;
/// Bytes of a row's entry, in addition to the row.
const ENTRY: f64 = 16.0;

/// The input of a sort, its tasks and its costs.
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

impl Simulation<'_> {
    /// Sorts in one pass if the pool has the memory that this requires, otherwise with spills.
    pub(super) fn terasort(&mut self, sort: &Sort, in_memory_bytes: u64) -> WorkloadOutcome {
        let in_memory = in_memory_bytes <= self.scenario.pool_bytes;
        let mut outcome = WorkloadOutcome::new();
        outcome.in_memory = Some(in_memory);
        if in_memory {
            self.sort_in_memory(sort, &mut outcome)
        } else {
            self.sort_spilling(sort, &mut outcome)
        }
        outcome
    }
}

/// Rows of a window if a slot reads `rows` rows in one go.
fn window_rows(rows: u64) -> u64 {
    (rows / 16).next_multiple_of(PAGE_ROWS).clamp(PAGE_ROWS, LARGEST_WINDOW)
}

/// The size of a flush buffer if a slot has `memory` bytes in total.
fn flush_bytes(memory: f64) -> f64 {
    (memory / 32.0).clamp(SMALLEST_FLUSH, LARGEST_FLUSH)
}
