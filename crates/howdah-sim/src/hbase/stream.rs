//! The stream of a program's operations, event by event.

use crate::error::{Error, Result};
use crate::parameters::Parameters;
use crate::queue::Queue;
use crate::random::Random;
use crate::scenario::Scenario;
use crate::time::Time;
use crate::watch::Watch;

use super::latencies::{Interval, OperationTimes};
use super::operation::{Operation, Thread};
use super::popularity::Popularity;
use super::regions::Regions;
use super::scenario::{HBase, Program};
use super::servers::{Server, client, servers};
use super::stations::Processors;
use super::{ClientSummary, StationUse};

/// This many operations show the slowest hundredth of the rarest kind to within a few per cent.
const MAX_OPERATIONS: u64 = 150_000;
/// Operations of each thread that fill the queues before the measurement.
const WARM_UP: u64 = 20;
/// Length of the reported intervals, as in YCSB.
const INTERVAL_S: f64 = 1.0;
/// A block of HBase's files (`BLOCKSIZE` of a table).
pub(super) const BLOCK_BYTES: f64 = 65_536.0;

/// A job of a processor.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Job {
    /// A client prepares a thread's request.
    Request(usize),
    /// A server executes a request.
    Serve(usize),
    /// A server acknowledges a write.
    Acknowledge(usize),
    /// A DataNode writes a part of a server's log.
    Replica(usize),
    /// A server merges files.
    Merge,
}

/// An event at some time.
#[derive(Clone, Copy, Debug)]
pub(super) enum Event {
    Begin(usize),
    Arrive(usize),
    Append(usize),
    Blocks(usize),
    Response(usize),
    Replicated(usize),
    Pause(usize),
    Resume(usize),
    /// The next job of a client or a server ends, unless its processors have changed since.
    Client(usize, u64),
    Server(usize, u64),
}

/// The results of a stream.
pub(crate) struct StreamSummary {
    pub(crate) clients: ClientSummary,
    /// Measured seconds.
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
    /// How often a written byte is read and written again by merges.
    pub(super) rewritten: f64,
    /// Share of the written bytes that is flushed during the program.
    pub(super) flushed_share: f64,
    pub(super) queue: Queue<Event>,
    pub(super) random: Random,
    pub(super) threads: Vec<Thread>,
    pub(super) clients: Vec<Processors<Job>>,
    pub(super) servers: Vec<Server>,
    pub(super) now: Time,
    pub(super) completed: u64,
    pub(super) measured: u64,
    pub(super) measured_from: Option<Time>,
    /// Times since the start of the measurement.
    times: OperationTimes,
    /// Times since the start of the interval, if intervals are requested.
    interval: Option<OperationTimes>,
    interval_from: Time,
    intervals: Vec<Interval>,
    pub(super) disk_read_bytes: f64,
    pub(super) disk_written_bytes: f64,
    pub(super) moved_bytes: f64,
    pub(super) events: u64,
}

/// The number of a program's operations that are simulated and measured.
pub(crate) fn measured_operations(program: &Program) -> u64 {
    program.operations.min(MAX_OPERATIONS)
}

impl<'a> Stream<'a> {
    pub(crate) fn new(scenario: &'a Scenario, hbase: &'a HBase, program: &'a Program, number: u64) -> Self {
        let seed = scenario.seed;
        let servers = servers(scenario, hbase, number);
        let cached = hbase.block_cache_bytes + hbase.page_cache_bytes;
        let table_bytes = program.records as f64 * program.record_bytes;
        let server_bytes = table_bytes / servers.len() as f64;
        // The data loaded last are not flushed and are in memory in addition to cached blocks.
        let resident = (hbase.memstore_bytes / 2.0)
            .min(hbase.flush_bytes / 2.0 * f64::from(program.regions) / servers.len() as f64);
        let unflushed = (resident / server_bytes).min(1.0);
        let popularity = Popularity::new(
            program.distribution,
            program.records as f64 / servers.len() as f64,
            (BLOCK_BYTES / program.record_bytes).max(1.0),
        );
        let hit_ratio = popularity.hit_ratio(cached / BLOCK_BYTES.max(program.record_bytes));
        let region_bytes = table_bytes / f64::from(program.regions);
        let written_bytes =
            program.operations as f64 * written_per_operation(program) / f64::from(program.regions);
        let threads = program.clients as usize * program.threads as usize;
        Self {
            hbase,
            program,
            parameters: &scenario.parameters,
            regions: Regions::new(program, servers.len(), seed),
            in_memory: unflushed + (1.0 - unflushed) * hit_ratio,
            rewritten: (region_bytes / hbase.flush_bytes).max(1.0).ln()
                / f64::from(hbase.compacted_files).ln(),
            flushed_share: (1.0 - hbase.flush_bytes / (region_bytes.min(hbase.flush_bytes) + written_bytes))
                .max(0.0),
            queue: Queue::new(),
            random: Random::new(seed, "hbase", number),
            threads: (0..threads).map(|index| Thread::new(seed.wrapping_add(number), index)).collect(),
            clients: (0..program.clients).map(|_| client(scenario, hbase.client_cpus)).collect(),
            servers,
            now: Time::ZERO,
            completed: 0,
            measured: 0,
            measured_from: None,
            times: OperationTimes::default(),
            interval: scenario.record.sample_interval_s.map(|_| OperationTimes::default()),
            interval_from: Time::ZERO,
            intervals: Vec::new(),
            disk_read_bytes: 0.0,
            disk_written_bytes: 0.0,
            moved_bytes: 0.0,
            events: 0,
        }
    }

    /// Simulates a sample of the operations that is large enough.
    pub(crate) fn run(mut self, watch: &dyn Watch) -> Result<StreamSummary> {
        let interval_s = self.interval_s().unwrap_or(1e-3);
        for thread in 0..self.threads.len() {
            // Threads start at random times within their interval, as in YCSB.
            let start = Time::ZERO.after(self.random.unit() * interval_s);
            self.threads[thread].intended_start = start;
            self.queue.push(start, Event::Begin(thread));
        }
        for server in 0..self.servers.len() {
            self.schedule_pause(server);
        }
        let warm_up = WARM_UP * self.threads.len() as u64;
        let last = warm_up + measured_operations(self.program);
        let mut reported = 0;
        while self.completed < last {
            let Some((now, event)) = self.queue.pop() else { break };
            self.now = now;
            self.events += 1;
            self.handle(event);
            self.end_interval(false);
            if self.measured_from.is_none() && self.completed >= warm_up {
                self.start_measurement();
            }
            if self.events % 65_536 == 0 {
                if watch.cancelled() {
                    return Err(Error::Cancelled);
                }
                let measured = self.completed.saturating_sub(warm_up);
                watch.advance(measured - reported);
                reported = measured;
            }
        }
        self.end_interval(true);
        watch.advance(measured_operations(self.program) - reported);
        Ok(self.summary())
    }

    /// Resets all counters after the queues have filled.
    fn start_measurement(&mut self) {
        self.measured_from = Some(self.now);
        self.measured = 0;
        self.times = OperationTimes::default();
        self.interval_from = self.now;
        self.interval = self.interval.take().map(|_| OperationTimes::default());
        self.intervals.clear();
        (self.disk_read_bytes, self.disk_written_bytes, self.moved_bytes) = (0.0, 0.0, 0.0);
        for client in &mut self.clients {
            client.used_s = 0.0;
        }
        for server in &mut self.servers {
            server.processors.used_s = 0.0;
            server.log.used_s = 0.0;
            let disks = server.disks.iter_mut().map(|disk| &mut disk.queue);
            server.links.iter_mut().chain(disks).for_each(|line| line.used_s = 0.0);
        }
    }

    /// Records the duration of an operation or of a part of one.
    pub(super) fn record_time(&mut self, kind: Operation, seconds: f64) {
        self.times.measured[kind as usize].count(seconds);
        if let Some(interval) = &mut self.interval {
            interval.measured[kind as usize].count(seconds);
        }
    }

    /// Records the duration of an operation since its intended start.
    pub(super) fn record_intended(&mut self, kind: Operation, seconds: f64) {
        self.times.intended[kind as usize].count(seconds);
        if let Some(interval) = &mut self.interval {
            interval.intended[kind as usize].count(seconds);
        }
    }

    /// Ends the interval if it is over, or if it is the last one.
    fn end_interval(&mut self, last: bool) {
        let Some(from) = self.measured_from else { return };
        if !last && self.now.since(self.interval_from) < INTERVAL_S {
            return;
        }
        let Some(interval) = &mut self.interval else { return };
        let latencies = std::mem::take(interval).into_latencies();
        if !latencies.is_empty() {
            let (start_s, end_s) = (self.interval_from.since(from), self.now.since(from));
            self.intervals.push(Interval { start_s, end_s, latencies });
        }
        self.interval_from = self.now;
    }

    /// Seconds between two operations of one thread, if there is a target rate.
    pub(super) fn interval_s(&self) -> Option<f64> {
        self.program.target_per_s.map(|target| self.threads.len() as f64 / target)
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Begin(thread) => self.begin(thread),
            Event::Arrive(thread) => self.arrive(thread),
            Event::Append(thread) => self.append(thread),
            Event::Blocks(thread) => self.respond(thread),
            Event::Response(thread) => self.complete(thread),
            Event::Replicated(server) => self.replicated(server),
            Event::Pause(server) => self.pause(server, true),
            Event::Resume(server) => self.pause(server, false),
            Event::Client(client, version) => {
                if self.clients[client].version == version {
                    let ended = self.clients[client].ended(self.now);
                    self.schedule_client(client);
                    self.end(ended);
                }
            }
            Event::Server(server, version) => {
                if self.servers[server].processors.version == version {
                    let ended = self.servers[server].processors.ended(self.now);
                    self.schedule_server(server);
                    self.end(ended);
                }
            }
        }
    }

    fn end(&mut self, job: Option<Job>) {
        match job {
            Some(Job::Request(thread)) => self.send(thread),
            Some(Job::Serve(thread)) => self.served(thread),
            Some(Job::Acknowledge(thread)) => self.respond(thread),
            Some(Job::Replica(server)) => self.written(server),
            Some(Job::Merge) | None => {}
        }
    }

    pub(super) fn schedule_client(&mut self, client: usize) {
        let processors = &self.clients[client];
        if let Some(due) = processors.due() {
            self.queue.push(due.max(self.now), Event::Client(client, processors.version));
        }
    }

    fn schedule_server(&mut self, server: usize) {
        let processors = &self.servers[server].processors;
        if let Some(due) = processors.due() {
            self.queue.push(due.max(self.now), Event::Server(server, processors.version));
        }
    }

    /// Adds a job to a server's processors.
    pub(super) fn work(&mut self, server: usize, seconds: f64, job: Job) {
        self.servers[server].processors.add(self.now, seconds, job);
        self.schedule_server(server);
    }

    /// Starts or ends a pause of a server: a garbage collection, or a lack of processors.
    fn pause(&mut self, server: usize, stopped: bool) {
        self.servers[server].processors.stop(self.now, stopped);
        self.schedule_server(server);
        if stopped {
            let span_s = self.parameters.hbase_pause_s * self.servers[server].pauses.exponential();
            self.queue.push(self.now.after(span_s), Event::Resume(server));
        } else {
            self.schedule_pause(server);
        }
    }

    fn schedule_pause(&mut self, server: usize) {
        let (pause_s, share) = (self.parameters.hbase_pause_s, self.parameters.hbase_pause_share);
        if pause_s > 0.0 && share > 0.0 {
            let span_s = pause_s * (1.0 - share) / share * self.servers[server].pauses.exponential();
            self.queue.push(self.now.after(span_s), Event::Pause(server));
        }
    }

    fn summary(self) -> StreamSummary {
        let seconds = self.now.since(self.measured_from.unwrap_or(Time::ZERO)).max(1e-9);
        let busiest = |used_s: &mut dyn Iterator<Item = f64>| used_s.fold(0.0, f64::max) / seconds;
        let processors = |all: &mut dyn Iterator<Item = &Processors<Job>>| {
            all.map(|processors| processors.used_s / processors.available()).fold(0.0, f64::max) / seconds
        };
        let servers = &self.servers;
        let stations = vec![
            StationUse { station: "client processors", busy: processors(&mut self.clients.iter()) },
            StationUse {
                station: "server processors",
                busy: processors(&mut servers.iter().map(|server| &server.processors)),
            },
            StationUse {
                station: "disks",
                busy: busiest(
                    &mut servers.iter().flat_map(|server| &server.disks).map(|disk| disk.queue.used_s),
                ),
            },
            StationUse {
                station: "links",
                busy: busiest(&mut servers.iter().flat_map(|server| &server.links).map(|link| link.used_s)),
            },
            StationUse { station: "log", busy: busiest(&mut servers.iter().map(|server| server.log.used_s)) },
        ];
        let used_s: f64 = servers.iter().map(|server| server.processors.used_s).sum();
        let threads: f64 = servers.iter().map(|server| server.processors.count()).sum();
        let cpu_busy = used_s / threads / seconds;
        StreamSummary {
            clients: ClientSummary {
                throughput_per_s: self.measured as f64 / seconds,
                target_per_s: self.program.target_per_s,
                simulated: self.measured,
                latencies: self.times.into_latencies(),
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
