//! The shuffle as one reduce sees it: fetches aggregated, merged in memory, written to disk when memory is full.
//!
//! A reduce keeps what it fetched, decompressed, in a share of its heap, and merges that to disk when it is full to the
//! merge share (org.apache.hadoop.mapreduce.task.reduce.MergeManagerImpl). So the shuffle goes in *rounds* of that many
//! bytes; each is one flow that fetches, decompresses, merges, compresses and writes at once.

use crate::scenario::Job;

/// How a reduce takes its input in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shuffle {
    /// Bytes of map output, as the maps made them, that one round takes.
    pub(crate) round_bytes: f64,
    /// Rounds in all.
    pub(crate) rounds: u32,
    /// Share of the bytes that goes to disk; the rest is still in memory when the reduce begins.
    pub(crate) on_disk: f64,
}

/// Rounds of a reduce that has less input than its memory: it fetches as maps end all the same.
const LEAST_ROUNDS: f64 = 8.0;

/// How a reduce with so many bytes of input takes them in.
pub(crate) fn shuffle(job: &Job, bytes: f64) -> Shuffle {
    let memory = job.reduce_heap_bytes as f64 * job.shuffle_input_buffer;
    let merged_at = (memory * job.shuffle_merge).max(1.0);
    let kept = (job.reduce_heap_bytes as f64 * job.reduce_input_buffer).min(merged_at);
    let rounds = (bytes / merged_at).max(LEAST_ROUNDS).ceil();
    Shuffle {
        round_bytes: bytes / rounds,
        rounds: rounds as u32,
        on_disk: if bytes > 0.0 { ((bytes - kept) / bytes).max(0.0) } else { 0.0 },
    }
}
