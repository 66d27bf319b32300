//! Writes: the log that they wait for, and what they make disks do later.

use super::scenario::{Durability, Log};
use super::stream::{Event, Job, Stream};

/// What flushes and compactions write at once.
const CHUNK_BYTES: f64 = 1_048_576.0;
/// Disks that are so far behind keep writes waiting: in the long run every buffer is full.
const BEHIND_S: f64 = 0.1;

impl Stream<'_> {
    /// A write goes to the log, and waits for as much of it as its durability asks for.
    pub(super) fn append(&mut self, number: usize) {
        let home = self.threads[number].server;
        let behind = self.servers[home].disks.iter().map(super::stations::Line::free).min();
        if let Some(until) = behind.filter(|until| until.since(self.now.min(*until)) > BEHIND_S) {
            let later = crate::time::Time(until.0 - (BEHIND_S * 1e9) as i64).max(self.now + 1);
            self.queue.push(later, Event::Append(number));
            return;
        }
        let bytes = self.value_bytes(self.threads[number].request);
        self.owe(home, bytes);
        match self.program.durability {
            Durability::SkipWal | Durability::AsyncWal => self.work(home, 0.0, Job::Acknowledge(number)),
            Durability::SyncWal | Durability::FsyncWal => {
                let log = &mut self.servers[home].log;
                log.appended.push(number);
                log.appended_bytes += bytes;
                if log.open == 0 && log.next.is_empty() {
                    self.sync(home);
                }
            }
        }
    }

    /// A sync begins of all that has been appended.
    fn sync(&mut self, home: usize) {
        let count = self.servers.len();
        let replicas: Vec<usize> =
            (0..self.hbase.replication as usize).map(|replica| (home + replica) % count).collect();
        let log = &mut self.servers[home].log;
        log.syncing = std::mem::take(&mut log.appended);
        log.syncing_bytes = std::mem::take(&mut log.appended_bytes);
        log.began = self.now;
        match self.hbase.log {
            Log::FanOut => {
                log.open = self.hbase.replication;
                replicas.into_iter().for_each(|node| self.replicate(home, node));
            }
            Log::Pipeline => {
                log.open = 1;
                log.next = replicas[1..].iter().rev().copied().collect();
                self.replicate(home, replicas[0]);
            }
        }
    }

    /// A DataNode is sent a server's log.
    fn replicate(&mut self, home: usize, node: usize) {
        let bytes = self.servers[home].log.syncing_bytes;
        let mut work = self.parameters.hbase_sync_cpu_s + bytes * self.parameters.write_s_per_byte;
        if node != home {
            let server = &mut self.servers[node];
            server.links[0].serve(self.now, bytes * server.link_s_per_byte);
            work += bytes * server.moved_s_per_byte;
            self.moved_bytes += bytes;
        }
        let work = work * self.random.exponential();
        self.work(node, work, Job::Replica(home));
    }

    /// A DataNode has a server's log in its memory, and answers.
    pub(super) fn written(&mut self, home: usize) {
        let mut done = self.now;
        if self.program.durability == Durability::FsyncWal {
            let server = &mut self.servers[home];
            let seconds = server.disk_s(server.log.syncing_bytes);
            done = server.disk(&mut self.random).serve(done, seconds);
        }
        let wait_s = self.parameters.hbase_sync_s * self.random.exponential();
        self.queue.push(done.after(wait_s), Event::Replicated(home));
    }

    /// A DataNode's answer is there; after the last one all writes of the sync are acknowledged.
    pub(super) fn replicated(&mut self, home: usize) {
        let log = &mut self.servers[home].log;
        log.open -= 1;
        if let Some(node) = log.next.pop() {
            log.open = 1;
            self.replicate(home, node);
            return;
        }
        if log.open > 0 {
            return;
        }
        log.used += self.now.since(log.began);
        let acknowledged = std::mem::take(&mut log.syncing);
        let more = !log.appended.is_empty();
        for number in acknowledged {
            self.work(home, 0.0, Job::Acknowledge(number));
        }
        if more {
            self.sync(home);
        }
    }

    /// What is written once goes to disks more than once: in the log, flushed, and merged again and again.
    fn owe(&mut self, home: usize, bytes: f64) {
        let logged = if self.program.durability == Durability::SkipWal { 0.0 } else { bytes };
        let merged = bytes * self.flushed * self.rewritten;
        self.servers[home].owed_bytes += logged + bytes * self.flushed + merged;
        self.servers[home].merged_bytes += merged;
        while self.servers[home].owed_bytes >= CHUNK_BYTES {
            self.servers[home].owed_bytes -= CHUNK_BYTES;
            self.write_chunk(home);
        }
    }

    /// Disks of every replica write a chunk; what was merged was read before.
    fn write_chunk(&mut self, home: usize) {
        let merged = std::mem::take(&mut self.servers[home].merged_bytes);
        if merged > 0.0 {
            self.work(home, merged * self.parameters.hbase_merge_byte_s, Job::Merge);
            let server = &mut self.servers[home];
            let seconds = server.disk_s(merged);
            server.disk(&mut self.random).serve(self.now, seconds);
            self.disk_read_bytes += merged;
        }
        for replica in 0..self.hbase.replication as usize {
            let node = (home + replica) % self.servers.len();
            let server = &mut self.servers[node];
            let seconds = server.disk_s(CHUNK_BYTES);
            server.disk(&mut self.random).serve(self.now, seconds);
            self.disk_written_bytes += CHUNK_BYTES;
        }
    }
}
