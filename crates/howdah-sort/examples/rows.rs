//! Measures how many rows a second one core generates, into its cache and into memory, with the
//! checksum and without, and how many it sums the checksums of once they are there.
//!
//! Prints one JSON object: rows per second, the best of several passes. Takes the number of rows to
//! generate into memory as its only argument.

use std::time::Instant;

use howdah_sort::{Pool, ROW, fill_rows, fill_rows_summed, sum_of_crcs};

/// Half a megabyte, which fits the second-level cache of every server core of the last ten years that
/// has one of its own.
const CACHED_ROWS: usize = 5_000;

const PASSES: usize = 7;

/// The best rate of several passes, each of which fills the buffer until it has made `rows` rows.
fn rate(buffer: &mut [u8], rows: usize, mut work: impl FnMut(u64, &mut [u8]) -> u128) -> f64 {
    let in_buffer = buffer.len() / ROW;
    let rounds = rows.div_ceil(in_buffer) as u64;
    let mut best = 0f64;
    for _ in 0..PASSES {
        let start = Instant::now();
        for round in 0..rounds {
            // Without a use of the result, the compiler might leave the work out.
            std::hint::black_box(work(round * in_buffer as u64, buffer));
        }
        best = best.max((rounds * in_buffer as u64) as f64 / start.elapsed().as_secs_f64());
    }
    best
}

fn main() {
    let rows = std::env::args().nth(1).map_or(10_000_000, |rows| rows.parse().expect("a number of rows"));
    let mut pool = Pool::new(rows * ROW, 1).expect("memory for the rows");
    let plain = |first, buffer: &mut [u8]| {
        fill_rows(first, buffer);
        0
    };
    let summed = |_, buffer: &mut [u8]| sum_of_crcs(buffer);
    let (cache, memory) = (CACHED_ROWS.min(rows) * ROW, rows * ROW);
    let memory_buffer = pool.as_mut_slice();
    let rates = [
        ("generate_into_cache", rate(&mut memory_buffer[..cache], rows, plain)),
        ("generate_and_sum_into_cache", rate(&mut memory_buffer[..cache], rows, fill_rows_summed)),
        ("generate_into_memory", rate(&mut memory_buffer[..memory], rows, plain)),
        ("generate_and_sum_into_memory", rate(&mut memory_buffer[..memory], rows, fill_rows_summed)),
        ("sum_from_memory", rate(&mut memory_buffer[..memory], rows, summed)),
    ];
    let fields: Vec<_> =
        rates.iter().map(|(name, rate)| format!("\"{name}_rows_per_s\": {rate:.0}")).collect();
    println!("{{{}}}", fields.join(", "));
}
