//! A map: reads a split, sorts it and writes it to the worker's own disks.

use super::Terasort;
use crate::job::Next;
use crate::models::merge::{self, MapSort, ROW_BYTES};
use crate::workloads::input;
use crate::world::{Stream, World};

impl Terasort<'_> {
    pub(super) fn map(&mut self, world: &mut World<'_>, number: u32) -> Next {
        let attempt = &world.attempts[number];
        let (worker, step) = (attempt.worker, attempt.step);
        let blocks = self.splits[attempt.task as usize].clone();
        let bytes: f64 = blocks.clone().map(|block| self.input.bytes(block)).sum();
        if step > 0 {
            return Next::End;
        }
        let (parameters, settings) = (&world.scenario.parameters, &world.scenario.job);
        let MapSort { comparisons_per_row, written, read } = merge::map_sort(settings, bytes);
        let stored = 1.0 / settings.compression_ratio;
        let memory_s = parameters.map_s_per_byte
            + comparisons_per_row / ROW_BYTES * parameters.compare_s
            + merge::compress_s(world.scenario) * written
            + merge::decompress_s(world.scenario) * read;
        let spill = world.cluster.next_spill(worker);
        // All maps of the worker write spills at the same time and soon read them again.
        let node = &world.cluster.workers[worker as usize];
        let kept = node.cache.kept(f64::from(node.map_slots) * bytes * stored * written);
        let kept = parameters.spill_cached * kept;
        let reread = stored * read * (1.0 - kept);
        // Spills are written throughout a map and deleted at its end, many before they are old enough for writeback.
        let young =
            if node.last_map_s > 0.0 { (parameters.spill_age_s / node.last_map_s).min(1.0) } else { 1.0 };
        let unwritten = stored * (written - 1.0) * kept * young;
        // Only its output stays.
        let node = &mut world.cluster.workers[worker as usize];
        node.cached_bytes += bytes * stored;
        self.outputs[worker as usize].push(node.cached_bytes);
        world.uses.clear();
        world.write_local(spill, bytes * (stored * written - unwritten), bytes);
        world.uses.read(&world.cluster, spill, reread);
        let reader = world.reader(worker, self.input.replicas(blocks.start));
        self.remote_bytes += bytes * input::read(world, reader, self.input, blocks.start, true);
        let stream = Stream {
            work: bytes,
            stream_s: parameters.read_s_per_byte / 2.0,
            memory_s,
            threads: parameters.map_threads,
            pause_s: world.scenario.network.round_trip_s,
        };
        world.stream(number, stream);
        self.spilled_bytes += bytes * stored * written;
        self.spill_read_bytes += bytes * stored * read;
        let progress = &mut world.attempts[number].progress;
        progress.input_bytes = bytes;
        progress.output_bytes = bytes;
        progress.spilled_bytes = bytes * stored * written;
        world.attempts[number].step = 1;
        Next::Stream
    }
}
