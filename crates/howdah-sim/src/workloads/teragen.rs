//! TeraGen: each map writes rows into a file of its own.

use crate::error::Result;
use crate::files::Files;
use crate::job::Job;
use crate::models::scheduling::Pending;
use crate::workloads::output::Output;
use crate::workloads::writing::Writing;
use crate::world::World;

/// Bytes of files of rows, as evenly as Hadoop splits them.
pub(crate) fn sizes(rows: u64, files: u32) -> impl Iterator<Item = u64> {
    let bound = move |file: u32| (u128::from(rows) * u128::from(file) / u128::from(files)) as u64;
    (0..files).map(move |file| (bound(file + 1) - bound(file)) * 100)
}

/// Runs it, and returns what it wrote.
pub(crate) fn run(world: &mut World<'_>, rows: u64, maps: u32, replicas: u32) -> Result<Files> {
    let hdfs = &world.scenario.hdfs;
    let files = Files::new(sizes(rows, maps), hdfs.block_bytes, replicas).coded(hdfs.coding);
    let parameters = &world.scenario.parameters;
    let own_s = parameters.generate_s_per_byte + parameters.stream_s_per_byte;
    let stall_s = world.scenario.parameters.row_stall_s_per_byte;
    let mut program = Writing::new(Output::new(world, files), own_s, stall_s);
    world.job_starts()?;
    let mut job = Job::new(world, Pending::anywhere(maps), 0);
    job.run_maps(world, &mut program)?;
    world.job_ends()?;
    world.end_phase("map");
    let workload = world.ledger.workload();
    workload.maps = u64::from(maps);
    workload.counters.output_rows = rows;
    workload.counters.written_bytes = rows * 100;
    Ok(program.output.finish(world))
}

/// Files that are there already, as TeraGen would have left them with a map for every slot.
pub(crate) fn there(world: &mut World<'_>, rows: u64, replicas: u32) -> Files {
    let files = world.slots().len() as u32;
    there_as(world, sizes(rows, files), replicas)
}

/// Files of these sizes that are there already, written by the slots in turn.
pub(crate) fn there_as(world: &mut World<'_>, sizes: impl Iterator<Item = u64>, replicas: u32) -> Files {
    let slots = world.slots();
    let hdfs = &world.scenario.hdfs;
    let files = Files::new(sizes, hdfs.block_bytes, replicas).coded(hdfs.coding);
    let mut output = Output::new(world, files);
    for (file, &writer) in (0..output.files.count()).zip(slots.iter().cycle()) {
        for block in output.files.of(file) {
            output.there(world, writer, block);
        }
    }
    let mut files = output.finish(world);
    files.forget_cached();
    // The workload that needs them did not write them.
    (world.ledger.workload().replicas, world.ledger.workload().sharing_host) = (Vec::new(), 0);
    files
}
