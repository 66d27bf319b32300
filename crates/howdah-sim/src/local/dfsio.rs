//! TestDFSIO: each slot writes or reads one file after another with one thread and one buffer.

use super::machine::ByteCost;
use super::tasks::{Task, round_robin};
use super::threads::{Step, Threads};
use super::{Simulation, WorkloadOutcome};

impl Simulation<'_> {
    pub(super) fn dfsio(&mut self, files: u32, file_bytes: u64, reading: bool) -> WorkloadOutcome {
        let costs = self.scenario.costs;
        let cost = if reading { ByteCost::read(costs.read_s) } else { ByteCost::written(costs.write_s) };
        let mut threads = Threads::default();
        let mut spans = Vec::new();
        for (slot, tasks) in round_robin(files, self.scenario.map_slots) {
            let thread = threads.add();
            for task in tasks {
                let step = Step::new(file_bytes as f64, cost, task as usize);
                let wait_s = if reading { 0.0 } else { self.scenario.operation_s };
                spans.push((slot, task, threads.push(thread, step.with_delay(wait_s))));
            }
        }
        let mut outcome = WorkloadOutcome::new();
        let times = self.phase(&mut outcome, "map", &threads);
        let (input_bytes, output_bytes) = if reading { (file_bytes, 0) } else { (0, file_bytes) };
        outcome.tasks = spans
            .into_iter()
            .map(|(slot, task, step)| {
                let task = Task { kind: "map", task, slot, input_bytes, output_bytes, ..Task::default() };
                task.spanning(&times, step, step)
            })
            .collect();
        outcome
    }
}
