//! The shuffle as one reduce sees it: fetches aggregated, merged in memory, written to disk when memory is full.
//!
//! A reduce keeps what it fetched, decompressed, in a share of its heap, and merges that to disk when it is full to the
//! merge share (org.apache.hadoop.mapreduce.task.reduce.MergeManagerImpl). Hadoop 1 does when it holds so many outputs of
//! maps, too (`mapred.inmem.merge.threshold`), which are many where blocks are small
//! (org.apache.hadoop.mapred.ReduceTask.ReduceCopier.ShuffleRamManager). Either makes a *run* on disk. The shuffle goes
//! in *rounds* of a run each; one is one flow that fetches, decompresses, merges, compresses and writes at once.
//!
//! What has been fetched since the last merge is in memory at the end. As much of it as a share of the heap holds
//! (`mapreduce.reduce.input.buffer.percent`) stays there while the reduce runs; the rest goes to disk, too.

use crate::models::merge::{self, DiskMerges};
use crate::scenario::Job;

/// How a reduce takes its input in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shuffle {
    /// Rounds in all.
    pub(crate) rounds: u32,
    /// Share of the bytes that goes to disk; the rest is still in memory when the reduce begins.
    pub(crate) on_disk: f64,
    /// What becomes of the runs there.
    pub(crate) merges: DiskMerges,
}

/// Rounds of a reduce that has fewer runs: it fetches as maps end all the same.
const LEAST_ROUNDS: u32 = 8;

/// How reduces with so many bytes of input each, from so many maps, take them in: all by the rounds of a mean one.
/// Without `remainder` they keep as much as they may.
pub(crate) fn shuffle(job: &Job, reduces: &[f64], maps: u32, remainder: bool) -> Shuffle {
    let all: f64 = reduces.iter().sum();
    let bytes = if reduces.is_empty() { 0.0 } else { all / reduces.len() as f64 };
    let memory = job.reduce_heap_bytes as f64 * job.shuffle_input_buffer;
    let full = (memory * job.shuffle_merge).max(1.0);
    let many =
        job.merge_outputs.map_or(f64::INFINITY, |outputs| bytes / f64::from(maps) * f64::from(outputs));
    let run = full.min(many);
    let most = (job.reduce_heap_bytes as f64 * job.reduce_input_buffer).min(full);
    let kept = |bytes: &f64| if remainder { (bytes % run).min(most) } else { most.min(*bytes) };
    let on_disk = if all > 0.0 { 1.0 - reduces.iter().map(kept).sum::<f64>() / all } else { 0.0 };
    let runs = if all > 0.0 { (bytes / run).ceil() as u32 } else { 0 };
    Shuffle {
        rounds: runs.max(LEAST_ROUNDS),
        on_disk,
        merges: merge::disk_merges(job, (f64::from(runs) * on_disk).ceil() as u32),
    }
}

#[cfg(test)]
mod tests {
    use super::{LEAST_ROUNDS, shuffle};
    use crate::scenario::{Codec, Job};

    const MIB: u64 = 1 << 20;

    fn job(merge_outputs: Option<u32>, reduce_input_buffer: f64) -> Job {
        Job {
            io_sort_bytes: 100 * MIB,
            io_sort_spill: 0.8,
            io_sort_records: None,
            io_sort_factor: 10,
            parallel_copies: 5,
            map_heap_bytes: 1000 * MIB,
            reduce_heap_bytes: 1000 * MIB,
            shuffle_input_buffer: 0.5,
            shuffle_merge: 0.5,
            merge_outputs,
            reduce_input_buffer,
            codec: Codec::None,
            compression_ratio: 1.0,
            partition_samples: 100_000,
        }
    }

    #[test]
    fn memory_makes_a_run_when_it_is_full_and_outputs_when_they_are_many() {
        // 250 MiB are full memory.
        let rounds = |outputs, maps| shuffle(&job(outputs, 0.0), &[bytes(5_000)], maps, true).rounds;
        assert_eq!((rounds(None, 100), rounds(None, 1 << 17)), (20, 20));
        assert_eq!((rounds(Some(1024), 100), rounds(Some(1024), 1 << 17)), (20, 128));
    }

    fn bytes(mebibytes: u64) -> f64 {
        (mebibytes * MIB) as f64
    }

    #[test]
    fn a_reduce_keeps_what_its_last_merge_leaves_as_far_as_it_may() {
        let on_disk = |reduces: &[u64], share, remainder| {
            let reduces: Vec<f64> = reduces.iter().map(|&mebibytes| bytes(mebibytes)).collect();
            let shuffle = shuffle(&job(None, share), &reduces, 100, remainder);
            shuffle.on_disk * reduces.iter().sum::<f64>() / MIB as f64
        };
        // 250 MiB begin a merge.
        assert_eq!(on_disk(&[1_100], 0.25, true).round(), 1_000.0);
        assert_eq!(on_disk(&[1_100], 0.05, true).round(), 1_050.0);
        assert_eq!(on_disk(&[1_100], 0.0, true).round(), 1_100.0);
        assert_eq!(on_disk(&[1_100], 0.25, false).round(), 850.0);
        // Each reduce has its own remainder.
        assert_eq!(on_disk(&[990, 1_010], 0.25, true).round(), 1_750.0);
    }

    #[test]
    fn a_reduce_fetches_in_rounds_even_where_nothing_comes_to_disk() {
        let little = shuffle(&job(None, 0.25), &[bytes(200)], 10, true);
        assert_eq!((little.rounds, little.on_disk, little.merges.left), (LEAST_ROUNDS, 0.0, 0.0));
        let nothing = shuffle(&job(Some(1024), 0.0), &[0.0], 0, true);
        assert_eq!((nothing.rounds, nothing.on_disk), (LEAST_ROUNDS, 0.0));
    }

    #[test]
    fn more_runs_than_the_factor_are_merged_on_disk() {
        let several = shuffle(&job(None, 0.0), &[bytes(5_000)], 100, true).merges;
        // 19 runs are merged while the twentieth is fetched.
        assert!(several.beside > 0.4 && several.left == 10.0, "{several:?}");
        assert_eq!(shuffle(&job(None, 0.0), &[bytes(2_500)], 100, true).merges.beside, 0.0);
    }
}
