//! Measures the generation of TeraGen's rows in memory by one core, with and without their checksum.
//!
//! Prints rows per second as JSON for `python -m benches teragen`. The memory is small enough for the
//! processor's cache, so its speed does not matter.

use std::hint::black_box;
use std::time::{Duration, Instant};

use howdah_sort::{ROW, fill_rows, fill_rows_summed};

const BUFFER_ROWS: usize = 4096;
const DURATION: Duration = Duration::from_millis(500);

fn main() {
    let mut buffer = vec![0; BUFFER_ROWS * ROW];
    // The two take turns, and the best of each is printed: only disturbances make a core slower.
    let (mut plain, mut summed) = (0.0f64, 0.0f64);
    for _ in 0..3 {
        plain = plain.max(rows_per_s(|row| fill_rows(row, black_box(&mut buffer))));
        summed = summed.max(rows_per_s(|row| {
            black_box(fill_rows_summed(row, black_box(&mut buffer)));
        }));
    }
    println!("{{\"plain_rows_per_s\": {plain:.0}, \"summed_rows_per_s\": {summed:.0}}}");
}

fn rows_per_s(mut fill_from: impl FnMut(u64)) -> f64 {
    let start = Instant::now();
    let mut rows = 0;
    while start.elapsed() < DURATION {
        fill_from(rows);
        rows += BUFFER_ROWS as u64;
    }
    rows as f64 / start.elapsed().as_secs_f64()
}
