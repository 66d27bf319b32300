//! The index of a spilled run in memory: the first entry and the end of each of its blocks.

use std::ops::Range;

use super::entry::{END, Entry};
use super::select::cut_at_rank;
use super::spill_files::Spilled;

/// A spilled run and its index.
pub struct Run<'p> {
    /// The number of the run's first row in all files; positions of its rows count from it.
    pub first_row: u64,
    /// The number of rows.
    pub rows: usize,
    /// The first entry of each block.
    pub firsts: &'p [Entry],
    /// The end of each block in the stream.
    pub ends: &'p [u64],
    /// The location of the stream.
    pub spilled: Spilled,
}

impl Run<'_> {
    /// The bytes of the blocks in the stream.
    pub fn bytes(&self, blocks: &Range<usize>) -> Range<u64> {
        let start = |block: usize| if block == 0 { 0 } else { self.ends[block - 1] };
        start(blocks.start)..start(blocks.end)
    }
}

/// A cut through all runs.
pub struct Cut {
    /// The first entry after the cut.
    pub entry: Entry,
    /// For each run, the number of its blocks that begin before the cut.
    pub blocks: Vec<usize>,
}

impl Cut {
    /// The blocks of run `number` with rows between this cut and `end`.
    pub fn blocks_to(&self, end: &Cut, number: usize, run: &Run) -> Range<usize> {
        let (from, to) = (self.blocks[number], end.blocks[number]);
        // The block that begins before the cut extends past it, unless the next one begins exactly there.
        let exact = run.firsts.get(from) == Some(&self.entry);
        let from = if exact { from } else { from.saturating_sub(1) };
        from.min(to)..to
    }
}

/// Cuts the runs so that `rank` of all their blocks begin before the cut.
pub fn cut_blocks(runs: &[Run], rank: usize) -> Cut {
    let firsts: Vec<&[Entry]> = runs.iter().map(|run| run.firsts).collect();
    let blocks = cut_at_rank(&firsts, rank);
    let after = firsts.iter().zip(&blocks).filter_map(|(firsts, &block)| firsts.get(block));
    let entry = after.min().copied().unwrap_or(END);
    Cut { entry, blocks }
}
