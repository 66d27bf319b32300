//! Files read from HDFS: from the nearest replica, by one stream.

use crate::files::Files;
use crate::twins::Site;
use crate::world::World;

/// Says where on the disks the data lie that are read from now on.
pub(crate) fn lie(world: &mut World<'_>, files: &Files) {
    for (disk, &at) in world.cluster.disks.iter().zip(files.middle()) {
        world.network.capacities_mut().disk_mut(disk.resource).read_at(at);
    }
}

/// Adds the way of a block's bytes from its nearest replica, or from all data units of its group, to the uses, a byte for a
/// unit of work, without the reader's own half of the work. Where the reader's program writes at the same time, page
/// caches lose files in the order in which they were written. Returns the part of the bytes that comes from other hosts.
pub(crate) fn read(world: &mut World<'_>, reader: Site, files: &Files, block: u32, writes: bool) -> f64 {
    let part = 1.0 / f64::from(files.read_from());
    let mut remote = 0.0;
    for unit in 0..files.read_from() as usize {
        let places = files.places(block);
        let place = if files.is_coded() { places[unit] } else { world.nearest(reader, places) };
        let disk = place.disk();
        let from = Site { worker: world.cluster.disks[disk as usize].worker, twin: place.twin() };
        let parameters = &world.scenario.parameters;
        let worker = &mut world.cluster.workers[from.worker as usize];
        let missed = files.cached_at(block, place, from.worker).is_none_or(|(at, first)| {
            if writes && parameters.cache_order > 0.0 { worker.has_lost(at) } else { worker.misses(first) }
        });
        let read = if missed { part } else { 0.0 };
        world
            .uses
            .read(&world.cluster, disk, read)
            .cpu(&world.cluster, from.worker, parameters.read_s_per_byte / 2.0 * part)
            .send(&world.cluster, parameters, from, reader, part);
        if world.host_of(from.worker) != world.host_of(reader.worker) || from.twin != reader.twin {
            remote += part;
        }
    }
    remote
}
