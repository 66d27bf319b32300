//! Links: what a stream from one host to another passes.
//!
//! A host's interfaces count as one link each way, since many streams spread over them. Each way carries a share of
//! the nominal speed: frames, headers and acknowledgements of the other way take the rest (a 10 Gb/s port carried
//! 9,440 Mib/s one way and 8,950 each way both ways, vSphere 6 study, "Network Throughput"). Racks are joined by uplinks.
//! Workers of one host talk through its memory.

use crate::cluster::Cluster;
use crate::sharing::ResourceId;
use crate::twins::Site;

/// The links of one direction between the hosts of two workers, none within one.
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
