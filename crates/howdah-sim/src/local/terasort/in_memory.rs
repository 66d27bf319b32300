//! A sort in memory: windows are read while earlier ones are sorted, then merged.

use super::{FLUSHES, Sort, flush_bytes, window_rows};
use crate::local::machine::ByteCost;
use crate::local::tasks::{ROW, Task, blocks, buffer, round_robin, task_share};
use crate::local::threads::{Step, Threads};
use crate::local::{Simulation, WorkloadOutcome};

impl Simulation<'_> {
    pub(super) fn sort_in_memory(&mut self, sort: &Sort, outcome: &mut WorkloadOutcome) {
        let windows = self.read_and_sort(sort, outcome);
        self.merge_windows(sort, windows, outcome);
    }

    /// Reads and sorts every window. Returns the number of windows.
    fn read_and_sort(&mut self, sort: &Sort, outcome: &mut WorkloadOutcome) -> usize {
        let costs = self.scenario.costs;
        let window = window_rows(sort.rows.div_ceil(u64::from(sort.maps)));
        let sort_s = sort.sort_s.cost(window as f64);
        let mut threads = Threads::default();
        let (mut spans, mut windows) = (Vec::new(), 0);
        for (slot, tasks) in round_robin(sort.maps, self.scenario.map_slots) {
            let (reader, sorter) = (threads.add(), threads.add());
            for task in tasks {
                let rows = task_share(sort.rows, task, sort.maps);
                let (count, bytes) = blocks(rows as f64 * ROW, buffer(window as f64 * ROW, sort.bytes()));
                windows += rows.div_ceil(window) as usize;
                let first = (reader, threads.steps[reader].len());
                let mut last = first;
                for _ in 0..count {
                    let read =
                        threads.push(reader, Step::new(bytes, ByteCost::read(costs.read_s), task as usize));
                    last = threads.push(sorter, Step::new(bytes, ByteCost::cpu(sort_s), 0).after([read]));
                }
                spans.push((slot, task, rows, first, last));
            }
        }
        let times = self.phase(outcome, "map-shuffle", &threads);
        outcome.tasks.extend(spans.into_iter().map(|(slot, task, rows, first, last)| {
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

    fn merge_windows(&mut self, sort: &Sort, windows: usize, outcome: &mut WorkloadOutcome) {
        let costs = self.scenario.costs;
        let merge_s = sort.merge_s.cost(windows as f64);
        let flush = flush_bytes(sort.bytes() / 2.0 / f64::from(self.scenario.reduce_slots));
        let mut threads = Threads::default();
        let mut spans = Vec::new();
        for (slot, tasks) in round_robin(sort.reduces, self.scenario.reduce_slots) {
            let (merger, writer) = (threads.add(), threads.add());
            for task in tasks {
                let rows = task_share(sort.rows, task, sort.reduces);
                let (count, bytes) = blocks(rows as f64 * ROW, buffer(flush, sort.bytes()));
                let first = (merger, threads.steps[merger].len());
                for number in 1..=count {
                    let free =
                        threads.steps[merger].len().checked_sub(FLUSHES).map(|number| (writer, number));
                    let merge = threads.push(merger, Step::new(bytes, ByteCost::cpu(merge_s), 0).after(free));
                    let write =
                        Step::new(bytes, ByteCost::written(costs.write_s), task as usize).after([merge]);
                    let wait_s = if number == count { self.scenario.operation_s } else { 0.0 };
                    threads.push(writer, write.with_delay(wait_s));
                }
                spans.push((slot, task, rows, first, (writer, threads.steps[writer].len() - 1)));
            }
        }
        let times = self.phase(outcome, "reduce-merge", &threads);
        outcome.tasks.extend(spans.into_iter().map(|(slot, task, rows, first, last)| {
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
