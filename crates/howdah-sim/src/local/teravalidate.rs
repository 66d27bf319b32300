//! TeraValidate: files are divided into pieces, each read into one half of a slot's memory while the other is checked.

use super::machine::ByteCost;
use super::tasks::{ROW, Task, blocks, buffer, round_robin, task_share};
use super::teragen::{BLOCK, HALVES};
use super::threads::{Step, Threads};
use super::{Simulation, WorkloadOutcome};

/// Pieces of each slot.
const PIECES_PER_SLOT: u32 = 8;

impl Simulation<'_> {
    pub(super) fn teravalidate(&mut self, rows: u64, files: u32) -> WorkloadOutcome {
        let costs = self.scenario.costs;
        let slots = self.scenario.map_slots;
        let all = rows as f64 * ROW;
        let block = buffer(BLOCK.min(self.scenario.pool_bytes as f64 / f64::from(2 * slots)), all);
        let pieces = (slots * PIECES_PER_SLOT).next_multiple_of(files);
        let mut threads = Threads::default();
        let mut spans = Vec::new();
        for (slot, tasks) in round_robin(pieces, slots) {
            let (reader, checker) = (threads.add(), threads.add());
            for task in tasks {
                let file = task / (pieces / files);
                let own_rows = task_share(rows, task, pieces);
                let (count, bytes) = blocks(own_rows as f64 * ROW, block);
                let first = threads.steps[reader].len();
                for number in first..first + count {
                    // A piece's first block is read after the check of the piece before it.
                    let free =
                        if number == first { number.checked_sub(1) } else { number.checked_sub(HALVES) };
                    let read = Step::new(bytes, ByteCost::read(costs.read_s), file as usize)
                        .after(free.map(|number| (checker, number)));
                    let read = threads.push(reader, read);
                    threads.push(checker, Step::new(bytes, ByteCost::cpu(costs.validate_s), 0).after([read]));
                }
                let last = threads.steps[checker].len() - 1;
                spans.push((slot, task, own_rows, (reader, first), (checker, last)));
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
                    input_rows: rows,
                    input_bytes: rows * ROW as u64,
                    ..Task::default()
                };
                task.spanning(&times, first, last)
            })
            .collect();
        self.reduce(&mut outcome);
        outcome
    }

    /// A reduce compares the pieces' ends and writes the result.
    fn reduce(&mut self, outcome: &mut WorkloadOutcome) {
        let mut threads = Threads::default();
        let thread = threads.add();
        let step = threads
            .push(thread, Step::new(0.0, ByteCost::default(), 0).with_delay(self.scenario.operation_s));
        let times = self.phase(outcome, "reduce", &threads);
        outcome.tasks.push(Task { kind: "reduce", ..Task::default() }.spanning(&times, step, step));
    }
}
