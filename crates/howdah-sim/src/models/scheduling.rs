//! Assignment of maps by locality.
//!
//! A worker takes the first task with a replica on it, the largest split of the job first
//! (org.apache.hadoop.mapreduce.JobSubmitter sorts them). Once the job has waited for its delay without starting a local
//! task, it takes one of its host or of its rack, and after twice the delay any
//! (org.apache.hadoop.mapred.FairScheduler's delay scheduling, M. Zaharia et al., EuroSys 2010).

use crate::cluster::Cluster;
use crate::time::Time;
use crate::twins::Replica;

/// The distance of a task's input from its worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Locality {
    /// On a disk of the worker; also for tasks without input.
    Worker,
    /// On another worker of its host.
    Host,
    /// In its rack.
    Rack,
    /// In another rack.
    Away,
}

/// Tasks that wait for assignment.
#[derive(Debug)]
pub(crate) struct Pending {
    taken: Vec<bool>,
    remaining: u32,
    by_worker: Lists,
    by_host: Lists,
    by_rack: Lists,
    /// All tasks in their order, and the first that may be unassigned.
    order: Vec<u32>,
    next_in_order: usize,
    waiting_since: Option<Time>,
    delay_s: f64,
    has_inputs: bool,
}

/// Lists of tasks, each read once from its front.
#[derive(Debug, Default)]
struct Lists(Vec<(Vec<u32>, usize)>);

impl Lists {
    fn new(count: usize) -> Self {
        Self(vec![(Vec::new(), 0); count])
    }

    fn push(&mut self, list: u32, task: u32) {
        let tasks = &mut self.0[list as usize].0;
        if tasks.last() != Some(&task) {
            tasks.push(task);
        }
    }

    fn first(&mut self, list: u32, taken: &[bool]) -> Option<u32> {
        let (tasks, next) = &mut self.0[list as usize];
        while let Some(&task) = tasks.get(*next) {
            *next += 1;
            if !taken[task as usize] {
                return Some(task);
            }
        }
        None
    }
}

impl Pending {
    /// Tasks that may run anywhere.
    pub(crate) fn anywhere(count: u32) -> Self {
        Self {
            taken: vec![false; count as usize],
            remaining: count,
            by_worker: Lists::default(),
            by_host: Lists::default(),
            by_rack: Lists::default(),
            order: (0..count).collect(),
            next_in_order: 0,
            waiting_since: None,
            delay_s: 0.0,
            has_inputs: false,
        }
    }

    /// Tasks with input: the bytes of each, and the disks that contain it.
    pub(crate) fn with_inputs<'a>(
        cluster: &Cluster,
        inputs: impl ExactSizeIterator<Item = (f64, &'a [Replica])>,
        delay_s: f64,
    ) -> Self {
        let inputs: Vec<(f64, &[Replica])> = inputs.collect();
        let mut pending = Self::anywhere(inputs.len() as u32);
        pending.order.sort_by(|&left, &right| inputs[right as usize].0.total_cmp(&inputs[left as usize].0));
        pending.by_worker = Lists::new(cluster.workers.len());
        pending.by_host = Lists::new(cluster.hosts.len());
        pending.by_rack = Lists::new(cluster.racks.len());
        for &task in &pending.order {
            for replica in inputs[task as usize].1 {
                let worker = cluster.disks[replica.disk() as usize].worker;
                let host = cluster.workers[worker as usize].host;
                pending.by_worker.push(worker, task);
                pending.by_host.push(host, task);
                pending.by_rack.push(cluster.hosts[host as usize].rack, task);
            }
        }
        pending.delay_s = delay_s;
        pending.has_inputs = true;
        pending
    }

    /// Tasks that are not assigned yet.
    pub(crate) fn remaining(&self) -> u32 {
        self.remaining
    }

    /// Whether a task with this locality could as well run anywhere.
    pub(crate) fn is_unconstrained(&self, locality: Locality) -> bool {
        !self.has_inputs || locality == Locality::Away
    }

    /// Takes the best task for a worker; none if the job waits for a better worker, or has no tasks left.
    pub(crate) fn take(&mut self, cluster: &Cluster, worker: u32, now: Time) -> Option<(u32, Locality)> {
        if self.remaining == 0 {
            return None;
        }
        if !self.has_inputs {
            return self.next().map(|task| (task, Locality::Worker));
        }
        if let Some(task) = self.by_worker.first(worker, &self.taken) {
            self.waiting_since = None;
            return Some((self.mark(task), Locality::Worker));
        }
        let since = *self.waiting_since.get_or_insert(now);
        let waited = now.since(since);
        if waited < self.delay_s {
            return None;
        }
        let host = cluster.workers[worker as usize].host;
        let rack = cluster.hosts[host as usize].rack;
        let local = self.by_host.first(host, &self.taken).map(|task| (task, Locality::Host));
        let local =
            local.or_else(|| self.by_rack.first(rack, &self.taken).map(|task| (task, Locality::Rack)));
        if let Some((task, locality)) = local {
            return Some((self.mark(task), locality));
        }
        if waited < 2.0 * self.delay_s {
            return None;
        }
        self.next().map(|task| (task, Locality::Away))
    }

    fn next(&mut self) -> Option<u32> {
        while self.taken[*self.order.get(self.next_in_order)? as usize] {
            self.next_in_order += 1;
        }
        Some(self.mark(self.order[self.next_in_order]))
    }

    fn mark(&mut self, task: u32) -> u32 {
        self.taken[task as usize] = true;
        self.remaining -= 1;
        task
    }
}
