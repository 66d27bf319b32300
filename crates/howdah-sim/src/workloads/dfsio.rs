//! TestDFSIO: maps that write or read a file of plain bytes each, and a reduce that sums up.
//!
//! A map is placed by a small control file, not by its data, so most of its data are on other workers.

use crate::error::Result;
use crate::files::Files;
use crate::job::Program;
use crate::models::scheduling::Pending;
use crate::random::Random;
use crate::twins::Replica;
use crate::workloads::output::Output;
use crate::workloads::reading::Reading;
use crate::workloads::writing::Writing;
use crate::workloads::{input, summing, teragen};
use crate::world::World;

/// Writes files and returns them.
pub(crate) fn write(world: &mut World<'_>, files: u32, file_bytes: u64) -> Result<Files> {
    let hdfs = &world.scenario.hdfs;
    let files =
        Files::new((0..files).map(|_| file_bytes), hdfs.block_bytes, hdfs.replication).coded(hdfs.coding);
    let own_s = world.scenario.parameters.stream_s_per_byte;
    let mut program = Writing::new(Output::new(world, files), own_s, 0.0);
    let count = program.output.files.count();
    run(world, &mut program, count, "control files of writing")?;
    world.recorder.workload().counters.written_bytes = u64::from(count) * file_bytes;
    Ok(program.output.finish(world))
}

/// Files that exist before the run.
pub(crate) fn existing(world: &mut World<'_>, files: u32, file_bytes: u64) -> Files {
    let replicas = world.scenario.hdfs.replication;
    teragen::existing_files(world, (0..files).map(|_| file_bytes), replicas)
}

/// Reads files. A map does nothing else with the bytes.
pub(crate) fn read(world: &mut World<'_>, files: &Files, file_bytes: u64) -> Result<()> {
    input::set_read_offsets(world, files);
    let mut program = Reading::new(files, false, 0.0);
    run(world, &mut program, files.count(), "control files of reading")?;
    let workload = world.recorder.workload();
    workload.remote_read_bytes = program.remote_bytes;
    workload.counters.read_bytes = u64::from(files.count()) * file_bytes;
    Ok(())
}

/// Runs a job with randomly placed control files: each job writes its own, so a file is not read where it was written.
fn run(world: &mut World<'_>, program: &mut impl Program, maps: u32, control: &str) -> Result<()> {
    let mut random = Random::new(world.scenario.seed, control, 0);
    let disks = world.cluster.disks.len() as u64;
    let replicas = world.scenario.hdfs.replication;
    let mut replica = || Replica::new(random.below(disks) as u32, 0);
    let control: Vec<Vec<Replica>> = (0..maps).map(|_| (0..replicas).map(|_| replica()).collect()).collect();
    let inputs = control.iter().map(|replicas| (0.0, replicas.as_slice()));
    let pending = Pending::with_inputs(&world.cluster, inputs, world.scenario.scheduling.locality_delay_s);
    summing::run(world, program, pending)
}
