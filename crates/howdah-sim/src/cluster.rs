//! The cluster as arrays: hosts, workers and disks by number, with their resources.

use std::ops::Range;

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
    pub(crate) workers: Range<u32>,
    /// CPU that the hypervisor adds to each byte of disk or network, core-seconds.
    pub(crate) io_s_per_byte: f64,
}

/// A worker: a DataNode with slots for tasks.
#[derive(Clone, Debug)]
pub(crate) struct Worker {
    pub(crate) host: u32,
    /// The resource of its virtual processors; none if it has all processors of the host.
    pub(crate) vcpus: Option<ResourceId>,
    /// Relative CPU cost of each kind of work.
    factors: Factors,
    /// Relative CPU cost of switching between the running tasks.
    switching: f64,
    /// Running tasks.
    pub(crate) tasks: u32,
    /// Core-seconds per second of a thread that shares nothing.
    pub(crate) thread_speed: f64,
    pub(crate) cache: PageCache,
    /// Expected page cache misses of blocks minus actual ones.
    miss_balance: f64,
    /// Bytes that have entered its page cache, except those that were deleted soon.
    pub(crate) cached_bytes: f64,
    /// Duration of TeraSort's last map that ended here.
    pub(crate) last_map_s: f64,
    /// Bytes that wait for their disk.
    pub(crate) dirty_bytes: f64,
    /// Hardware threads or virtual CPUs.
    pub(crate) cpus: u32,
    pub(crate) map_slots: u32,
    pub(crate) reduce_slots: u32,
    /// Its data disks, as a range of their numbers.
    pub(crate) disks: Range<u32>,
    /// The disk of its DataNode's next block.
    pub(crate) next_disk: u32,
    /// The data disks that also hold intermediate data.
    pub(crate) local_disks: Range<u32>,
    /// The disk of the next intermediate file.
    pub(crate) next_spill: u32,
}

/// A data disk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DataDisk {
    pub(crate) worker: u32,
    pub(crate) resource: ResourceId,
}

/// A rack's uplink; none if it is no limit.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rack {
    pub(crate) up: Option<ResourceId>,
    pub(crate) down: Option<ResourceId>,
}

/// The simulated cluster.
#[derive(Clone, Debug)]
pub(crate) struct Cluster {
    pub(crate) hosts: Vec<Host>,
    pub(crate) workers: Vec<Worker>,
    pub(crate) disks: Vec<DataDisk>,
    pub(crate) racks: Vec<Rack>,
}

/// How the network updates the shares of flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// After changes that are large enough.
    Quick,
    /// After every change: slow, the reference for the quick method.
    Exact,
}

/// Numbers resources in the order in which the network will.
#[derive(Default)]
struct Resources(Vec<Resource>);

impl Resources {
    fn add(&mut self, resource: Resource) -> ResourceId {
        self.0.push(resource);
        ResourceId(u32::try_from(self.0.len() - 1).expect("limits keep resources within 32 bits"))
    }
}

impl Cluster {
    /// Builds the cluster of a scenario and the network of its resources. The capacities that a host's workers share
    /// are multiplied by `capacity_factor`.
    pub(crate) fn new(
        scenario: &Scenario,
        capacity_factor: f64,
        sharing: Sharing,
    ) -> (Self, Network<Machine>) {
        let mut resources = Resources::default();
        let racks = scenario.hosts.iter().map(|group| group.rack + 1).max().unwrap_or(0);
        let racks = (0..racks).map(|rack| Rack::new(scenario, rack, &mut resources)).collect();
        let mut cluster = Self { hosts: Vec::new(), workers: Vec::new(), disks: Vec::new(), racks };
        let mut random = Random::new(scenario.seed, "hosts", 0);
        for group in &scenario.hosts {
            for _ in 0..group.count {
                let speed = stragglers::speed(&mut random, scenario.parameters.host_spread);
                cluster.add_host(scenario, group, speed, capacity_factor, &mut resources);
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
        capacity_factor: f64,
        resources: &mut Resources,
    ) {
        let parameters = &scenario.parameters;
        let processors = Processors::new(group, group.speed * speed, capacity_factor, parameters);
        let link = group.nics.iter().map(|nics| f64::from(nics.count) * nics.bits_per_s / 8.0).sum::<f64>();
        let link = (link * parameters.link_share * capacity_factor).max(1.0);
        let number = u32::try_from(self.hosts.len()).expect("limits keep hosts within 32 bits");
        let first = self.next_worker();
        let host = Host {
            rack: group.rack,
            cpu: resources.add(Resource::Processors(processors)),
            tx: resources.add(Resource::Fixed(link)),
            rx: resources.add(Resource::Fixed(link)),
            controller: group
                .controller_bytes_per_s
                .map(|rate| resources.add(Resource::Fixed(rate * capacity_factor))),
            processors,
            workers: first..first,
            io_s_per_byte: if group.is_virtual { parameters.virtual_io_s_per_byte } else { 0.0 },
        };
        self.hosts.push(host);
        let mut disks = group.disks.iter().flat_map(|disk| (0..disk.count).map(move |_| disk));
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
        let thread_speed = group.speed * speed;
        let vcpus = (worker.vcpus < threads)
            .then(|| resources.add(Resource::Fixed(f64::from(worker.vcpus) * thread_speed)));
        self.workers.push(Worker {
            host,
            vcpus,
            factors: Factors::new(worker, group.is_virtual, &scenario.parameters),
            switching: 1.0,
            tasks: 0,
            thread_speed,
            cache: PageCache::new(
                worker,
                scenario.concurrent_reduces(),
                &scenario.job,
                &scenario.scheduling,
                &scenario.parameters,
            ),
            miss_balance: 0.0,
            cached_bytes: 0.0,
            last_map_s: 0.0,
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

    /// The disk of a DataNode's next block: its disks take turns
    /// (RoundRobinVolumeChoosingPolicy, HDFS's default).
    pub(crate) fn next_disk(&mut self, worker: u32) -> u32 {
        let worker = &mut self.workers[worker as usize];
        round_robin(&worker.disks, &mut worker.next_disk)
    }

    /// The disk of a task's next intermediate file: they take turns as well (LocalDirAllocator).
    pub(crate) fn next_spill(&mut self, worker: u32) -> u32 {
        let worker = &mut self.workers[worker as usize];
        round_robin(&worker.local_disks, &mut worker.next_spill)
    }

    /// The host of a disk.
    pub(crate) fn host_of_disk(&self, disk: u32) -> u32 {
        self.workers[self.disks[disk as usize].worker as usize].host
    }
}

/// Allowed error of a sum of shares that should be 1.
const ROUNDING: f64 = 1e-9;

impl Worker {
    /// Sets the number of running tasks.
    pub(crate) fn set_tasks(&mut self, tasks: u32, parameters: &Parameters) {
        self.tasks = tasks;
        self.switching = switching(tasks, self.cpus, parameters);
    }

    /// Whether its page cache has evicted a block that entered it at this position, counted in cached bytes.
    ///
    /// Pages that are used once are evicted in the order in which they entered.
    pub(crate) fn has_evicted(&self, position: f64) -> bool {
        self.cached_bytes - position > self.cache.bytes
    }

    /// The share of data that its page cache has evicted, if they entered it evenly between two positions.
    pub(crate) fn evicted_share(&self, entered: &Range<f64>) -> f64 {
        let evicted = self.cached_bytes - self.cache.bytes - entered.start;
        (evicted / (entered.end - entered.start).max(1.0)).clamp(0.0, 1.0)
    }

    /// Whether its page cache misses the next block of files that entered it from position `first` on, if it has kept the
    /// same share of every block.
    pub(crate) fn misses_next(&mut self, first: f64) -> bool {
        self.miss_balance += 1.0 - self.cache.kept(self.cached_bytes - first);
        let missed = self.miss_balance >= 1.0 - ROUNDING;
        self.miss_balance -= f64::from(missed);
        missed
    }

    /// Core-seconds at the reference core's speed that a second of work on the reference core takes here.
    pub(crate) fn cpu_factor(&self, work: Work) -> f64 {
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

fn round_robin(disks: &Range<u32>, next: &mut u32) -> u32 {
    let disk = *next;
    *next = if disk + 1 == disks.end { disks.start } else { disk + 1 };
    disk
}
