//! One machine's processors and disks as resources, and what a byte takes of them.

use super::scenario::{Directory, LocalScenario};
use crate::sharing::{Capacities, Class, Load, Network, ResourceId, Use};

const READ: Class = 0;
const WRITE: Class = 1;
/// Processors do nothing else, so that it needs no class that disks have not.
const WORK: Class = 0;

/// The machine's resources: seconds of its CPUs, and seconds of each disk.
pub struct Machine {
    pub network: Network<Rates>,
    cpu: ResourceId,
    disks: Vec<(ResourceId, Directory)>,
    /// What disks share on their way, a controller for instance.
    path: Option<(ResourceId, Directory)>,
}

/// What the resources give.
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
    /// Reading a byte is 1/read seconds of work and writing one 1/write. Of one kind alone the disk does a second's
    /// work in a second; copying, its mixed share of that, and in between so much less as the rarer kind is rarer.
    fn time(&self, load: &Load) -> f64 {
        let reading = share_of_reads(load);
        let copying = self.write_bytes_per_s / (self.read_bytes_per_s + self.write_bytes_per_s);
        let mixed = reading.min(1.0 - reading) / copying.min(1.0 - copying);
        1.0 + (self.mixed_share - 1.0) * mixed.min(1.0)
    }
}

/// How much of what flows ask of a disk is reading.
fn share_of_reads(load: &Load) -> f64 {
    let [read, write] = [READ, WRITE].map(|class| load.demand[usize::from(class)]);
    if (read + write).is_finite() && read + write > 0.0 {
        return read / (read + write);
    }
    let [read, write] = [READ, WRITE].map(|class| f64::from(load.flows[usize::from(class)]));
    if read + write > 0.0 { read / (read + write) } else { 0.0 }
}

/// What one byte of a step takes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Byte {
    /// CPU seconds of the thread that does it.
    pub thread_s: f64,
    /// Bytes read from a disk.
    pub read: f64,
    /// Bytes written to a disk.
    pub written: f64,
}

impl Machine {
    pub fn new(scenario: &LocalScenario) -> Self {
        let mut directories = scenario.directories.clone();
        let shared = scenario.shares_a_path().then_some(scenario.together);
        directories.extend(shared);
        // Steps wait for one another's buffers themselves, so that sharing needs no softness.
        let mut network = Network::exact(Rates { cpus: scenario.cpus, directories }, f64::INFINITY);
        let cpu = network.add_resource();
        let disks = scenario.directories.iter().map(|&each| (network.add_resource(), each)).collect();
        let path = shared.map(|together| (network.add_resource(), together));
        Self { network, cpu, disks, path }
    }

    /// The uses of a byte whose data lie on the disk of that number.
    pub fn uses(&self, byte: &Byte, disk: usize) -> Vec<Use> {
        let mut uses = Vec::new();
        let mut take = |resource, weight, class| {
            if weight > 0.0 {
                uses.push(Use { resource, weight, class });
            }
        };
        take(self.cpu, byte.thread_s, WORK);
        for (resource, rates) in self.disks.get(disk % self.disks.len()).into_iter().chain(&self.path) {
            take(*resource, byte.read / rates.read_bytes_per_s, READ);
            take(*resource, byte.written / rates.write_bytes_per_s, WRITE);
        }
        uses
    }

    /// What has been done until now, by disk.
    pub fn done(&mut self, now: crate::time::Time) -> (f64, Vec<(f64, f64)>) {
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

impl Byte {
    /// Work of the processors alone.
    pub fn cpu(thread_s: f64) -> Self {
        Self { thread_s, ..Self::default() }
    }

    /// Reading, which takes its thread so much.
    pub fn read(thread_s: f64) -> Self {
        Self { thread_s, read: 1.0, written: 0.0 }
    }

    /// Writing, which takes its thread so much.
    pub fn written(thread_s: f64) -> Self {
        Self { thread_s, read: 0.0, written: 1.0 }
    }
}

impl LocalScenario {
    /// Whether the disks are slower together than each of them alone would have it.
    fn shares_a_path(&self) -> bool {
        let sum = |of: fn(&Directory) -> f64| self.directories.iter().map(of).sum::<f64>();
        self.directories.len() > 1
            && (self.together.read_bytes_per_s < sum(|each| each.read_bytes_per_s)
                || self.together.write_bytes_per_s < sum(|each| each.write_bytes_per_s))
    }
}
