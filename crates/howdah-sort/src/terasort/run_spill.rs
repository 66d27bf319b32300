//! The first pass of an external sort: each map slot reads runs, sorts them and writes them.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::codec::{Codec, Compressor, compressor_failed};
use super::entry::{Entry, sorted_entries, with_position};
use super::gather::gather;
use super::index::Run;
use super::input::Inputs;
use super::merge::{LoserTree, SortedEntries};
use super::plan::{ExternalPlan, FLUSHES};
use super::pool_splitter::PoolSplitter;
use super::runs::{Part, RunPlan};
use super::spill_files::{SpillFiles, Spilled};
use super::stream::{Stream, Writer, stream};
use super::task_reporter::{TaskCounters, TaskReporter};
use super::team::{Team, closed};
use crate::clock::monotonic;
use crate::context::{Context, TaskKind};
use crate::error::Result;
use crate::pool::Slab;
use crate::record::ROW;

/// The first pass.
pub struct RunSpill<'a> {
    pub inputs: &'a Inputs,
    pub files: &'a SpillFiles,
    pub memory: &'a ExternalPlan,
    pub slots: usize,
    pub codec: Codec,
    pub context: &'a Context,
}

/// A run to write, with memory for its index.
pub struct RunWork<'i> {
    pub plan: RunPlan,
    pub firsts: &'i mut [Entry],
    pub ends: &'i mut [u64],
}

/// A run with rows.
struct Loaded<'p, 'i> {
    work: RunWork<'i>,
    rows: Slab<'p>,
    started: Duration,
}

/// A run that is being written.
struct Header {
    plan: RunPlan,
    started: Duration,
}

/// A run's complete index.
type Index<'i> = (&'i [Entry], &'i [u64]);

impl RunSpill<'_> {
    /// Writes all runs and returns them in the order of their rows. Each element of `items` is for one slot.
    pub fn run<'i>(&self, items: Vec<Vec<RunWork<'i>>>, splitter: &mut PoolSplitter) -> Result<Vec<Run<'i>>> {
        let slots = self.slots.min(items.len());
        let queue = Mutex::new(items.into_iter());
        let runs = Mutex::new(Vec::new());
        let team = Team::new(self.context);
        std::thread::scope(|scope| {
            for slot in 0..slots {
                let (team, queue, runs) = (&team, &queue, &runs);
                let entries = splitter.entries(self.memory.run_entries);
                let (to_sort, loaded) = channel();
                let (sorted, free) = channel();
                for buffer in splitter.pieces(2, self.memory.run) {
                    sorted.send(buffer).expect("the receiver exists");
                }
                let (to_write, writer) = stream(splitter.pieces(FLUSHES, self.memory.flush));
                scope.spawn(move || team.run(move || self.read_runs(queue, &free, &to_sort, team)));
                scope.spawn(move || {
                    team.run(move || self.sort_runs(loaded, entries, &sorted, to_write, team))
                });
                scope.spawn(move || team.run(move || self.write_runs(writer, slot, runs, team)));
            }
        });
        team.end()?;
        let mut runs = runs.into_inner().unwrap_or_else(PoisonError::into_inner);
        runs.sort_unstable_by_key(|run: &Run| run.first_row);
        Ok(runs)
    }

    fn read_runs<'p, 'i>(
        &self,
        queue: &Mutex<std::vec::IntoIter<Vec<RunWork<'i>>>>,
        free: &Receiver<Slab<'p>>,
        to_sort: &Sender<Loaded<'p, 'i>>,
        team: &Team,
    ) -> Result<()> {
        let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
        while let Some(item) = next() {
            for work in item {
                let rows = free.recv().map_err(closed)?;
                let started = monotonic();
                let mut at = 0;
                for window in &work.plan.windows {
                    team.check()?;
                    let read = self.inputs.read(window, &mut rows[at..at + window.len])?;
                    self.context.advance(read.len() as u64);
                    at += window.len;
                }
                to_sort.send(Loaded { work, rows, started }).map_err(closed)?;
            }
        }
        Ok(())
    }

    fn sort_runs<'p, 'i>(
        &self,
        loaded: Receiver<Loaded<'p, 'i>>,
        entries: &mut [Entry],
        sorted: &Sender<Slab<'p>>,
        mut to_write: Stream<Header, Index<'i>>,
        team: &Team,
    ) -> Result<()> {
        let block_bytes = self.memory.block_rows * ROW;
        let mut compressor = Compressor::new(self.codec, block_bytes).map_err(compressor_failed)?;
        let mut block = Vec::with_capacity(if compressor.is_some() { block_bytes } else { 0 });
        for Loaded { work: RunWork { plan, firsts, ends }, rows, started } in loaded {
            let mut tree = LoserTree::new(sort_windows(&plan, rows, entries, team)?);
            let first_row = plan.first_row;
            to_write.begin(Header { plan, started })?;
            for (number, (first, end)) in firsts.iter_mut().zip(ends.iter_mut()).enumerate() {
                team.check()?;
                let number_of_first = first_row + (number * self.memory.block_rows) as u64;
                *first = with_position(tree.peek(), number_of_first);
                if let Some(compressor) = &mut compressor {
                    block.clear();
                    gather(&mut tree, rows, self.memory.block_rows, &mut block)?;
                    to_write.put(compressor.pack(&block).map_err(compressor_failed)?)?;
                } else {
                    gather(&mut tree, rows, self.memory.block_rows, &mut to_write)?;
                }
                *end = to_write.len();
            }
            to_write.end((firsts, ends))?;
            // The reader may have read its last run.
            let _ = sorted.send(rows);
        }
        Ok(())
    }

    fn write_runs<'i>(
        &self,
        writer: Writer<Header, Index<'i>>,
        slot: usize,
        runs: &Mutex<Vec<Run<'i>>>,
        team: &Team,
    ) -> Result<()> {
        let mut reporter =
            RunReporter { reporter: TaskReporter::new(self.context, TaskKind::Map, slot), open: None };
        writer.write(
            || team.check(),
            |_| Ok(self.files.stream(self.context)),
            |Header { plan, started }, (firsts, ends), spilled: Spilled| {
                reporter.finish_run(started, &plan.parts, spilled.len);
                let run = Run { first_row: plan.first_row, rows: plan.rows(), firsts, ends, spilled };
                runs.lock().unwrap_or_else(PoisonError::into_inner).push(run);
            },
        )
    }
}

/// Sorts each window's entries.
fn sort_windows<'e>(
    plan: &RunPlan,
    rows: &[u8],
    mut entries: &'e mut [Entry],
    team: &Team,
) -> Result<Vec<SortedEntries<'e>>> {
    let mut start = 0;
    let mut lists = Vec::with_capacity(plan.windows.len());
    for window in &plan.windows {
        team.check()?;
        let list = super::pool_splitter::split_front(&mut entries, window.rows);
        let first = start + window.skip;
        sorted_entries(&rows[first..first + window.rows * ROW], first, list);
        start += window.len;
        lists.push(SortedEntries::new(list));
    }
    Ok(lists)
}

/// Reports map tasks. A run may contain several tasks, and a task may take several runs.
struct RunReporter<'a> {
    reporter: TaskReporter<'a>,
    /// The start and the counters of a task with more runs to come.
    open: Option<(Duration, TaskCounters)>,
}

impl RunReporter<'_> {
    fn finish_run(&mut self, started: Duration, parts: &[Part], spilled_bytes: u64) {
        let all_rows: u64 = parts.iter().map(|part| part.rows).sum();
        let mut rows_before = 0;
        let share =
            |rows: u64| (u128::from(spilled_bytes) * u128::from(rows) / u128::from(all_rows.max(1))) as u64;
        let mut tasks = parts.iter().map(|part| {
            let spilled_before = share(rows_before);
            rows_before += part.rows;
            let work = TaskCounters {
                rows: part.rows,
                input_bytes: part.rows * ROW as u64,
                output_bytes: 0,
                spilled_bytes: share(rows_before) - spilled_before,
            };
            (part.task, work)
        });
        let [Part { task, last, .. }] = *parts else {
            self.reporter.finish_together(started, &tasks.collect::<Vec<_>>());
            return;
        };
        let (started, mut work) = self.open.take().unwrap_or((started, TaskCounters::default()));
        if let Some((_, more)) = tasks.next() {
            work.rows += more.rows;
            work.input_bytes += more.input_bytes;
            work.spilled_bytes += more.spilled_bytes;
        }
        if last {
            self.reporter.finish(task, started, work);
        } else {
            self.open = Some((started, work));
        }
    }
}
