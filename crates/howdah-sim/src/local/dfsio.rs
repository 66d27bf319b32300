//! TestDFSIO: each slot writes or reads one file after another with one thread and one block.

use super::machine::Byte;
use super::tasks::{Task, in_turn};
use super::threads::{Step, Threads};
use super::{Bench, Ran};

impl Bench<'_> {
    pub(super) fn dfsio(&mut self, files: u32, file_bytes: u64, reading: bool) -> Ran {
        let costs = self.scenario.costs;
        let byte = if reading { Byte::read(costs.read_s) } else { Byte::written(costs.write_s) };
        let mut threads = Threads::default();
        let mut spans = Vec::new();
        for (slot, tasks) in in_turn(files, self.scenario.map_slots) {
            let thread = threads.add();
            for task in tasks {
                let step = Step::of(file_bytes as f64, byte, task as usize);
                let wait_s = if reading { 0.0 } else { self.scenario.operation_s };
                spans.push((slot, task, threads.push(thread, step.with_delay(wait_s))));
            }
        }
        let mut ran = Ran::begun();
        let times = self.phase(&mut ran, "map", &threads);
        let (input_bytes, output_bytes) = if reading { (file_bytes, 0) } else { (0, file_bytes) };
        ran.tasks = spans
            .into_iter()
            .map(|(slot, task, step)| {
                let task = Task { kind: "map", task, slot, input_bytes, output_bytes, ..Task::default() };
                task.spanning(&times, step, step)
            })
            .collect();
        ran
    }
}
