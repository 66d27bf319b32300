//! CPU costs of a byte of rows in each step of TeraGen, TeraSort and TeraValidate.
//!
//! The steps are the kernels' own code on rows in memory. All threads run at the same time, so they share caches and
//! memory as in a real run. Costs are measured as each thread's CPU time, because other work on the machine affects it
//! far less than elapsed time.

use std::time::Duration;

use crate::clock::{monotonic, thread_cpu};
use crate::error::{Error, Result};
use crate::file::ALIGN;
use crate::generate::fill_rows_summed;
use crate::order::RowCheck;
use crate::pool::{Pool, Slab};
use crate::record::ROW;
use crate::terasort::codec::{Codec, Compressor, Decompressor, compressor_failed};
use crate::terasort::entry::{Entry, sorted_entries};
use crate::terasort::gather::{CHECK_ROWS, gather};
use crate::terasort::merge::{LoserTree, SortedEntries};
use crate::terasort::pool_splitter::PoolSplitter;

/// CPU seconds for each byte of rows, the mean over the threads.
#[derive(Clone, Debug, PartialEq)]
pub struct RowCosts {
    /// CPU time of the threads relative to elapsed time: less than 1 if other processes or a hypervisor took some.
    pub cpu_share: f64,
    /// Generating rows and their checksum.
    pub generate: f64,
    /// TeraValidate's check of order and checksum.
    pub validate: f64,
    /// Sorting and merging, with a few long windows and with many short ones.
    pub sorts: Vec<SortCost>,
    /// Compressing and decompressing blocks of sorted rows.
    pub codecs: Vec<CodecCost>,
}

/// The costs of a sort with windows of one length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SortCost {
    /// Merged windows.
    pub windows: usize,
    /// Rows in each window.
    pub window_rows: usize,
    /// CPU seconds per byte to make a window's entries and sort them.
    pub sort: f64,
    /// CPU seconds per byte to merge the windows and copy their rows.
    pub merge: f64,
}

/// The costs of a codec.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CodecCost {
    /// Its name in Hadoop.
    pub name: &'static str,
    /// CPU seconds per byte of rows to compress.
    pub pack: f64,
    /// CPU seconds per byte of rows to decompress.
    pub unpack: f64,
    /// Bytes stored for each byte of rows.
    pub ratio: f64,
}

/// Numbers of windows; the difference of the costs shows how they grow.
const WINDOWS: [usize; 2] = [16, 256];

/// Rows of a compressed block, as in a sort that spills much.
const BLOCK_ROWS: usize = 1024;

const CODECS: [(&str, Codec); 3] = [("lz4", Codec::Lz4), ("snappy", Codec::Snappy), ("zstd", Codec::Zstd)];

/// Measures every step with `threads` threads, which share `bytes` of the pool. Rows are copied in the order of their keys,
/// whose cost grows with the memory that they occupy.
///
/// # Errors
/// [`Error::Memory`] if this is too little for a row in every window of every thread.
pub fn row_costs(pool: &mut Pool, bytes: usize, threads: usize) -> Result<RowCosts> {
    let threads = threads.max(1);
    let bytes = bytes.min(pool.len());
    let share = bytes / threads / ALIGN * ALIGN;
    let rows = share.saturating_sub(2 * ALIGN) / (ROW + size_of::<Entry>());
    let most = WINDOWS[WINDOWS.len() - 1];
    if rows < most {
        let least = most * (ROW + size_of::<Entry>()) + 3 * ALIGN;
        return Err(Error::Memory { budget: bytes as u64, needed: (threads * least) as u64 });
    }
    let parts = pool.as_mut_slice()[..bytes].chunks_exact_mut(share).take(threads);
    let costs = std::thread::scope(|scope| {
        let threads: Vec<_> = parts.map(|part| scope.spawn(move || costs_of_thread(part, rows))).collect();
        let join = |thread: std::thread::ScopedJoinHandle<'_, _>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        threads.into_iter().map(join).collect::<Vec<_>>()
    });
    Ok(mean(&costs.into_iter().collect::<Result<Vec<_>>>()?))
}

fn costs_of_thread(part: Slab, rows: usize) -> Result<RowCosts> {
    let mut splitter = PoolSplitter::new(part);
    let arena = splitter.bytes(rows * ROW);
    let entries = splitter.entries(rows);
    let (started, cpu) = (monotonic(), thread_cpu());
    let (generating, _) = timed(|| fill_rows_summed(0, arena));
    let mut costs = RowCosts {
        cpu_share: 1.0,
        generate: per_byte(generating, arena.len()),
        validate: 0.0,
        sorts: vec![],
        codecs: vec![],
    };
    for windows in WINDOWS {
        let window_rows = rows.div_ceil(windows);
        let (sorting, lists) = timed(|| sort_windows(arena, entries, window_rows));
        let windows = lists.len();
        let mut check = RowCheck::default();
        let mut validating = Duration::ZERO;
        let merging = merge(lists, arena, |merged| {
            validating += timed(|| check.add(merged)).0;
            if costs.codecs.is_empty() {
                costs.codecs = codec_costs(merged)?;
            }
            Ok(())
        })?;
        assert!(check.rows == rows as u64 && check.misorder_count == 0, "the rows are not sorted");
        costs.validate = per_byte(validating, arena.len());
        costs.sorts.push(SortCost {
            windows,
            window_rows,
            sort: per_byte(sorting, arena.len()),
            merge: per_byte(merging, arena.len()),
        });
    }
    costs.cpu_share = (thread_cpu() - cpu).as_secs_f64() / (monotonic() - started).as_secs_f64();
    Ok(costs)
}

/// Merges the windows, passes the rows on in blocks, and returns the CPU time of the merge.
fn merge(
    lists: Vec<SortedEntries>,
    arena: &[u8],
    mut consume: impl FnMut(&[u8]) -> Result<()>,
) -> Result<Duration> {
    let mut merged = Vec::with_capacity(CHECK_ROWS * ROW);
    let (mut merging, mut tree) = timed(|| LoserTree::new(lists));
    loop {
        merged.clear();
        let (time, count) = timed(|| gather(&mut tree, arena, CHECK_ROWS, &mut merged));
        merging += time;
        if count? == 0 {
            return Ok(merging);
        }
        consume(&merged)?;
    }
}

fn sort_windows<'e>(arena: &[u8], entries: &'e mut [Entry], window_rows: usize) -> Vec<SortedEntries<'e>> {
    let windows = arena.chunks(window_rows * ROW).zip(entries.chunks_mut(window_rows));
    let mut start = 0;
    windows
        .map(|(rows, list)| {
            sorted_entries(rows, start, list);
            start += rows.len();
            SortedEntries::new(list)
        })
        .collect()
}

fn codec_costs(rows: &[u8]) -> Result<Vec<CodecCost>> {
    CODECS.iter().map(|&(name, codec)| codec_cost(name, codec, rows).map_err(compressor_failed)).collect()
}

fn codec_cost(name: &'static str, codec: Codec, rows: &[u8]) -> std::io::Result<CodecCost> {
    let block_bytes = BLOCK_ROWS * ROW;
    let mut compressor = Compressor::new(codec, block_bytes)?.expect("every codec listed compresses");
    let mut decompressor = Decompressor::new(codec)?.expect("every codec listed compresses");
    let mut restored = vec![0; block_bytes];
    let (mut packing, mut unpacking, mut stored) = (Duration::ZERO, Duration::ZERO, 0);
    for block in rows.chunks(block_bytes) {
        let (time, packed) = timed(|| compressor.pack(block));
        let packed = packed?;
        packing += time;
        stored += packed.len();
        let (time, unpacked) = timed(|| decompressor.unpack(packed, &mut restored[..block.len()]));
        unpacked?;
        unpacking += time;
    }
    Ok(CodecCost {
        name,
        pack: per_byte(packing, rows.len()),
        unpack: per_byte(unpacking, rows.len()),
        ratio: stored as f64 / rows.len() as f64,
    })
}

fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = thread_cpu();
    let result = std::hint::black_box(work());
    (thread_cpu() - start, result)
}

fn per_byte(time: Duration, bytes: usize) -> f64 {
    time.as_secs_f64() / bytes as f64
}

/// The mean over the threads, which all do the same work.
fn mean(threads: &[RowCosts]) -> RowCosts {
    let of = |cost: &dyn Fn(&RowCosts) -> f64| threads.iter().map(cost).sum::<f64>() / threads.len() as f64;
    let first = &threads[0];
    let sorts = first.sorts.iter().enumerate().map(|(index, &sort)| SortCost {
        sort: of(&|costs| costs.sorts[index].sort),
        merge: of(&|costs| costs.sorts[index].merge),
        ..sort
    });
    let codecs = first.codecs.iter().enumerate().map(|(index, &codec)| CodecCost {
        pack: of(&|costs| costs.codecs[index].pack),
        unpack: of(&|costs| costs.codecs[index].unpack),
        ..codec
    });
    RowCosts {
        cpu_share: of(&|costs| costs.cpu_share),
        generate: of(&|costs| costs.generate),
        validate: of(&|costs| costs.validate),
        sorts: sorts.collect(),
        codecs: codecs.collect(),
    }
}
