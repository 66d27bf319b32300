//! The workers with their RegionServers and DataNodes: processors, disks, links, handlers and the log.

use std::collections::VecDeque;

use crate::models::cpu::{Factors, Work};
use crate::parameters::Parameters;
use crate::random::Random;
use crate::scenario::{DiskKind, HostGroup, Scenario, WorkerGroup};
use crate::time::Time;

use super::scenario::HBase;
use super::stations::{Line, Processors};
use super::stream::Job;

/// Turns of a desktop disk take longer than those of the disk that the parameters speak of: 7,200 against 10,000.
const SLOW_TURN: f64 = 1.4;

/// One worker.
pub(crate) struct Server {
    pub(crate) processors: Processors<Job>,
    /// Requests on their way in, and answers on their way out.
    pub(crate) links: [Line; 2],
    /// Seconds for a byte on either.
    pub(crate) link_s_per_byte: f64,
    /// Seconds of processor time for a byte that a virtual machine moves.
    pub(crate) moved_s_per_byte: f64,
    pub(crate) disks: Vec<Line>,
    /// Seconds from one place of a disk to another, and for a byte.
    pub(crate) seek_s: f64,
    pub(crate) disk_s_per_byte: f64,
    /// Handlers that are free, and threads that wait for one.
    pub(crate) handlers: u32,
    pub(crate) waiting: VecDeque<usize>,
    pub(crate) log: SharedLog,
    /// When it stands still, whatever is asked of it.
    pub(crate) pauses: Random,
    /// Bytes of flushes and compactions that no disk has been given yet.
    pub(crate) owed_bytes: f64,
    /// Those of them that compactions read before.
    pub(crate) merged_bytes: f64,
}

/// A RegionServer's log: one sync under way, which all appended since then wait for.
#[derive(Default)]
pub(crate) struct SharedLog {
    /// Threads whose writes are in the sync that is under way.
    pub(crate) syncing: Vec<usize>,
    /// Threads whose writes wait for the next.
    pub(crate) appended: Vec<usize>,
    pub(crate) appended_bytes: f64,
    pub(crate) syncing_bytes: f64,
    /// Replicas that have not answered.
    pub(crate) open: u32,
    /// DataNodes of a pipeline that are still to come.
    pub(crate) next: Vec<usize>,
    pub(crate) began: Time,
    /// Seconds that a sync was under way.
    pub(crate) used: f64,
}

impl Server {
    /// The disk that something is on.
    pub(crate) fn disk(&mut self, random: &mut Random) -> &mut Line {
        let number = random.below(self.disks.len() as u64) as usize;
        &mut self.disks[number]
    }

    /// Seconds that a disk needs for so many bytes at one place.
    pub(crate) fn disk_s(&self, bytes: f64) -> f64 {
        self.seek_s + bytes * self.disk_s_per_byte
    }
}

/// Every worker of the scenario, in order.
pub(crate) fn servers(scenario: &Scenario, hbase: &HBase, program: u64) -> Vec<Server> {
    let mut all = Vec::new();
    for group in &scenario.hosts {
        for _ in 0..group.count {
            let mut first = 0;
            for workers in &group.workers {
                for _ in 0..workers.count {
                    all.push(server(group, workers, first, hbase.handlers, &scenario.parameters));
                    first += workers.disks;
                }
            }
        }
    }
    for (number, server) in all.iter_mut().enumerate() {
        server.pauses = Random::new(scenario.seed ^ program, "hbase-pauses", number as u64);
        if let Some(share) = hbase.cpu_quota {
            // No two workers' periods begin together.
            server.processors.limit(share, Time::ZERO.after(0.1 * server.pauses.unit()));
        }
    }
    all
}

fn server(
    host: &HostGroup,
    worker: &WorkerGroup,
    first: u32,
    handlers: u32,
    parameters: &Parameters,
) -> Server {
    let disks: Vec<_> = host
        .disks
        .iter()
        .flat_map(|disks| std::iter::repeat_n(disks, disks.count as usize))
        .skip(first as usize)
        .take(worker.disks as usize)
        .collect();
    let (rates, seeks): (Vec<f64>, Vec<f64>) = disks
        .iter()
        .map(|disk| {
            let turn = match disk.kind {
                DiskKind::Hdd => SLOW_TURN,
                DiskKind::FastHdd => 1.0,
                DiskKind::Ssd => 0.0,
            };
            (f64::midpoint(disk.outer_bytes_per_s, disk.inner_bytes_per_s), turn * parameters.read_seek_s)
        })
        .unzip();
    let on_host: u32 = host.workers.iter().map(|workers| workers.count).sum();
    let bits: f64 = host.nics.iter().map(|nics| f64::from(nics.count) * nics.bits_per_s).sum();
    let number = disks.len().max(1) as f64;
    Server {
        processors: processors(host, worker, parameters),
        links: Default::default(),
        link_s_per_byte: 8.0 * f64::from(on_host) / (bits * parameters.link_share),
        moved_s_per_byte: if host.is_virtual { parameters.virtual_io_s_per_byte } else { 0.0 },
        disks: vec![Line::default(); disks.len()],
        seek_s: seeks.iter().sum::<f64>() / number,
        disk_s_per_byte: rates.iter().map(|rate| 1.0 / rate).sum::<f64>() / number,
        handlers,
        waiting: VecDeque::new(),
        log: SharedLog::default(),
        pauses: Random::new(0, "hbase-pauses", 0),
        owed_bytes: 0.0,
        merged_bytes: 0.0,
    }
}

/// A worker's part of its host's processors; what several are promised beyond the host they share.
fn processors(host: &HostGroup, worker: &WorkerGroup, parameters: &Parameters) -> Processors<Job> {
    let cores = f64::from(host.sockets * host.cores_per_socket);
    let threads = cores * f64::from(host.threads_per_core);
    let promised: u32 = host.workers.iter().map(|workers| workers.count * workers.vcpus).sum();
    let part = f64::from(worker.vcpus) / f64::from(promised).max(threads);
    let gain = if host.threads_per_core > 1 { parameters.thread_gain } else { 0.0 };
    let factor = Factors::new(worker, host.is_virtual, parameters).of(Work::Memory);
    Processors::new(cores * part, threads * part, gain, host.speed, factor)
}

/// The processors of one client: a machine as the first of the hosts, with nothing else to do.
pub(crate) fn client(scenario: &Scenario, cpus: u32) -> Processors<Job> {
    let host = &scenario.hosts[0];
    let threads = f64::from(cpus);
    let cores = threads / f64::from(host.threads_per_core);
    let gain = if host.threads_per_core > 1 { scenario.parameters.thread_gain } else { 0.0 };
    Processors::new(cores, threads, gain, host.speed, 1.0)
}
