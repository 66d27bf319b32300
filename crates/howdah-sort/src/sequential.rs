//! Whole files written or read from start to end, one after another on each slot, with the time of each.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::clock::monotonic;
use crate::context::{Context, TaskAttempt, TaskKind};
use crate::error::{Error, Result};
use crate::file::{ALIGN, InputFile};
use crate::pool::{Pool, Slab};
use crate::scratch::Scratch;
use crate::slots::{StopSignal, run_tasks};

/// A file and the time of its I/O.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileIo {
    /// The file.
    pub path: PathBuf,
    /// Its length.
    pub bytes: u64,
    /// From the open stream to the closed one; a written file is on disk by then.
    pub io: Duration,
}

/// All files, in the order of the argument.
#[derive(Clone, Debug)]
pub struct FilesReport {
    /// The files.
    pub files: Vec<FileIo>,
    /// Whether all of them bypassed the page cache.
    pub direct: bool,
}

/// The smallest block of a slot; smaller requests would measure their own overhead.
const SMALLEST_BLOCK: usize = 1 << 20;

/// The largest block of a slot; a virtual disk on ext4 was no faster with 8 or 16 MiB.
const LARGEST_BLOCK: usize = 4 << 20;

/// Splits the pool into one block for each slot.
pub fn blocks(pool: &mut Pool, slots: usize) -> Result<Vec<Slab<'_>>> {
    let slots = slots.max(1);
    let block = (pool.len() / slots).min(LARGEST_BLOCK) / ALIGN * ALIGN;
    if block < SMALLEST_BLOCK {
        let needed = slots as u64 * SMALLEST_BLOCK as u64;
        return Err(Error::Memory { budget: pool.len() as u64, needed });
    }
    Ok(pool.as_mut_slice().chunks_exact_mut(block).take(slots).collect())
}

/// SplitMix64's output function (Steele, Lea and Flood, 2014): a bijection without a visible pattern.
fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// Fills blocks with incompressible bytes that depend on the seed.
pub fn fill(blocks: &mut [Slab<'_>], seed: u64) {
    let mut state = mix(seed);
    for block in blocks {
        for word in block.chunks_exact_mut(size_of::<u64>()) {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            word.copy_from_slice(&mix(state).to_le_bytes());
        }
    }
}

/// Marks every page of a block with its file and position, so no two pages are equal and
/// deduplication by the disk has no effect.
fn stamp(block: &mut [u8], file: usize, offset: u64) {
    // A file of 2⁵⁶ bytes has 2⁴⁴ pages; the bits above distinguish the files.
    let first_page = ((file as u64) << 44) + offset / ALIGN as u64;
    for (page, bytes) in (first_page..).zip(block.chunks_exact_mut(ALIGN)) {
        bytes[..size_of::<u64>()].copy_from_slice(&mix(page).to_le_bytes());
    }
}

/// Writes files of `file_bytes` each, one task for each file, with one slot for each block. The
/// files must not exist; after a failure all of them are removed.
pub fn write_files(
    blocks: Vec<Slab<'_>>,
    files: &[PathBuf],
    file_bytes: u64,
    phase: &'static str,
    context: &Context,
) -> Result<FilesReport> {
    let scratch = Scratch::default();
    context.expect(file_bytes.saturating_mul(files.len() as u64));
    let report = run_files(blocks, files, phase, context, |block, task, stop| {
        let mut file = scratch.create(&files[task])?;
        let direct = file.is_direct();
        let start = monotonic();
        while file_bytes - file.len() > block.len() as u64 {
            stop.check()?;
            stamp(block, task, file.len());
            file.append(block)?;
            context.advance(block.len() as u64);
        }
        let rest = (file_bytes - file.len()) as usize;
        stamp(block, task, file.len());
        let written = file.finish(block, rest)?;
        context.advance(rest as u64);
        Ok(FileResult { read: 0, written, io: monotonic() - start, direct })
    })?;
    scratch.keep()?;
    Ok(report)
}

/// Reads files, one task for each file, with one slot for each block.
pub fn read_files(
    blocks: Vec<Slab<'_>>,
    files: &[PathBuf],
    phase: &'static str,
    context: &Context,
) -> Result<FilesReport> {
    let mut total = 0;
    for path in files {
        total += std::fs::metadata(path).map_err(Error::io(path, "read"))?.len();
    }
    context.expect(total);
    run_files(blocks, files, phase, context, |block, task, stop| {
        let file = InputFile::open(&files[task])?;
        let start = monotonic();
        let (bytes, direct) = (file.len(), file.is_direct());
        let mut offset = 0;
        while offset < bytes {
            stop.check()?;
            let read = file.read_at(block, offset)? as u64;
            context.advance(read);
            offset += read;
        }
        drop(file);
        Ok(FileResult { read: bytes, written: 0, io: monotonic() - start, direct })
    })
}

/// The I/O of a task.
struct FileResult {
    read: u64,
    written: u64,
    io: Duration,
    direct: bool,
}

fn run_files(
    blocks: Vec<Slab<'_>>,
    files: &[PathBuf],
    phase: &'static str,
    context: &Context,
    work: impl Fn(&mut [u8], usize, &StopSignal) -> Result<FileResult> + Sync,
) -> Result<FilesReport> {
    let finished = Mutex::new(Vec::with_capacity(files.len()));
    let all_direct = AtomicBool::new(true);
    context.begin_phase(phase);
    run_tasks(blocks, files.len(), context, |block, slot, task, stop| {
        let start = monotonic();
        let result = work(block, task, stop)?;
        context.finish_task(TaskAttempt {
            input_bytes: result.read,
            output_bytes: result.written,
            ..TaskAttempt::ended(TaskKind::Map, task, slot, start)
        });
        all_direct.fetch_and(result.direct, Ordering::Relaxed);
        let file = FileIo { path: files[task].clone(), bytes: result.read + result.written, io: result.io };
        finished.lock().unwrap_or_else(PoisonError::into_inner).push((task, file));
        Ok(())
    })?;
    context.end_phase();
    let mut finished = finished.into_inner().unwrap_or_else(PoisonError::into_inner);
    finished.sort_unstable_by_key(|&(task, _)| task);
    let files = finished.into_iter().map(|(_, file)| file).collect();
    Ok(FilesReport { files, direct: all_direct.into_inner() })
}
