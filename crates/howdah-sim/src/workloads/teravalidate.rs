//! TeraValidate: each map reads a whole file of TeraSort's, one reduce compares their bounds.
//!
//! A map is one split that begins with the file's first block, and only that block's hosts are its preferred places
//! (org.apache.hadoop.mapreduce.lib.input.FileInputFormat). With three replicas two of three such places hold little of
//! the rest, so that up to two thirds of the data come over the network.

use crate::error::Result;
use crate::files::Files;
use crate::job::Job;
use crate::models::scheduling::Pending;
use crate::workloads::input;
use crate::workloads::reading::Reading;
use crate::world::World;

/// Runs it.
pub(crate) fn run(world: &mut World<'_>, rows: u64, files: &Files) -> Result<()> {
    input::lie(world, files);
    let first = (0..files.count()).map(|file| {
        let blocks = files.of(file);
        let places = if blocks.is_empty() { &[][..] } else { files.places(blocks.start) };
        (files.file_bytes(file), places)
    });
    let maps = Pending::near(&world.cluster, first, world.scenario.scheduling.locality_delay_s);
    let mut program = Reading::new(files, true, world.scenario.parameters.validate_s_per_byte);
    world.job_starts()?;
    let mut job = Job::new(world, maps, 1);
    job.run_maps(world, &mut program)?;
    world.end_phase("map");
    job.run_reduces(world, &mut program)?;
    world.job_ends()?;
    world.end_phase("reduce");
    let workload = world.ledger.workload();
    workload.maps = u64::from(files.count());
    workload.reduces = 1;
    workload.remote_read_bytes = program.remote_bytes;
    workload.counters.input_rows = rows;
    workload.counters.read_bytes = rows * 100;
    Ok(())
}
