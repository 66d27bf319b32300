//! TeraValidate: files cut into pieces, each read into one half of a slot's memory while the other is looked at.

use super::machine::Byte;
use super::tasks::{ROW, Task, blocks, buffer, in_turn, share};
use super::teragen::{BLOCK, HALVES};
use super::threads::{Step, Threads};
use super::{Bench, Ran};

/// Pieces for each slot.
const PIECES_PER_SLOT: u32 = 8;

impl Bench<'_> {
    pub(super) fn teravalidate(&mut self, rows: u64, files: u32) -> Ran {
        let costs = self.scenario.costs;
        let slots = self.scenario.map_slots;
        let all = rows as f64 * ROW;
        let block = buffer(BLOCK.min(self.scenario.pool_bytes as f64 / f64::from(2 * slots)), all);
        let pieces = (slots * PIECES_PER_SLOT).next_multiple_of(files);
        let mut threads = Threads::default();
        let mut spans = Vec::new();
        for (slot, tasks) in in_turn(pieces, slots) {
            let (reads, checks) = (threads.add(), threads.add());
            for task in tasks {
                let file = task / (pieces / files);
                let own_rows = share(rows, task, pieces);
                let (count, bytes) = blocks(own_rows as f64 * ROW, block);
                let first = threads.steps[reads].len();
                for number in first..first + count {
                    // A piece's first block is read once the piece before it has been looked at.
                    let free =
                        if number == first { number.checked_sub(1) } else { number.checked_sub(HALVES) };
                    let read = Step::of(bytes, Byte::read(costs.read_s), file as usize)
                        .after(free.map(|number| (checks, number)));
                    let read = threads.push(reads, read);
                    threads.push(checks, Step::of(bytes, Byte::cpu(costs.validate_s), 0).after([read]));
                }
                let last = threads.steps[checks].len() - 1;
                spans.push((slot, task, own_rows, (reads, first), (checks, last)));
            }
        }
        let mut ran = Ran::begun();
        let times = self.phase(&mut ran, "map", &threads);
        ran.tasks = spans
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
        self.verdict(&mut ran);
        ran
    }

    /// One task compares the pieces' ends and writes what was found.
    fn verdict(&mut self, ran: &mut Ran) {
        let mut threads = Threads::default();
        let thread = threads.add();
        let step =
            threads.push(thread, Step::of(0.0, Byte::default(), 0).with_delay(self.scenario.operation_s));
        let times = self.phase(ran, "reduce", &threads);
        ran.tasks.push(Task { kind: "reduce", ..Task::default() }.spanning(&times, step, step));
    }
}
