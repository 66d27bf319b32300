//! The simulated cluster while it runs: its state, and the small steps that programs are made of.

use crate::attempt::Attempts;
use crate::cluster::{Cluster, Sharing};
use crate::error::{Error, Result};
use crate::ledger::Ledger;
use crate::machine::Machine;
use crate::meter::Meter;
use crate::models::cpu::Work;
use crate::models::disk::{READ, WRITE};
use crate::models::masters::{Beats, Master};
use crate::models::placement::Placer;
use crate::random::Random;
use crate::sampler::Sampler;
use crate::scenario::Scenario;
use crate::sharing::Network;
use crate::time::Time;
use crate::totals::{HostTotals, Totals};
use crate::twins::{Replica, Site, Twins};
use crate::uses::Uses;
use crate::watch::Watch;
use crate::writeback::Writebacks;

/// Class of every use that is of no disk.
const ONLY: u8 = 0;

/// Heartbeats come no more often than at this interval, seconds.
pub(crate) const MOST_OFTEN_S: f64 = 0.1;

/// Everything that a program acts upon.
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
    pub(crate) ledger: Ledger,
    pub(crate) choices: Random,
    pub(crate) spread: Random,
    pub(crate) uses: Uses,
    pub(crate) writebacks: Writebacks,
    pub(crate) activities: u64,
    pub(crate) watch: &'a dyn Watch,
    pub(crate) meter: Meter,
    sampler: Option<Sampler>,
}

/// What a stream of an attempt is, beside what it uses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stream {
    /// Units of work, bytes as a rule.
    pub(crate) work: f64,
    /// Reference core-seconds of the attempt's own threads for each unit, of work that streams. They bound its rate.
    pub(crate) stream_s: f64,
    /// The same of work in memory.
    pub(crate) memory_s: f64,
    /// Threads over which they spread at most.
    pub(crate) threads: f64,
    /// Seconds in which nothing moves before or between.
    pub(crate) pause_s: f64,
}

impl<'a> World<'a> {
    pub(crate) fn new(scenario: &'a Scenario, twins: Twins, sharing: Sharing, watch: &'a dyn Watch) -> Self {
        let (cluster, network) = Cluster::new(scenario, twins.room, sharing);
        let parameters = &scenario.parameters;
        let meter = Meter::new(cluster.hosts.len());
        let master = |beat_s: f64| {
            let interval_s = scenario.scheduling.heartbeat_s.max(MOST_OFTEN_S);
            let workers = cluster.workers.len() as f64 * twins.times;
            let beats = Beats { workers, interval_s, cpu_s: beat_s };
            Master::new(&scenario.masters, beats, twins.times, parameters)
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
            ledger: Ledger::new(&scenario.record),
            choices: Random::new(scenario.seed, "choices", 0),
            spread: Random::new(scenario.seed, "spread", 0),
            uses: Uses::default(),
            activities: 0,
            watch,
            meter,
            sampler: scenario.record.sample_interval_s.map(Sampler::new),
            scenario,
            twins,
        }
    }

    /// Time goes on; samples that are due on the way are taken.
    pub(crate) fn set_now(&mut self, now: Time) -> Result<()> {
        loop {
            let sample = self.sampler.as_ref().map(Sampler::due).filter(|&due| due <= now);
            let look = Some(self.meter.due()).filter(|&due| due <= now);
            let Some(due) = sample.into_iter().chain(look).min() else { break };
            self.now = due;
            self.meter.look(due, &self.cluster, &mut self.network);
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
            sampler.take(self.now, &self.cluster, &hosts, &mut self.ledger);
        }
    }

    /// Begins a workload, with a sample of its own so that what it does can be told exactly.
    pub(crate) fn begin_workload(&mut self, kind: &'static str) {
        self.watch.begin(kind);
        self.sample();
        let totals = self.totals();
        self.ledger.begin_workload(kind, totals);
    }

    /// No task does anything for so many seconds.
    pub(crate) fn pause(&mut self, seconds: f64) -> Result<()> {
        let end = self.now.after(seconds);
        while let Some(due) = self.network.due().filter(|&due| due <= end) {
            self.finish(due)?;
        }
        self.set_now(end)
    }

    /// A job is submitted: its splits are made, its master starts.
    pub(crate) fn job_starts(&mut self) -> Result<()> {
        self.pause(self.scenario.parameters.job_start_s)
    }

    /// A job is over: its output is moved into place, its client is told.
    pub(crate) fn job_ends(&mut self) -> Result<()> {
        self.pause(self.scenario.parameters.job_end_s)
    }

    /// Ends a phase of the workload that runs.
    pub(crate) fn end_phase(&mut self, name: &'static str) {
        self.sample();
        let totals = self.totals();
        self.ledger.end_phase(name, &self.cluster, totals);
    }

    /// A task begins on a worker.
    pub(crate) fn task_began(&mut self, worker: u32) {
        let worker = &mut self.cluster.workers[worker as usize];
        worker.run(worker.tasks + 1, &self.scenario.parameters);
    }

    /// A task on a worker has ended.
    pub(crate) fn task_ended(&mut self, worker: u32) {
        let worker = &mut self.cluster.workers[worker as usize];
        worker.run(worker.tasks - 1, &self.scenario.parameters);
    }

    /// Starts a stream of an attempt over what [`World::uses`] holds and its own work. Its threads run at most at its
    /// worker's speed and its own; pauses make it slower on the whole, as does the start of its process where it is its first.
    pub(crate) fn stream(&mut self, number: u32, stream: Stream) {
        let Stream { work, stream_s, memory_s, threads, pause_s } = stream;
        let attempt = &mut self.attempts[number];
        let start = std::mem::take(&mut attempt.process);
        let start_s = if work > 0.0 { start.cpu_s / work } else { 0.0 };
        let (speed, number_of_worker) = (attempt.speed, attempt.worker);
        attempt.done.cpu_s += (start.cpu_s + work * (stream_s + memory_s)) / speed;
        let worker = &self.cluster.workers[number_of_worker as usize];
        let thread_s = |stream_s, memory_s| {
            stream_s * worker.factor(Work::Stream) + memory_s * worker.factor(Work::Memory)
        };
        let starting_s = start.seconds + thread_s(start.cpu_s, 0.0) / (worker.thread * speed);
        let own_s = work * thread_s(stream_s, memory_s) / (threads * worker.thread * speed);
        let seconds = own_s + pause_s + starting_s;
        let most = if seconds > 0.0 { work / seconds } else { f64::INFINITY };
        self.uses.cpu(&self.cluster, number_of_worker, (stream_s + start_s) / speed).work(
            &self.cluster,
            number_of_worker,
            Work::Memory,
            memory_s / speed,
        );
        self.activities += 1;
        let flow = self.network.start(self.now, work, self.uses.as_slice(), most, u64::from(number));
        self.attempts[number].stream = Some(flow);
        self.writebacks.begin(self.now, &self.cluster, &mut self.network, &mut self.uses);
    }

    /// Adds bytes of intermediate data for a disk to the uses of a stream of so much work, unless the page cache takes
    /// them for the disk to be written behind it.
    pub(crate) fn write_local(&mut self, disk: u32, bytes: f64, work: f64) {
        let behind = self.scenario.parameters.local_behind > 0.0;
        if bytes > 0.0 && !(behind && self.writebacks.take(&mut self.cluster, disk, bytes)) {
            self.uses.write(&self.cluster, disk, bytes / work);
        }
    }

    /// Starts the process of an attempt that has no stream of its own to begin with: a reduce that sums up what maps
    /// tell. Returns false where it has been started, or where that takes nothing.
    pub(crate) fn start_process(&mut self, number: u32) -> bool {
        let process = self.attempts[number].process;
        if process.seconds <= 0.0 && process.cpu_s <= 0.0 {
            return false;
        }
        self.uses.clear();
        let nothing = Stream { work: 1.0, stream_s: 0.0, memory_s: 0.0, threads: 1.0, pause_s: 0.0 };
        self.stream(number, nothing);
        true
    }

    /// Takes out the stream that is over next. Returns its attempt, or none if it was a writeback.
    pub(crate) fn finish(&mut self, due: Time) -> Result<Option<u32>> {
        // Samples on the way come first: the network does not look back.
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

    /// The replica to read a block from: the reader's own, else one of its host, of its rack, or any.
    pub(crate) fn nearest(&mut self, reader: Site, places: &[Replica]) -> Replica {
        let (mut best, mut same, mut chosen) = (u32::MAX, 0, places[0]);
        for &place in places {
            let distance = self.distance(reader, place);
            if distance < best {
                (best, same, chosen) = (distance, 1, place);
            } else if distance == best {
                same += 1;
                // Each of the equally near is as likely.
                if self.choices.below(same) == 0 {
                    chosen = place;
                }
            }
        }
        chosen
    }

    /// Where an attempt's worker stands among the twins of a block's replicas: where a replica is that it has or that its
    /// host has, else anywhere.
    pub(crate) fn reader(&mut self, worker: u32, places: &[Replica]) -> Site {
        let of = |place: &&Replica| self.cluster.disks[place.disk() as usize].worker;
        let rack = |worker| self.cluster.hosts[self.host_of(worker) as usize].rack;
        let near = places.iter().find(|place| of(place) == worker);
        let near =
            near.or_else(|| places.iter().find(|place| self.host_of(of(place)) == self.host_of(worker)));
        let near = near.or_else(|| places.iter().find(|place| rack(of(place)) == rack(worker)));
        let twin = match near {
            Some(place) => place.twin(),
            None => self.any_twin(),
        };
        Site { worker, twin }
    }

    /// One of the twins, each as likely.
    pub(crate) fn any_twin(&mut self) -> u32 {
        match self.twins.count {
            1 => 0,
            count => self.choices.below(u64::from(count)) as u32,
        }
    }

    fn distance(&self, reader: Site, place: Replica) -> u32 {
        let other = self.cluster.disks[place.disk() as usize].worker;
        let (here, there) = (self.host_of(reader.worker), self.host_of(other));
        let apart = place.twin() != reader.twin;
        if other == reader.worker && !apart {
            0
        } else if here == there && !apart {
            1
        } else if !apart && self.cluster.hosts[here as usize].rack == self.cluster.hosts[there as usize].rack
        {
            2
        } else {
            3
        }
    }
}

impl World<'_> {
    /// What every host has done until now.
    pub(crate) fn hosts(&mut self) -> Vec<HostTotals> {
        self.meter.look(self.now, &self.cluster, &mut self.network);
        let (now, cluster, network) = (self.now, &self.cluster, &mut self.network);
        let totals = cluster.hosts.iter().enumerate().map(|(number, host)| {
            let mut totals = HostTotals {
                busy_s: self.meter.busy_s(number),
                sent_bytes: network.used(now, host.tx, ONLY),
                received_bytes: network.used(now, host.rx, ONLY),
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

    /// What the cluster has done until now.
    pub(crate) fn totals(&mut self) -> Totals {
        Totals {
            time: self.now,
            hosts: self.hosts(),
            namenode_s: self.namenode.busy_s(self.now),
            scheduler_s: self.scheduler.busy_s(self.now),
        }
    }
}
