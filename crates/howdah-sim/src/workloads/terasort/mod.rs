//! TeraSort: maps read, sort and store rows; reduces fetch them, merge them and write them.

mod fetch;
mod map;
mod write;

use std::ops::Range;

use crate::attempt::{Attempt, Kind};
use crate::error::Result;
use crate::files::Files;
use crate::job::{Job, Next, Program};
use crate::models::merge::ROW_BYTES;
use crate::models::sampling;
use crate::models::scheduling::Pending;
use crate::models::shuffle::{self, Shuffle};
use crate::time::Time;
use crate::workloads::input;
use crate::workloads::output::Output;
use crate::world::World;

/// A split may be this much longer than a block before it is cut (FileInputFormat.SPLIT_SLOP).
const SPLIT_SLOP: f64 = 1.1;

/// Reduces fetch continuously and independently. They begin a round in this many groups in turn, so that the load on the
/// cluster is even.
const PARTS: u32 = 8;

struct Terasort<'a> {
    input: &'a Files,
    /// Each map's blocks.
    splits: Vec<Range<u32>>,
    /// Maps that each map represents.
    scale: f64,
    output: Output,
    total_bytes: f64,
    mapped_bytes: f64,
    maps_ended: u32,
    last_map_end: Option<Time>,
    /// Parts of rounds that are ready, [`PARTS`] for each round.
    parts_ready: u32,
    /// The shuffle of a mean reduce; it applies to all.
    shuffle: Shuffle,
    /// For each reduce, the share of the maps' output that existed when it began.
    mapped_before: Vec<f64>,
    /// Bytes that maps and reduces write as runs to a worker's disks.
    spilled_per_worker: f64,
    /// For each worker, the share of the runs on its disks that its page cache would still contain if it kept as much of
    /// each.
    kept: Vec<f64>,
    /// For each reduce, the positions between which its runs entered its worker's page cache.
    runs: Vec<Range<f64>>,
    /// For each worker, the positions of its maps' outputs in its page cache.
    outputs: Vec<Vec<f64>>,
    remote_bytes: f64,
    spilled_bytes: f64,
    spill_read_bytes: f64,
}

/// Runs TeraSort and returns its output.
pub(crate) fn run(
    world: &mut World<'_>,
    rows: u64,
    input: &Files,
    reduces: u32,
    replicas: u32,
) -> Result<Files> {
    let settings = &world.scenario.job;
    let bytes = rows as f64 * ROW_BYTES;
    input::set_read_offsets(world, input);
    let shares = sampling::partitions(settings, rows, reduces, world.twins.scale, world.scenario.seed);
    let hdfs = &world.scenario.hdfs;
    let sizes: Vec<f64> = shares.iter().map(|&rows| rows as f64 * ROW_BYTES).collect();
    let files =
        Files::new(shares.into_iter().map(|rows| rows * 100), hdfs.block_bytes, replicas).coded(hdfs.coding);
    let splits = splits(input, world.scenario.hdfs.block_bytes);
    let shuffle = shuffle::shuffle(
        settings,
        &sizes,
        (splits.len() as f64 * world.twins.scale).round() as u32,
        world.scenario.parameters.remainder_kept > 0.0,
    );
    // Of what maps and reduces wrote on their disks, half is runs.
    let spilled = bytes * (1.0 + shuffle.on_disk) / settings.compression_ratio;
    let spilled_per_worker = spilled / world.cluster.workers.len() as f64;
    let kept = world.cluster.workers.iter().map(|worker| worker.cache.kept(spilled_per_worker)).collect();
    let mut program = Terasort {
        input,
        output: Output::new(world, files),
        total_bytes: bytes,
        mapped_bytes: 0.0,
        maps_ended: 0,
        last_map_end: None,
        parts_ready: 0,
        shuffle,
        mapped_before: vec![0.0; reduces as usize],
        spilled_per_worker,
        kept,
        runs: vec![0.0..0.0; reduces as usize],
        outputs: vec![Vec::new(); world.cluster.workers.len()],
        remote_bytes: 0.0,
        spilled_bytes: 0.0,
        spill_read_bytes: 0.0,
        splits,
        scale: world.twins.scale,
    };
    world.pause(sampling::seconds(
        settings,
        (rows as f64 * world.twins.scale) as u64,
        &world.scenario.parameters,
    ))?;
    world.start_job()?;
    let inputs = program.splits.iter().map(|blocks| {
        let bytes = blocks.clone().map(|block| input.bytes(block)).sum();
        (bytes, input.replicas(blocks.start))
    });
    let maps = Pending::with_inputs(&world.cluster, inputs, world.scenario.scheduling.locality_delay_s);
    let mut job = Job::new(world, maps, reduces).speculate(world);
    job.run_maps(world, &mut program)?;
    world.end_phase("map-shuffle");
    job.run_reduces(world, &mut program)?;
    world.end_job()?;
    world.end_phase("reduce-merge");
    let maps = program.splits.len() as u64;
    let workload = world.recorder.workload();
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

/// Splits files into one split for each block; a short last block is added to the split before.
fn splits(files: &Files, block_bytes: u64) -> Vec<Range<u32>> {
    let mut splits = Vec::with_capacity(files.blocks() as usize);
    for file in 0..files.count() {
        let blocks = files.blocks_of(file);
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
    /// All maps, including those of twins.
    fn maps(&self) -> f64 {
        self.splits.len() as f64 * self.scale
    }

    /// Rounds that a reduce can have begun by now; the last round waits for the last map.
    fn rounds_ready(&self, reduce: u32) -> u32 {
        match self.last_map_end {
            Some(_) => self.shuffle.rounds,
            None => ((self.parts_ready + reduce % PARTS) / PARTS).min(self.shuffle.rounds - 1),
        }
    }

    /// The share of a reduce's runs that its worker's page cache has evicted. A merge reads all of them at the same time.
    fn evicted_runs(&self, world: &World<'_>, number: u32) -> f64 {
        let attempt = &world.attempts[number];
        if world.scenario.parameters.runs_in_order == 0.0 {
            return 1.0 - self.kept[attempt.worker as usize];
        }
        world.cluster.workers[attempt.worker as usize].evicted_share(&self.runs[attempt.task as usize])
    }

    fn reduce(&mut self, world: &mut World<'_>, number: u32) -> Next {
        let Attempt { step, task, progress, .. } = world.attempts[number];
        let rounds = self.shuffle.rounds;
        if progress.first_step == Some(world.now) {
            self.mapped_before[task as usize] = self.mapped_bytes / self.total_bytes;
        }
        if step < rounds {
            let ready = step < self.rounds_ready(task);
            return if ready { self.fetch(world, number) } else { Next::Wait };
        }
        let now = world.now;
        let attempt = &mut world.attempts[number];
        attempt.step += 1;
        if step == rounds {
            attempt.progress.shuffle_end = Some(now);
            return self.merge(world, number);
        }
        if step == rounds + 1 {
            attempt.progress.merge_end = Some(now);
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
        world.watch.advance(attempt.progress.input_bytes as u64);
        world.cluster.workers[attempt.worker as usize].last_map_s = world.now.since(attempt.start);
        self.maps_ended += 1;
        self.mapped_bytes += attempt.progress.input_bytes;
        if self.maps_ended == self.splits.len() as u32 {
            self.last_map_end = Some(world.now);
            return true;
        }
        let parts = f64::from(self.shuffle.rounds * PARTS);
        let ready = (self.mapped_bytes / self.total_bytes * parts) as u32;
        let more = ready > self.parts_ready;
        self.parts_ready = ready;
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
