//! Workers with their RegionServers and DataNodes: processors, disks, links, handlers and the log.

use std::collections::VecDeque;

use crate::models::cpu::{Factors, Work};
use crate::models::disk::SLOW_TURN;
use crate::parameters::Parameters;
use crate::random::Random;
use crate::scenario::{DiskKind, HostGroup, Scenario, WorkerGroup};
use crate::time::Time;

use super::scenario::HBase;
use super::stations::{FifoStation, Processors};
use super::stream::Job;

/// A worker.
pub(crate) struct Server {
    pub(crate) processors: Processors<Job>,
    /// For requests and for responses.
    pub(crate) links: [FifoStation; 2],
    /// Seconds for a byte on either link.
    pub(crate) link_s_per_byte: f64,
    /// Processor seconds for a byte that a virtual machine moves.
    pub(crate) moved_s_per_byte: f64,
    pub(crate) disks: Vec<Disk>,
    /// Free handlers, and threads that wait for one.
    pub(crate) handlers: u32,
    pub(crate) waiting: VecDeque<usize>,
    pub(crate) log: ServerLog,
    /// Times of its pauses, which do not depend on requests.
    pub(crate) pauses: Random,
    /// Bytes of flushes and compactions that are not written yet.
    pub(crate) background_bytes: f64,
    /// Bytes of these that compactions read before.
    pub(crate) merged_bytes: f64,
}

/// A data disk of a worker.
pub(crate) struct Disk {
    pub(crate) queue: FifoStation,
    seek_s: f64,
    s_per_byte: f64,
}

impl Disk {
    /// When a seek and a read or a write of `bytes` bytes are complete.
    pub(crate) fn serve(&mut self, now: Time, bytes: f64) -> Time {
        self.queue.serve(now, self.seek_s + bytes * self.s_per_byte)
    }
}

/// The log of a RegionServer: a sync in flight, and the writes appended since it started.
#[derive(Default)]
pub(crate) struct ServerLog {
    /// Threads with a write in the sync in flight.
    pub(crate) syncing: Vec<usize>,
    /// Threads with a write that waits for the next sync.
    pub(crate) appended: Vec<usize>,
    pub(crate) appended_bytes: f64,
    pub(crate) syncing_bytes: f64,
    /// Replicas that have not responded.
    pub(crate) unanswered: u32,
    /// Remaining DataNodes of a pipeline.
    pub(crate) pipeline: Vec<usize>,
    pub(crate) sync_start: Time,
    /// Seconds with a sync in flight.
    pub(crate) used_s: f64,
}

impl Server {
    /// A random disk.
    pub(crate) fn disk(&mut self, random: &mut Random) -> &mut Disk {
        let number = random.below(self.disks.len() as u64) as usize;
        &mut self.disks[number]
    }
}

/// All workers of the scenario, in order.
pub(crate) fn servers(scenario: &Scenario, hbase: &HBase, program: u64) -> Vec<Server> {
    let mut servers = Vec::new();
    for group in &scenario.hosts {
        for _ in 0..group.count {
            let mut first = 0;
            for workers in &group.workers {
                for _ in 0..workers.count {
                    servers.push(server(group, workers, first, hbase.handlers, &scenario.parameters));
                    first += workers.disks;
                }
            }
        }
    }
    for (number, server) in servers.iter_mut().enumerate() {
        server.pauses = Random::new(scenario.seed ^ program, "hbase-pauses", number as u64);
        if let Some(share) = hbase.cpu_quota {
            // The periods of different workers do not begin at the same time.
            server.processors.limit(share, Time::ZERO.after(0.1 * server.pauses.unit()));
        }
    }
    servers
}

fn server(
    host: &HostGroup,
    worker: &WorkerGroup,
    first: u32,
    handlers: u32,
    parameters: &Parameters,
) -> Server {
    let disks = host
        .disks
        .iter()
        .flat_map(|disks| std::iter::repeat_n(disks, disks.count as usize))
        .skip(first as usize)
        .take(worker.disks as usize)
        .map(|disk| {
            let turn = match disk.kind {
                DiskKind::Hdd => SLOW_TURN,
                DiskKind::FastHdd => 1.0,
                DiskKind::Ssd => 0.0,
            };
            Disk {
                queue: FifoStation::default(),
                seek_s: turn * parameters.read_seek_s,
                s_per_byte: 1.0 / f64::midpoint(disk.outer_bytes_per_s, disk.inner_bytes_per_s),
            }
        })
        .collect();
    let on_host: u32 = host.workers.iter().map(|workers| workers.count).sum();
    let bits: f64 = host.nics.iter().map(|nics| f64::from(nics.count) * nics.bits_per_s).sum();
    Server {
        processors: processors(host, worker, parameters),
        links: Default::default(),
        link_s_per_byte: 8.0 * f64::from(on_host) / (bits * parameters.link_share),
        moved_s_per_byte: if host.is_virtual { parameters.virtual_io_s_per_byte } else { 0.0 },
        disks,
        handlers,
        waiting: VecDeque::new(),
        log: ServerLog::default(),
        pauses: Random::new(0, "hbase-pauses", 0),
        background_bytes: 0.0,
        merged_bytes: 0.0,
    }
}

/// A worker's part of its host's processors; less if all virtual CPUs are more than the host's threads.
fn processors(host: &HostGroup, worker: &WorkerGroup, parameters: &Parameters) -> Processors<Job> {
    let cores = f64::from(host.sockets * host.cores_per_socket);
    let threads = cores * f64::from(host.threads_per_core);
    let promised: u32 = host.workers.iter().map(|workers| workers.count * workers.vcpus).sum();
    let part = f64::from(worker.vcpus) / f64::from(promised).max(threads);
    let gain = if host.threads_per_core > 1 { parameters.thread_gain } else { 0.0 };
    let factor = Factors::new(worker, host.is_virtual, parameters).of(Work::Memory);
    Processors::new(cores * part, threads * part, gain, host.speed, factor)
}

/// The processors of a client: a machine like the first host, without other work.
pub(crate) fn client(scenario: &Scenario, cpus: u32) -> Processors<Job> {
    let host = &scenario.hosts[0];
    let threads = f64::from(cpus);
    let cores = threads / f64::from(host.threads_per_core);
    let gain = if host.threads_per_core > 1 { scenario.parameters.thread_gain } else { 0.0 };
    Processors::new(cores, threads, gain, host.speed, 1.0)
}
