//! The cluster as arrays: hosts, workers and disks by number, each with its resources.

use crate::machine::{Machine, Resource};
use crate::models::cpu::{Factors, Processors, Work, switching};
use crate::models::disk::Disk;
use crate::models::memory::PageCache;
use crate::models::stragglers;
use crate::parameters::Parameters;
use crate::random::Random;
use crate::scenario::{HostGroup, Scenario, WorkerGroup};
use crate::sharing::{Network, ResourceId};

/// A physical machine.
#[derive(Clone, Debug)]
pub(crate) struct Host {
    pub(crate) rack: u32,
    pub(crate) cpu: ResourceId,
    pub(crate) tx: ResourceId,
    pub(crate) rx: ResourceId,
    pub(crate) controller: Option<ResourceId>,
    pub(crate) processors: Processors,
    /// Its workers, as a range of their numbers.
    pub(crate) workers: std::ops::Range<u32>,
    /// CPU of each byte of disk or network that the hypervisor adds, core-seconds.
    pub(crate) io_s_per_byte: f64,
}

/// A worker, which is a DataNode and a place for tasks.
#[derive(Clone, Debug)]
pub(crate) struct Worker {
    pub(crate) host: u32,
    /// Its virtual processors, where they are not all of the host's.
    pub(crate) vcpus: Option<ResourceId>,
    /// What work takes here.
    factors: Factors,
    /// What it takes more with as many tasks as run now.
    switching: f64,
    /// Tasks that run now.
    pub(crate) tasks: u32,
    /// Core-seconds per second of one thread that shares nothing.
    pub(crate) thread: f64,
    pub(crate) cache: PageCache,
    /// Blocks that its page cache should have missed, less those that it did.
    missed: f64,
    /// Bytes that have come into its page cache and were not deleted soon.
    pub(crate) cached_bytes: f64,
    /// How long the last map of TeraSort took that ended here.
    pub(crate) map_s: f64,
    /// Bytes that wait for their disk.
    pub(crate) dirty_bytes: f64,
    /// Its CPUs: hardware threads or virtual ones.
    pub(crate) cpus: u32,
    pub(crate) map_slots: u32,
    pub(crate) reduce_slots: u32,
    /// Its data disks, as a range of their numbers.
    pub(crate) disks: std::ops::Range<u32>,
    /// The disk that its DataNode writes to next.
    pub(crate) next_disk: u32,
    /// Those of them that carry intermediate data.
    pub(crate) local_disks: std::ops::Range<u32>,
    /// The disk that intermediate data go to next.
    pub(crate) next_spill: u32,
}

/// A data disk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DataDisk {
    pub(crate) worker: u32,
    pub(crate) resource: ResourceId,
}

/// A rack's way out and in, where they are limits.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rack {
    pub(crate) up: Option<ResourceId>,
    pub(crate) down: Option<ResourceId>,
}

/// All of it.
#[derive(Clone, Debug)]
pub(crate) struct Cluster {
    pub(crate) hosts: Vec<Host>,
    pub(crate) workers: Vec<Worker>,
    pub(crate) disks: Vec<DataDisk>,
    pub(crate) racks: Vec<Rack>,
}

/// How the network finds out who gets what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// Where enough has changed.
    Quick,
    /// At every change: what the quick way is held to, and slow.
    Exact,
}

/// Numbers resources as the network will.
#[derive(Default)]
struct Resources(Vec<Resource>);

impl Resources {
    fn add(&mut self, resource: Resource) -> ResourceId {
        self.0.push(resource);
        ResourceId(u32::try_from(self.0.len() - 1).expect("limits keep resources within 32 bits"))
    }
}

impl Cluster {
    /// Lays a scenario out, and the network that its resources form. What the workers of a host share is so many times
    /// what a host has.
    pub(crate) fn new(scenario: &Scenario, room: f64, sharing: Sharing) -> (Self, Network<Machine>) {
        let mut resources = Resources::default();
        let racks = scenario.hosts.iter().map(|group| group.rack + 1).max().unwrap_or(0);
        let racks = (0..racks).map(|rack| Rack::new(scenario, rack, &mut resources)).collect();
        let mut cluster = Self { hosts: Vec::new(), workers: Vec::new(), disks: Vec::new(), racks };
        let mut random = Random::new(scenario.seed, "hosts", 0);
        for group in &scenario.hosts {
            for _ in 0..group.count {
                let speed = stragglers::speed(&mut random, scenario.parameters.host_spread);
                cluster.add_host(scenario, group, speed, room, &mut resources);
            }
        }
        let count = resources.0.len();
        let softness = scenario.parameters.softness;
        let machine = Machine(resources.0);
        let mut network = match sharing {
            Sharing::Quick => Network::new(machine, softness),
            Sharing::Exact => Network::exact(machine, softness),
        };
        for _ in 0..count {
            network.add_resource();
        }
        (cluster, network)
    }

    fn add_host(
        &mut self,
        scenario: &Scenario,
        group: &HostGroup,
        speed: f64,
        room: f64,
        resources: &mut Resources,
    ) {
        let parameters = &scenario.parameters;
        let processors = Processors::new(group, group.speed * speed, room, parameters);
        let link = group.nics.iter().map(|nics| f64::from(nics.count) * nics.bits_per_s / 8.0).sum::<f64>();
        let link = (link * parameters.link_share * room).max(1.0);
        let number = u32::try_from(self.hosts.len()).expect("limits keep hosts within 32 bits");
        let first = self.next_worker();
        let host = Host {
            rack: group.rack,
            cpu: resources.add(Resource::Processors(processors)),
            tx: resources.add(Resource::Fixed(link)),
            rx: resources.add(Resource::Fixed(link)),
            controller: group.controller_bytes_per_s.map(|rate| resources.add(Resource::Fixed(rate * room))),
            processors,
            workers: first..first,
            io_s_per_byte: if group.is_virtual { parameters.virtual_io_s_per_byte } else { 0.0 },
        };
        self.hosts.push(host);
        let mut disks = group.disks.iter().flat_map(|each| (0..each.count).map(move |_| each));
        for worker in &group.workers {
            for _ in 0..worker.count {
                let first = u32::try_from(self.disks.len()).expect("limits keep disks within 32 bits");
                for disk in disks.by_ref().take(worker.disks as usize) {
                    let disk = Disk::new(
                        disk,
                        scenario.hdfs.filled,
                        speed,
                        scenario.hdfs.readahead_bytes,
                        parameters,
                    );
                    let resource = resources.add(Resource::Disk(disk));
                    self.disks.push(DataDisk { worker: self.next_worker(), resource });
                }
                self.add_worker(number, group, worker, first, speed, resources, scenario);
            }
        }
        self.hosts[number as usize].workers = first..self.next_worker();
    }

    #[expect(clippy::too_many_arguments, reason = "one call, from the loop over a host's workers")]
    fn add_worker(
        &mut self,
        host: u32,
        group: &HostGroup,
        worker: &WorkerGroup,
        first_disk: u32,
        speed: f64,
        resources: &mut Resources,
        scenario: &Scenario,
    ) {
        let threads = group.sockets * group.cores_per_socket * group.threads_per_core;
        let thread = group.speed * speed;
        let vcpus = (worker.vcpus < threads)
            .then(|| resources.add(Resource::Fixed(f64::from(worker.vcpus) * thread)));
        self.workers.push(Worker {
            host,
            vcpus,
            factors: Factors::new(worker, group.is_virtual, &scenario.parameters),
            switching: 1.0,
            tasks: 0,
            thread,
            cache: PageCache::new(
                worker,
                scenario.reduces_at_once(),
                &scenario.job,
                &scenario.scheduling,
                &scenario.parameters,
            ),
            missed: 0.0,
            cached_bytes: 0.0,
            map_s: 0.0,
            dirty_bytes: 0.0,
            cpus: worker.vcpus,
            map_slots: worker.map_slots,
            reduce_slots: worker.reduce_slots,
            disks: first_disk..first_disk + worker.disks,
            next_disk: first_disk,
            local_disks: first_disk..first_disk + worker.local_disks.unwrap_or(worker.disks),
            next_spill: first_disk,
        });
    }

    fn next_worker(&self) -> u32 {
        u32::try_from(self.workers.len()).expect("limits keep workers within 32 bits")
    }

    /// The disk that a DataNode writes its next block to: its disks take turns
    /// (RoundRobinVolumeChoosingPolicy, HDFS's default).
    pub(crate) fn next_disk(&mut self, worker: u32) -> u32 {
        let worker = &mut self.workers[worker as usize];
        turn(&worker.disks, &mut worker.next_disk)
    }

    /// The disk that a task's next intermediate file goes to: they take turns as well (LocalDirAllocator).
    pub(crate) fn next_spill(&mut self, worker: u32) -> u32 {
        let worker = &mut self.workers[worker as usize];
        turn(&worker.local_disks, &mut worker.next_spill)
    }

    /// The host of a disk.
    pub(crate) fn host_of_disk(&self, disk: u32) -> u32 {
        self.workers[self.disks[disk as usize].worker as usize].host
    }
}

/// Part by which sums of shares may miss a whole.
const ROUNDING: f64 = 1e-9;

impl Worker {
    /// So many tasks run here from now on.
    pub(crate) fn run(&mut self, tasks: u32, parameters: &Parameters) {
        self.tasks = tasks;
        self.switching = switching(tasks, self.cpus, parameters);
    }

    /// Whether its page cache has lost a block that came into it after so many bytes.
    ///
    /// Pages that are used once leave in the order in which they came.
    pub(crate) fn has_lost(&self, at: f64) -> bool {
        self.cached_bytes - at > self.cache.bytes
    }

    /// Whether its page cache misses the next block of files of which it has lost as much as does not fit, the first of
    /// them having come into it after so many bytes.
    pub(crate) fn misses(&mut self, first: f64) -> bool {
        self.missed += 1.0 - self.cache.kept(self.cached_bytes - first);
        let missed = self.missed >= 1.0 - ROUNDING;
        self.missed -= f64::from(missed);
        missed
    }

    /// Seconds of a core with the reference's speed that a second of work on the reference core takes here.
    pub(crate) fn factor(&self, work: Work) -> f64 {
        self.factors.of(work) * self.switching
    }
}

impl Rack {
    fn new(scenario: &Scenario, rack: u32, resources: &mut Resources) -> Self {
        let uplink = scenario.network.uplinks_bits_per_s.get(rack as usize).copied().flatten();
        let mut add = |rate: f64| resources.add(Resource::Fixed(rate / 8.0 * scenario.parameters.link_share));
        Self { up: uplink.map(&mut add), down: uplink.map(&mut add) }
    }
}

fn turn(disks: &std::ops::Range<u32>, next: &mut u32) -> u32 {
    let now = *next;
    *next = if now + 1 == disks.end { disks.start } else { now + 1 };
    now
}
