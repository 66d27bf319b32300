//! TeraGen: each map writes rows to a separate file.

use crate::error::Result;
use crate::files::Files;
use crate::job::Job;
use crate::models::scheduling::Pending;
use crate::workloads::output::Output;
use crate::workloads::writing::Writing;
use crate::world::World;

/// Sizes of files of rows, split as evenly as Hadoop does.
pub(crate) fn sizes(rows: u64, files: u32) -> impl Iterator<Item = u64> {
    let bound = move |file: u32| (u128::from(rows) * u128::from(file) / u128::from(files)) as u64;
    (0..files).map(move |file| (bound(file + 1) - bound(file)) * 100)
}

/// Runs TeraGen and returns the files.
pub(crate) fn run(world: &mut World<'_>, rows: u64, maps: u32, replicas: u32) -> Result<Files> {
    let hdfs = &world.scenario.hdfs;
    let files = Files::new(sizes(rows, maps), hdfs.block_bytes, replicas).coded(hdfs.coding);
    let parameters = &world.scenario.parameters;
    let own_s = parameters.generate_s_per_byte + parameters.stream_s_per_byte;
    let stall_s = world.scenario.parameters.row_stall_s_per_byte;
    let mut program = Writing::new(Output::new(world, files), own_s, stall_s);
    world.start_job()?;
    let mut job = Job::new(world, Pending::anywhere(maps), 0);
    job.run_maps(world, &mut program)?;
    world.end_job()?;
    world.end_phase("map");
    let workload = world.recorder.workload();
    workload.maps = u64::from(maps);
    workload.counters.output_rows = rows;
    workload.counters.written_bytes = rows * 100;
    Ok(program.output.finish(world))
}

/// Files that exist before the run, as TeraGen writes them with a map for every slot.
pub(crate) fn existing(world: &mut World<'_>, rows: u64, replicas: u32) -> Files {
    let files = world.slots().len() as u32;
    existing_files(world, sizes(rows, files), replicas)
}

/// Files with these sizes that exist before the run, written by the slots in turn.
pub(crate) fn existing_files(
    world: &mut World<'_>,
    sizes: impl Iterator<Item = u64>,
    replicas: u32,
) -> Files {
    let slots = world.slots();
    let hdfs = &world.scenario.hdfs;
    let files = Files::new(sizes, hdfs.block_bytes, replicas).coded(hdfs.coding);
    let mut output = Output::new(world, files);
    for (file, &writer) in (0..output.files.count()).zip(slots.iter().cycle()) {
        for block in output.files.blocks_of(file) {
            output.add_existing(world, writer, block);
        }
    }
    let mut files = output.finish(world);
    files.clear_cached();
    // The workload that reads them has not written them.
    (world.recorder.workload().replicas, world.recorder.workload().sharing_host) = (Vec::new(), 0);
    files
}
