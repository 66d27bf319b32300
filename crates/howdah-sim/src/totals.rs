//! What hosts and masters have done up to a moment.

use crate::models::disk::{READ, WRITE};
use crate::time::Time;
use crate::world::World;

/// Class of every use that is of no disk.
const ONLY: u8 = 0;

/// What the cluster has done up to a moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Totals {
    pub(crate) time: Time,
    pub(crate) hosts: Vec<HostTotals>,
    pub(crate) namenode_s: f64,
    pub(crate) scheduler_s: f64,
}

/// What a host has done up to a moment.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HostTotals {
    pub(crate) read_bytes: f64,
    pub(crate) written_bytes: f64,
    pub(crate) sent_bytes: f64,
    pub(crate) received_bytes: f64,
    /// Thread-seconds in which its processors were busy.
    pub(crate) busy_s: f64,
}

impl World<'_> {
    /// What every host has done until now.
    pub(crate) fn hosts(&mut self) -> Vec<HostTotals> {
        self.meter.look(self.now, &self.cluster, &mut self.network);
        let (now, cluster, network) = (self.now, &self.cluster, &mut self.network);
        let totals = cluster.hosts.iter().enumerate().map(|(number, host)| {
            let mut totals = HostTotals {
                busy_s: self.meter.busy_s(number),
                sent_bytes: network.used(now, host.tx, ONLY),
                received_bytes: network.used(now, host.rx, ONLY),
                ..HostTotals::default()
            };
            for worker in &cluster.workers[host.workers.start as usize..host.workers.end as usize] {
                for disk in &cluster.disks[worker.disks.start as usize..worker.disks.end as usize] {
                    totals.read_bytes += network.used(now, disk.resource, READ);
                    totals.written_bytes += network.used(now, disk.resource, WRITE);
                }
            }
            totals
        });
        totals.collect()
    }

    /// What the cluster has done until now.
    pub(crate) fn totals(&mut self) -> Totals {
        Totals {
            time: self.now,
            hosts: self.hosts(),
            namenode_s: self.namenode.busy_s(self.now),
            scheduler_s: self.scheduler.busy_s(self.now),
        }
    }
}
