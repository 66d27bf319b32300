//! The second pass of an external sort: each reduce slot reads its partitions' parts of all runs, merges and writes them.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use super::codec::{Codec, Decompressor};
use super::entry::{Entry, entry};
use super::gather::{CHECK_ROWS, gather};
use super::index::{Cut, Run, cut_blocks};
use super::merge::{LoserTree, SortedRows};
use super::output::{Outputs, Partition};
use super::plan::{ExternalPlan, FLUSHES};
use super::pool_splitter::PoolSplitter;
use super::spill_files::SpillFiles;
use super::stream::{Stream, stream};
use super::team::{Team, closed};
use crate::clock::monotonic;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::file::ALIGN;
use crate::pool::Slab;
use crate::record::ROW;

/// The second pass.
pub struct RunMerge<'a> {
    pub runs: &'a [Run<'a>],
    pub files: &'a SpillFiles,
    pub memory: &'a ExternalPlan,
    pub slots: usize,
    pub codec: Codec,
    pub context: &'a Context,
}

/// A part of a partition that can be merged in memory, and the blocks that contain it.
struct Batch<'p> {
    partition: usize,
    started: Duration,
    is_first: bool,
    is_last: bool,
    /// The entries to merge; blocks at the edges contain others, too.
    from: Entry,
    to: Entry,
    blocks: Slab<'p>,
    parts: Vec<RunPart>,
    read_bytes: u64,
}

/// The blocks of a run in a batch.
struct RunPart {
    run: usize,
    blocks: std::ops::Range<usize>,
    /// The offset of the first of them in the batch's memory.
    start: usize,
}

impl RunMerge<'_> {
    /// Merges the runs into `outputs` and returns the bytes read back.
    pub fn run(&self, splitter: &mut PoolSplitter, outputs: &Outputs) -> Result<u64> {
        let next = AtomicUsize::new(0);
        let read_bytes = AtomicU64::new(0);
        let team = Team::new(self.context);
        std::thread::scope(|scope| {
            for slot in 0..self.slots.min(outputs.len()) {
                let (team, next, read_bytes) = (&team, &next, &read_bytes);
                let (to_merge, read) = channel();
                let (merged, free) = channel();
                for buffer in splitter.pieces(2, self.memory.batch) {
                    merged.send(buffer).expect("the receiver exists");
                }
                let unpacked = splitter.bytes(if self.codec == Codec::None { 0 } else { self.memory.batch });
                let (rows, writer) = stream(splitter.pieces(FLUSHES, self.memory.flush));
                scope.spawn(move || {
                    team.run(move || {
                        let read = self.read_partitions(next, outputs.len(), &free, &to_merge, team)?;
                        read_bytes.fetch_add(read, Ordering::Relaxed);
                        Ok(())
                    })
                });
                scope
                    .spawn(move || team.run(move || self.merge_batches(read, unpacked, &merged, rows, team)));
                scope.spawn(move || team.run(move || outputs.write(writer, slot, team, self.context)));
            }
        });
        team.end()?;
        Ok(read_bytes.into_inner())
    }

    fn read_partitions<'p>(
        &self,
        next: &AtomicUsize,
        partitions: usize,
        free: &Receiver<Slab<'p>>,
        to_merge: &Sender<Batch<'p>>,
        team: &Team,
    ) -> Result<u64> {
        let all: usize = self.runs.iter().map(|run| run.firsts.len()).sum();
        let end_of = |partition: usize| (all as u128 * partition as u128 / partitions as u128) as usize;
        let mut read_bytes = 0;
        loop {
            let partition = next.fetch_add(1, Ordering::Relaxed);
            if partition >= partitions {
                return Ok(read_bytes);
            }
            let blocks = end_of(partition)..end_of(partition + 1);
            let batches = blocks.len().div_ceil(self.memory.batch_blocks).max(1);
            let mut from = cut_blocks(self.runs, blocks.start);
            for number in 0..batches {
                let buffer = free.recv().map_err(closed)?;
                let started = monotonic();
                let to = cut_blocks(self.runs, blocks.start + blocks.len() * (number + 1) / batches);
                let mut batch = Batch {
                    partition,
                    started,
                    is_first: number == 0,
                    is_last: number + 1 == batches,
                    from: from.entry,
                    to: to.entry,
                    blocks: buffer,
                    parts: Vec::with_capacity(self.runs.len()),
                    read_bytes: 0,
                };
                self.read_blocks(&mut batch, &from, &to, team)?;
                read_bytes += batch.read_bytes;
                to_merge.send(batch).map_err(closed)?;
                from = to;
            }
        }
    }

    fn read_blocks(&self, batch: &mut Batch, from: &Cut, to: &Cut, team: &Team) -> Result<()> {
        let page = ALIGN as u64;
        let mut at = 0;
        for (number, run) in self.runs.iter().enumerate() {
            team.check()?;
            let blocks = from.blocks_to(to, number, run);
            if blocks.is_empty() {
                continue;
            }
            let bytes = run.bytes(&blocks);
            let offset = bytes.start - bytes.start % page;
            let len = (bytes.end.next_multiple_of(page) - offset) as usize;
            self.files.read(&run.spilled, offset, &mut batch.blocks[at..at + len])?;
            batch.parts.push(RunPart { run: number, blocks, start: at + (bytes.start - offset) as usize });
            batch.read_bytes += len as u64;
            at += len;
            // Each block counts once, although a block at an edge is read for both adjacent batches.
            let own = run.bytes(&(from.blocks[number]..to.blocks[number]));
            self.context.advance(own.end - own.start);
        }
        Ok(())
    }

    fn merge_batches<'p>(
        &self,
        read: Receiver<Batch<'p>>,
        unpacked: &mut [u8],
        merged: &Sender<Slab<'p>>,
        mut rows: Stream<Partition, u64>,
        team: &Team,
    ) -> Result<()> {
        let mut decompressor = Decompressor::new(self.codec).map_err(damaged)?;
        let mut read_bytes = 0;
        for batch in read {
            if batch.is_first {
                rows.begin(Partition { number: batch.partition, started: batch.started })?;
                read_bytes = 0;
            }
            read_bytes += batch.read_bytes;
            let (arena, starts) = match &mut decompressor {
                None => (&*batch.blocks, batch.parts.iter().map(|part| part.start).collect()),
                Some(decompressor) => {
                    let starts = self.unpack(&batch, decompressor, unpacked, team)?;
                    (&*unpacked, starts)
                }
            };
            let lists =
                batch.parts.iter().zip(starts).map(|(part, start)| self.rows(&batch, part, arena, start));
            let mut tree = LoserTree::new(lists.collect());
            while gather(&mut tree, arena, CHECK_ROWS, &mut rows)? > 0 {
                team.check()?;
            }
            // The reader may have read its last batch.
            let _ = merged.send(batch.blocks);
            if batch.is_last {
                rows.end(read_bytes)?;
            }
        }
        Ok(())
    }

    /// Decompresses a batch's blocks one after another, and returns the start of each run's blocks.
    fn unpack(
        &self,
        batch: &Batch,
        decompressor: &mut Decompressor,
        unpacked: &mut [u8],
        team: &Team,
    ) -> Result<Vec<usize>> {
        let mut at = 0;
        let mut starts = Vec::with_capacity(batch.parts.len());
        for part in &batch.parts {
            team.check()?;
            let run = &self.runs[part.run];
            let base = run.bytes(&part.blocks).start;
            starts.push(at);
            for block in part.blocks.clone() {
                let stored = run.bytes(&(block..block + 1));
                let within = part.start + (stored.start - base) as usize;
                let stored = &batch.blocks[within..][..(stored.end - stored.start) as usize];
                let len = self.rows_in(run, &(block..block + 1)) * ROW;
                decompressor.unpack(stored, &mut unpacked[at..at + len]).map_err(damaged)?;
                at += len;
            }
        }
        Ok(starts)
    }

    /// The rows of a part that belong to the batch; the part begins at `start` of `arena`.
    fn rows<'b>(&self, batch: &Batch, part: &RunPart, arena: &'b [u8], start: usize) -> SortedRows<'b> {
        let run = &self.runs[part.run];
        let first_row = run.first_row + (part.blocks.start * self.memory.block_rows) as u64;
        // The number of rows before a bound, by binary search.
        let before = |bound: Entry| {
            let (mut low, mut high) = (0, self.rows_in(run, &part.blocks));
            while low < high {
                let middle = low + (high - low) / 2;
                if entry(&arena[start + middle * ROW..], first_row + middle as u64) < bound {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            low
        };
        SortedRows::new(arena, start + before(batch.from) * ROW, start + before(batch.to) * ROW)
    }

    fn rows_in(&self, run: &Run, blocks: &std::ops::Range<usize>) -> usize {
        (blocks.end * self.memory.block_rows).min(run.rows) - blocks.start * self.memory.block_rows
    }
}

/// Data that were written cannot be decompressed: the disk returned something else.
fn damaged(source: std::io::Error) -> Error {
    Error::Io { path: "intermediate data".into(), action: "unpack", source }
}
