//! TeraGen: each map writes rows into a file of its own.

use crate::attempt::Kind;
use crate::error::Result;
use crate::files::Files;
use crate::job::{Job, Next, Program};
use crate::models::scheduling::Pending;
use crate::workloads::output::Output;
use crate::world::{Stream, World};

struct Teragen {
    output: Output,
}

/// Files of rows, as evenly as Hadoop splits them.
pub(crate) fn sizes(rows: u64, files: u32) -> impl Iterator<Item = u64> {
    let bound = move |file: u32| (u128::from(rows) * u128::from(file) / u128::from(files)) as u64;
    (0..files).map(move |file| (bound(file + 1) - bound(file)) * 100)
}

/// Runs it, and returns what it wrote.
pub(crate) fn run(world: &mut World<'_>, rows: u64, maps: u32, replicas: u32) -> Result<Files> {
    let files = Files::new(sizes(rows, maps), world.scenario.hdfs.block_bytes, replicas);
    let mut program = Teragen { output: Output::new(world, files) };
    world.job_starts()?;
    let mut job = Job::new(world, Pending::anywhere(maps), 0);
    job.run_maps(world, &mut program)?;
    world.job_ends()?;
    world.end_phase("map");
    let (files, replicas) = program.output.finish(world);
    let workload = world.ledger.workload();
    workload.maps = u64::from(maps);
    workload.replicas = replicas;
    workload.counters.output_rows = rows;
    workload.counters.written_bytes = rows * 100;
    Ok(files)
}

impl Program for Teragen {
    fn next(&mut self, world: &mut World<'_>, number: u32) -> Next {
        let attempt = &world.attempts[number];
        debug_assert_eq!(attempt.kind, Kind::Map);
        let (file, worker, step) = (attempt.task, attempt.worker, attempt.step);
        if let Some(written) = step.checked_sub(1).and_then(|last| self.output.block(file, last)) {
            self.output.end(world, written);
        }
        let Some(block) = self.output.block(file, step) else { return Next::End };
        let bytes = self.output.files.bytes(block);
        let parameters = &world.scenario.parameters;
        let thread_s = parameters.generate_s_per_byte + parameters.stream_s_per_byte;
        world.uses.clear().cpu(&world.cluster, worker, thread_s);
        let pause_s = self.output.begin(world, worker, block);
        world.stream(number, Stream { work: bytes, thread_s, pause_s });
        let attempt = &mut world.attempts[number];
        attempt.step += 1;
        attempt.done.output_bytes += bytes;
        attempt.done.cpu_s += bytes * thread_s;
        Next::Stream
    }

    fn ended(&mut self, _world: &mut World<'_>, _attempt: u32) -> bool {
        false
    }
}

/// Files that are there already, as TeraGen would have left them with a map for every slot.
pub(crate) fn there(world: &mut World<'_>, rows: u64, replicas: u32) -> Files {
    let slots: Vec<u32> = (0..)
        .zip(&world.cluster.workers)
        .flat_map(|(number, worker)| (0..worker.map_slots).map(move |_| number))
        .collect();
    let files = Files::new(sizes(rows, slots.len() as u32), world.scenario.hdfs.block_bytes, replicas);
    let mut output = Output::new(world, files);
    for (file, &writer) in (0..).zip(&slots) {
        for block in output.files.of(file) {
            world.uses.clear();
            output.begin(world, writer, block);
            output.end(world, block);
        }
    }
    output.finish(world).0
}
