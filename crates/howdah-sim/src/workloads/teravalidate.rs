//! TeraValidate: each map reads a whole file of TeraSort's, and a reduce compares their bounds.
//!
//! The split of a map is a whole file, and only the hosts of its first block are preferred
//! (org.apache.hadoop.mapreduce.lib.input.FileInputFormat). With three replicas two of these three hosts have little of
//! the rest, so up to two thirds of the data cross the network.

use crate::error::Result;
use crate::files::Files;
use crate::models::scheduling::Pending;
use crate::workloads::reading::Reading;
use crate::workloads::{input, summing};
use crate::world::World;

/// Runs TeraValidate.
pub(crate) fn run(world: &mut World<'_>, rows: u64, files: &Files) -> Result<()> {
    input::set_read_offsets(world, files);
    let inputs = (0..files.count()).map(|file| {
        let blocks = files.blocks_of(file);
        let replicas = if blocks.is_empty() { &[][..] } else { files.replicas(blocks.start) };
        (files.file_bytes(file), replicas)
    });
    let maps = Pending::with_inputs(&world.cluster, inputs, world.scenario.scheduling.locality_delay_s);
    let mut program = Reading::new(files, true, world.scenario.parameters.validate_s_per_byte);
    summing::run(world, &mut program, maps)?;
    let workload = world.recorder.workload();
    workload.remote_read_bytes = program.remote_bytes;
    workload.counters.input_rows = rows;
    workload.counters.read_bytes = rows * 100;
    Ok(())
}
