//! Reads of files in HDFS: a stream from the nearest replica.

use crate::files::Files;
use crate::twins::Site;
use crate::world::World;

/// Sets the positions on the disks of the files that are read next.
pub(crate) fn set_read_offsets(world: &mut World<'_>, files: &Files) {
    for (disk, &position) in world.cluster.disks.iter().zip(files.disk_offsets()) {
        world.network.capacities_mut().disk_mut(disk.resource).set_read_offset(position);
    }
}

/// Adds the uses of reading a block from its nearest replica, or from all data units of its group, for a byte as the unit
/// of work, without the reader's own half of the CPU. If the reader's program writes at the same time (`writes`), page
/// caches evict files in the order in which they were written. Returns the share of the bytes from other hosts.
pub(crate) fn read(world: &mut World<'_>, reader: Site, files: &Files, block: u32, writes: bool) -> f64 {
    let share = 1.0 / f64::from(files.read_width());
    let mut remote = 0.0;
    for unit in 0..files.read_width() as usize {
        let replicas = files.replicas(block);
        let replica = if files.is_coded() { replicas[unit] } else { world.nearest(reader, replicas) };
        let disk = replica.disk();
        let from = Site { worker: world.cluster.disks[disk as usize].worker, twin: replica.twin() };
        let parameters = &world.scenario.parameters;
        let worker = &mut world.cluster.workers[from.worker as usize];
        let missed = files.cached_at(block, replica, from.worker).is_none_or(|(position, first)| {
            if writes && parameters.cache_order > 0.0 {
                worker.has_evicted(position)
            } else {
                worker.misses_next(first)
            }
        });
        let read = if missed { share } else { 0.0 };
        world
            .uses
            .read(&world.cluster, disk, read)
            .cpu(&world.cluster, from.worker, parameters.read_s_per_byte / 2.0 * share)
            .send(&world.cluster, parameters, from, reader, share);
        if world.host_of(from.worker) != world.host_of(reader.worker) || from.twin != reader.twin {
            remote += share;
        }
    }
    remote
}
