//! Sorting and merging: comparisons, spills and passes.
//!
//! A map sorts what its buffer holds when it is full to the spill share, *n·log₂ n* comparisons, and merges its spills
//! if there are several. A merge of *k* runs needs *log₂ k* comparisons for a row. Of more runs than the factor *f* the
//! smallest are merged beforehand, as few as leave *f* of them for the merge that feeds the reduce
//! (org.apache.hadoop.mapred.Merger).
//!
//! A reduce does not wait for its last run with that: whenever *2f − 1* runs lie on its disks it merges the *f* smallest
//! of them while it fetches on (ReduceTask.ReduceCopier.LocalFSMerger, MergeManagerImpl.OnDiskMerger).

use crate::scenario::{Codec, Job, Scenario};

/// Bytes of a TeraSort row.
pub(crate) const ROW_BYTES: f64 = 100.0;

/// Bytes of a row in the sort buffer: itself and two lengths.
const SERIALIZED_ROW_BYTES: f64 = ROW_BYTES + 2.0;

/// Bytes about where a row is in the sort buffer.
const ROW_INDEX_BYTES: f64 = 16.0;

/// How a map's output is sorted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct MapSort {
    /// Comparisons for a row, merging included.
    pub(crate) comparisons_per_row: f64,
    /// Times that a byte is compressed and written.
    pub(crate) written: f64,
    /// Times that a byte is read again and decompressed.
    pub(crate) read: f64,
}

/// Sorts a map's output of so many bytes.
pub(crate) fn map_sort(job: &Job, bytes: f64) -> MapSort {
    let rows = (bytes / ROW_BYTES).max(1.0);
    let buffer = job.io_sort_bytes as f64 * job.io_sort_spill;
    let buffered = match job.io_sort_records {
        Some(part) => (buffer * part / ROW_INDEX_BYTES).min(buffer * (1.0 - part) / SERIALIZED_ROW_BYTES),
        None => buffer / (SERIALIZED_ROW_BYTES + ROW_INDEX_BYTES),
    };
    let buffered = buffered.max(1.0);
    let spills = (rows / buffered).ceil().max(1.0);
    let again = if spills > 1.0 { 1.0 + beforehand(spills, f64::from(job.io_sort_factor)) } else { 0.0 };
    MapSort {
        comparisons_per_row: (rows / spills).max(2.0).log2() + spills.log2(),
        written: 1.0 + again,
        read: again,
    }
}

/// How often a byte of so many equal runs is merged before what is left of them is merged at once.
///
/// The smallest are merged first, which makes a tree whose leaves, the runs, have two depths that are next to each
/// other; each node above a run but the root is a time that the run is read and written.
fn beforehand(runs: f64, factor: f64) -> f64 {
    let (mut full, mut depth) = (1.0, 0.0);
    while full * factor < runs {
        full *= factor;
        depth += 1.0;
    }
    // So many of the nodes at that depth are merges, whose runs lie one deeper.
    let merges = ((runs - full) / (factor - 1.0)).ceil();
    (depth + (runs - full + merges) / runs - 1.0).max(0.0)
}

/// How a reduce merges its runs on disk before the merge that feeds it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct DiskMerges {
    /// How often a byte is merged while others are still fetched.
    pub(crate) beside: f64,
    /// How often it is after the last has been fetched.
    pub(crate) after: f64,
    /// Runs that are left.
    pub(crate) left: f64,
}

/// How a reduce merges so many equal runs.
pub(crate) fn disk_merges(job: &Job, runs: u32) -> DiskMerges {
    let factor = job.io_sort_factor as usize;
    // The largest first.
    let mut sizes = Vec::new();
    let (mut beside, mut after) = (0.0, 0.0);
    for fetched in std::iter::repeat_n(1.0, runs as usize) {
        sizes.push(fetched);
        if sizes.len() == 2 * factor - 1 {
            beside += merge_smallest(&mut sizes, factor);
        }
    }
    if sizes.len() > factor {
        after = merge_smallest(&mut sizes, factor);
    }
    let all = f64::from(runs.max(1));
    DiskMerges { beside: beside / all, after: after / all, left: sizes.len() as f64 }
}

/// Merges the last of them into one, which takes its place among the others, so that so many are left. Returns its size.
fn merge_smallest(sizes: &mut Vec<f64>, left: usize) -> f64 {
    let merged = sizes.drain(left - 1..).sum();
    let place = sizes.partition_point(|&size| size >= merged);
    sizes.insert(place, merged);
    merged
}

/// Core-seconds to compress a byte of map output.
pub(crate) fn compress_s(scenario: &Scenario) -> f64 {
    scenario.parameters.compress_s_per_byte * relative(scenario.job.codec).0
}

/// Core-seconds to decompress a byte of map output.
pub(crate) fn decompress_s(scenario: &Scenario) -> f64 {
    scenario.parameters.decompress_s_per_byte * relative(scenario.job.codec).1
}

/// Core-seconds to merge a byte of runs on disk into a run on disk.
pub(crate) fn merge_s(scenario: &Scenario) -> f64 {
    f64::from(scenario.job.io_sort_factor).log2() / ROW_BYTES * scenario.parameters.compare_s
        + compress_s(scenario)
        + decompress_s(scenario)
}

/// Costs of compressing and decompressing relative to Snappy's, from lzbench's table of the Silesia corpus
/// (LZ4 660 and 3,800 MB/s, Snappy 500 and 1,500, Zstandard at level 3 240 and 950).
fn relative(codec: Codec) -> (f64, f64) {
    match codec {
        Codec::None => (0.0, 0.0),
        Codec::Snappy => (1.0, 1.0),
        Codec::Lz4 => (0.8, 0.4),
        Codec::Zstd => (2.1, 1.6),
    }
}

#[cfg(test)]
mod tests {
    use super::{DiskMerges, beforehand, disk_merges, map_sort};
    use crate::scenario::{Codec, Job};

    fn job(io_sort_bytes: u64, io_sort_factor: u32) -> Job {
        Job {
            io_sort_bytes,
            io_sort_spill: 0.8,
            io_sort_records: None,
            io_sort_factor,
            parallel_copies: 5,
            map_heap_bytes: 1 << 30,
            reduce_heap_bytes: 1 << 30,
            shuffle_input_buffer: 0.7,
            shuffle_merge: 0.66,
            merge_outputs: None,
            reduce_input_buffer: 0.0,
            codec: Codec::None,
            compression_ratio: 1.0,
            partition_samples: 100_000,
        }
    }

    #[test]
    fn a_block_that_fits_the_buffer_is_written_once() {
        let sort = map_sort(&job(400 << 20, 10), f64::from(256 << 20));
        assert_eq!((sort.written, sort.read), (1.0, 0.0));
    }

    #[test]
    fn a_small_part_for_row_indexes_makes_spills_of_a_block_that_would_fit() {
        let whole = job(100 << 20, 10);
        assert_eq!(map_sort(&whole, f64::from(64 << 20)).written, 1.0);
        // 5 % of 100 MiB index 327,680 rows, of which 80 % begin a spill: three spills of 671,088 rows.
        let parted = Job { io_sort_records: Some(0.05), ..whole };
        assert_eq!(map_sort(&parted, f64::from(64 << 20)).written, 2.0);
        assert_eq!(map_sort(&parted, 26e6).written, 1.0);
    }

    #[test]
    fn more_spills_than_the_factor_are_merged_beforehand_as_few_as_need_be() {
        // 128 MiB in spills of at most 8 MiB, 18 per cent of them what the buffer knows about rows: 19 spills.
        assert_eq!(map_sort(&job(10 << 20, 100), f64::from(128 << 20)).written, 2.0);
        // Ten of them become one, which leaves ten.
        assert_eq!(map_sort(&job(10 << 20, 10), f64::from(128 << 20)).written, 2.0 + 10.0 / 19.0);
    }

    #[test]
    fn runs_are_merged_beforehand_until_the_factor_of_them_is_left() {
        let merged = |runs: f64| beforehand(runs, 10.0) * runs;
        assert_eq!(
            [1.0, 10.0, 11.0, 15.0, 19.0, 20.0, 100.0].map(merged).map(f64::round),
            [0.0, 0.0, 2.0, 6.0, 10.0, 12.0, 100.0]
        );
        // Of 101 runs two are merged before a hundred are.
        assert_eq!(merged(101.0).round(), 103.0);
    }

    #[test]
    fn a_reduce_merges_runs_as_they_come_once_there_are_nearly_twice_the_factor() {
        let merges = |runs: u32| disk_merges(&job(1, 10), runs);
        assert_eq!(merges(0), DiskMerges::default());
        assert_eq!(merges(10), DiskMerges { beside: 0.0, after: 0.0, left: 10.0 });
        assert_eq!(merges(18), DiskMerges { beside: 0.0, after: 9.0 / 18.0, left: 10.0 });
        assert_eq!(merges(19), DiskMerges { beside: 10.0 / 19.0, after: 0.0, left: 10.0 });
        // Two merges of ten leave eight and two large ones; two of those eight and the last are merged into one.
        assert_eq!(merges(29), DiskMerges { beside: 20.0 / 29.0, after: 2.0 / 29.0, left: 10.0 });
    }
}
