//! TeraGen: each slot generates rows in one half of its memory while another thread writes the other half.

use super::machine::ByteCost;
use super::tasks::{ROW, Task, blocks, buffer, round_robin, task_share};
use super::threads::{Step, Threads};
use super::{Simulation, WorkloadOutcome};

/// The largest block that TeraGen writes and TeraValidate reads.
pub const BLOCK: f64 = 4_096_000.0;

/// Halves of a slot's memory.
pub const HALVES: usize = 2;

impl Simulation<'_> {
    pub(super) fn teragen(&mut self, rows: u64, maps: u32) -> WorkloadOutcome {
        let costs = self.scenario.costs;
        let slots = self.scenario.map_slots.min(maps);
        let all = rows as f64 * ROW;
        let block = buffer(BLOCK.min(self.scenario.pool_bytes as f64 / f64::from(2 * slots)), all);
        let mut threads = Threads::default();
        let mut spans = Vec::new();
        for (slot, tasks) in round_robin(maps, slots) {
            let (generator, writer) = (threads.add(), threads.add());
            for task in tasks {
                let own_rows = task_share(rows, task, maps);
                let (count, bytes) = blocks(own_rows as f64 * ROW, block);
                let first = threads.steps[generator].len();
                for number in first..first + count {
                    let free = (number >= HALVES).then(|| (writer, number - HALVES));
                    let generated = threads
                        .push(generator, Step::new(bytes, ByteCost::cpu(costs.generate_s), 0).after(free));
                    let write =
                        Step::new(bytes, ByteCost::written(costs.write_s), task as usize).after([generated]);
                    let last = number + 1 == first + count;
                    threads
                        .push(writer, if last { write.with_delay(self.scenario.operation_s) } else { write });
                }
                let last = threads.steps[writer].len() - 1;
                spans.push((slot, task, own_rows, (generator, first), (writer, last)));
            }
        }
        let mut outcome = WorkloadOutcome::new();
        let times = self.phase(&mut outcome, "map", &threads);
        outcome.tasks = spans
            .into_iter()
            .map(|(slot, task, rows, first, last)| {
                let task = Task {
                    kind: "map",
                    task,
                    slot,
                    output_rows: rows,
                    output_bytes: rows * ROW as u64,
                    ..Task::default()
                };
                task.spanning(&times, first, last)
            })
            .collect();
        outcome
    }
}
