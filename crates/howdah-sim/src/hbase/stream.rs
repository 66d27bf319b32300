//! The stream of a program's operations, event by event.

use crate::error::{Error, Result};
use crate::parameters::Parameters;
use crate::queue::Queue;
use crate::random::Random;
use crate::scenario::Scenario;
use crate::time::Time;
use crate::watch::Watch;

use super::keys::Popularity;
use super::latencies::{Interval, TimesOfAll};
use super::operation::{Operation, Thread};
use super::regions::Regions;
use super::scenario::{HBase, Program};
use super::servers::{Server, client, servers};
use super::stations::Processors;
use super::{Asked, Busy};

/// So many operations show the slowest hundredth of the rarest kind within a few per cent.
const MOST: u64 = 150_000;
/// Operations of each thread that fill the queues before anything is counted.
const BEFORE: u64 = 20;
/// Operations are told of by such intervals, as YCSB does.
const INTERVAL_S: f64 = 1.0;
/// A block of HBase's files (`BLOCKSIZE` of a table).
pub(super) const BLOCK_BYTES: f64 = 65_536.0;

/// What a processor works on.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Job {
    /// A client makes a thread's request.
    Ask(usize),
    /// A server works on it.
    Serve(usize),
    /// A server sends the answer to what it has in its log.
    Acknowledge(usize),
    /// A DataNode writes a part of a server's log.
    Replica(usize),
    /// A server merges files.
    Merge,
}

/// What happens.
#[derive(Clone, Copy, Debug)]
pub(super) enum Event {
    Begin(usize),
    Arrive(usize),
    Append(usize),
    Blocks(usize),
    Answer(usize),
    Replicated(usize),
    Pause(usize),
    Resume(usize),
    /// A client's or server's next job ends, if nothing has changed since.
    Client(usize, u64),
    Server(usize, u64),
}

/// What was seen of a stream.
pub(crate) struct Told {
    pub(crate) asked: Asked,
    /// Seconds that were simulated and counted.
    pub(crate) seconds: f64,
    pub(crate) cpu_busy: f64,
    pub(crate) disk_read_bytes: f64,
    pub(crate) disk_written_bytes: f64,
    pub(crate) moved_bytes: f64,
    pub(crate) events: u64,
}

pub(crate) struct Stream<'a> {
    pub(super) hbase: &'a HBase,
    pub(super) program: &'a Program,
    pub(super) parameters: &'a Parameters,
    pub(super) regions: Regions,
    pub(super) in_memory: f64,
    /// How often a byte that is written is read and written again when files are merged.
    pub(super) rewritten: f64,
    /// Share of what is written that is flushed while it lasts.
    pub(super) flushed: f64,
    pub(super) queue: Queue<Event>,
    pub(super) random: Random,
    pub(super) threads: Vec<Thread>,
    pub(super) clients: Vec<Processors<Job>>,
    pub(super) servers: Vec<Server>,
    pub(super) now: Time,
    pub(super) done: u64,
    pub(super) counted: u64,
    pub(super) counted_from: Option<Time>,
    /// All that counts.
    times: TimesOfAll,
    /// What ended since the last interval did, where those are asked for.
    interval: Option<TimesOfAll>,
    interval_from: Time,
    intervals: Vec<Interval>,
    pub(super) disk_read_bytes: f64,
    pub(super) disk_written_bytes: f64,
    pub(super) moved_bytes: f64,
    pub(super) events: u64,
}

/// Operations of a program that are simulated and counted.
pub(crate) fn counted(program: &Program) -> u64 {
    program.operations.min(MOST)
}

impl<'a> Stream<'a> {
    pub(crate) fn new(scenario: &'a Scenario, hbase: &'a HBase, program: &'a Program, number: u64) -> Self {
        let seed = scenario.seed;
        let servers = servers(scenario, hbase, number);
        let cached = hbase.block_cache_bytes + hbase.page_cache_bytes;
        let table_bytes = program.records as f64 * program.record_bytes;
        let each_bytes = table_bytes / servers.len() as f64;
        // What was loaded last has not been flushed, and lies in memory beside the blocks.
        let resident = (hbase.memstore_bytes / 2.0)
            .min(hbase.flush_bytes / 2.0 * f64::from(program.regions) / servers.len() as f64);
        let fresh = (resident / each_bytes).min(1.0);
        let popularity = Popularity::new(
            program.distribution,
            program.records as f64 / servers.len() as f64,
            (BLOCK_BYTES / program.record_bytes).max(1.0),
        );
        let held = popularity.held(cached / BLOCK_BYTES.max(program.record_bytes));
        let region_bytes = table_bytes / f64::from(program.regions);
        let written_bytes =
            program.operations as f64 * written_per_operation(program) / f64::from(program.regions);
        let threads = program.clients as usize * program.threads as usize;
        Self {
            hbase,
            program,
            parameters: &scenario.parameters,
            regions: Regions::new(program, servers.len(), seed),
            in_memory: fresh + (1.0 - fresh) * held,
            rewritten: (region_bytes / hbase.flush_bytes).max(1.0).ln()
                / f64::from(hbase.compacted_files).ln(),
            flushed: (1.0 - hbase.flush_bytes / (region_bytes.min(hbase.flush_bytes) + written_bytes))
                .max(0.0),
            queue: Queue::new(),
            random: Random::new(seed, "hbase", number),
            threads: (0..threads).map(|place| Thread::new(seed.wrapping_add(number), place)).collect(),
            clients: (0..program.clients).map(|_| client(scenario, hbase.client_cpus)).collect(),
            servers,
            now: Time::ZERO,
            done: 0,
            counted: 0,
            counted_from: None,
            times: TimesOfAll::default(),
            interval: scenario.record.sample_interval_s.map(|_| TimesOfAll::default()),
            interval_from: Time::ZERO,
            intervals: Vec::new(),
            disk_read_bytes: 0.0,
            disk_written_bytes: 0.0,
            moved_bytes: 0.0,
            events: 0,
        }
    }

    /// Simulates as many operations as show what all of them come to.
    pub(crate) fn run(mut self, watch: &dyn Watch) -> Result<Told> {
        let interval_s = self.interval_s().unwrap_or(1e-3);
        for thread in 0..self.threads.len() {
            // Threads begin at any time within their interval, as YCSB's do.
            let at = Time::ZERO.after(self.random.unit() * interval_s);
            self.threads[thread].intended = at;
            self.queue.push(at, Event::Begin(thread));
        }
        for server in 0..self.servers.len() {
            self.pause_later(server);
        }
        let before = BEFORE * self.threads.len() as u64;
        let last = before + counted(self.program);
        let mut told = 0;
        while self.done < last {
            let Some((now, event)) = self.queue.pop() else { break };
            self.now = now;
            self.events += 1;
            self.handle(event);
            self.end_interval(false);
            if self.counted_from.is_none() && self.done >= before {
                self.begin_counting();
            }
            if self.events % 65_536 == 0 {
                if watch.cancelled() {
                    return Err(Error::Cancelled);
                }
                let counted = self.done.saturating_sub(before);
                watch.advance(counted - told);
                told = counted;
            }
        }
        self.end_interval(true);
        watch.advance(counted(self.program) - told);
        Ok(self.told())
    }

    /// Forgets what was used while the queues filled.
    fn begin_counting(&mut self) {
        self.counted_from = Some(self.now);
        self.counted = 0;
        self.times = TimesOfAll::default();
        self.interval_from = self.now;
        self.interval = self.interval.take().map(|_| TimesOfAll::default());
        self.intervals.clear();
        (self.disk_read_bytes, self.disk_written_bytes, self.moved_bytes) = (0.0, 0.0, 0.0);
        for client in &mut self.clients {
            client.used = 0.0;
        }
        for server in &mut self.servers {
            server.processors.used = 0.0;
            server.log.used = 0.0;
            server.links.iter_mut().chain(&mut server.disks).for_each(|line| line.used = 0.0);
        }
    }

    /// Counts the time of an operation, or of a half of one.
    pub(super) fn timed(&mut self, kind: Operation, seconds: f64) {
        self.times.asked[kind as usize].count(seconds);
        if let Some(interval) = &mut self.interval {
            interval.asked[kind as usize].count(seconds);
        }
    }

    /// Counts its time from when it should have begun.
    pub(super) fn timed_as_intended(&mut self, kind: Operation, seconds: f64) {
        self.times.intended[kind as usize].count(seconds);
        if let Some(interval) = &mut self.interval {
            interval.intended[kind as usize].count(seconds);
        }
    }

    /// Ends an interval that has had its time, or the last one.
    fn end_interval(&mut self, last: bool) {
        let Some(from) = self.counted_from else { return };
        if !last && self.now.since(self.interval_from) < INTERVAL_S {
            return;
        }
        let Some(interval) = &mut self.interval else { return };
        let latencies = std::mem::take(interval).told();
        if !latencies.is_empty() {
            let (start_s, end_s) = (self.interval_from.since(from), self.now.since(from));
            self.intervals.push(Interval { start_s, end_s, latencies });
        }
        self.interval_from = self.now;
    }

    /// Seconds between two operations of one thread, where a rate is asked for.
    pub(super) fn interval_s(&self) -> Option<f64> {
        self.program.target_per_s.map(|target| self.threads.len() as f64 / target)
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Begin(thread) => self.begin(thread),
            Event::Arrive(thread) => self.arrive(thread),
            Event::Append(thread) => self.append(thread),
            Event::Blocks(thread) => self.answer(thread),
            Event::Answer(thread) => self.answered(thread),
            Event::Replicated(server) => self.replicated(server),
            Event::Pause(server) => self.pause(server, true),
            Event::Resume(server) => self.pause(server, false),
            Event::Client(client, version) => {
                if self.clients[client].version == version {
                    let ended = self.clients[client].ended(self.now);
                    self.watch_client(client);
                    self.end(ended);
                }
            }
            Event::Server(server, version) => {
                if self.servers[server].processors.version == version {
                    let ended = self.servers[server].processors.ended(self.now);
                    self.watch_server(server);
                    self.end(ended);
                }
            }
        }
    }

    fn end(&mut self, job: Option<Job>) {
        match job {
            Some(Job::Ask(thread)) => self.send(thread),
            Some(Job::Serve(thread)) => self.served(thread),
            Some(Job::Acknowledge(thread)) => self.answer(thread),
            Some(Job::Replica(server)) => self.written(server),
            Some(Job::Merge) | None => {}
        }
    }

    pub(super) fn watch_client(&mut self, client: usize) {
        let processors = &self.clients[client];
        if let Some(due) = processors.due() {
            self.queue.push(due.max(self.now), Event::Client(client, processors.version));
        }
    }

    fn watch_server(&mut self, server: usize) {
        let processors = &self.servers[server].processors;
        if let Some(due) = processors.due() {
            self.queue.push(due.max(self.now), Event::Server(server, processors.version));
        }
    }

    /// Gives a server's processors so many seconds of work.
    pub(super) fn work(&mut self, server: usize, seconds: f64, job: Job) {
        self.servers[server].processors.add(self.now, seconds, job);
        self.watch_server(server);
    }

    /// A server stands still for a while, again and again: for collections of its heap, or for want of processors.
    fn pause(&mut self, server: usize, stopped: bool) {
        self.servers[server].processors.stop(self.now, stopped);
        self.watch_server(server);
        if stopped {
            let span_s = self.parameters.hbase_pause_s * self.servers[server].pauses.exponential();
            self.queue.push(self.now.after(span_s), Event::Resume(server));
        } else {
            self.pause_later(server);
        }
    }

    fn pause_later(&mut self, server: usize) {
        let (pause_s, share) = (self.parameters.hbase_pause_s, self.parameters.hbase_pause_share);
        if pause_s > 0.0 && share > 0.0 {
            let span_s = pause_s * (1.0 - share) / share * self.servers[server].pauses.exponential();
            self.queue.push(self.now.after(span_s), Event::Pause(server));
        }
    }

    fn told(self) -> Told {
        let seconds = self.now.since(self.counted_from.unwrap_or(Time::ZERO)).max(1e-9);
        let busiest = |used: &mut dyn Iterator<Item = f64>| used.fold(0.0, f64::max) / seconds;
        let processors = |all: &mut dyn Iterator<Item = &Processors<Job>>| {
            all.map(|one| one.used / one.available()).fold(0.0, f64::max) / seconds
        };
        let servers = &self.servers;
        let stations = vec![
            Busy { station: "client processors", busy: processors(&mut self.clients.iter()) },
            Busy {
                station: "server processors",
                busy: processors(&mut servers.iter().map(|server| &server.processors)),
            },
            Busy {
                station: "disks",
                busy: busiest(&mut servers.iter().flat_map(|server| &server.disks).map(|disk| disk.used)),
            },
            Busy {
                station: "links",
                busy: busiest(&mut servers.iter().flat_map(|server| &server.links).map(|link| link.used)),
            },
            Busy { station: "log", busy: busiest(&mut servers.iter().map(|server| server.log.used)) },
        ];
        let used: f64 = servers.iter().map(|server| server.processors.used).sum();
        let threads: f64 = servers.iter().map(|server| server.processors.count()).sum();
        let cpu_busy = used / threads / seconds;
        Told {
            asked: Asked {
                throughput_per_s: self.counted as f64 / seconds,
                target_per_s: self.program.target_per_s,
                simulated: self.counted,
                latencies: self.times.told(),
                intervals: self.intervals,
                in_memory: self.in_memory,
                stations,
            },
            seconds,
            cpu_busy,
            disk_read_bytes: self.disk_read_bytes,
            disk_written_bytes: self.disk_written_bytes,
            moved_bytes: self.moved_bytes,
            events: self.events,
        }
    }
}

/// Bytes that an operation writes on average.
fn written_per_operation(program: &Program) -> f64 {
    let shares = &program.shares;
    (shares.update + shares.read_modify_write) * program.update_bytes + shares.insert * program.record_bytes
}
