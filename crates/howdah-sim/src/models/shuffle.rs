//! The shuffle of a reduce: fetches aggregated, merged in memory, written to disk when memory is full.
//!
//! A reduce keeps fetched data, decompressed, in a part of its heap, and merges them to disk when that is full to the
//! merge share (org.apache.hadoop.mapreduce.task.reduce.MergeManagerImpl). Hadoop 1 also merges when it has a number of
//! map outputs (`mapred.inmem.merge.threshold`), which comes first if blocks are small
//! (org.apache.hadoop.mapred.ReduceTask.ReduceCopier.ShuffleRamManager). Either makes a *run* on disk. The shuffle
//! consists of *rounds* with one run each; a round is one flow that fetches, decompresses, merges, compresses and writes.
//!
//! Data fetched since the last merge are in memory at the end. A part of the heap
//! (`mapreduce.reduce.input.buffer.percent`) keeps some of them while the reduce runs; the rest goes to disk, too.

use crate::models::merge::{self, DiskMerges};
use crate::scenario::Job;

/// The shuffle of a reduce.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shuffle {
    /// Number of rounds.
    pub(crate) rounds: u32,
    /// Share of the bytes that goes to disk; the rest is in memory when the reduce begins.
    pub(crate) on_disk: f64,
    /// Merges of the runs on disk.
    pub(crate) merges: DiskMerges,
}

/// Rounds of a reduce with fewer runs: it still fetches as maps end.
const MIN_ROUNDS: u32 = 8;

/// The shuffle of reduces with these bytes of input from `maps` maps: all have the rounds of a mean one.
/// Without `remainder` they keep as much as they may.
pub(crate) fn shuffle(job: &Job, reduces: &[f64], maps: u32, remainder: bool) -> Shuffle {
    let all: f64 = reduces.iter().sum();
    let bytes = if reduces.is_empty() { 0.0 } else { all / reduces.len() as f64 };
    let memory = job.reduce_heap_bytes as f64 * job.shuffle_input_buffer;
    let full = (memory * job.shuffle_merge).max(1.0);
    let outputs_full =
        job.merge_outputs.map_or(f64::INFINITY, |outputs| bytes / f64::from(maps) * f64::from(outputs));
    let run = full.min(outputs_full);
    let max_kept = (job.reduce_heap_bytes as f64 * job.reduce_input_buffer).min(full);
    let kept = |bytes: &f64| if remainder { (bytes % run).min(max_kept) } else { max_kept.min(*bytes) };
    let on_disk = if all > 0.0 { 1.0 - reduces.iter().map(kept).sum::<f64>() / all } else { 0.0 };
    let runs = if all > 0.0 { (bytes / run).ceil() as u32 } else { 0 };
    Shuffle {
        rounds: runs.max(MIN_ROUNDS),
        on_disk,
        merges: merge::disk_merges(job, (f64::from(runs) * on_disk).ceil() as u32),
    }
}

#[cfg(test)]
mod tests {
    use super::{MIN_ROUNDS, shuffle};
    use crate::scenario::Job;

    const MIB: u64 = 1 << 20;

    fn job(merge_outputs: Option<u32>, reduce_input_buffer: f64) -> Job {
        Job {
            reduce_heap_bytes: 1000 * MIB,
            shuffle_input_buffer: 0.5,
            shuffle_merge: 0.5,
            merge_outputs,
            reduce_input_buffer,
            ..Job::for_tests()
        }
    }

    #[test]
    fn full_memory_or_many_outputs_make_a_run() {
        // Memory is full with 250 MiB.
        let rounds = |outputs, maps| shuffle(&job(outputs, 0.0), &[bytes(5_000)], maps, true).rounds;
        assert_eq!((rounds(None, 100), rounds(None, 1 << 17)), (20, 20));
        assert_eq!((rounds(Some(1024), 100), rounds(Some(1024), 1 << 17)), (20, 128));
    }

    fn bytes(mebibytes: u64) -> f64 {
        (mebibytes * MIB) as f64
    }

    #[test]
    fn a_reduce_keeps_the_remainder_of_its_last_merge_up_to_its_limit() {
        let on_disk = |reduces: &[u64], share, remainder| {
            let reduces: Vec<f64> = reduces.iter().map(|&mebibytes| bytes(mebibytes)).collect();
            let shuffle = shuffle(&job(None, share), &reduces, 100, remainder);
            shuffle.on_disk * reduces.iter().sum::<f64>() / MIB as f64
        };
        // A merge starts at 250 MiB.
        assert_eq!(on_disk(&[1_100], 0.25, true).round(), 1_000.0);
        assert_eq!(on_disk(&[1_100], 0.05, true).round(), 1_050.0);
        assert_eq!(on_disk(&[1_100], 0.0, true).round(), 1_100.0);
        assert_eq!(on_disk(&[1_100], 0.25, false).round(), 850.0);
        // Each reduce has its own remainder.
        assert_eq!(on_disk(&[990, 1_010], 0.25, true).round(), 1_750.0);
    }

    #[test]
    fn a_reduce_fetches_in_rounds_even_without_runs_on_disk() {
        let little = shuffle(&job(None, 0.25), &[bytes(200)], 10, true);
        assert_eq!((little.rounds, little.on_disk, little.merges.final_runs), (MIN_ROUNDS, 0.0, 0.0));
        let nothing = shuffle(&job(Some(1024), 0.0), &[0.0], 0, true);
        assert_eq!((nothing.rounds, nothing.on_disk), (MIN_ROUNDS, 0.0));
    }

    #[test]
    fn more_runs_than_the_factor_are_merged_on_disk() {
        let several = shuffle(&job(None, 0.0), &[bytes(5_000)], 100, true).merges;
        // 19 runs are merged while the twentieth is fetched.
        assert!(several.during_fetch > 0.4 && several.final_runs == 10.0, "{several:?}");
        assert_eq!(shuffle(&job(None, 0.0), &[bytes(2_500)], 100, true).merges.during_fetch, 0.0);
    }
}
