//! Writes: the log that they wait for, and the disk writes that follow later.

use super::scenario::{Durability, Log};
use super::stream::{Event, Job, Stream};

/// Size of a write by flushes and compactions.
const CHUNK_BYTES: f64 = 1_048_576.0;
/// Writes wait if all disks have a longer backlog: in the long run every buffer is full.
const MAX_BACKLOG_S: f64 = 0.1;

impl Stream<'_> {
    /// Appends a write to the log and waits as its durability requires.
    pub(super) fn append(&mut self, number: usize) {
        let home = self.threads[number].server;
        let backlog = self.servers[home].disks.iter().map(|disk| disk.queue.free()).min();
        if let Some(until) = backlog.filter(|until| until.since(self.now.min(*until)) > MAX_BACKLOG_S) {
            let later = crate::time::Time(until.0 - (MAX_BACKLOG_S * 1e9) as i64).max(self.now + 1);
            self.queue.push(later, Event::Append(number));
            return;
        }
        let bytes = self.value_bytes(self.threads[number].request);
        self.add_background_bytes(home, bytes);
        match self.program.durability {
            Durability::SkipWal | Durability::AsyncWal => self.work(home, 0.0, Job::Acknowledge(number)),
            Durability::SyncWal | Durability::FsyncWal => {
                let log = &mut self.servers[home].log;
                log.appended.push(number);
                log.appended_bytes += bytes;
                if log.unanswered == 0 && log.pipeline.is_empty() {
                    self.sync(home);
                }
            }
        }
    }

    /// Starts a sync of all appended writes.
    fn sync(&mut self, home: usize) {
        let count = self.servers.len();
        let replicas: Vec<usize> =
            (0..self.hbase.replication as usize).map(|replica| (home + replica) % count).collect();
        let log = &mut self.servers[home].log;
        log.syncing = std::mem::take(&mut log.appended);
        log.syncing_bytes = std::mem::take(&mut log.appended_bytes);
        log.sync_start = self.now;
        match self.hbase.log {
            Log::FanOut => {
                log.unanswered = self.hbase.replication;
                replicas.into_iter().for_each(|node| self.replicate(home, node));
            }
            Log::Pipeline => {
                log.unanswered = 1;
                log.pipeline = replicas[1..].iter().rev().copied().collect();
                self.replicate(home, replicas[0]);
            }
        }
    }

    /// Sends a server's log to a DataNode.
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

    /// A DataNode has a server's log in its memory and responds.
    pub(super) fn written(&mut self, home: usize) {
        let mut done = self.now;
        if self.program.durability == Durability::FsyncWal {
            let server = &mut self.servers[home];
            let bytes = server.log.syncing_bytes;
            done = server.disk(&mut self.random).serve(done, bytes);
        }
        let wait_s = self.parameters.hbase_sync_s * self.random.exponential();
        self.queue.push(done.after(wait_s), Event::Replicated(home));
    }

    /// A DataNode's response arrives; the last one acknowledges all writes of the sync.
    pub(super) fn replicated(&mut self, home: usize) {
        let log = &mut self.servers[home].log;
        log.unanswered -= 1;
        if let Some(node) = log.pipeline.pop() {
            log.unanswered = 1;
            self.replicate(home, node);
            return;
        }
        if log.unanswered > 0 {
            return;
        }
        log.used_s += self.now.since(log.sync_start);
        let acknowledged = std::mem::take(&mut log.syncing);
        let more = !log.appended.is_empty();
        for number in acknowledged {
            self.work(home, 0.0, Job::Acknowledge(number));
        }
        if more {
            self.sync(home);
        }
    }

    /// Adds the disk writes that follow a write: the log, the flush, and repeated merges.
    fn add_background_bytes(&mut self, home: usize, bytes: f64) {
        let logged = if self.program.durability == Durability::SkipWal { 0.0 } else { bytes };
        let merged = bytes * self.flushed_share * self.rewritten;
        self.servers[home].background_bytes += logged + bytes * self.flushed_share + merged;
        self.servers[home].merged_bytes += merged;
        while self.servers[home].background_bytes >= CHUNK_BYTES {
            self.servers[home].background_bytes -= CHUNK_BYTES;
            self.write_chunk(home);
        }
    }

    /// Writes a chunk to a disk of every replica, after reading merged files.
    fn write_chunk(&mut self, home: usize) {
        let merged = std::mem::take(&mut self.servers[home].merged_bytes);
        if merged > 0.0 {
            self.work(home, merged * self.parameters.hbase_merge_byte_s, Job::Merge);
            self.servers[home].disk(&mut self.random).serve(self.now, merged);
            self.disk_read_bytes += merged;
        }
        for replica in 0..self.hbase.replication as usize {
            let node = (home + replica) % self.servers.len();
            self.servers[node].disk(&mut self.random).serve(self.now, CHUNK_BYTES);
            self.disk_written_bytes += CHUNK_BYTES;
        }
    }
}
