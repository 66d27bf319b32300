//! Where the replicas of a block go: HDFS's own rules.
//!
//! The first replica goes to the writer's DataNode, the second to a random one of another rack, the third to another
//! one of the second's rack, further ones anywhere (BlockPlacementPolicyDefault). With node groups or upgrade domains no
//! two share a host (BlockPlacementPolicyWithNodeGroup, …WithUpgradeDomain); with rack fault tolerance no two
//! share a rack while racks are left. A DataNode with more than twice the mean of streams is passed over
//! (`dfs.namenode.redundancy.considerLoad`); where a rule cannot be kept, the next weaker one holds.

use crate::cluster::Cluster;
use crate::random::Random;
use crate::scenario::Placement;

/// Streams of one DataNode, relative to the mean, beyond which it is passed over
/// (`dfs.namenode.redundancy.considerLoad.factor`).
const BUSY: f64 = 2.0;

/// Random draws before a rule is given up for a slow and sure search.
const DRAWS: u32 = 64;

/// Chooses DataNodes.
#[derive(Debug)]
pub(crate) struct Placer {
    policy: Placement,
    random: Random,
    streams: Vec<u32>,
    total: u64,
    racks: Vec<Vec<u32>>,
}

#[derive(Clone, Copy)]
enum Where {
    Anywhere,
    OffRack(u32),
    InRack(u32),
}

impl Placer {
    pub(crate) fn new(cluster: &Cluster, policy: Placement, seed: u64) -> Self {
        let mut racks = vec![Vec::new(); cluster.racks.len()];
        for (number, worker) in (0..).zip(&cluster.workers) {
            racks[cluster.hosts[worker.host as usize].rack as usize].push(number);
        }
        Self {
            policy,
            random: Random::new(seed, "placement", 0),
            streams: vec![0; cluster.workers.len()],
            total: 0,
            racks,
        }
    }

    /// Chooses disks for a block's replicas, the writer's own DataNode first, into `chosen`.
    pub(crate) fn place(&mut self, cluster: &mut Cluster, writer: u32, replicas: u32, chosen: &mut Vec<u32>) {
        chosen.clear();
        let mut workers = [0_u32; MOST_REPLICAS];
        for replica in 0..replicas as usize {
            let taken = &workers[..replica];
            let worker = if replica == 0 { writer } else { self.choose(cluster, taken) };
            workers[replica] = worker;
            chosen.push(cluster.next_disk(worker));
            self.streams[worker as usize] += 1;
            self.total += 1;
        }
    }

    /// A block is written; its DataNodes have a stream less.
    pub(crate) fn written(&mut self, cluster: &Cluster, disks: &[u32]) {
        for &disk in disks {
            self.streams[cluster.disks[disk as usize].worker as usize] -= 1;
            self.total -= 1;
        }
    }

    fn choose(&mut self, cluster: &Cluster, taken: &[u32]) -> u32 {
        let rack = |worker: u32| cluster.hosts[cluster.workers[worker as usize].host as usize].rack;
        let at = match (self.policy, taken.len()) {
            (Placement::RackFaultTolerant, _) => self.rack_not_in(cluster, taken),
            (_, 1) => Where::OffRack(rack(taken[0])),
            (_, 2) if rack(taken[0]) == rack(taken[1]) => Where::OffRack(rack(taken[0])),
            (_, 2) => Where::InRack(rack(taken[1])),
            _ => Where::Anywhere,
        };
        let by_host = self.policy != Placement::Default;
        self.draw(cluster, at, taken, by_host, true)
            .or_else(|| self.search(cluster, at, taken, by_host))
            .or_else(|| self.draw(cluster, Where::Anywhere, taken, by_host, true))
            .or_else(|| self.search(cluster, Where::Anywhere, taken, by_host))
            .or_else(|| self.search(cluster, Where::Anywhere, taken, false))
            .expect("a scenario with fewer workers than replicas is refused")
    }

    fn rack_not_in(&self, cluster: &Cluster, taken: &[u32]) -> Where {
        let rack = |worker: u32| cluster.hosts[cluster.workers[worker as usize].host as usize].rack;
        match taken {
            [one] => Where::OffRack(rack(*one)),
            _ => Where::Anywhere,
        }
    }

    fn candidates(&self, at: Where) -> u64 {
        match at {
            Where::InRack(rack) => self.racks[rack as usize].len() as u64,
            Where::Anywhere | Where::OffRack(_) => self.streams.len() as u64,
        }
    }

    fn candidate(&self, at: Where, number: u64) -> u32 {
        match at {
            Where::InRack(rack) => self.racks[rack as usize][number as usize],
            Where::Anywhere | Where::OffRack(_) => number as u32,
        }
    }

    fn draw(
        &mut self,
        cluster: &Cluster,
        at: Where,
        taken: &[u32],
        by_host: bool,
        load: bool,
    ) -> Option<u32> {
        let candidates = self.candidates(at);
        if candidates == 0 {
            return None;
        }
        (0..DRAWS).find_map(|_| {
            let number = self.random.below(candidates);
            let worker = self.candidate(at, number);
            (self.fits(cluster, at, worker, taken, by_host) && !(load && self.busy(worker))).then_some(worker)
        })
    }

    /// Every candidate from a random one on, however busy.
    fn search(&mut self, cluster: &Cluster, at: Where, taken: &[u32], by_host: bool) -> Option<u32> {
        let candidates = self.candidates(at);
        if candidates == 0 {
            return None;
        }
        let first = self.random.below(candidates);
        (0..candidates)
            .map(|step| self.candidate(at, (first + step) % candidates))
            .find(|&worker| self.fits(cluster, at, worker, taken, by_host))
    }

    fn busy(&self, worker: u32) -> bool {
        let mean = self.total as f64 / self.streams.len() as f64;
        f64::from(self.streams[worker as usize]) > BUSY * mean.max(1.0)
    }

    fn fits(&self, cluster: &Cluster, at: Where, worker: u32, taken: &[u32], by_host: bool) -> bool {
        let host = cluster.workers[worker as usize].host;
        let rack = cluster.hosts[host as usize].rack;
        let rack_of = |other: u32| cluster.hosts[cluster.workers[other as usize].host as usize].rack;
        let placed = match at {
            Where::Anywhere => true,
            Where::OffRack(other) => rack != other,
            Where::InRack(other) => rack == other,
        };
        let apart = !taken.iter().any(|&other| {
            other == worker
                || (by_host && cluster.workers[other as usize].host == host)
                || (self.policy == Placement::RackFaultTolerant
                    && taken.len() < self.racks.len()
                    && rack_of(other) == rack)
        });
        placed && apart
    }
}

/// The most replicas of a block; HDFS's own limit is 512, which nobody uses.
pub(crate) const MOST_REPLICAS: usize = 16;
