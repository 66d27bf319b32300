//! Placement of a block's replicas by HDFS's own rules.
//!
//! The first replica goes to the writer's DataNode, the second to a random one of another rack, the third to another
//! one of the second's rack, further ones anywhere (BlockPlacementPolicyDefault). With node groups or upgrade domains no
//! two share a host (BlockPlacementPolicyWithNodeGroup, …WithUpgradeDomain); with rack fault tolerance no two
//! share a rack while there are unused racks. A DataNode with more than twice the mean number of streams is skipped
//! (`dfs.namenode.redundancy.considerLoad`). If a rule cannot be satisfied, the next weaker one applies.

use crate::cluster::Cluster;
use crate::random::Random;
use crate::scenario::{Hdfs, Placement};
use crate::twins::{Replica, Site};

/// Streams of a DataNode, relative to the mean, beyond which it is skipped
/// (`dfs.namenode.redundancy.considerLoad.factor`).
const BUSY: f64 = 2.0;

/// Random draws before a search of all DataNodes.
const DRAWS: u32 = 64;

/// Chooses DataNodes.
#[derive(Debug)]
pub(crate) struct Placer {
    policy: Placement,
    /// Whether no two replicas of a block may share a host.
    host_disjoint: bool,
    random: Random,
    streams: Vec<u32>,
    total: u64,
    racks: Vec<Vec<u32>>,
    /// Twins of every worker.
    twins: u32,
}

#[derive(Clone, Copy)]
enum Target {
    Anywhere,
    /// In a different rack from this worker.
    OffRack(Site),
    /// In this worker's rack.
    InRack(Site),
}

impl Placer {
    pub(crate) fn new(cluster: &Cluster, hdfs: &Hdfs, twins: u32, seed: u64) -> Self {
        // Groups of coded blocks have a separate policy (`dfs.block.placement.ec.classname`), which only considers racks.
        let coded = hdfs.coding.is_some();
        let policy = if coded { Placement::RackFaultTolerant } else { hdfs.placement };
        let mut racks = vec![Vec::new(); cluster.racks.len()];
        for (number, worker) in (0..).zip(&cluster.workers) {
            racks[cluster.hosts[worker.host as usize].rack as usize].push(number);
        }
        Self {
            policy,
            host_disjoint: policy != Placement::Default && !coded,
            random: Random::new(seed, "placement", 0),
            streams: vec![0; cluster.workers.len()],
            total: 0,
            racks,
            twins,
        }
    }

    /// Chooses disks for a block's replicas, the writer's own DataNode first, into `chosen`.
    pub(crate) fn place(
        &mut self,
        cluster: &mut Cluster,
        writer: u32,
        replicas: u32,
        chosen: &mut Vec<Replica>,
    ) {
        chosen.clear();
        let mut sites = [Site::itself(writer); MAX_REPLICAS];
        for replica in 0..replicas as usize {
            if replica > 0 {
                sites[replica] = self.choose(cluster, &sites[..replica]);
            }
            let Site { worker, twin } = sites[replica];
            chosen.push(Replica::new(cluster.next_disk(worker), twin));
            self.streams[worker as usize] += 1;
            self.total += 1;
        }
    }

    /// Ends the streams of a written block.
    pub(crate) fn written(&mut self, cluster: &Cluster, replicas: &[Replica]) {
        for replica in replicas {
            self.streams[cluster.disks[replica.disk() as usize].worker as usize] -= 1;
            self.total -= 1;
        }
    }

    fn choose(&mut self, cluster: &Cluster, taken: &[Site]) -> Site {
        let target = match (self.policy, taken.len()) {
            (_, 1) => Target::OffRack(taken[0]),
            (Placement::RackFaultTolerant, _) => Target::Anywhere,
            (_, 2) if share_rack(cluster, taken[0], taken[1]) => Target::OffRack(taken[0]),
            (_, 2) => Target::InRack(taken[1]),
            _ => Target::Anywhere,
        };
        let host_disjoint = self.host_disjoint;
        self.draw(cluster, target, taken, host_disjoint, true)
            .or_else(|| self.search(cluster, target, taken, host_disjoint))
            .or_else(|| self.draw(cluster, Target::Anywhere, taken, host_disjoint, true))
            .or_else(|| self.search(cluster, Target::Anywhere, taken, host_disjoint))
            .or_else(|| self.search(cluster, Target::Anywhere, taken, false))
            .expect("a scenario with fewer workers than replicas is refused")
    }

    fn candidates(&self, cluster: &Cluster, target: Target) -> u64 {
        match target {
            Target::InRack(site) => self.racks[rack(cluster, site) as usize].len() as u64,
            Target::Anywhere | Target::OffRack(_) => self.streams.len() as u64 * u64::from(self.twins),
        }
    }

    fn candidate(&self, cluster: &Cluster, target: Target, number: u64) -> Site {
        match target {
            Target::InRack(site) => {
                let worker = self.racks[rack(cluster, site) as usize][number as usize];
                Site { worker, ..site }
            }
            Target::Anywhere | Target::OffRack(_) => {
                let workers = self.streams.len() as u64;
                Site { worker: (number % workers) as u32, twin: (number / workers) as u32 }
            }
        }
    }

    fn draw(
        &mut self,
        cluster: &Cluster,
        target: Target,
        taken: &[Site],
        host_disjoint: bool,
        load: bool,
    ) -> Option<Site> {
        let candidates = self.candidates(cluster, target);
        if candidates == 0 {
            return None;
        }
        (0..DRAWS).find_map(|_| {
            let number = self.random.below(candidates);
            let site = self.candidate(cluster, target, number);
            (self.fits(cluster, target, site, taken, host_disjoint) && !(load && self.busy(site.worker)))
                .then_some(site)
        })
    }

    /// Searches all candidates from a random one on, busy ones included.
    fn search(
        &mut self,
        cluster: &Cluster,
        target: Target,
        taken: &[Site],
        host_disjoint: bool,
    ) -> Option<Site> {
        let candidates = self.candidates(cluster, target);
        if candidates == 0 {
            return None;
        }
        let first = self.random.below(candidates);
        (0..candidates)
            .map(|step| self.candidate(cluster, target, (first + step) % candidates))
            .find(|&site| self.fits(cluster, target, site, taken, host_disjoint))
    }

    fn busy(&self, worker: u32) -> bool {
        let mean = self.total as f64 / self.streams.len() as f64;
        f64::from(self.streams[worker as usize]) > BUSY * mean.max(1.0)
    }

    fn fits(
        &self,
        cluster: &Cluster,
        target: Target,
        site: Site,
        taken: &[Site],
        host_disjoint: bool,
    ) -> bool {
        let host = |site: Site| (cluster.workers[site.worker as usize].host, site.twin);
        let placed = match target {
            Target::Anywhere => true,
            Target::OffRack(worker) => !share_rack(cluster, site, worker),
            Target::InRack(worker) => share_rack(cluster, site, worker),
        };
        let apart = !taken.iter().any(|&chosen| {
            chosen == site
                || (host_disjoint && host(chosen) == host(site))
                || (self.policy == Placement::RackFaultTolerant
                    && taken.len() < self.racks.len()
                    && share_rack(cluster, chosen, site))
        });
        placed && apart
    }
}

/// The number of a worker's rack.
fn rack(cluster: &Cluster, site: Site) -> u32 {
    cluster.hosts[cluster.workers[site.worker as usize].host as usize].rack
}

/// Whether two workers are in one rack; twins have different racks.
fn share_rack(cluster: &Cluster, left: Site, right: Site) -> bool {
    left.twin == right.twin && rack(cluster, left) == rack(cluster, right)
}

/// The most replicas of a block; HDFS's own limit is 512, far more than anyone uses.
pub(crate) const MAX_REPLICAS: usize = 16;
