//! The state of the simulated cluster, and the small steps that programs consist of.

use crate::attempt::Attempts;
use crate::cluster::{Cluster, Sharing};
use crate::cpu_meter::CpuMeter;
use crate::error::{Error, Result};
use crate::machine::Machine;
use crate::models::cpu::Work;
use crate::models::disk::{READ, WRITE};
use crate::models::masters::{Heartbeats, Master};
use crate::models::placement::Placer;
use crate::random::Random;
use crate::recorder::Recorder;
use crate::sampler::Sampler;
use crate::scenario::Scenario;
use crate::sharing::Network;
use crate::time::Time;
use crate::totals::{HostTotals, Totals};
use crate::twins::{Replica, Site, Twins};
use crate::uses::{PLAIN_USE, Uses};
use crate::watch::Watch;
use crate::writeback::Writebacks;

/// The shortest interval of heartbeats, seconds.
pub(crate) const MIN_HEARTBEAT_S: f64 = 0.1;

/// The state that programs act on.
pub(crate) struct World<'a> {
    pub(crate) scenario: &'a Scenario,
    pub(crate) twins: Twins,
    pub(crate) now: Time,
    pub(crate) cluster: Cluster,
    pub(crate) network: Network<Machine>,
    pub(crate) placer: Placer,
    pub(crate) namenode: Master,
    pub(crate) scheduler: Master,
    pub(crate) attempts: Attempts,
    pub(crate) recorder: Recorder,
    pub(crate) choices: Random,
    pub(crate) spread: Random,
    pub(crate) uses: Uses,
    pub(crate) writebacks: Writebacks,
    pub(crate) activities: u64,
    pub(crate) watch: &'a dyn Watch,
    pub(crate) cpu_meter: CpuMeter,
    sampler: Option<Sampler>,
}

/// A stream of an attempt, in addition to its uses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stream {
    /// Units of work, usually bytes.
    pub(crate) work: f64,
    /// Reference core-seconds of the attempt's own threads for each unit of streaming work. They bound its rate.
    pub(crate) stream_s: f64,
    /// The same for work in memory.
    pub(crate) memory_s: f64,
    /// The number of threads that do this work.
    pub(crate) threads: f64,
    /// Seconds before or between transfers.
    pub(crate) pause_s: f64,
}

impl<'a> World<'a> {
    pub(crate) fn new(scenario: &'a Scenario, twins: Twins, sharing: Sharing, watch: &'a dyn Watch) -> Self {
        let (cluster, network) = Cluster::new(scenario, twins.capacity_factor, sharing);
        let parameters = &scenario.parameters;
        let cpu_meter = CpuMeter::new(cluster.hosts.len());
        let master = |beat_s: f64| {
            let interval_s = scenario.scheduling.heartbeat_s.max(MIN_HEARTBEAT_S);
            let workers = cluster.workers.len() as f64 * twins.scale;
            let heartbeats = Heartbeats { workers, interval_s, cpu_s: beat_s };
            Master::new(&scenario.masters, heartbeats, twins.scale, parameters)
        };
        Self {
            writebacks: Writebacks::new(cluster.disks.len()),
            placer: Placer::new(&cluster, &scenario.hdfs, twins.count, scenario.seed),
            now: Time::ZERO,
            namenode: master(parameters.namenode_beat_s),
            scheduler: master(parameters.scheduler_beat_s),
            cluster,
            network,
            attempts: Attempts::default(),
            recorder: Recorder::new(&scenario.record),
            choices: Random::new(scenario.seed, "choices", 0),
            spread: Random::new(scenario.seed, "spread", 0),
            uses: Uses::default(),
            activities: 0,
            watch,
            cpu_meter,
            sampler: scenario.record.sample_interval_s.map(Sampler::new),
            scenario,
            twins,
        }
    }

    /// Advances the time, taking samples that are due before.
    pub(crate) fn set_now(&mut self, now: Time) -> Result<()> {
        loop {
            let sample = self.sampler.as_ref().map(Sampler::due).filter(|&due| due <= now);
            let meter = Some(self.cpu_meter.due()).filter(|&due| due <= now);
            let Some(due) = sample.into_iter().chain(meter).min() else { break };
            self.now = due;
            self.cpu_meter.update(due, &self.cluster, &mut self.network);
            if sample == Some(due) {
                self.sample();
            }
        }
        self.now = now;
        if self.watch.cancelled() { Err(Error::Cancelled) } else { Ok(()) }
    }

    fn sample(&mut self) {
        let hosts = self.hosts();
        if let Some(sampler) = &mut self.sampler {
            sampler.take(self.now, &self.cluster, &hosts, &mut self.recorder);
        }
    }

    /// Begins a workload with a sample, so that its totals are exact.
    pub(crate) fn begin_workload(&mut self, kind: &'static str) {
        self.watch.begin(kind);
        self.sample();
        let totals = self.totals();
        self.recorder.begin_workload(kind, totals);
    }

    /// Lets time pass without a running task.
    pub(crate) fn pause(&mut self, seconds: f64) -> Result<()> {
        let end = self.now.after(seconds);
        while let Some(due) = self.network.due().filter(|&due| due <= end) {
            self.finish(due)?;
        }
        self.set_now(end)
    }

    /// Submits a job: splits are computed, the application master starts.
    pub(crate) fn start_job(&mut self) -> Result<()> {
        self.pause(self.scenario.parameters.job_start_s)
    }

    /// Ends a job: the output is committed, the client is notified.
    pub(crate) fn end_job(&mut self) -> Result<()> {
        self.pause(self.scenario.parameters.job_end_s)
    }

    /// Ends a phase of the current workload.
    pub(crate) fn end_phase(&mut self, name: &'static str) {
        self.sample();
        let totals = self.totals();
        self.recorder.end_phase(name, &self.cluster, totals);
    }

    /// A task starts on a worker.
    pub(crate) fn task_started(&mut self, worker: u32) {
        let worker = &mut self.cluster.workers[worker as usize];
        worker.set_tasks(worker.tasks + 1, &self.scenario.parameters);
    }

    /// A task on a worker ends.
    pub(crate) fn task_ended(&mut self, worker: u32) {
        let worker = &mut self.cluster.workers[worker as usize];
        worker.set_tasks(worker.tasks - 1, &self.scenario.parameters);
    }

    /// Starts a stream of an attempt with the uses in [`World::uses`] and its own work. The speeds of the worker and of the
    /// attempt limit its threads. Pauses, and the start of its process before its first stream, make it slower.
    pub(crate) fn stream(&mut self, number: u32, stream: Stream) {
        let Stream { work, stream_s, memory_s, threads, pause_s } = stream;
        let attempt = &mut self.attempts[number];
        let start = std::mem::take(&mut attempt.process);
        let start_s = if work > 0.0 { start.cpu_s / work } else { 0.0 };
        let (speed, number_of_worker) = (attempt.speed, attempt.worker);
        attempt.progress.cpu_s += (start.cpu_s + work * (stream_s + memory_s)) / speed;
        let worker = &self.cluster.workers[number_of_worker as usize];
        let thread_s = |stream_s, memory_s| {
            stream_s * worker.cpu_factor(Work::Stream) + memory_s * worker.cpu_factor(Work::Memory)
        };
        let starting_s = start.seconds + thread_s(start.cpu_s, 0.0) / (worker.thread_speed * speed);
        let own_s = work * thread_s(stream_s, memory_s) / (threads * worker.thread_speed * speed);
        let seconds = own_s + pause_s + starting_s;
        let max_per_s = if seconds > 0.0 { work / seconds } else { f64::INFINITY };
        self.uses.cpu(&self.cluster, number_of_worker, (stream_s + start_s) / speed).work(
            &self.cluster,
            number_of_worker,
            Work::Memory,
            memory_s / speed,
        );
        self.activities += 1;
        let flow = self.network.start(self.now, work, self.uses.as_slice(), max_per_s, u64::from(number));
        self.attempts[number].stream = Some(flow);
        self.writebacks.begin(self.now, &self.cluster, &mut self.network, &mut self.uses);
    }

    /// Adds bytes of intermediate data for a disk to the uses of a stream with this much work, unless the page cache
    /// takes them to be written behind.
    pub(crate) fn write_local(&mut self, disk: u32, bytes: f64, work: f64) {
        let behind = self.scenario.parameters.local_behind > 0.0;
        if bytes > 0.0 && !(behind && self.writebacks.take(&mut self.cluster, disk, bytes)) {
            self.uses.write(&self.cluster, disk, bytes / work);
        }
    }

    /// Starts the process of an attempt without a stream: a reduce that sums up the maps' results. Returns false if it has
    /// been started, or if that takes no time.
    pub(crate) fn start_process(&mut self, number: u32) -> bool {
        let process = self.attempts[number].process;
        if process.seconds <= 0.0 && process.cpu_s <= 0.0 {
            return false;
        }
        self.uses.clear();
        let start = Stream { work: 1.0, stream_s: 0.0, memory_s: 0.0, threads: 1.0, pause_s: 0.0 };
        self.stream(number, start);
        true
    }

    /// Ends the next stream. Returns its attempt, or none for a writeback.
    pub(crate) fn finish(&mut self, due: Time) -> Result<Option<u32>> {
        // Samples that are due before come first: the network keeps no history.
        self.set_now(due)?;
        let finished = self.network.finish().expect("a stream is due");
        if self.writebacks.end(&mut self.cluster, finished.tag) {
            self.writebacks.begin(self.now, &self.cluster, &mut self.network, &mut self.uses);
            return Ok(None);
        }
        let attempt = finished.tag as u32;
        self.attempts[attempt].stream = None;
        Ok(Some(attempt))
    }

    /// The worker of every map slot.
    pub(crate) fn slots(&self) -> Vec<u32> {
        let workers = (0..).zip(&self.cluster.workers);
        workers.flat_map(|(number, worker)| (0..worker.map_slots).map(move |_| number)).collect()
    }

    /// The host of a worker.
    pub(crate) fn host_of(&self, worker: u32) -> u32 {
        self.cluster.workers[worker as usize].host
    }

    /// The replica to read a block from: the reader's own, or one on its host, or in its rack, or any.
    pub(crate) fn nearest(&mut self, reader: Site, replicas: &[Replica]) -> Replica {
        let (mut best, mut equal, mut chosen) = (u32::MAX, 0, replicas[0]);
        for &replica in replicas {
            let distance = self.distance(reader, replica);
            if distance < best {
                (best, equal, chosen) = (distance, 1, replica);
            } else if distance == best {
                equal += 1;
                // All replicas at the same distance have the same probability.
                if self.choices.below(equal) == 0 {
                    chosen = replica;
                }
            }
        }
        chosen
    }

    /// The site of an attempt among the twins of a block's replicas: the site of a replica on its worker, its host or its
    /// rack, or a random one.
    pub(crate) fn reader(&mut self, worker: u32, replicas: &[Replica]) -> Site {
        let worker_of = |replica: &&Replica| self.cluster.disks[replica.disk() as usize].worker;
        let rack = |worker| self.cluster.hosts[self.host_of(worker) as usize].rack;
        let near = replicas.iter().find(|replica| worker_of(replica) == worker);
        let near = near.or_else(|| {
            replicas.iter().find(|replica| self.host_of(worker_of(replica)) == self.host_of(worker))
        });
        let near = near.or_else(|| replicas.iter().find(|replica| rack(worker_of(replica)) == rack(worker)));
        let twin = match near {
            Some(replica) => replica.twin(),
            None => self.any_twin(),
        };
        Site { worker, twin }
    }

    /// A random twin, all with the same probability.
    pub(crate) fn any_twin(&mut self) -> u32 {
        match self.twins.count {
            1 => 0,
            count => self.choices.below(u64::from(count)) as u32,
        }
    }

    fn distance(&self, reader: Site, replica: Replica) -> u32 {
        let worker = self.cluster.disks[replica.disk() as usize].worker;
        let (host, reader_host) = (self.host_of(worker), self.host_of(reader.worker));
        let rack = |host: u32| self.cluster.hosts[host as usize].rack;
        if replica.twin() != reader.twin {
            3
        } else if worker == reader.worker {
            0
        } else if host == reader_host {
            1
        } else if rack(host) == rack(reader_host) {
            2
        } else {
            3
        }
    }
}

impl World<'_> {
    /// The totals of every host since the start of the run.
    pub(crate) fn hosts(&mut self) -> Vec<HostTotals> {
        self.cpu_meter.update(self.now, &self.cluster, &mut self.network);
        let (now, cluster, network) = (self.now, &self.cluster, &mut self.network);
        let totals = cluster.hosts.iter().enumerate().map(|(number, host)| {
            let mut totals = HostTotals {
                busy_s: self.cpu_meter.busy_s(number),
                sent_bytes: network.used(now, host.tx, PLAIN_USE),
                received_bytes: network.used(now, host.rx, PLAIN_USE),
                ..HostTotals::default()
            };
            for worker in &cluster.workers[host.workers.start as usize..host.workers.end as usize] {
                for disk in &cluster.disks[worker.disks.start as usize..worker.disks.end as usize] {
                    totals.read_bytes += network.used(now, disk.resource, READ);
                    totals.written_bytes += network.used(now, disk.resource, WRITE);
                }
            }
            totals
        });
        totals.collect()
    }

    /// The totals of the cluster since the start of the run.
    pub(crate) fn totals(&mut self) -> Totals {
        Totals {
            time: self.now,
            hosts: self.hosts(),
            namenode_s: self.namenode.busy_s(self.now),
            scheduler_s: self.scheduler.busy_s(self.now),
        }
    }
}
