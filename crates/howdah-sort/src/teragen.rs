//! TeraGen: rows written into partition files, one map task a file.
//!
//! A core makes rows many times faster than a disk takes them, so all that matters is that the disk
//! never waits: each slot fills one half of its memory while a second thread writes the other half.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::mpsc::sync_channel;
use std::sync::{Mutex, PoisonError};

use crate::blocks::row_blocks;
use crate::clock::monotonic;
use crate::context::{Context, TaskAttempt, TaskKind};
use crate::error::{Error, Result};
use crate::file::OutputFile;
use crate::generate::fill_rows_summed;
use crate::pool::Pool;
use crate::record::{ROW, map_rows};
use crate::scratch::Scratch;
use crate::slots::{Halt, run_tasks};

/// What TeraGen wrote.
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
/// are on disk. The rows are shared out as Hadoop's TeraGen does.
///
/// The files must not exist and their directories must. After a failure none of the files is left.
///
/// # Errors
/// [`Error::Input`] if there are no files or more rows than bytes can be counted for,
/// [`Error::Memory`] if the pool has too little for so many slots, [`Error::Io`], [`Error::Cancelled`].
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
    let mut blocks = row_blocks(pool, 2 * slots)?.into_iter();
    let halves: Vec<_> = std::iter::from_fn(|| Some([blocks.next()?, blocks.next()?])).collect();
    let scratch = Scratch::default();
    let report = Mutex::new(TeragenReport { rows: 0, checksum: 0, written_bytes: 0, direct: true });
    context.expect(bytes);
    context.begin_phase("map");
    run_tasks(halves, files.len(), context, |[one, other], slot, task, halt| {
        let start = monotonic();
        let range = map_rows(rows, task as u32, files.len() as u32);
        let made = range.end - range.start;
        let file = scratch.create(&files[task])?;
        let direct = file.is_direct();
        let (checksum, written) = write_rows(range, file, [one, other], halt, context)?;
        context.finish_task(TaskAttempt {
            kind: TaskKind::Map,
            task: task as u32,
            slot,
            start,
            end: monotonic(),
            input_rows: 0,
            output_rows: made,
            input_bytes: 0,
            output_bytes: written,
            spilled_bytes: 0,
        });
        let mut report = report.lock().unwrap_or_else(PoisonError::into_inner);
        report.rows += made;
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
    halt: &Halt,
    context: &Context,
) -> Result<(u128, u64)> {
    std::thread::scope(|scope| {
        let (fill, empty) = sync_channel::<&mut [u8]>(2);
        let (write, full) = sync_channel::<&mut [u8]>(2);
        for half in halves {
            fill.send(half).expect("the receiver is still here");
        }
        let writer = scope.spawn(move || {
            for block in full {
                file.append(block)?;
                context.advance(block.len() as u64);
                // Nobody wants the last block back.
                let _ = fill.send(block);
            }
            Ok(file)
        });
        let mut checksum = 0;
        let mut next = range.start;
        let mut last = None;
        // The channel closes early only if writing failed; joining the writer tells why.
        while let Ok(block) = empty.recv() {
            halt.check()?;
            let made = (range.end - next).min((block.len() / ROW) as u64);
            let bytes = made as usize * ROW;
            checksum += fill_rows_summed(next, &mut block[..bytes]);
            next += made;
            if next == range.end {
                last = Some((block, bytes));
                break;
            }
            let _ = write.send(block);
        }
        drop(write);
        let file = writer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        let (block, bytes) = last.expect("the writer gives every block back unless it fails");
        let written = file.finish(block, bytes)?;
        context.advance(bytes as u64);
        Ok((checksum, written))
    })
}
