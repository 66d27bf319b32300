//! The way of an operation: client, link, handler, processors, disks, and back.

use super::operation::{Operation, Thread};
use super::stream::{BLOCK_BYTES, Event, Job, Stream};

/// A request or a response without values: a checksummed header, table, row and names of fields.
const ENVELOPE_BYTES: f64 = 200.0;

impl Stream<'_> {
    /// Starts a thread's next operation.
    pub(super) fn begin(&mut self, number: usize) {
        let thread = &mut self.threads[number];
        thread.operation = Operation::draw(&self.program.shares, &mut thread.random);
        thread.request = match thread.operation {
            Operation::ReadModifyWrite => Operation::Read,
            operation => operation,
        };
        thread.start = self.now;
        thread.server = self.regions.draw(&mut thread.random);
        // The number of rows is uniform from one on, as in workload E.
        thread.rows = 1.0 + (thread.random.unit() * (2.0 * self.program.scanned - 1.0)).floor();
        self.start_request(number);
    }

    fn start_request(&mut self, number: usize) {
        let bytes = self.request_bytes(number) + self.response_bytes(number);
        let mean_s = self.parameters.hbase_client_s + bytes * self.parameters.hbase_byte_s;
        let thread = &mut self.threads[number];
        thread.request_start = self.now;
        let work = mean_s * thread.random.exponential();
        let client = number % self.clients.len();
        self.clients[client].add(self.now, work, Job::Request(number));
        self.schedule_client(client);
    }

    /// Bytes of a request.
    fn request_bytes(&self, number: usize) -> f64 {
        ENVELOPE_BYTES + self.value_bytes(self.threads[number].request)
    }

    /// Bytes of a response.
    fn response_bytes(&self, number: usize) -> f64 {
        let thread = &self.threads[number];
        let records = match thread.request {
            Operation::Read => 1.0,
            Operation::Scan => thread.rows,
            _ => 0.0,
        };
        ENVELOPE_BYTES + records * self.program.record_bytes
    }

    /// Bytes of the values that a request writes.
    pub(super) fn value_bytes(&self, request: Operation) -> f64 {
        match request {
            Operation::Update => self.program.update_bytes,
            Operation::Insert => self.program.record_bytes,
            _ => 0.0,
        }
    }

    pub(super) fn send(&mut self, number: usize) {
        let bytes = self.request_bytes(number);
        let arrived = self.transfer(number, 0, bytes);
        self.queue.push(arrived, Event::Arrive(number));
    }

    /// When a thread's bytes have crossed its server's link, in or out, and half of the round trip.
    fn transfer(&mut self, number: usize, direction: usize, bytes: f64) -> crate::time::Time {
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
        let misses = self.draw_misses(number);
        let bytes = self.request_bytes(number) + self.response_bytes(number);
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

    /// Draws the number of a request's blocks that are not cached.
    fn draw_misses(&mut self, number: usize) -> u32 {
        let missing = 1.0 - self.in_memory;
        let thread = &mut self.threads[number];
        let blocks = match thread.request {
            Operation::Read => 1,
            Operation::Scan => 1 + (thread.rows * self.program.record_bytes / BLOCK_BYTES) as u32,
            _ => 0,
        };
        (0..blocks).filter(|_| thread.random.unit() < missing).count() as u32
    }

    /// The processors have finished a request: blocks are read from disks, writes are appended to the log.
    pub(super) fn served(&mut self, number: usize) {
        let thread = &mut self.threads[number];
        if thread.request.writes() {
            self.append(number);
            return;
        }
        let server = &mut self.servers[thread.server];
        let block_bytes = BLOCK_BYTES.max(self.program.record_bytes);
        let mut read = self.now;
        for _ in 0..thread.misses {
            read = server.disk(&mut thread.random).serve(read, block_bytes);
        }
        self.disk_read_bytes += f64::from(thread.misses) * block_bytes;
        self.queue.push(read, Event::Blocks(number));
    }

    /// Sends the response; the handler takes the next request.
    pub(super) fn respond(&mut self, number: usize) {
        let bytes = self.response_bytes(number);
        let arrived = self.transfer(number, 1, bytes);
        self.queue.push(arrived, Event::Response(number));
        let server = &mut self.servers[self.threads[number].server];
        match server.waiting.pop_front() {
            Some(next) => self.serve(next),
            None => server.handlers += 1,
        }
    }

    /// Receives the response, records its time, and continues the thread.
    pub(super) fn complete(&mut self, number: usize) {
        let interval_s = self.interval_s();
        let thread = &self.threads[number];
        let Thread { operation, request, start, intended_start, .. } = self.threads[number];
        let request_s = self.now.since(thread.request_start);
        // The parts of a read-modify-write are timed separately, too, but are no operations.
        self.record_time(request, request_s);
        if operation == Operation::ReadModifyWrite && request == Operation::Read {
            self.threads[number].request = Operation::Update;
            self.start_request(number);
            return;
        }
        if operation == Operation::ReadModifyWrite {
            self.record_time(operation, self.now.since(start));
        }
        self.completed += 1;
        self.measured += 1;
        let mut next = self.now;
        if let Some(interval_s) = interval_s {
            self.record_intended(operation, self.now.since(intended_start));
            let due = intended_start.after(interval_s);
            self.threads[number].intended_start = due;
            next = next.max(due);
        }
        self.queue.push(next, Event::Begin(number));
    }
}
