//! What does not fit the memory: sorted runs are spilled, and every partition is merged from its part of each run.

use super::{ENTRY, FLUSHES, Sort, flush_bytes, window_rows};
use crate::local::machine::Byte;
use crate::local::tasks::{ROW, Task, blocks, buffer, in_turn, share};
use crate::local::threads::{Step, StepId, Threads, Times};
use crate::local::{Bench, Ran};

/// Run buffers of a map slot, and batch buffers of a reduce slot.
const BUFFERS: usize = 2;
/// Rows of a run's block that the engine chooses from, the largest first.
const BLOCK_ROWS: [f64; 7] = [1024.0, 512.0, 256.0, 128.0, 64.0, 32.0, 16.0];
/// Parts of two pages that reading a run's blocks may take in.
const PAGES: f64 = 2.0 * 4096.0;
/// The least that a slot works with, however small the memory.
const LEAST: f64 = 1024.0 * ROW;

/// How the memory is shared out.
struct Shares {
    flush: f64,
    /// Bytes of rows in a full run.
    run: f64,
    /// Bytes of a batch that one slot reads before it merges them.
    batch: f64,
}

/// One run that a map slot makes: of several small tasks, or a part of a large one.
#[derive(Clone, Copy)]
struct Run {
    task: u32,
    tasks: u32,
    bytes: f64,
}

/// A run that was made.
struct Made {
    run: Run,
    slot: u32,
    first: StepId,
    last: StepId,
}

impl Bench<'_> {
    pub(super) fn sort_spilling(&mut self, sort: &Sort, ran: &mut Ran) {
        let shares = self.shares(sort);
        let runs = self.spill_runs(sort, &shares, ran);
        self.merge_runs(sort, &shares, runs, ran);
    }

    fn shares(&self, sort: &Sort) -> Shares {
        let pool = self.scenario.pool_bytes as f64;
        let (maps, reduces) = (f64::from(self.scenario.map_slots), f64::from(self.scenario.reduce_slots));
        let flush = flush_bytes(pool / maps.max(reduces));
        let left = |slots: f64| (pool / slots - FLUSHES as f64 * flush).max(LEAST);
        // Two stretches of rows and the entries of one.
        let run = left(maps) * ROW / (BUFFERS as f64 * ROW + ENTRY);
        let batch = left(reduces) / if sort.codec.is_some() { 3.0 } else { 2.0 };
        Shares { flush: buffer(flush, sort.bytes()), run, batch }
    }

    /// Reads, sorts and writes runs; how many there are.
    fn spill_runs(&mut self, sort: &Sort, shares: &Shares, ran: &mut Ran) -> usize {
        let mut threads = Threads::default();
        let mut made: Vec<Made> = Vec::new();
        for (slot, runs) in self.packed(sort, shares) {
            let (reads, sorts, writes) = (threads.add(), threads.add(), threads.add());
            let mut sorted: Vec<StepId> = Vec::new();
            for run in runs {
                let free = sorted.len().checked_sub(BUFFERS).map(|number| sorted[number]);
                let read = Step::of(run.bytes, Byte::read(self.scenario.costs.read_s), run.task as usize);
                let first = threads.push(reads, read.after(free));
                let last = self.sort_and_write(sort, shares, &mut threads, (sorts, writes), run.bytes, first);
                sorted.push((sorts, threads.steps[sorts].len() - 1));
                made.push(Made { run, slot, first, last });
            }
        }
        let times = self.phase(ran, "map-shuffle", &threads);
        let ratio = sort.codec.map_or(1.0, |codec| codec.ratio);
        ran.tasks = map_tasks(sort, &made, ratio, &times);
        ran.spilled_bytes = (sort.bytes() * ratio) as u64;
        made.len()
    }

    /// The runs of each slot.
    fn packed(&self, sort: &Sort, shares: &Shares) -> Vec<(u32, Vec<Run>)> {
        let split = sort.bytes() / f64::from(sort.maps);
        let together = (shares.run / split).floor().clamp(1.0, f64::from(sort.maps)) as u32;
        let runs_of = |item: u32| {
            let task = item * together;
            let tasks = together.min(sort.maps - task);
            let bytes = split * f64::from(tasks);
            let count = (bytes / shares.run).ceil().max(1.0) as u32;
            let run = |number: u32| {
                let bytes = (bytes - f64::from(number) * shares.run).min(shares.run);
                Run { task, tasks, bytes }
            };
            (0..count).map(run).collect::<Vec<_>>()
        };
        in_turn(sort.maps.div_ceil(together), self.scenario.map_slots)
            .map(|(slot, items)| (slot, items.into_iter().flat_map(runs_of).collect()))
            .collect()
    }

    /// Sorts a run's windows once it has been read, then merges them into flush buffers that are written.
    fn sort_and_write(
        &self,
        sort: &Sort,
        shares: &Shares,
        threads: &mut Threads,
        (sorts, writes): (usize, usize),
        bytes: f64,
        read: StepId,
    ) -> StepId {
        let costs = self.scenario.costs;
        let window = window_rows((shares.run / ROW) as u64) as f64;
        threads.push(sorts, Step::of(bytes, Byte::cpu(sort.sort_s.cost(window)), 0).after([read]));
        let merge_s = sort.merge_s.cost(bytes / (window * ROW));
        let (pack_s, ratio) = sort.codec.map_or((0.0, 1.0), |codec| (codec.pack_s, codec.ratio));
        let (count, flush) = blocks(bytes, shares.flush / ratio);
        let mut last = read;
        for _ in 0..count {
            let written = threads.steps[writes].len();
            let free = written.checked_sub(FLUSHES).map(|number| (writes, number));
            let merge = threads.push(sorts, Step::of(flush, Byte::cpu(merge_s + pack_s), 0).after(free));
            // Stripes of all runs go to the disks in turn.
            let write = Step::of(flush * ratio, Byte::written(costs.write_s), written + writes);
            last = threads.push(writes, write.after([merge]));
        }
        last
    }

    fn merge_runs(&mut self, sort: &Sort, shares: &Shares, runs: usize, ran: &mut Ran) {
        let costs = self.scenario.costs;
        let (unpack_s, ratio) = sort.codec.map_or((0.0, 1.0), |codec| (codec.unpack_s, codec.ratio));
        let merge_s = sort.merge_s.cost(runs as f64) + unpack_s;
        let edges = edges(shares.batch, runs as f64);
        let useful = (shares.batch - edges).max(shares.batch / 4.0);
        let mut threads = Threads::default();
        let (mut spans, mut read_bytes) = (Vec::new(), 0.0);
        for (slot, tasks) in in_turn(sort.reduces, self.scenario.reduce_slots) {
            let (reads, merges, writes) = (threads.add(), threads.add(), threads.add());
            let mut merged: Vec<StepId> = Vec::new();
            for task in tasks {
                let rows = share(sort.rows, task, sort.reduces);
                let (batches, bytes) = blocks(rows as f64 * ROW, useful);
                let (flushes, flush) = blocks(bytes, shares.flush);
                let (first, read_before) = ((reads, threads.steps[reads].len()), read_bytes);
                for batch in 1..=batches {
                    // Blocks at the edges are read for the batches on both sides; stripes lie on the disks in turn.
                    let stored = bytes * ratio + edges.min(useful);
                    let free = merged.len().checked_sub(BUFFERS).map(|number| merged[number]);
                    let read = Step::of(stored, Byte::read(costs.read_s), threads.steps[reads].len() + reads);
                    // Runs' parts are asked for one after another.
                    let wait_s = runs as f64 * self.scenario.request_s;
                    let read = threads.push(reads, read.after(free).with_delay(wait_s));
                    read_bytes += stored;
                    for number in 1..=flushes {
                        let written = threads.steps[writes].len();
                        let free = written.checked_sub(FLUSHES).map(|number| (writes, number));
                        let merge = Step::of(flush, Byte::cpu(merge_s), 0).after([read]).after(free);
                        let merge = threads.push(merges, merge);
                        let ends = batch == batches && number == flushes;
                        let wait_s = if ends { self.scenario.operation_s } else { 0.0 };
                        let write = Step::of(flush, Byte::written(costs.write_s), task as usize);
                        threads.push(writes, write.after([merge]).with_delay(wait_s));
                    }
                    merged.push((merges, threads.steps[merges].len() - 1));
                }
                let last = (writes, threads.steps[writes].len() - 1);
                spans.push((slot, task, rows, (read_bytes - read_before) as u64, first, last));
            }
        }
        let times = self.phase(ran, "reduce-merge", &threads);
        ran.tasks.extend(spans.into_iter().map(|(slot, task, rows, read, first, last)| {
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
        ran.spill_read_bytes = read_bytes as u64;
    }
}

/// What a batch reads beside its own rows: of every run a block more than falls to it, and parts of two pages.
///
/// Blocks are the largest that cost next to nothing.
fn edges(batch: f64, runs: f64) -> f64 {
    let of = |rows: f64| runs * (rows * ROW + PAGES);
    let best = batch - of(BLOCK_ROWS[BLOCK_ROWS.len() - 1]);
    let rows = BLOCK_ROWS.into_iter().find(|&rows| batch - of(rows) >= best - best.abs() / 16.0);
    of(rows.unwrap_or(BLOCK_ROWS[BLOCK_ROWS.len() - 1]))
}

/// The map tasks of the runs that were made: one that took several runs is told of once, and of those that shared a run
/// each has an equal part of its time.
fn map_tasks(sort: &Sort, made: &[Made], ratio: f64, times: &Times) -> Vec<Task> {
    let mut tasks: Vec<Task> = Vec::new();
    for Made { run, slot, first, last } in made {
        let whole = Task::default().spanning(times, *first, *last);
        if let Some(begun) = tasks.iter_mut().find(|task| task.task == run.task) {
            begun.end_ns = whole.end_ns;
            continue;
        }
        for number in 0..run.tasks {
            let rows = share(sort.rows, run.task + number, sort.maps);
            let at = |number: u32| {
                whole.start_ns + (whole.end_ns - whole.start_ns) * i64::from(number) / i64::from(run.tasks)
            };
            tasks.push(Task {
                kind: "map",
                task: run.task + number,
                slot: *slot,
                start_ns: at(number),
                end_ns: at(number + 1),
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
