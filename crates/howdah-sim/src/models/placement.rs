//! Where the replicas of a block go: HDFS's own rules.
//!
//! The first replica goes to the writer's DataNode, the second to a random one of another rack, the third to another
//! one of the second's rack, further ones anywhere (BlockPlacementPolicyDefault). With node groups or upgrade domains no
//! two share a host (BlockPlacementPolicyWithNodeGroup, …WithUpgradeDomain); with rack fault tolerance no two
//! share a rack while racks are left. A DataNode with more than twice the mean of streams is passed over
//! (`dfs.namenode.redundancy.considerLoad`); where a rule cannot be kept, the next weaker one holds.

use crate::cluster::Cluster;
use crate::random::Random;
use crate::scenario::{Hdfs, Placement};
use crate::twins::{Replica, Site};

/// Streams of one DataNode, relative to the mean, beyond which it is passed over
/// (`dfs.namenode.redundancy.considerLoad.factor`).
const BUSY: f64 = 2.0;

/// Random draws before a rule is given up for a slow and sure search.
const DRAWS: u32 = 64;

/// Chooses DataNodes.
#[derive(Debug)]
pub(crate) struct Placer {
    policy: Placement,
    /// Whether no two places of a block may share a host.
    by_host: bool,
    random: Random,
    streams: Vec<u32>,
    total: u64,
    racks: Vec<Vec<u32>>,
    /// Twins of every worker.
    twins: u32,
}

#[derive(Clone, Copy)]
enum Where {
    Anywhere,
    /// In another rack than this worker's.
    OffRack(Site),
    /// In this worker's rack.
    InRack(Site),
}

impl Placer {
    pub(crate) fn new(cluster: &Cluster, hdfs: &Hdfs, twins: u32, seed: u64) -> Self {
        // Groups of coded blocks have a policy of their own (`dfs.block.placement.ec.classname`), which knows racks only.
        let coded = hdfs.coding.is_some();
        let policy = if coded { Placement::RackFaultTolerant } else { hdfs.placement };
        let mut racks = vec![Vec::new(); cluster.racks.len()];
        for (number, worker) in (0..).zip(&cluster.workers) {
            racks[cluster.hosts[worker.host as usize].rack as usize].push(number);
        }
        Self {
            policy,
            by_host: policy != Placement::Default && !coded,
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
        let mut sites = [Site::itself(writer); MOST_REPLICAS];
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

    /// A block is written; its DataNodes have a stream less.
    pub(crate) fn written(&mut self, cluster: &Cluster, places: &[Replica]) {
        for place in places {
            self.streams[cluster.disks[place.disk() as usize].worker as usize] -= 1;
            self.total -= 1;
        }
    }

    fn choose(&mut self, cluster: &Cluster, taken: &[Site]) -> Site {
        let at = match (self.policy, taken.len()) {
            (_, 1) => Where::OffRack(taken[0]),
            (Placement::RackFaultTolerant, _) => Where::Anywhere,
            (_, 2) if share_rack(cluster, taken[0], taken[1]) => Where::OffRack(taken[0]),
            (_, 2) => Where::InRack(taken[1]),
            _ => Where::Anywhere,
        };
        let by_host = self.by_host;
        self.draw(cluster, at, taken, by_host, true)
            .or_else(|| self.search(cluster, at, taken, by_host))
            .or_else(|| self.draw(cluster, Where::Anywhere, taken, by_host, true))
            .or_else(|| self.search(cluster, Where::Anywhere, taken, by_host))
            .or_else(|| self.search(cluster, Where::Anywhere, taken, false))
            .expect("a scenario with fewer workers than replicas is refused")
    }

    fn candidates(&self, cluster: &Cluster, at: Where) -> u64 {
        match at {
            Where::InRack(other) => self.racks[rack(cluster, other) as usize].len() as u64,
            Where::Anywhere | Where::OffRack(_) => self.streams.len() as u64 * u64::from(self.twins),
        }
    }

    fn candidate(&self, cluster: &Cluster, at: Where, number: u64) -> Site {
        match at {
            Where::InRack(other) => {
                let worker = self.racks[rack(cluster, other) as usize][number as usize];
                Site { worker, ..other }
            }
            Where::Anywhere | Where::OffRack(_) => {
                let workers = self.streams.len() as u64;
                Site { worker: (number % workers) as u32, twin: (number / workers) as u32 }
            }
        }
    }

    fn draw(
        &mut self,
        cluster: &Cluster,
        at: Where,
        taken: &[Site],
        by_host: bool,
        load: bool,
    ) -> Option<Site> {
        let candidates = self.candidates(cluster, at);
        if candidates == 0 {
            return None;
        }
        (0..DRAWS).find_map(|_| {
            let number = self.random.below(candidates);
            let site = self.candidate(cluster, at, number);
            (self.fits(cluster, at, site, taken, by_host) && !(load && self.busy(site.worker)))
                .then_some(site)
        })
    }

    /// Every candidate from a random one on, however busy.
    fn search(&mut self, cluster: &Cluster, at: Where, taken: &[Site], by_host: bool) -> Option<Site> {
        let candidates = self.candidates(cluster, at);
        if candidates == 0 {
            return None;
        }
        let first = self.random.below(candidates);
        (0..candidates)
            .map(|step| self.candidate(cluster, at, (first + step) % candidates))
            .find(|&site| self.fits(cluster, at, site, taken, by_host))
    }

    fn busy(&self, worker: u32) -> bool {
        let mean = self.total as f64 / self.streams.len() as f64;
        f64::from(self.streams[worker as usize]) > BUSY * mean.max(1.0)
    }

    fn fits(&self, cluster: &Cluster, at: Where, site: Site, taken: &[Site], by_host: bool) -> bool {
        let host = |site: Site| (cluster.workers[site.worker as usize].host, site.twin);
        let placed = match at {
            Where::Anywhere => true,
            Where::OffRack(other) => !share_rack(cluster, site, other),
            Where::InRack(other) => share_rack(cluster, site, other),
        };
        let apart = !taken.iter().any(|&other| {
            other == site
                || (by_host && host(other) == host(site))
                || (self.policy == Placement::RackFaultTolerant
                    && taken.len() < self.racks.len()
                    && share_rack(cluster, other, site))
        });
        placed && apart
    }
}

/// The number of a worker's rack.
fn rack(cluster: &Cluster, site: Site) -> u32 {
    cluster.hosts[cluster.workers[site.worker as usize].host as usize].rack
}

/// Whether two workers are in one rack; twins have racks of their own.
fn share_rack(cluster: &Cluster, one: Site, other: Site) -> bool {
    one.twin == other.twin && rack(cluster, one) == rack(cluster, other)
}

/// The most replicas of a block; HDFS's own limit is 512, which nobody uses.
pub(crate) const MOST_REPLICAS: usize = 16;
