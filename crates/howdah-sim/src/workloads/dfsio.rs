//! TestDFSIO: maps that write or read a file of plain bytes each, one reduce that sums up.
//!
//! A map is placed by a small control file, not by the data it reads, so most of what it reads is on other workers.

use crate::error::Result;
use crate::files::Files;
use crate::job::{Job, Program};
use crate::models::scheduling::Pending;
use crate::random::Random;
use crate::twins::Replica;
use crate::workloads::output::Output;
use crate::workloads::reading::Reading;
use crate::workloads::writing::Writing;
use crate::workloads::{input, teragen};
use crate::world::World;

/// Writes files, and returns them.
pub(crate) fn write(world: &mut World<'_>, files: u32, file_bytes: u64) -> Result<Files> {
    let hdfs = &world.scenario.hdfs;
    let files =
        Files::new((0..files).map(|_| file_bytes), hdfs.block_bytes, hdfs.replication).coded(hdfs.coding);
    let own_s = world.scenario.parameters.stream_s_per_byte;
    let mut program = Writing::new(Output::new(world, files), own_s, 0.0);
    let count = program.output.files.count();
    run(world, &mut program, count, "control files of writing")?;
    world.ledger.workload().counters.written_bytes = u64::from(count) * file_bytes;
    Ok(program.output.finish(world))
}

/// Files that are there already.
pub(crate) fn there(world: &mut World<'_>, files: u32, file_bytes: u64) -> Files {
    let replicas = world.scenario.hdfs.replication;
    teragen::there_as(world, (0..files).map(|_| file_bytes), replicas)
}

/// Reads files. What a map does with the bytes costs nothing beside reading them.
pub(crate) fn read(world: &mut World<'_>, files: &Files, file_bytes: u64) -> Result<()> {
    input::lie(world, files);
    let mut program = Reading::new(files, false, 0.0);
    run(world, &mut program, files.count(), "control files of reading")?;
    let workload = world.ledger.workload();
    workload.remote_read_bytes = program.remote_bytes;
    workload.counters.read_bytes = u64::from(files.count()) * file_bytes;
    Ok(())
}

/// Runs a job whose control files lie anywhere: each job writes its own, so that a file is not read where it was written.
fn run(world: &mut World<'_>, program: &mut impl Program, maps: u32, control: &str) -> Result<()> {
    let mut random = Random::new(world.scenario.seed, control, 0);
    let disks = world.cluster.disks.len() as u64;
    let replicas = world.scenario.hdfs.replication;
    let mut place = || Replica::new(random.below(disks) as u32, 0);
    let control: Vec<Vec<Replica>> = (0..maps).map(|_| (0..replicas).map(|_| place()).collect()).collect();
    let near = control.iter().map(|places| (0.0, places.as_slice()));
    let pending = Pending::near(&world.cluster, near, world.scenario.scheduling.locality_delay_s);
    world.job_starts()?;
    let mut job = Job::new(world, pending, 1);
    job.run_maps(world, program)?;
    world.end_phase("map");
    job.run_reduces(world, program)?;
    world.job_ends()?;
    world.end_phase("reduce");
    let workload = world.ledger.workload();
    (workload.maps, workload.reduces) = (u64::from(maps), 1);
    Ok(())
}
