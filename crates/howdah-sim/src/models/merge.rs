//! Sorting and merging: comparisons, spills and passes.
//!
//! A map sorts what its buffer holds when it is full to the spill share, *n·log₂ n* comparisons, and merges its spills
//! if there are several. A merge of *k* runs needs *log₂ k* comparisons for a row; more runs than the factor *f* need
//! passes over the data: *⌈log k / log f⌉* in all, of which the last feeds the reduce
//! (org.apache.hadoop.mapred.Merger).

use crate::scenario::{Codec, Job, Scenario};

/// Bytes of a TeraSort row.
pub(crate) const ROW_BYTES: f64 = 100.0;

/// Bytes that a row takes in the sort buffer: itself, two lengths, and 16 bytes about where it is.
const BUFFERED_ROW_BYTES: f64 = ROW_BYTES + 2.0 + 16.0;

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
    let buffered = (job.io_sort_bytes as f64 * job.io_sort_spill / BUFFERED_ROW_BYTES).max(1.0);
    let spills = (rows / buffered).ceil().max(1.0);
    let again = passes(job, spills);
    MapSort {
        comparisons_per_row: (rows / spills).max(2.0).log2() + spills.log2(),
        written: 1.0 + again,
        read: again,
    }
}

/// Passes over the data that merge so many runs into one: none for a single run.
pub(crate) fn passes(job: &Job, runs: f64) -> f64 {
    if runs <= 1.0 { 0.0 } else { (runs.ln() / f64::from(job.io_sort_factor).ln()).ceil().max(1.0) }
}

/// Core-seconds to compress a byte of map output.
pub(crate) fn compress_s(scenario: &Scenario) -> f64 {
    scenario.parameters.compress_s_per_byte * relative(scenario.job.codec).0
}

/// Core-seconds to decompress a byte of map output.
pub(crate) fn decompress_s(scenario: &Scenario) -> f64 {
    scenario.parameters.decompress_s_per_byte * relative(scenario.job.codec).1
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
    use super::{map_sort, passes};
    use crate::scenario::{Codec, Job};

    fn job(io_sort_bytes: u64, io_sort_factor: u32) -> Job {
        Job {
            io_sort_bytes,
            io_sort_spill: 0.8,
            io_sort_factor,
            parallel_copies: 5,
            map_heap_bytes: 1 << 30,
            reduce_heap_bytes: 1 << 30,
            shuffle_input_buffer: 0.7,
            shuffle_merge: 0.66,
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
    fn more_spills_than_the_factor_need_another_pass() {
        // 128 MiB in spills of at most 8 MiB, 18 per cent of them what the buffer knows about rows: 19 spills.
        assert_eq!(map_sort(&job(10 << 20, 100), f64::from(128 << 20)).written, 2.0);
        assert_eq!(map_sort(&job(10 << 20, 10), f64::from(128 << 20)).written, 3.0);
    }

    #[test]
    fn passes_are_the_logarithm_of_the_runs() {
        assert_eq!(
            [1.0, 2.0, 10.0, 11.0, 100.0, 101.0].map(|runs| passes(&job(1, 10), runs)),
            [0.0, 1.0, 1.0, 2.0, 2.0, 3.0]
        );
    }
}
