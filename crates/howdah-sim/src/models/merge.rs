//! Sorting and merging: comparisons, spills and passes.
//!
//! A map sorts its buffer with *n·log₂ n* comparisons when it is full to the spill share, and merges its spills
//! if there are several. A merge of *k* runs needs *log₂ k* comparisons for a row. If there are more runs than the factor
//! *f*, the smallest are merged early, as few as leave *f* runs for the merge that feeds the reduce
//! (org.apache.hadoop.mapred.Merger).
//!
//! A reduce starts such merges before its last run: whenever it has *2f − 1* runs on disk, it merges the *f* smallest
//! while it fetches more (ReduceTask.ReduceCopier.LocalFSMerger, MergeManagerImpl.OnDiskMerger).

use crate::scenario::{Codec, Job, Scenario};

/// Bytes of a TeraSort row.
pub(crate) const ROW_BYTES: f64 = 100.0;

/// Bytes of a row in the sort buffer: the row and two lengths.
const SERIALIZED_ROW_BYTES: f64 = ROW_BYTES + 2.0;

/// Bytes of a row's index in the sort buffer.
const ROW_INDEX_BYTES: f64 = 16.0;

/// The cost of sorting a map's output.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct MapSort {
    /// Comparisons for a row, including merges.
    pub(crate) comparisons_per_row: f64,
    /// Times that a byte is compressed and written.
    pub(crate) written: f64,
    /// Times that a byte is read again and decompressed.
    pub(crate) read: f64,
}

/// The cost of sorting `bytes` bytes of a map's output.
pub(crate) fn map_sort(job: &Job, bytes: f64) -> MapSort {
    let rows = (bytes / ROW_BYTES).max(1.0);
    let buffer = job.io_sort_bytes as f64 * job.io_sort_spill;
    let buffered = match job.io_sort_records {
        Some(part) => (buffer * part / ROW_INDEX_BYTES).min(buffer * (1.0 - part) / SERIALIZED_ROW_BYTES),
        None => buffer / (SERIALIZED_ROW_BYTES + ROW_INDEX_BYTES),
    };
    let buffered = buffered.max(1.0);
    let spills = (rows / buffered).ceil().max(1.0);
    let again = if spills > 1.0 { 1.0 + early_merges(spills, f64::from(job.io_sort_factor)) } else { 0.0 };
    MapSort {
        comparisons_per_row: (rows / spills).max(2.0).log2() + spills.log2(),
        written: 1.0 + again,
        read: again,
    }
}

/// How often a byte of `runs` equal runs is merged before the final merge.
///
/// The smallest runs are merged first. This gives a tree whose leaves, the runs, have two adjacent depths; each inner
/// node above a run, except the root, reads and writes the run once.
fn early_merges(runs: f64, factor: f64) -> f64 {
    let (mut full, mut depth) = (1.0, 0.0);
    while full * factor < runs {
        full *= factor;
        depth += 1.0;
    }
    // Nodes at that depth that are merges; their runs are one level deeper.
    let merges = ((runs - full) / (factor - 1.0)).ceil();
    (depth + (runs - full + merges) / runs - 1.0).max(0.0)
}

/// How a reduce merges its runs on disk before the final merge.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct DiskMerges {
    /// How often a byte is merged while the reduce still fetches.
    pub(crate) during_fetch: f64,
    /// How often a byte is merged after that.
    pub(crate) after_fetch: f64,
    /// Runs of the final merge.
    pub(crate) final_runs: f64,
}

/// How a reduce merges `runs` equal runs.
pub(crate) fn disk_merges(job: &Job, runs: u32) -> DiskMerges {
    let factor = job.io_sort_factor as usize;
    // In descending order.
    let mut sizes = Vec::new();
    let (mut during_fetch, mut after_fetch) = (0.0, 0.0);
    for run in std::iter::repeat_n(1.0, runs as usize) {
        sizes.push(run);
        if sizes.len() == 2 * factor - 1 {
            during_fetch += merge_smallest(&mut sizes, factor);
        }
    }
    if sizes.len() > factor {
        after_fetch = merge_smallest(&mut sizes, factor);
    }
    let all = f64::from(runs.max(1));
    DiskMerges {
        during_fetch: during_fetch / all,
        after_fetch: after_fetch / all,
        final_runs: sizes.len() as f64,
    }
}

/// Merges the smallest runs into one, so that `remaining` runs are left. Returns the size of the new run.
fn merge_smallest(sizes: &mut Vec<f64>, remaining: usize) -> f64 {
    let merged = sizes.drain(remaining - 1..).sum();
    let index = sizes.partition_point(|&size| size >= merged);
    sizes.insert(index, merged);
    merged
}

/// Core-seconds to compress a byte of map output.
pub(crate) fn compress_s(scenario: &Scenario) -> f64 {
    scenario.parameters.compress_s_per_byte * relative_cost(scenario.job.codec).0
}

/// Core-seconds to decompress a byte of map output.
pub(crate) fn decompress_s(scenario: &Scenario) -> f64 {
    scenario.parameters.decompress_s_per_byte * relative_cost(scenario.job.codec).1
}

/// Core-seconds to merge a byte of runs on disk into a run on disk.
pub(crate) fn merge_s(scenario: &Scenario) -> f64 {
    f64::from(scenario.job.io_sort_factor).log2() / ROW_BYTES * scenario.parameters.compare_s
        + compress_s(scenario)
        + decompress_s(scenario)
}

/// Costs of compression and decompression relative to Snappy's, from lzbench's table of the Silesia corpus
/// (LZ4 660 and 3,800 MB/s, Snappy 500 and 1,500, Zstandard at level 3 240 and 950).
fn relative_cost(codec: Codec) -> (f64, f64) {
    match codec {
        Codec::None => (0.0, 0.0),
        Codec::Snappy => (1.0, 1.0),
        Codec::Lz4 => (0.8, 0.4),
        Codec::Zstd => (2.1, 1.6),
    }
}

#[cfg(test)]
mod tests {
    use super::{DiskMerges, disk_merges, early_merges, map_sort};
    use crate::scenario::Job;

    fn job(io_sort_bytes: u64, io_sort_factor: u32) -> Job {
        Job { io_sort_bytes, io_sort_factor, ..Job::for_tests() }
    }

    #[test]
    fn a_block_that_fits_the_buffer_is_written_once() {
        let sort = map_sort(&job(400 << 20, 10), f64::from(256 << 20));
        assert_eq!((sort.written, sort.read), (1.0, 0.0));
    }

    #[test]
    fn few_row_indexes_split_a_block_that_would_fit() {
        let whole = job(100 << 20, 10);
        assert_eq!(map_sort(&whole, f64::from(64 << 20)).written, 1.0);
        // 5 % of 100 MiB index 327,680 rows, of which 80 % begin a spill: three spills of 671,088 rows.
        let parted = Job { io_sort_records: Some(0.05), ..whole };
        assert_eq!(map_sort(&parted, f64::from(64 << 20)).written, 2.0);
        assert_eq!(map_sort(&parted, 26e6).written, 1.0);
    }

    #[test]
    fn more_spills_than_the_factor_are_merged_early() {
        // 128 MiB in spills of at most 8 MiB, of which row indexes take 18 %: 19 spills.
        assert_eq!(map_sort(&job(10 << 20, 100), f64::from(128 << 20)).written, 2.0);
        // A merge of ten leaves ten.
        assert_eq!(map_sort(&job(10 << 20, 10), f64::from(128 << 20)).written, 2.0 + 10.0 / 19.0);
    }

    #[test]
    fn runs_are_merged_early_until_their_number_is_the_factor() {
        let merged = |runs: f64| early_merges(runs, 10.0) * runs;
        assert_eq!(
            [1.0, 10.0, 11.0, 15.0, 19.0, 20.0, 100.0].map(merged).map(f64::round),
            [0.0, 0.0, 2.0, 6.0, 10.0, 12.0, 100.0]
        );
        // Of 101 runs two are merged before a hundred are.
        assert_eq!(merged(101.0).round(), 103.0);
    }

    #[test]
    fn a_reduce_merges_early_once_it_has_nearly_twice_the_factor_of_runs() {
        let merges = |runs: u32| disk_merges(&job(1, 10), runs);
        assert_eq!(merges(0), DiskMerges::default());
        let expected = |during_fetch, after_fetch| DiskMerges { during_fetch, after_fetch, final_runs: 10.0 };
        assert_eq!(merges(10), expected(0.0, 0.0));
        assert_eq!(merges(18), expected(0.0, 9.0 / 18.0));
        assert_eq!(merges(19), expected(10.0 / 19.0, 0.0));
        // Two merges of ten leave eight and two large ones; two of those eight and the last are merged into one.
        assert_eq!(merges(29), expected(20.0 / 29.0, 2.0 / 29.0));
    }
}
