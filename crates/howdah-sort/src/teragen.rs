//! TeraGen: rows written into partition files, one map task for each file.
//!
//! A core generates rows many times faster than a disk writes them, so the disk should never wait: each slot fills one
//! half of its memory while a second thread writes the other half.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::mpsc::sync_channel;
use std::sync::{Mutex, PoisonError};

use crate::blocks::row_block_pairs;
use crate::clock::monotonic;
use crate::context::{Context, TaskAttempt, TaskKind};
use crate::error::{Error, Result};
use crate::file::OutputFile;
use crate::generate::fill_rows_summed;
use crate::pool::Pool;
use crate::record::{ROW, map_rows};
use crate::scratch::Scratch;
use crate::slots::{StopSignal, run_tasks};

/// The result of TeraGen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TeragenReport {
    /// Rows written.
    pub rows: u64,
    /// The sum of the rows' CRC-32s, TeraGen's counter CHECKSUM.
    pub checksum: u128,
    /// Bytes written.
    pub written_bytes: u64,
    /// Whether all files bypassed the page cache.
    pub direct: bool,
}

/// Writes `rows` rows into `files`, one map task each, `slots` tasks at a time, and waits until they
/// are on disk. The rows are divided as by Hadoop's TeraGen.
///
/// The files must not exist and their directories must. After a failure all files are removed.
///
/// # Errors
/// [`Error::Input`] if there are no files or the number of bytes overflows,
/// [`Error::Memory`] if the pool is too small for the slots, [`Error::Io`], [`Error::Cancelled`].
pub fn teragen(
    pool: &mut Pool,
    files: &[PathBuf],
    rows: u64,
    slots: usize,
    context: &Context,
) -> Result<TeragenReport> {
    let bytes = rows.checked_mul(ROW as u64).ok_or_else(|| Error::Input {
        subject: "rows".to_owned(),
        what: format!("{rows} rows are too large for a file system"),
        hint: format!("give at most {}", u64::MAX / ROW as u64),
    })?;
    if files.is_empty() {
        return Err(Error::Input {
            subject: "map tasks".to_owned(),
            what: "there are none".to_owned(),
            hint: "give at least one output file".to_owned(),
        });
    }
    let slots = slots.clamp(1, files.len());
    let halves = row_block_pairs(pool, slots)?;
    let scratch = Scratch::default();
    let report = Mutex::new(TeragenReport { rows: 0, checksum: 0, written_bytes: 0, direct: true });
    context.expect(bytes);
    context.begin_phase("map");
    run_tasks(halves, files.len(), context, |[first_half, second_half], slot, task, stop| {
        let start = monotonic();
        let range = map_rows(rows, task as u32, files.len() as u32);
        let task_rows = range.end - range.start;
        let file = scratch.create(&files[task])?;
        let direct = file.is_direct();
        let (checksum, written) = write_rows(range, file, [first_half, second_half], stop, context)?;
        context.finish_task(TaskAttempt {
            output_rows: task_rows,
            output_bytes: written,
            ..TaskAttempt::ended(TaskKind::Map, task, slot, start)
        });
        let mut report = report.lock().unwrap_or_else(PoisonError::into_inner);
        report.rows += task_rows;
        report.checksum += checksum;
        report.written_bytes += written;
        report.direct &= direct;
        Ok(())
    })?;
    scratch.keep()?;
    context.end_phase();
    Ok(report.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// Writes one task's rows and returns their checksum and the bytes written.
fn write_rows(
    range: Range<u64>,
    mut file: OutputFile,
    halves: [&mut [u8]; 2],
    stop: &StopSignal,
    context: &Context,
) -> Result<(u128, u64)> {
    std::thread::scope(|scope| {
        let (fill, empty) = sync_channel::<&mut [u8]>(2);
        let (write, full) = sync_channel::<&mut [u8]>(2);
        for half in halves {
            fill.send(half).expect("the receiver exists");
        }
        let writer = scope.spawn(move || {
            for block in full {
                file.append(block)?;
                context.advance(block.len() as u64);
                // The last block is not needed again.
                let _ = fill.send(block);
            }
            Ok(file)
        });
        let mut checksum = 0;
        let mut next = range.start;
        let mut last = None;
        // The channel closes early only if a write failed; joining the writer returns the error.
        while let Ok(block) = empty.recv() {
            stop.check()?;
            let block_rows = (range.end - next).min((block.len() / ROW) as u64);
            let bytes = block_rows as usize * ROW;
            checksum += fill_rows_summed(next, &mut block[..bytes]);
            next += block_rows;
            if next == range.end {
                last = Some((block, bytes));
                break;
            }
            let _ = write.send(block);
        }
        drop(write);
        let file = writer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        let (block, bytes) = last.expect("the writer returns every block unless it fails");
        let written = file.finish(block, bytes)?;
        context.advance(bytes as u64);
        Ok((checksum, written))
    })
}
