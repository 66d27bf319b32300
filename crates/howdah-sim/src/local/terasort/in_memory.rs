//! What fits the memory: windows are read into their places while earlier ones are sorted, then merged from there.

use super::{FLUSHES, Sort, flush_bytes, window_rows};
use crate::local::machine::Byte;
use crate::local::tasks::{ROW, Task, blocks, buffer, in_turn, share};
use crate::local::threads::{Step, Threads};
use crate::local::{Bench, Ran};

impl Bench<'_> {
    pub(super) fn sort_in_memory(&mut self, sort: &Sort, ran: &mut Ran) {
        let windows = self.read_and_sort(sort, ran);
        self.merge_windows(sort, windows, ran);
    }

    /// Reads and sorts every window; how many there are.
    fn read_and_sort(&mut self, sort: &Sort, ran: &mut Ran) -> usize {
        let costs = self.scenario.costs;
        let window = window_rows(sort.rows.div_ceil(u64::from(sort.maps)));
        let sort_s = sort.sort_s.cost(window as f64);
        let mut threads = Threads::default();
        let (mut spans, mut windows) = (Vec::new(), 0);
        for (slot, tasks) in in_turn(sort.maps, self.scenario.map_slots) {
            let (reads, sorts) = (threads.add(), threads.add());
            for task in tasks {
                let rows = share(sort.rows, task, sort.maps);
                let (count, bytes) = blocks(rows as f64 * ROW, buffer(window as f64 * ROW, sort.bytes()));
                windows += rows.div_ceil(window) as usize;
                let first = (reads, threads.steps[reads].len());
                let mut last = first;
                for _ in 0..count {
                    let read = threads.push(reads, Step::of(bytes, Byte::read(costs.read_s), task as usize));
                    last = threads.push(sorts, Step::of(bytes, Byte::cpu(sort_s), 0).after([read]));
                }
                spans.push((slot, task, rows, first, last));
            }
        }
        let times = self.phase(ran, "map-shuffle", &threads);
        ran.tasks.extend(spans.into_iter().map(|(slot, task, rows, first, last)| {
            let input_bytes = rows * ROW as u64;
            let task = Task {
                kind: "map",
                task,
                slot,
                input_rows: rows,
                output_rows: rows,
                input_bytes,
                ..Task::default()
            };
            task.spanning(&times, first, last)
        }));
        windows
    }

    fn merge_windows(&mut self, sort: &Sort, windows: usize, ran: &mut Ran) {
        let costs = self.scenario.costs;
        let merge_s = sort.merge_s.cost(windows as f64);
        let flush = flush_bytes(sort.bytes() / 2.0 / f64::from(self.scenario.reduce_slots));
        let mut threads = Threads::default();
        let mut spans = Vec::new();
        for (slot, tasks) in in_turn(sort.reduces, self.scenario.reduce_slots) {
            let (merges, writes) = (threads.add(), threads.add());
            for task in tasks {
                let rows = share(sort.rows, task, sort.reduces);
                let (count, bytes) = blocks(rows as f64 * ROW, buffer(flush, sort.bytes()));
                let first = (merges, threads.steps[merges].len());
                for number in 1..=count {
                    let free =
                        threads.steps[merges].len().checked_sub(FLUSHES).map(|number| (writes, number));
                    let merge = threads.push(merges, Step::of(bytes, Byte::cpu(merge_s), 0).after(free));
                    let write = Step::of(bytes, Byte::written(costs.write_s), task as usize).after([merge]);
                    let wait_s = if number == count { self.scenario.operation_s } else { 0.0 };
                    threads.push(writes, write.with_delay(wait_s));
                }
                spans.push((slot, task, rows, first, (writes, threads.steps[writes].len() - 1)));
            }
        }
        let times = self.phase(ran, "reduce-merge", &threads);
        ran.tasks.extend(spans.into_iter().map(|(slot, task, rows, first, last)| {
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
            task.spanning(&times, first, last)
        }));
    }
}
