//! The shuffle of a reduce, round by round.

use super::Terasort;
use crate::attempt::Attempt;
use crate::job::Next;
use crate::models::cpu::Work;
use crate::models::merge::{self, ROW_BYTES};
use crate::twins::Site;
use crate::world::{Stream, World};

impl Terasort<'_> {
    /// A round of the shuffle. It fetches from one random worker, which represents all.
    pub(super) fn fetch(&mut self, world: &mut World<'_>, number: u32) -> Next {
        let Attempt { worker, task, step, .. } = world.attempts[number];
        let (parameters, settings) = (&world.scenario.parameters, &world.scenario.job);
        let bytes = self.output.files.file_bytes(task) / f64::from(self.shuffle.rounds);
        if bytes == 0.0 {
            world.attempts[number].step = self.shuffle.rounds;
            return Next::Pause(0.0);
        }
        let fetches = self.maps() / f64::from(self.shuffle.rounds);
        let stored = 1.0 / settings.compression_ratio;
        let merging_s = fetches.max(1.0).log2() / ROW_BYTES * parameters.compare_s
            + merge::compress_s(world.scenario) * self.shuffle.on_disk;
        let fetch_s = fetches * parameters.fetch_s / bytes;
        let merged = self.shuffle.on_disk * self.shuffle.merges.during_fetch;
        let background_s = merge::decompress_s(world.scenario) + merged * merge::merge_s(world.scenario);
        let serve_s = (parameters.shuffle_s_per_byte * stored + fetch_s) / 2.0;
        let from = world.choices.below(world.cluster.workers.len() as u64) as u32;
        let server = Site { worker: from, twin: world.any_twin() };
        let spill = world.cluster.next_spill(worker);
        // A run that is merged again is deleted.
        let node = &mut world.cluster.workers[worker as usize];
        let before = node.cached_bytes;
        node.cached_bytes += bytes * stored * self.shuffle.on_disk;
        let runs = &mut self.runs[task as usize];
        *runs = if step == 0 { before..node.cached_bytes } else { runs.start..node.cached_bytes };
        let evicted = self.evicted_runs(world, number);
        // Merges on disk are spread evenly over the rounds, although the first need several runs.
        let merged_stored = stored * merged;
        world
            .uses
            .clear()
            .work(&world.cluster, worker, Work::Memory, background_s)
            .cpu(&world.cluster, worker, serve_s)
            .cpu(&world.cluster, from, serve_s)
            .send(&world.cluster, parameters, server, Site::itself(worker), stored)
            .read(&world.cluster, spill, merged_stored * evicted);
        world.write_local(spill, bytes * (stored * self.shuffle.on_disk + merged_stored), bytes);
        if let Some(evicted) = self.evicted(world, number, from) {
            let disk = world.cluster.next_spill(from);
            let missed = stored * evicted;
            let piece = bytes * stored / fetches;
            let model = world.network.capacities().disk(world.cluster.disks[disk as usize].resource);
            let seeks = parameters.piece_seeks * model.seeks(piece);
            world.uses.read(&world.cluster, disk, missed).seek(&world.cluster, disk, missed * seeks);
            self.spill_read_bytes += bytes * stored;
        }
        let pause_s = fetches * world.scenario.network.round_trip_s / f64::from(settings.parallel_copies);
        // The merge runs at the same time as the fetches; only the merge is a single thread.
        let stream = Stream { work: bytes, stream_s: 0.0, memory_s: merging_s, threads: 1.0, pause_s };
        world.stream(number, stream);
        let spilled = bytes * (stored * self.shuffle.on_disk + merged_stored);
        self.spilled_bytes += spilled;
        self.spill_read_bytes += bytes * merged_stored;
        let attempt = &mut world.attempts[number];
        attempt.step += 1;
        attempt.progress.shuffled_bytes += bytes * stored;
        attempt.progress.spilled_bytes += spilled;
        attempt.progress.cpu_s += bytes * (background_s + serve_s);
        Next::Stream
    }

    /// The share of a round's bytes that the page cache of their worker has evicted; none if maps have just written them.
    fn evicted(&self, world: &World<'_>, number: u32, from: u32) -> Option<f64> {
        let attempt = &world.attempts[number];
        let mapped_share = self.mapped_before[attempt.task as usize];
        if f64::from(attempt.step + 1) > mapped_share * f64::from(self.shuffle.rounds) {
            return None;
        }
        let parameters = &world.scenario.parameters;
        let kept = if parameters.runs_in_order > 0.0 {
            1.0 - self.evicted_outputs(world, attempt.step, from)
        } else {
            world.cluster.workers[from as usize].cache.kept(self.spilled_per_worker * mapped_share)
        };
        Some(1.0 - parameters.spill_cached * kept)
    }

    /// The share of the map outputs of a round that the page cache of a worker has evicted. A reduce fetches outputs in the
    /// order of the maps.
    fn evicted_outputs(&self, world: &World<'_>, round: u32, from: u32) -> f64 {
        let outputs = &self.outputs[from as usize];
        let mapped_share = self.mapped_bytes / self.total_bytes;
        let per_round = outputs.len() as f64 / (mapped_share * f64::from(self.shuffle.rounds));
        let end = ((f64::from(round + 1) * per_round).ceil() as usize).min(outputs.len());
        let begin = ((f64::from(round) * per_round) as usize).min(end);
        let node = &world.cluster.workers[from as usize];
        let evicted = outputs[begin..end].partition_point(|&position| node.has_evicted(position));
        evicted as f64 / (end - begin).max(1) as f64
    }
}
