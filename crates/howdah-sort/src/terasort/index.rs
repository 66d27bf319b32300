//! What stays in memory of a spilled run: the first entry and the end of each of its blocks.

use std::ops::Range;

use super::entry::{END, Entry};
use super::select::cut_at_rank;
use super::spill::Spilled;

/// A spilled run and its index.
pub struct Run<'p> {
    /// The number, over all files, of the run's first row: its sorted rows' places count from it.
    pub first_row: u64,
    /// The number of rows.
    pub rows: usize,
    /// The first entry of each block.
    pub firsts: &'p [Entry],
    /// Where each block ends in the stream.
    pub ends: &'p [u64],
    /// Where the stream is.
    pub spilled: Spilled,
}

impl Run<'_> {
    /// The bytes that the blocks take in the stream.
    pub fn bytes(&self, blocks: &Range<usize>) -> Range<u64> {
        let start = |block: usize| if block == 0 { 0 } else { self.ends[block - 1] };
        start(blocks.start)..start(blocks.end)
    }
}

/// A place to cut all runs: what is before `entry`, and the number of each run's blocks that begin before it.
pub struct Cut {
    /// The first entry behind the cut.
    pub entry: Entry,
    /// For each run, how many of its blocks begin before the cut.
    pub blocks: Vec<usize>,
}

impl Cut {
    /// The blocks of run number `run` that hold rows between this cut and `end`.
    pub fn blocks_to(&self, end: &Cut, number: usize, run: &Run) -> Range<usize> {
        let (from, to) = (self.blocks[number], end.blocks[number]);
        // The block that begins before the cut reaches behind it, unless the next begins right there.
        let exact = run.firsts.get(from) == Some(&self.entry);
        let from = if exact { from } else { from.saturating_sub(1) };
        from.min(to)..to
    }
}

/// Cuts the runs so that `rank` of all their blocks begin before the cut.
pub fn cut_blocks(runs: &[Run], rank: usize) -> Cut {
    let firsts: Vec<&[Entry]> = runs.iter().map(|run| run.firsts).collect();
    let blocks = cut_at_rank(&firsts, rank);
    let behind = firsts.iter().zip(&blocks).filter_map(|(firsts, &block)| firsts.get(block));
    let entry = behind.min().copied().unwrap_or(END);
    Cut { entry, blocks }
}
