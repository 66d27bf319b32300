//! TeraSort: maps read, sort and keep rows; reduces fetch them as they come, merge them and write them.

use crate::attempt::Kind;
use crate::error::Result;
use crate::files::Files;
use crate::job::{Job, Next, Program};
use crate::models::cpu::Work;
use crate::models::merge::{self, MapSort, ROW_BYTES};
use crate::models::sampling;
use crate::models::scheduling::Pending;
use crate::models::shuffle::{self, Shuffle};
use crate::time::Time;
use crate::workloads::input;
use crate::workloads::output::Output;
use crate::world::{Stream, World};

/// A split may be so much longer than a block before it is cut (FileInputFormat.SPLIT_SLOP).
const SPLIT_SLOP: f64 = 1.1;

struct Terasort<'a> {
    input: &'a Files,
    /// Each map's blocks.
    splits: Vec<std::ops::Range<u32>>,
    output: Output,
    total_bytes: f64,
    mapped_bytes: f64,
    maps_ended: u32,
    last_map_end: Option<Time>,
    rounds_ready: u32,
    /// Rounds of a mean reduce; all reduces go by them.
    shuffle: Shuffle,
    remote_bytes: f64,
    spilled_bytes: f64,
    spill_read_bytes: f64,
}

/// Runs it, and returns what it wrote.
pub(crate) fn run(
    world: &mut World<'_>,
    rows: u64,
    input: &Files,
    reduces: u32,
    replicas: u32,
) -> Result<Files> {
    let settings = &world.scenario.job;
    let bytes = rows as f64 * ROW_BYTES;
    input::lie(world, input);
    let shares = sampling::partitions(settings, rows, reduces, world.scenario.seed);
    let files =
        Files::new(shares.into_iter().map(|rows| rows * 100), world.scenario.hdfs.block_bytes, replicas);
    let splits = splits(input, world.scenario.hdfs.block_bytes);
    let mut program = Terasort {
        input,
        output: Output::new(world, files),
        total_bytes: bytes,
        mapped_bytes: 0.0,
        maps_ended: 0,
        last_map_end: None,
        rounds_ready: 0,
        shuffle: shuffle::shuffle(settings, bytes / f64::from(reduces)),
        remote_bytes: 0.0,
        spilled_bytes: 0.0,
        spill_read_bytes: 0.0,
        splits,
    };
    world.pause(sampling::seconds(settings, rows, &world.scenario.parameters))?;
    world.job_starts()?;
    let near = program.splits.iter().map(|blocks| {
        let bytes = blocks.clone().map(|block| input.bytes(block)).sum();
        (bytes, input.disks(blocks.start))
    });
    let maps = Pending::near(&world.cluster, near, world.scenario.scheduling.locality_delay_s);
    let mut job = Job::new(world, maps, reduces).speculate(world);
    job.run_maps(world, &mut program)?;
    world.end_phase("map-shuffle");
    job.run_reduces(world, &mut program)?;
    world.job_ends()?;
    world.end_phase("reduce-merge");
    let maps = program.splits.len() as u64;
    let workload = world.ledger.workload();
    workload.maps = maps;
    workload.reduces = u64::from(reduces);
    workload.remote_read_bytes = program.remote_bytes;
    let counters = &mut workload.counters;
    (counters.input_rows, counters.output_rows) = (rows, rows);
    (counters.read_bytes, counters.written_bytes) = (rows * 100, rows * 100);
    counters.spilled_bytes = program.spilled_bytes as u64;
    counters.spilled_raw_bytes = (program.spilled_bytes * world.scenario.job.compression_ratio) as u64;
    counters.spilled_rows = counters.spilled_raw_bytes / 100;
    counters.spill_read_bytes = program.spill_read_bytes as u64;
    counters.shuffled_bytes = (bytes / world.scenario.job.compression_ratio) as u64;
    Ok(program.output.finish(world))
}

/// Cuts files into splits of a block each; a short last block goes with the one before.
fn splits(files: &Files, block_bytes: u64) -> Vec<std::ops::Range<u32>> {
    let mut splits = Vec::with_capacity(files.blocks() as usize);
    for file in 0..files.count() {
        let blocks = files.of(file);
        let mut block = blocks.start;
        while block < blocks.end {
            let two = block + 2 == blocks.end
                && files.bytes(block) + files.bytes(block + 1) <= SPLIT_SLOP * block_bytes as f64;
            let end = if two { block + 2 } else { block + 1 };
            splits.push(block..end);
            block = end;
        }
    }
    splits
}

impl Terasort<'_> {
    fn map(&mut self, world: &mut World<'_>, number: u32) -> Next {
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
        world.uses.clear().write(&world.cluster, spill, stored * written).read(
            &world.cluster,
            spill,
            stored * read,
        );
        if input::read(world, worker, self.input, blocks.start) {
            self.remote_bytes += bytes;
        }
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
        let done = &mut world.attempts[number].done;
        done.input_bytes = bytes;
        done.output_bytes = bytes;
        done.spilled_bytes = bytes * stored * written;
        world.attempts[number].step = 1;
        Next::Stream
    }

    /// A round of the shuffle: fetched from a worker that stands for all, since they are alike.
    fn fetch(&mut self, world: &mut World<'_>, number: u32) -> Next {
        let (worker, started) = (world.attempts[number].worker, world.attempts[number].start);
        let (parameters, settings) = (&world.scenario.parameters, &world.scenario.job);
        let bytes =
            self.output.files.file_bytes(world.attempts[number].task) / f64::from(self.shuffle.rounds);
        if bytes == 0.0 {
            world.attempts[number].step = self.shuffle.rounds;
            return Next::Pause(0.0);
        }
        let fetches = self.splits.len() as f64 / f64::from(self.shuffle.rounds);
        let stored = 1.0 / settings.compression_ratio;
        let merging_s = fetches.max(1.0).log2() / ROW_BYTES * parameters.compare_s
            + merge::compress_s(world.scenario) * self.shuffle.on_disk;
        let fetch_s = fetches * parameters.fetch_s / bytes;
        let beside_s = merge::decompress_s(world.scenario);
        let serve_s = (parameters.shuffle_s_per_byte * stored + fetch_s) / 2.0;
        let from = world.choices.below(world.cluster.workers.len() as u64) as u32;
        let spill = world.cluster.next_spill(worker);
        world
            .uses
            .clear()
            .work(&world.cluster, worker, Work::Memory, beside_s)
            .cpu(&world.cluster, worker, serve_s)
            .cpu(&world.cluster, from, serve_s)
            .send(&world.cluster, parameters, from, worker, stored)
            .write(&world.cluster, spill, stored * self.shuffle.on_disk);
        // What maps wrote long before their output is fetched has left the page cache.
        if self.last_map_end.is_some_and(|end| started > end) {
            let disk = world.cluster.next_spill(from);
            world.uses.read(&world.cluster, disk, stored);
            self.spill_read_bytes += bytes * stored;
        }
        let pause_s = fetches * world.scenario.network.round_trip_s / f64::from(settings.parallel_copies);
        // Its merge runs beside its fetches; only the merge is one thread.
        let stream = Stream { work: bytes, stream_s: 0.0, memory_s: merging_s, threads: 1.0, pause_s };
        world.stream(number, stream);
        self.spilled_bytes += bytes * stored * self.shuffle.on_disk;
        let attempt = &mut world.attempts[number];
        attempt.step += 1;
        attempt.done.shuffled_bytes += bytes * stored;
        attempt.done.spilled_bytes += bytes * stored * self.shuffle.on_disk;
        attempt.done.cpu_s += bytes * (beside_s + serve_s);
        Next::Stream
    }

    /// What comes after the last round: passes over the runs on disk, if there are too many to merge at once.
    fn merge(&mut self, world: &mut World<'_>, number: u32) -> Next {
        let attempt = &world.attempts[number];
        let (worker, task) = (attempt.worker, attempt.task);
        let settings = &world.scenario.job;
        let more = merge::passes(settings, self.runs()) - 1.0;
        let bytes = self.output.files.file_bytes(task) * self.shuffle.on_disk;
        if more <= 0.0 || bytes == 0.0 {
            return Next::Pause(0.0);
        }
        let parameters = &world.scenario.parameters;
        let stored = more / settings.compression_ratio;
        let comparisons = f64::from(settings.io_sort_factor).log2() * more;
        let memory_s = comparisons / ROW_BYTES * parameters.compare_s
            + more * (merge::compress_s(world.scenario) + merge::decompress_s(world.scenario));
        let (from, to) = (world.cluster.next_spill(worker), world.cluster.next_spill(worker));
        world.uses.clear().read(&world.cluster, from, stored).write(&world.cluster, to, stored);
        world.stream(number, Stream { work: bytes, stream_s: 0.0, memory_s, threads: 1.0, pause_s: 0.0 });
        self.spilled_bytes += bytes * stored;
        self.spill_read_bytes += bytes * stored;
        Next::Stream
    }

    fn runs(&self) -> f64 {
        f64::from(self.shuffle.rounds) * self.shuffle.on_disk
    }

    /// A block of output: runs read and merged, rows reduced and written.
    fn write(&mut self, world: &mut World<'_>, number: u32, step: u32) -> Next {
        let attempt = &world.attempts[number];
        let (worker, task) = (attempt.worker, attempt.task);
        if let Some(written) = step.checked_sub(1).and_then(|last| self.output.block(task, last)) {
            self.output.end(world, written);
        }
        let Some(block) = self.output.block(task, step) else { return Next::End };
        let bytes = self.output.files.bytes(block);
        let parameters = &world.scenario.parameters;
        let stream_s = parameters.reduce_s_per_byte + parameters.stream_s_per_byte;
        let memory_s = merge::decompress_s(world.scenario) * self.shuffle.on_disk
            + self.runs().max(2.0).log2() / ROW_BYTES * parameters.compare_s;
        let stored = self.shuffle.on_disk / world.scenario.job.compression_ratio;
        let run = world.cluster.next_spill(worker);
        world.uses.clear().read(&world.cluster, run, stored);
        let stall_s = bytes * parameters.row_stall_s_per_byte;
        let pause_s = self.output.begin(world, worker, block) + stall_s;
        world.stream(number, Stream { work: bytes, stream_s, memory_s, threads: 1.0, pause_s });
        self.spill_read_bytes += bytes * stored;
        let done = &mut world.attempts[number].done;
        done.input_bytes += bytes;
        done.output_bytes += bytes;
        Next::Stream
    }

    fn reduce(&mut self, world: &mut World<'_>, number: u32) -> Next {
        let (step, rounds) = (world.attempts[number].step, self.shuffle.rounds);
        if step < rounds {
            return if step < self.rounds_ready { self.fetch(world, number) } else { Next::Wait };
        }
        let now = world.now;
        let attempt = &mut world.attempts[number];
        attempt.step += 1;
        if step == rounds {
            attempt.done.shuffle_end = Some(now);
            return self.merge(world, number);
        }
        if step == rounds + 1 {
            attempt.done.merge_end = Some(now);
        }
        self.write(world, number, step - rounds - 1)
    }
}

impl Program for Terasort<'_> {
    fn next(&mut self, world: &mut World<'_>, number: u32) -> Next {
        match world.attempts[number].kind {
            Kind::Map => self.map(world, number),
            Kind::Reduce => self.reduce(world, number),
        }
    }

    fn ended(&mut self, world: &mut World<'_>, number: u32) -> bool {
        let attempt = &world.attempts[number];
        if attempt.kind == Kind::Reduce {
            return false;
        }
        world.watch.advance(attempt.done.input_bytes as u64);
        self.maps_ended += 1;
        self.mapped_bytes += attempt.done.input_bytes;
        let ready = if self.maps_ended == self.splits.len() as u32 {
            self.last_map_end = Some(world.now);
            self.shuffle.rounds
        } else {
            (self.mapped_bytes / self.total_bytes * f64::from(self.shuffle.rounds)) as u32
        };
        let more = ready > self.rounds_ready;
        self.rounds_ready = ready;
        more
    }
}

#[cfg(test)]
mod tests {
    use super::{Files, splits};
    use crate::workloads::teragen::sizes;

    const BLOCK: u64 = 256 << 20;

    fn maps(files: u32) -> usize {
        splits(&Files::new(sizes(300_000_000_000, files), BLOCK, 1), BLOCK).len()
    }

    #[test]
    fn maps_of_30_tb_are_those_of_table_1() {
        let slots = [682, 620, 756, 954, 636];
        assert_eq!(slots.map(maps), [111_848, 112_220, 111_888, 112_572, 111_936]);
    }

    #[test]
    fn a_short_last_block_goes_with_the_one_before() {
        let split = |bytes: u64| splits(&Files::new([bytes].into_iter(), 100, 1), 100);
        assert_eq!(split(210), [0..1, 1..3]);
        assert_eq!(split(211), [0..1, 1..2, 2..3]);
        assert_eq!(split(0), []);
    }
}
