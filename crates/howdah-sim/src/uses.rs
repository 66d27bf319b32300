//! The resources that a stream uses, added step by step: processors, disks, links, and the hypervisor's cost of each.

use crate::cluster::Cluster;
use crate::models::cpu::Work;
use crate::models::disk::{READ, SEEK, WRITE};
use crate::models::network;
use crate::parameters::Parameters;
use crate::sharing::{ResourceId, Use};
use crate::twins::Site;

/// The uses of a flow; two uses of a resource with the same class are added.
#[derive(Debug, Default)]
pub(crate) struct Uses(Vec<Use>);

/// Class of every use of a resource other than a disk.
pub(crate) const PLAIN_USE: u8 = 0;

impl Uses {
    /// Removes all uses, keeping the memory.
    pub(crate) fn clear(&mut self) -> &mut Self {
        self.0.clear();
        self
    }

    pub(crate) fn as_slice(&self) -> &[Use] {
        &self.0
    }

    fn add(&mut self, resource: ResourceId, weight: f64, class: u8) {
        if weight <= 0.0 {
            return;
        }
        match self.0.iter_mut().find(|present| present.resource == resource && present.class == class) {
            Some(present) => present.weight += weight,
            None => self.0.push(Use { resource, weight, class }),
        }
    }

    /// Streaming work in a worker, reference core-seconds.
    pub(crate) fn cpu(&mut self, cluster: &Cluster, worker: u32, seconds: f64) -> &mut Self {
        self.work(cluster, worker, Work::Stream, seconds)
    }

    /// Work in a worker, reference core-seconds.
    pub(crate) fn work(&mut self, cluster: &Cluster, worker: u32, work: Work, seconds: f64) -> &mut Self {
        let worker = &cluster.workers[worker as usize];
        let seconds = seconds * worker.cpu_factor(work);
        self.add(cluster.hosts[worker.host as usize].cpu, seconds, PLAIN_USE);
        if let Some(vcpus) = worker.vcpus {
            self.add(vcpus, seconds, PLAIN_USE);
        }
        self
    }

    /// Bytes read from a disk.
    pub(crate) fn read(&mut self, cluster: &Cluster, disk: u32, bytes: f64) -> &mut Self {
        self.disk(cluster, disk, bytes, READ)
    }

    /// Bytes written to a disk.
    pub(crate) fn write(&mut self, cluster: &Cluster, disk: u32, bytes: f64) -> &mut Self {
        self.disk(cluster, disk, bytes, WRITE)
    }

    /// Seeks of a disk, in bytes that the disk could have moved meanwhile.
    pub(crate) fn seek(&mut self, cluster: &Cluster, disk: u32, bytes: f64) -> &mut Self {
        self.add(cluster.disks[disk as usize].resource, bytes, SEEK);
        self
    }

    fn disk(&mut self, cluster: &Cluster, disk: u32, bytes: f64, class: u8) -> &mut Self {
        if bytes == 0.0 {
            return self;
        }
        let host = &cluster.hosts[cluster.host_of_disk(disk) as usize];
        self.add(cluster.disks[disk as usize].resource, bytes, class);
        if let Some(controller) = host.controller {
            self.add(controller, bytes, PLAIN_USE);
        }
        self.add(host.cpu, bytes * host.io_s_per_byte, PLAIN_USE);
        self
    }

    /// Bytes sent from one worker to another; free within a worker.
    pub(crate) fn send(
        &mut self,
        cluster: &Cluster,
        parameters: &Parameters,
        from: Site,
        to: Site,
        bytes: f64,
    ) -> &mut Self {
        if from == to {
            return self;
        }
        for link in network::path(cluster, from, to) {
            self.add(link, bytes, PLAIN_USE);
        }
        for Site { worker, .. } in [from, to] {
            self.cpu(cluster, worker, bytes * parameters.network_s_per_byte);
            let host = &cluster.hosts[cluster.workers[worker as usize].host as usize];
            self.add(host.cpu, bytes * host.io_s_per_byte, PLAIN_USE);
        }
        self
    }

    /// Bytes received by a DataNode, without its disk.
    pub(crate) fn receive(
        &mut self,
        cluster: &Cluster,
        parameters: &Parameters,
        from: Site,
        to: Site,
        bytes: f64,
    ) -> &mut Self {
        let write_s = parameters.write_s_per_byte * bytes;
        self.send(cluster, parameters, from, to, bytes).cpu(cluster, to.worker, write_s)
    }
}
