//! A sort with spills: sorted runs are spilled, and every partition is merged from its part of each run.

use super::{ENTRY, FLUSHES, Sort, flush_bytes, window_rows};
use crate::local::machine::ByteCost;
use crate::local::tasks::{ROW, Task, blocks, buffer, round_robin, task_share};
use crate::local::threads::{Step, StepId, StepTimes, Threads};
use crate::local::{Simulation, WorkloadOutcome};

/// Run buffers of a map slot, and batch buffers of a reduce slot.
const BUFFERS: usize = 2;
/// Possible numbers of rows in a block of a run, the largest first.
const BLOCK_ROWS: [f64; 7] = [1024.0, 512.0, 256.0, 128.0, 64.0, 32.0, 16.0];
/// Bytes of two pages, parts of which a read of a run's blocks may include.
const PAGES: f64 = 2.0 * 4096.0;
/// The least memory for the rows of a slot.
const MIN_SLOT_BYTES: f64 = 1024.0 * ROW;

/// The division of the memory into buffers.
struct BufferSizes {
    flush: f64,
    /// Bytes of rows in a full run.
    run: f64,
    /// Bytes of a batch that a slot reads before it merges them.
    batch: f64,
}

/// A run of a map slot: several small tasks, or a part of a large one.
#[derive(Clone, Copy)]
struct Run {
    task: u32,
    tasks: u32,
    bytes: f64,
}

/// A run that has been written.
struct FinishedRun {
    run: Run,
    slot: u32,
    first: StepId,
    last: StepId,
}

impl Simulation<'_> {
    pub(super) fn sort_spilling(&mut self, sort: &Sort, outcome: &mut WorkloadOutcome) {
        let sizes = self.buffer_sizes(sort);
        let runs = self.spill_runs(sort, &sizes, outcome);
        self.merge_runs(sort, &sizes, runs, outcome);
    }

    fn buffer_sizes(&self, sort: &Sort) -> BufferSizes {
        let pool = self.scenario.pool_bytes as f64;
        let (maps, reduces) = (f64::from(self.scenario.map_slots), f64::from(self.scenario.reduce_slots));
        let flush = flush_bytes(pool / maps.max(reduces));
        let row_memory = |slots: f64| (pool / slots - FLUSHES as f64 * flush).max(MIN_SLOT_BYTES);
        // Two buffers of rows and the entries of one.
        let run = row_memory(maps) * ROW / (BUFFERS as f64 * ROW + ENTRY);
        let batch = row_memory(reduces) / if sort.codec.is_some() { 3.0 } else { 2.0 };
        BufferSizes { flush: buffer(flush, sort.bytes()), run, batch }
    }

    /// Reads, sorts and writes the runs. Returns their number.
    fn spill_runs(&mut self, sort: &Sort, sizes: &BufferSizes, outcome: &mut WorkloadOutcome) -> usize {
        let mut threads = Threads::default();
        let mut finished: Vec<FinishedRun> = Vec::new();
        for (slot, runs) in self.runs_by_slot(sort, sizes) {
            let (reader, sorter, writer) = (threads.add(), threads.add(), threads.add());
            let mut sorted: Vec<StepId> = Vec::new();
            for run in runs {
                let free = sorted.len().checked_sub(BUFFERS).map(|number| sorted[number]);
                let read =
                    Step::new(run.bytes, ByteCost::read(self.scenario.costs.read_s), run.task as usize);
                let first = threads.push(reader, read.after(free));
                let last = self.sort_and_write(sort, sizes, &mut threads, (sorter, writer), run.bytes, first);
                sorted.push((sorter, threads.steps[sorter].len() - 1));
                finished.push(FinishedRun { run, slot, first, last });
            }
        }
        let times = self.phase(outcome, "map-shuffle", &threads);
        let ratio = sort.codec.map_or(1.0, |codec| codec.ratio);
        outcome.tasks = map_tasks(sort, &finished, ratio, &times);
        outcome.spilled_bytes = (sort.bytes() * ratio) as u64;
        finished.len()
    }

    /// The runs of each slot.
    fn runs_by_slot(&self, sort: &Sort, sizes: &BufferSizes) -> Vec<(u32, Vec<Run>)> {
        let split = sort.bytes() / f64::from(sort.maps);
        let together = (sizes.run / split).floor().clamp(1.0, f64::from(sort.maps)) as u32;
        let runs_of = |item: u32| {
            let task = item * together;
            let tasks = together.min(sort.maps - task);
            let bytes = split * f64::from(tasks);
            let count = (bytes / sizes.run).ceil().max(1.0) as u32;
            let run = |number: u32| {
                let bytes = (bytes - f64::from(number) * sizes.run).min(sizes.run);
                Run { task, tasks, bytes }
            };
            (0..count).map(run).collect::<Vec<_>>()
        };
        round_robin(sort.maps.div_ceil(together), self.scenario.map_slots)
            .map(|(slot, items)| (slot, items.into_iter().flat_map(runs_of).collect()))
            .collect()
    }

    /// Sorts the windows of a run after its read, and merges them into flush buffers, which are written.
    fn sort_and_write(
        &self,
        sort: &Sort,
        sizes: &BufferSizes,
        threads: &mut Threads,
        (sorter, writer): (usize, usize),
        bytes: f64,
        read: StepId,
    ) -> StepId {
        let costs = self.scenario.costs;
        let window = window_rows((sizes.run / ROW) as u64) as f64;
        threads.push(sorter, Step::new(bytes, ByteCost::cpu(sort.sort_s.cost(window)), 0).after([read]));
        let merge_s = sort.merge_s.cost(bytes / (window * ROW));
        let (pack_s, ratio) = sort.codec.map_or((0.0, 1.0), |codec| (codec.pack_s, codec.ratio));
        let (count, flush) = blocks(bytes, sizes.flush / ratio);
        let mut last = read;
        for _ in 0..count {
            let written = threads.steps[writer].len();
            let free = written.checked_sub(FLUSHES).map(|number| (writer, number));
            let merge =
                threads.push(sorter, Step::new(flush, ByteCost::cpu(merge_s + pack_s), 0).after(free));
            // Stripes of all runs are written to the disks in turn.
            let write = Step::new(flush * ratio, ByteCost::written(costs.write_s), written + writer);
            last = threads.push(writer, write.after([merge]));
        }
        last
    }

    fn merge_runs(&mut self, sort: &Sort, sizes: &BufferSizes, runs: usize, outcome: &mut WorkloadOutcome) {
        let costs = self.scenario.costs;
        let (unpack_s, ratio) = sort.codec.map_or((0.0, 1.0), |codec| (codec.unpack_s, codec.ratio));
        let merge_s = sort.merge_s.cost(runs as f64) + unpack_s;
        let edges = edges(sizes.batch, runs as f64);
        let useful = (sizes.batch - edges).max(sizes.batch / 4.0);
        let mut threads = Threads::default();
        let (mut spans, mut read_bytes) = (Vec::new(), 0.0);
        for (slot, tasks) in round_robin(sort.reduces, self.scenario.reduce_slots) {
            let (reader, merger, writer) = (threads.add(), threads.add(), threads.add());
            let mut merged: Vec<StepId> = Vec::new();
            for task in tasks {
                let rows = task_share(sort.rows, task, sort.reduces);
                let (batches, bytes) = blocks(rows as f64 * ROW, useful);
                let (flushes, flush) = blocks(bytes, sizes.flush);
                let (first, read_before) = ((reader, threads.steps[reader].len()), read_bytes);
                for batch in 1..=batches {
                    // Blocks at the edges are read twice, for both adjacent batches; stripes are on the disks in turn.
                    let stored = bytes * ratio + edges.min(useful);
                    let free = merged.len().checked_sub(BUFFERS).map(|number| merged[number]);
                    let read =
                        Step::new(stored, ByteCost::read(costs.read_s), threads.steps[reader].len() + reader);
                    // The parts of the runs are requested one after another.
                    let wait_s = runs as f64 * self.scenario.request_s;
                    let read = threads.push(reader, read.after(free).with_delay(wait_s));
                    read_bytes += stored;
                    for number in 1..=flushes {
                        let written = threads.steps[writer].len();
                        let free = written.checked_sub(FLUSHES).map(|number| (writer, number));
                        let merge = Step::new(flush, ByteCost::cpu(merge_s), 0).after([read]).after(free);
                        let merge = threads.push(merger, merge);
                        let ends = batch == batches && number == flushes;
                        let wait_s = if ends { self.scenario.operation_s } else { 0.0 };
                        let write = Step::new(flush, ByteCost::written(costs.write_s), task as usize);
                        threads.push(writer, write.after([merge]).with_delay(wait_s));
                    }
                    merged.push((merger, threads.steps[merger].len() - 1));
                }
                let last = (writer, threads.steps[writer].len() - 1);
                spans.push((slot, task, rows, (read_bytes - read_before) as u64, first, last));
            }
        }
        let times = self.phase(outcome, "reduce-merge", &threads);
        outcome.tasks.extend(spans.into_iter().map(|(slot, task, rows, read, first, last)| {
            let output_bytes = rows * ROW as u64;
            let task = Task {
                kind: "reduce",
                task,
                slot,
                input_rows: rows,
                output_rows: rows,
                output_bytes,
                ..Task::default()
            };
            Task { input_bytes: read, spilled_bytes: read, ..task }.spanning(&times, first, last)
        }));
        outcome.spill_read_bytes = read_bytes as u64;
    }
}

/// Bytes that a batch reads in addition to its own rows: another block of every run, and parts of two pages.
///
/// Blocks have the largest size whose cost is negligible.
fn edges(batch: f64, runs: f64) -> f64 {
    let cost = |rows: f64| runs * (rows * ROW + PAGES);
    let best = batch - cost(BLOCK_ROWS[BLOCK_ROWS.len() - 1]);
    let rows = BLOCK_ROWS.into_iter().find(|&rows| batch - cost(rows) >= best - best.abs() / 16.0);
    cost(rows.unwrap_or(BLOCK_ROWS[BLOCK_ROWS.len() - 1]))
}

/// The map tasks of the runs. A task with several runs is listed once; tasks that share a run have equal parts of its
/// time.
fn map_tasks(sort: &Sort, finished: &[FinishedRun], ratio: f64, times: &StepTimes) -> Vec<Task> {
    let mut tasks: Vec<Task> = Vec::new();
    for FinishedRun { run, slot, first, last } in finished {
        let span = Task::default().spanning(times, *first, *last);
        if let Some(task) = tasks.iter_mut().find(|task| task.task == run.task) {
            task.end_ns = span.end_ns;
            continue;
        }
        for number in 0..run.tasks {
            let rows = task_share(sort.rows, run.task + number, sort.maps);
            let time = |number: u32| {
                span.start_ns + (span.end_ns - span.start_ns) * i64::from(number) / i64::from(run.tasks)
            };
            tasks.push(Task {
                kind: "map",
                task: run.task + number,
                slot: *slot,
                start_ns: time(number),
                end_ns: time(number + 1),
                input_rows: rows,
                output_rows: rows,
                input_bytes: rows * ROW as u64,
                output_bytes: 0,
                spilled_bytes: (rows as f64 * ROW * ratio) as u64,
            });
        }
    }
    tasks
}
