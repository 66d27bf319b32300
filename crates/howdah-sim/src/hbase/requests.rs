//! One operation on its way: client, link, handler, processors, disks, and back.

use super::operation::Operation;
use super::stream::{BLOCK_BYTES, Event, Job, Stream};

/// A request without its values, and an answer without them: a checksummed header, table, row and names of fields.
const ENVELOPE_BYTES: f64 = 200.0;

impl Stream<'_> {
    /// A thread asks for its next operation.
    pub(super) fn begin(&mut self, number: usize) {
        let thread = &mut self.threads[number];
        thread.whole = Operation::draw(&self.program.shares, &mut thread.random);
        thread.request = match thread.whole {
            Operation::ReadModifyWrite => Operation::Read,
            other => other,
        };
        thread.began = self.now;
        thread.server = self.regions.draw(&mut thread.random);
        // Any number from one on is as likely as any other, as in workload E.
        thread.rows = 1.0 + (thread.random.unit() * (2.0 * self.program.scanned - 1.0)).floor();
        self.ask(number);
    }

    fn ask(&mut self, number: usize) {
        let bytes = self.asked_bytes(number) + self.answered_bytes(number);
        let mean_s = self.parameters.hbase_client_s + bytes * self.parameters.hbase_byte_s;
        let thread = &mut self.threads[number];
        thread.sent = self.now;
        let work = mean_s * thread.random.exponential();
        let client = number % self.clients.len();
        self.clients[client].add(self.now, work, Job::Ask(number));
        self.watch_client(client);
    }

    /// Bytes of a thread's request.
    fn asked_bytes(&self, number: usize) -> f64 {
        ENVELOPE_BYTES + self.value_bytes(self.threads[number].request)
    }

    /// Bytes of its answer.
    fn answered_bytes(&self, number: usize) -> f64 {
        let thread = &self.threads[number];
        let records = match thread.request {
            Operation::Read => 1.0,
            Operation::Scan => thread.rows,
            _ => 0.0,
        };
        ENVELOPE_BYTES + records * self.program.record_bytes
    }

    /// Bytes that a request writes.
    pub(super) fn value_bytes(&self, request: Operation) -> f64 {
        match request {
            Operation::Update => self.program.update_bytes,
            Operation::Insert => self.program.record_bytes,
            _ => 0.0,
        }
    }

    pub(super) fn send(&mut self, number: usize) {
        let bytes = self.asked_bytes(number);
        let arrived = self.over_link(number, 0, bytes);
        self.queue.push(arrived, Event::Arrive(number));
    }

    /// When so many bytes of a thread's have crossed its server's link, in or out, and half of the round trip.
    fn over_link(&mut self, number: usize, direction: usize, bytes: f64) -> crate::time::Time {
        let server = &mut self.servers[self.threads[number].server];
        let seconds = bytes * server.link_s_per_byte;
        self.moved_bytes += bytes;
        server.links[direction].serve(self.now, seconds).after(self.parameters.hbase_round_trip_s / 2.0)
    }

    pub(super) fn arrive(&mut self, number: usize) {
        let server = &mut self.servers[self.threads[number].server];
        if server.handlers == 0 {
            server.waiting.push_back(number);
        } else {
            server.handlers -= 1;
            self.serve(number);
        }
    }

    fn serve(&mut self, number: usize) {
        let misses = self.missed(number);
        let bytes = self.asked_bytes(number) + self.answered_bytes(number);
        let parameters = self.parameters;
        let thread = &mut self.threads[number];
        thread.misses = misses;
        let operation_s = match thread.request {
            Operation::Read | Operation::ReadModifyWrite => parameters.hbase_read_s,
            Operation::Scan => parameters.hbase_read_s + thread.rows * parameters.hbase_scan_row_s,
            Operation::Update | Operation::Insert => parameters.hbase_write_s,
        };
        let server = thread.server;
        let byte_s = parameters.hbase_byte_s + self.servers[server].moved_s_per_byte;
        let mean_s = operation_s + bytes * byte_s + f64::from(misses) * parameters.hbase_miss_s;
        let work = mean_s * thread.random.exponential();
        self.work(server, work, Job::Serve(number));
    }

    /// Blocks of a request that no memory holds.
    fn missed(&mut self, number: usize) -> u32 {
        let missing = 1.0 - self.in_memory;
        let thread = &mut self.threads[number];
        let blocks = match thread.request {
            Operation::Read => 1,
            Operation::Scan => 1 + (thread.rows * self.program.record_bytes / BLOCK_BYTES) as u32,
            _ => 0,
        };
        (0..blocks).filter(|_| thread.random.unit() < missing).count() as u32
    }

    /// The processors are done with a request: blocks come from disks, writes go to the log.
    pub(super) fn served(&mut self, number: usize) {
        let thread = &mut self.threads[number];
        if thread.request.writes() {
            self.append(number);
            return;
        }
        let server = &mut self.servers[thread.server];
        let block_bytes = BLOCK_BYTES.max(self.program.record_bytes);
        let seconds = server.disk_s(block_bytes);
        let mut read = self.now;
        for _ in 0..thread.misses {
            read = server.disk(&mut thread.random).serve(read, seconds);
        }
        self.disk_read_bytes += f64::from(thread.misses) * block_bytes;
        self.queue.push(read, Event::Blocks(number));
    }

    /// The answer leaves its server, whose handler takes the next request.
    pub(super) fn answer(&mut self, number: usize) {
        let bytes = self.answered_bytes(number);
        let arrived = self.over_link(number, 1, bytes);
        self.queue.push(arrived, Event::Answer(number));
        let server = &mut self.servers[self.threads[number].server];
        match server.waiting.pop_front() {
            Some(next) => self.serve(next),
            None => server.handlers += 1,
        }
    }

    /// An answer is there: its time counts, and the thread goes on.
    pub(super) fn answered(&mut self, number: usize) {
        let interval_s = self.interval_s();
        let thread = &self.threads[number];
        let (whole, request, began, intended) = (thread.whole, thread.request, thread.began, thread.intended);
        let request_s = self.now.since(thread.sent);
        // Halves of operations that read and write are timed by themselves, and are no operations of their own.
        self.timed(request, request_s);
        if whole == Operation::ReadModifyWrite && request == Operation::Read {
            self.threads[number].request = Operation::Update;
            self.ask(number);
            return;
        }
        if whole == Operation::ReadModifyWrite {
            self.timed(whole, self.now.since(began));
        }
        self.done += 1;
        self.counted += 1;
        let mut next = self.now;
        if let Some(interval_s) = interval_s {
            self.timed_as_intended(whole, self.now.since(intended));
            let due = intended.after(interval_s);
            self.threads[number].intended = due;
            next = next.max(due);
        }
        self.queue.push(next, Event::Begin(number));
    }
}
