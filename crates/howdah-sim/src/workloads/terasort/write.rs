//! A reduce after its shuffle: an intermediate merge if there are too many runs, then one block of output after another.

use super::Terasort;
use crate::job::Next;
use crate::models::merge::{self, ROW_BYTES};
use crate::world::{Stream, World};

impl Terasort<'_> {
    /// The step after the last round: merges some runs on disk if there are too many for one merge.
    pub(super) fn merge(&mut self, world: &mut World<'_>, number: u32) -> Next {
        let attempt = &world.attempts[number];
        let (worker, task) = (attempt.worker, attempt.task);
        let settings = &world.scenario.job;
        let more = self.shuffle.merges.after_fetch;
        let bytes = self.output.files.file_bytes(task) * self.shuffle.on_disk;
        if more == 0.0 || bytes == 0.0 {
            return Next::Pause(0.0);
        }
        let stored = more / settings.compression_ratio;
        let memory_s = more * merge::merge_s(world.scenario);
        let (from, to) = (world.cluster.next_spill(worker), world.cluster.next_spill(worker));
        let read = stored * self.evicted_runs(world, number);
        world.uses.clear().read(&world.cluster, from, read);
        world.write_local(to, bytes * stored, bytes);
        world.stream(number, Stream { work: bytes, stream_s: 0.0, memory_s, threads: 1.0, pause_s: 0.0 });
        self.spilled_bytes += bytes * stored;
        self.spill_read_bytes += bytes * stored;
        Next::Stream
    }

    /// Writes a block of output: runs are read and merged, rows are reduced and written.
    pub(super) fn write(&mut self, world: &mut World<'_>, number: u32, step: u32) -> Next {
        let attempt = &world.attempts[number];
        let (worker, task) = (attempt.worker, attempt.task);
        if let Some(written) = step.checked_sub(1).and_then(|last| self.output.block(task, last)) {
            self.output.end(world, written);
        }
        let Some(block) = self.output.block(task, step) else { return Next::End };
        let bytes = self.output.files.bytes(block);
        let parameters = &world.scenario.parameters;
        let stream_s = parameters.reduce_s_per_byte
            + parameters.stream_s_per_byte
            + self.output.files.encode_s_per_byte();
        let memory_s = merge::decompress_s(world.scenario) * self.shuffle.on_disk
            + self.shuffle.merges.final_runs.max(2.0).log2() / ROW_BYTES * parameters.compare_s;

        let stored = self.shuffle.on_disk / world.scenario.job.compression_ratio;
        let run = world.cluster.next_spill(worker);
        let read = stored * self.evicted_runs(world, number);
        world.uses.clear().read(&world.cluster, run, read);
        let stall_s = bytes * parameters.row_stall_s_per_byte;
        let pause_s = self.output.begin(world, worker, block) + stall_s;
        world.stream(number, Stream { work: bytes, stream_s, memory_s, threads: 1.0, pause_s });
        self.spill_read_bytes += bytes * stored;
        let progress = &mut world.attempts[number].progress;
        progress.input_bytes += bytes;
        progress.output_bytes += bytes;
        Next::Stream
    }
}
