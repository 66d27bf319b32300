//! Links: what a stream from one host to another passes.
//!
//! A host's interfaces count as one link each way, since many streams spread over them. Each way carries a share of
//! the nominal speed: frames, headers and acknowledgements of the other way take the rest (a 10 Gb/s port carried
//! 9,440 Mib/s one way and 8,950 each way both ways, vSphere 6 study, "Network Throughput"). Racks are joined by uplinks.
//! Workers of one host talk through its memory.

use crate::cluster::Cluster;
use crate::sharing::ResourceId;

/// The links of one direction between two hosts, none within one.
pub(crate) fn path(cluster: &Cluster, from: u32, to: u32) -> impl Iterator<Item = ResourceId> {
    let (sender, receiver) = (&cluster.hosts[from as usize], &cluster.hosts[to as usize]);
    let mut links = [None; 4];
    if from != to {
        links[0] = Some(sender.tx);
        links[1] = Some(receiver.rx);
        if sender.rack != receiver.rack {
            links[2] = cluster.racks[sender.rack as usize].up;
            links[3] = cluster.racks[receiver.rack as usize].down;
        }
    }
    links.into_iter().flatten()
}
