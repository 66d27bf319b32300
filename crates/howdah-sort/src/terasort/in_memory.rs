//! A sort in memory: reads and sorts windows of rows, then merges them into the outputs.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use super::entry::{Entry, sorted_entries};
use super::gather::{CHECK_ROWS, gather};
use super::input::{Inputs, Window};
use super::merge::{LoserTree, SortedEntries};
use super::output::{Outputs, Partition};
use super::plan::{FLUSHES, InMemoryPlan, window_rows};
use super::pool_splitter::{PoolSplitter, split_front};
use super::select::cut_at_rank;
use super::stream::{Stream, stream};
use super::task_reporter::{TaskCounters, TaskReporter};
use super::team::{Team, closed};
use crate::clock::monotonic;
use crate::context::{Context, TaskKind};
use crate::error::Result;
use crate::pool::Slab;
use crate::record::ROW;

/// A sort that needs no intermediate files.
pub struct InMemorySort<'a> {
    inputs: &'a Inputs,
    /// The windows of each map task.
    splits: Vec<Vec<Window>>,
    memory: InMemoryPlan,
    map_slots: usize,
    reduce_slots: usize,
    context: &'a Context,
}

/// A window and the memory for its rows and entries.
struct Chunk<'p> {
    window: Window,
    /// The offset of the window's first byte in the arena.
    start: usize,
    bytes: Slab<'p>,
    entries: &'p mut [Entry],
}

/// A map task's chunks.
struct Split<'p> {
    task: u32,
    chunks: Vec<Chunk<'p>>,
}

/// A message from a map slot's reader to its sorter.
enum Read<'p> {
    /// A chunk with rows.
    Chunk { rows: &'p [u8], start: usize, entries: &'p mut [Entry] },
    /// The end of a task.
    End { task: u32, started: Duration, rows: u64, bytes: u64 },
}

impl<'a> InMemorySort<'a> {
    /// Plans a sort of `inputs`, divided into map tasks by `splits`.
    pub fn new(
        inputs: &'a Inputs,
        splits: &[Range<u64>],
        map_slots: usize,
        reduce_slots: usize,
        context: &'a Context,
    ) -> Self {
        let longest = splits.iter().map(|rows| rows.end - rows.start).max();
        let most_rows = window_rows(longest.unwrap_or(0));
        let splits: Vec<Vec<Window>> =
            splits.iter().map(|rows| inputs.windows(rows.clone(), most_rows)).collect();
        let arena = splits.iter().flatten().map(|window| window.len).sum();
        let memory = InMemoryPlan::new(inputs.rows(), arena, reduce_slots);
        Self { inputs, splits, memory, map_slots, reduce_slots, context }
    }

    /// The memory needed, bytes.
    pub fn needed(&self) -> usize {
        self.memory.needed
    }

    /// Sorts within `pool`, which must have the memory needed.
    pub fn run(self, pool: Slab, outputs: &Outputs) -> Result<()> {
        self.context.expect(2 * self.inputs.rows() * ROW as u64);
        let windows = || self.splits.iter().flatten();
        let mut splitter = PoolSplitter::new(pool);
        let flushes = splitter.pieces(self.reduce_slots * FLUSHES, self.memory.flush);
        let entries = splitter.entries(self.inputs.rows() as usize);
        let arena = splitter.bytes(windows().map(|window| window.len).sum());

        self.context.begin_phase("map-shuffle");
        self.map(arena, entries)?;

        self.context.begin_phase("reduce-merge");
        let mut rest = &*entries;
        let lists: Vec<&[Entry]> = windows()
            .map(|window| {
                let (list, after) = rest.split_at(window.rows);
                rest = after;
                list
            })
            .collect();
        self.reduce(arena, &lists, flushes, outputs)?;
        self.context.end_phase();
        Ok(())
    }

    fn map(&self, arena: &mut [u8], entries: &mut [Entry]) -> Result<()> {
        let (mut bytes, mut entries) = (arena, entries);
        let mut start = 0;
        let splits: Vec<Split> = (0..)
            .zip(&self.splits)
            .map(|(task, windows)| {
                let chunk = |window: &Window| {
                    let chunk = Chunk {
                        window: window.clone(),
                        start,
                        bytes: split_front(&mut bytes, window.len),
                        entries: split_front(&mut entries, window.rows),
                    };
                    start += window.len;
                    chunk
                };
                Split { task, chunks: windows.iter().map(chunk).collect() }
            })
            .collect();

        let slots = self.map_slots.min(splits.len());
        let queue = Mutex::new(splits.into_iter());
        let team = Team::new(self.context);
        std::thread::scope(|scope| {
            for slot in 0..slots {
                let (team, queue) = (&team, &queue);
                let (to_sort, read) = channel();
                scope.spawn(move || team.run(|| self.read_splits(queue, &to_sort, team)));
                scope.spawn(move || team.run(|| self.sort_chunks(read, slot, team)));
            }
        });
        team.end()
    }

    fn read_splits<'p>(
        &self,
        queue: &Mutex<std::vec::IntoIter<Split<'p>>>,
        to_sort: &Sender<Read<'p>>,
        team: &Team,
    ) -> Result<()> {
        let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
        while let Some(split) = next() {
            let started = monotonic();
            let (mut rows, mut bytes) = (0, 0);
            for chunk in split.chunks {
                team.check()?;
                let read = self.inputs.read(&chunk.window, chunk.bytes)?;
                self.context.advance(read.len() as u64);
                rows += chunk.window.rows as u64;
                bytes += read.len() as u64;
                let start = chunk.start + chunk.window.skip;
                to_sort.send(Read::Chunk { rows: read, start, entries: chunk.entries }).map_err(closed)?;
            }
            to_sort.send(Read::End { task: split.task, started, rows, bytes }).map_err(closed)?;
        }
        Ok(())
    }

    fn sort_chunks(&self, read: Receiver<Read>, slot: usize, team: &Team) -> Result<()> {
        let mut reporter = TaskReporter::new(self.context, TaskKind::Map, slot);
        for read in read {
            team.check()?;
            match read {
                Read::Chunk { rows, start, entries } => sorted_entries(rows, start, entries),
                Read::End { task, started, rows, bytes } => {
                    reporter.finish(
                        task,
                        started,
                        TaskCounters { rows, input_bytes: bytes, ..TaskCounters::default() },
                    );
                }
            }
        }
        Ok(())
    }

    fn reduce(&self, arena: &[u8], lists: &[&[Entry]], flushes: Vec<Slab>, outputs: &Outputs) -> Result<()> {
        let next = AtomicUsize::new(0);
        let team = Team::new(self.context);
        let mut flushes = flushes.into_iter();
        std::thread::scope(|scope| {
            for slot in 0..self.reduce_slots.min(outputs.len()) {
                let (team, next) = (&team, &next);
                let (rows, writer) = stream(flushes.by_ref().take(FLUSHES));
                scope.spawn(move || {
                    team.run(|| merge_partitions(arena, lists, rows, outputs.len(), next, team))
                });
                scope.spawn(move || team.run(|| outputs.write(writer, slot, team, self.context)));
            }
        });
        team.end()
    }
}

/// Merges one partition after another until none remains.
fn merge_partitions(
    arena: &[u8],
    lists: &[&[Entry]],
    mut rows: Stream<Partition, u64>,
    partitions: usize,
    next: &AtomicUsize,
    team: &Team,
) -> Result<()> {
    let total: usize = lists.iter().map(|list| list.len()).sum();
    let cut = |partition: usize| {
        cut_at_rank(lists, (total as u128 * partition as u128 / partitions as u128) as usize)
    };
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= partitions {
            return Ok(());
        }
        rows.begin(Partition { number, started: monotonic() })?;
        let parts = lists.iter().zip(cut(number).into_iter().zip(cut(number + 1)));
        let parts = parts.map(|(list, (from, to))| &list[from..to]).filter(|part| !part.is_empty());
        let mut tree = LoserTree::new(parts.map(SortedEntries::new).collect());
        while gather(&mut tree, arena, CHECK_ROWS, &mut rows)? > 0 {
            team.check()?;
        }
        rows.end(0)?;
    }
}
