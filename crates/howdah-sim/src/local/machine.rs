//! The processors and disks of a machine as resources, and the costs of a byte.

use super::scenario::{Directory, LocalScenario};
use crate::sharing::{Capacities, Class, Load, Network, ResourceId, Use};

const READ: Class = 0;
const WRITE: Class = 1;
/// Processors have only one kind of use, so they share a class with disks.
const WORK: Class = 0;

/// The resources of a machine: CPU seconds, and seconds of each disk.
pub struct Machine {
    pub network: Network<Rates>,
    cpu: ResourceId,
    disks: Vec<(ResourceId, Directory)>,
    /// What all disks share, such as a controller, if it limits them.
    shared_path: Option<(ResourceId, Directory)>,
}

/// The capacities of the resources.
#[derive(Debug)]
pub struct Rates {
    cpus: f64,
    directories: Vec<Directory>,
}

impl Capacities for Rates {
    fn capacity(&self, resource: ResourceId, load: &Load) -> f64 {
        match (resource.0 as usize).checked_sub(1) {
            None => self.cpus,
            Some(disk) => self.directories[disk].time(load),
        }
    }
}

impl Directory {
    /// Seconds of work that the disk does in a second.
    ///
    /// Reading a byte is 1/read seconds of work and writing one 1/write. With only one kind the disk does a second's
    /// work in a second; when it copies, `mixed_share` of that; in between, the loss is proportional to the rarer kind.
    fn time(&self, load: &Load) -> f64 {
        let reading = read_share(load);
        let copying = self.write_bytes_per_s / (self.read_bytes_per_s + self.write_bytes_per_s);
        let mixed = reading.min(1.0 - reading) / copying.min(1.0 - copying);
        1.0 + (self.mixed_share - 1.0) * mixed.min(1.0)
    }
}

/// The share of reads in the load of a disk.
fn read_share(load: &Load) -> f64 {
    let [read, write] = [READ, WRITE].map(|class| load.demand[usize::from(class)]);
    if (read + write).is_finite() && read + write > 0.0 {
        return read / (read + write);
    }
    let [read, write] = [READ, WRITE].map(|class| f64::from(load.flows[usize::from(class)]));
    if read + write > 0.0 { read / (read + write) } else { 0.0 }
}

/// The cost of a byte in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ByteCost {
    /// CPU seconds of the step's thread.
    pub thread_s: f64,
    /// Bytes read from a disk.
    pub read: f64,
    /// Bytes written to a disk.
    pub written: f64,
}

impl Machine {
    pub fn new(scenario: &LocalScenario) -> Self {
        let mut directories = scenario.directories.clone();
        let shared = scenario.has_shared_path().then_some(scenario.together);
        directories.extend(shared);
        // Steps wait for buffers explicitly, so sharing needs no softness.
        let mut network = Network::exact(Rates { cpus: scenario.cpus, directories }, f64::INFINITY);
        let cpu = network.add_resource();
        let disks = scenario.directories.iter().map(|&rates| (network.add_resource(), rates)).collect();
        let shared_path = shared.map(|together| (network.add_resource(), together));
        Self { network, cpu, disks, shared_path }
    }

    /// The uses of a byte on a disk, by the disk's number.
    pub fn uses(&self, cost: &ByteCost, disk: usize) -> Vec<Use> {
        let mut uses = Vec::new();
        let mut add = |resource, weight, class| {
            if weight > 0.0 {
                uses.push(Use { resource, weight, class });
            }
        };
        add(self.cpu, cost.thread_s, WORK);
        for (resource, rates) in self.disks.get(disk % self.disks.len()).into_iter().chain(&self.shared_path)
        {
            add(*resource, cost.read / rates.read_bytes_per_s, READ);
            add(*resource, cost.written / rates.write_bytes_per_s, WRITE);
        }
        uses
    }

    /// CPU seconds, and bytes read and written by disk, since the start of the run.
    pub fn totals(&mut self, now: crate::time::Time) -> (f64, Vec<(f64, f64)>) {
        let network = &mut self.network;
        let cpu_s = network.used(now, self.cpu, WORK);
        let disk = |&(resource, rates): &(ResourceId, Directory)| {
            let read = network.used(now, resource, READ) * rates.read_bytes_per_s;
            let written = network.used(now, resource, WRITE) * rates.write_bytes_per_s;
            (read, written)
        };
        (cpu_s, self.disks.iter().map(disk).collect())
    }
}

impl ByteCost {
    /// Work of the processors only.
    pub fn cpu(thread_s: f64) -> Self {
        Self { thread_s, ..Self::default() }
    }

    /// A read with a cost of its thread.
    pub fn read(thread_s: f64) -> Self {
        Self { thread_s, read: 1.0, written: 0.0 }
    }

    /// A write with a cost of its thread.
    pub fn written(thread_s: f64) -> Self {
        Self { thread_s, read: 0.0, written: 1.0 }
    }
}

impl LocalScenario {
    /// Whether the disks together are slower than the sum of their rates.
    fn has_shared_path(&self) -> bool {
        let sum = |rate: fn(&Directory) -> f64| self.directories.iter().map(rate).sum::<f64>();
        self.directories.len() > 1
            && (self.together.read_bytes_per_s < sum(|disk| disk.read_bytes_per_s)
                || self.together.write_bytes_per_s < sum(|disk| disk.write_bytes_per_s))
    }
}
