//! The raw limits: the rates of the disks and the memory without any processing of records.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::clock::{monotonic, process_cpu};
use crate::context::Context;
use crate::error::Result;
use crate::file::{ALIGN, InputFile, OutputFile};
use crate::pool::{Pool, Slab};
use crate::scratch::Scratch;
use crate::sequential::{blocks, fill};
use crate::slots::{StopSignal, run_tasks};

/// The time that plain writing, reading and copying took.
#[derive(Clone, Copy, Debug)]
pub struct RawReport {
    /// Until all bytes were written and on disk.
    pub write: Duration,
    /// Until all bytes were read.
    pub read: Duration,
    /// Until all bytes were read, written elsewhere and on disk.
    pub copy: Duration,
    /// The bytes that each of the three moved, all files together.
    pub bytes: u64,
    /// CPU time that this process had while it wrote.
    pub write_cpu: Duration,
    /// CPU time that this process had while it read.
    pub read_cpu: Duration,
    /// Whether everything bypassed the page cache.
    pub direct: bool,
}

/// Seed of the blocks' contents; any constant will do.
const SEED: u64 = 1;

/// Writes, reads and copies `bytes_per_file` bytes (rounded up to [`ALIGN`]) in each scratch file,
/// all files at once with `depth` threads each.
///
/// The files must not exist. Each copy is stored next to its source, so twice the bytes must fit.
/// All of them are removed afterwards, even after a failure.
pub fn raw_limit(
    pool: &mut Pool,
    scratch_files: &[PathBuf],
    bytes_per_file: u64,
    depth: usize,
    context: &Context,
) -> Result<RawReport> {
    let depth = depth.max(1);
    let mut blocks = blocks(pool, depth * scratch_files.len())?;
    fill(&mut blocks, SEED);
    let scratch = Scratch::default();
    let sources = create(&scratch, scratch_files)?;
    let copies = create(&scratch, &scratch_files.iter().map(|path| copy_path(path)).collect::<Vec<_>>())?;
    let mut pass = Pass {
        blocks,
        files: scratch_files.len(),
        bytes_per_file: bytes_per_file.next_multiple_of(ALIGN as u64),
        context,
    };
    let bytes = pass.bytes_per_file * pass.files as u64;
    context.expect(bytes * 4);

    context.begin_phase("write");
    let (write, write_cpu) =
        pass.run(|file, block, offset| sources[file].write_at(block, offset), |file| sources[file].sync())?;
    let inputs = scratch_files.iter().map(|path| InputFile::open(path)).collect::<Result<Vec<_>>>()?;
    context.begin_phase("read");
    let (read, read_cpu) =
        pass.run(|file, block, offset| fill_from(&inputs[file], block, offset), |_| Ok(()))?;
    context.begin_phase("copy");
    let (copy, _) = pass.run(
        |file, block, offset| {
            fill_from(&inputs[file], block, offset)?;
            context.advance(block.len() as u64);
            copies[file].write_at(block, offset)
        },
        |file| copies[file].sync(),
    )?;
    context.end_phase();

    let direct = sources.iter().chain(&copies).all(OutputFile::is_direct);
    Ok(RawReport { write, read, copy, bytes, write_cpu, read_cpu, direct })
}

fn create(scratch: &Scratch, paths: &[PathBuf]) -> Result<Vec<OutputFile>> {
    paths.iter().map(|path| scratch.create(path)).collect()
}

fn copy_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".copy");
    PathBuf::from(name)
}

fn fill_from(file: &InputFile, block: &mut [u8], offset: u64) -> Result<()> {
    file.read_at(block, offset).map(drop)
}

/// Threads that process all files once in each run.
struct Pass<'a> {
    /// One block for each thread.
    blocks: Vec<Slab<'a>>,
    files: usize,
    bytes_per_file: u64,
    context: &'a Context,
}

impl Pass<'_> {
    /// Calls `transfer` once for every block of every file, and `complete` for every file after its
    /// last block; returns the elapsed time and the CPU time.
    fn run(
        &mut self,
        transfer: impl Fn(usize, &mut [u8], u64) -> Result<()> + Sync,
        complete: impl Fn(usize) -> Result<()> + Sync,
    ) -> Result<(Duration, Duration)> {
        let (files, end, context) = (self.files, self.bytes_per_file, self.context);
        let next: Vec<_> = (0..files).map(|_| AtomicU64::new(0)).collect();
        let remaining: Vec<_> = (0..files).map(|_| AtomicU64::new(end)).collect();
        let threads = self.blocks.len();
        let (start, cpu) = (monotonic(), process_cpu());
        run_tasks(self.blocks.iter_mut(), threads, context, |block, _, thread, stop: &StopSignal| {
            let file = thread % files;
            loop {
                let offset = next[file].fetch_add(block.len() as u64, Ordering::Relaxed);
                if offset >= end {
                    return Ok(());
                }
                stop.check()?;
                let length = (end - offset).min(block.len() as u64);
                transfer(file, &mut block[..length as usize], offset)?;
                context.advance(length);
                if remaining[file].fetch_sub(length, Ordering::AcqRel) == length {
                    complete(file)?;
                }
            }
        })?;
        Ok((monotonic() - start, process_cpu() - cpu))
    }
}

/// Bytes a second that `threads` threads together copy within the pool's memory, each byte read
/// once and written once; the median of several passes.
pub fn memory_copy_bytes_per_s(pool: &mut Pool, threads: usize) -> f64 {
    // Each thread needs at least a page to copy from and one to copy to.
    let threads = threads.clamp(1, pool.len() / (2 * ALIGN));
    let share = pool.len() / threads / (2 * ALIGN) * (2 * ALIGN);
    let half = share.min(LARGEST_SHARE) / 2;
    let copied = (half * threads) as f64;
    let mut rates: Vec<f64> = (0..PASSES)
        .map(|_| {
            let start = monotonic();
            std::thread::scope(|scope| {
                for part in pool.as_mut_slice().chunks_exact_mut(share).take(threads) {
                    scope.spawn(move || {
                        let (source, target) = part[..2 * half].split_at_mut(half);
                        target.copy_from_slice(source);
                        std::hint::black_box(target);
                    });
                }
            });
            copied / (monotonic() - start).as_secs_f64()
        })
        .collect();
    rates.sort_unstable_by(f64::total_cmp);
    rates[PASSES / 2]
}

/// Number of passes; odd, so there is a median.
const PASSES: usize = 7;

/// More memory for a thread only takes longer.
const LARGEST_SHARE: usize = 512 << 20;

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn a_pass_moves_every_byte_once_and_then_completes_each_file() {
        let mut pool = Pool::new(6 << 20, 1).unwrap();
        let context = Context::default();
        let bytes_per_file = (5 << 20) + ALIGN as u64;
        let mut pass =
            Pass { blocks: blocks(&mut pool, 6).unwrap(), files: 2, bytes_per_file, context: &context };
        for _ in 0..2 {
            let moved = Mutex::new([vec![], vec![]]);
            let completed = Mutex::new(vec![]);
            let transfer = |file: usize, block: &mut [u8], offset: u64| {
                moved.lock().unwrap()[file].push((offset, block.len() as u64));
                Ok(())
            };
            let complete = |file: usize| {
                let bytes: u64 = moved.lock().unwrap()[file].iter().map(|&(_, length)| length).sum();
                assert_eq!(bytes, bytes_per_file);
                completed.lock().unwrap().push(file);
                Ok(())
            };
            pass.run(transfer, complete).unwrap();
            for mut stretches in moved.into_inner().unwrap() {
                stretches.sort_unstable();
                let end = stretches.iter().fold(0, |end, &(offset, length)| {
                    assert_eq!(offset, end);
                    offset + length
                });
                assert_eq!(end, bytes_per_file);
            }
            let mut completed = completed.into_inner().unwrap();
            completed.sort_unstable();
            assert_eq!(completed, [0, 1]);
        }
    }
}
