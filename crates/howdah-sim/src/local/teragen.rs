//! TeraGen: each slot makes rows in one half of its memory while another thread writes the other half.

use super::machine::Byte;
use super::tasks::{ROW, Task, blocks, buffer, in_turn, share};
use super::threads::{Step, Threads};
use super::{Bench, Ran};

/// The longest block that TeraGen writes at once, and TeraValidate reads.
pub const BLOCK: f64 = 4_096_000.0;

/// Halves of a slot's memory.
pub const HALVES: usize = 2;

impl Bench<'_> {
    pub(super) fn teragen(&mut self, rows: u64, maps: u32) -> Ran {
        let costs = self.scenario.costs;
        let slots = self.scenario.map_slots.min(maps);
        let all = rows as f64 * ROW;
        let block = buffer(BLOCK.min(self.scenario.pool_bytes as f64 / f64::from(2 * slots)), all);
        let mut threads = Threads::default();
        let mut spans = Vec::new();
        for (slot, tasks) in in_turn(maps, slots) {
            let (makes, writes) = (threads.add(), threads.add());
            for task in tasks {
                let own_rows = share(rows, task, maps);
                let (count, bytes) = blocks(own_rows as f64 * ROW, block);
                let first = threads.steps[makes].len();
                for number in first..first + count {
                    let free = (number >= HALVES).then(|| (writes, number - HALVES));
                    let made =
                        threads.push(makes, Step::of(bytes, Byte::cpu(costs.generate_s), 0).after(free));
                    let write = Step::of(bytes, Byte::written(costs.write_s), task as usize).after([made]);
                    let last = number + 1 == first + count;
                    threads
                        .push(writes, if last { write.with_delay(self.scenario.operation_s) } else { write });
                }
                let last = threads.steps[writes].len() - 1;
                spans.push((slot, task, own_rows, (makes, first), (writes, last)));
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
                    output_rows: rows,
                    output_bytes: rows * ROW as u64,
                    ..Task::default()
                };
                task.spanning(&times, first, last)
            })
            .collect();
        ran
    }
}
