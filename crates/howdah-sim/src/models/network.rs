//! Links of a stream from one host to another.
//!
//! A host's interfaces count as one link in each direction, since many streams spread over them. Each direction carries a
//! share of the nominal speed; frames, headers and acknowledgements of the other direction take the rest (a 10 Gb/s port
//! carried 9,440 Mib/s in one direction, and 8,950 in each of two, vSphere 6 study, "Network Throughput"). Uplinks connect
//! racks. Workers of the same host communicate through its memory.

use crate::cluster::Cluster;
use crate::sharing::ResourceId;
use crate::twins::Site;

/// The links from one worker's host to another's; none within a host.
pub(crate) fn path(cluster: &Cluster, from: Site, to: Site) -> impl Iterator<Item = ResourceId> {
    let host = |site: Site| cluster.workers[site.worker as usize].host;
    let (sender, receiver) = (&cluster.hosts[host(from) as usize], &cluster.hosts[host(to) as usize]);
    let mut links = [None; 4];
    if host(from) != host(to) || from.twin != to.twin {
        links[0] = Some(sender.tx);
        links[1] = Some(receiver.rx);
        if sender.rack != receiver.rack {
            links[2] = cluster.racks[sender.rack as usize].up;
            links[3] = cluster.racks[receiver.rack as usize].down;
        }
    }
    links.into_iter().flatten()
}
