//! TeraValidate: reads partition files once and checks the order and the checksum of their rows.
//!
//! Hadoop reads a file with one map task; here files are divided into pieces, so all slots are busy even if there are few
//! files. The pieces' ends are compared afterwards like the files' ends.

use std::fs::File;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;
use std::sync::{Mutex, PoisonError};

use crate::blocks::{STRIDE, row_block_pairs};
use crate::clock::monotonic;
use crate::context::{Context, TaskAttempt, TaskKind};
use crate::error::{Error, Result};
use crate::file::{ALIGN, InputFile, sync_dir};
use crate::order::RowCheck;
use crate::pool::Pool;
use crate::record::ROW;
use crate::slots::{StopSignal, run_tasks};
use crate::validation::{Expected, Fault, combine_checks};

/// The result of TeraValidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TeravalidateReport {
    /// Rows read.
    pub rows: u64,
    /// The sum of the rows' CRC-32s.
    pub checksum: u128,
    /// Every fault: `error` with Hadoop's message, or `rows` or `checksum` for a difference from TeraGen's record.
    pub errors: Vec<Fault>,
    /// Bytes read.
    pub read_bytes: u64,
    /// Whether all reads bypassed the page cache.
    pub direct: bool,
}

/// Pieces of the input for each slot: enough that the slots end at nearly the same time, and few enough that it
/// hardly matters that a slot reads nothing while it checks a piece's last block.
const PIECES_PER_SLOT: u64 = 8;

/// A part of a file that one map task reads.
struct Piece {
    file: usize,
    bytes: Range<u64>,
}

/// Checks the rows in `inputs`, partition files in their order, with `slots` tasks at a time, and
/// writes the lines of Hadoop's TeraValidate to `output`, which must not exist.
///
/// `expected` is TeraGen's record: the number of rows and their checksum. Without it, only the order is
/// checked, not whether all rows exist.
///
/// # Errors
/// [`Error::Input`] if a file's length is not a multiple of [`ROW`], [`Error::Memory`] if the pool is too
/// small for the slots, [`Error::Io`], [`Error::Cancelled`]. Faults in the rows are no error.
pub fn teravalidate(
    pool: &mut Pool,
    inputs: &[PathBuf],
    output: &Path,
    slots: usize,
    expected: Option<Expected>,
    context: &Context,
) -> Result<TeravalidateReport> {
    let lengths = inputs.iter().map(|path| row_file_len(path)).collect::<Result<Vec<_>>>()?;
    let total: u64 = lengths.iter().sum();
    let slots = slots.max(1);
    let pieces = pieces(&lengths, total.div_ceil(slots as u64 * PIECES_PER_SLOT));
    let halves = row_block_pairs(pool, slots)?;
    context.expect(total);
    context.begin_phase("map");
    let checked = Mutex::new((vec![RowCheck::default(); pieces.len()], true));
    run_tasks(halves, pieces.len(), context, |[first_half, second_half], slot, task, stop| {
        let start = monotonic();
        let piece = &pieces[task];
        let file = open_unchanged(&inputs[piece.file], lengths[piece.file])?;
        let check = check_piece(&file, piece.bytes.clone(), [first_half, second_half], stop, context)?;
        context.finish_task(TaskAttempt {
            input_rows: check.rows,
            input_bytes: piece.bytes.end - piece.bytes.start,
            ..TaskAttempt::ended(TaskKind::Map, task, slot, start)
        });
        let mut checked = checked.lock().unwrap_or_else(PoisonError::into_inner);
        checked.0[task] = check;
        checked.1 &= file.is_direct();
        Ok(())
    })?;
    context.begin_phase("reduce");
    let start = monotonic();
    let (checks, direct) = checked.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut files: Vec<_> = inputs.iter().map(|path| (file_name(path), RowCheck::default())).collect();
    for (piece, check) in pieces.iter().zip(&checks) {
        files[piece.file].1.append(check);
    }
    let validation = combine_checks(&files, expected);
    write_report(output, &validation.report)?;
    context.finish_task(TaskAttempt {
        output_bytes: validation.report.len() as u64,
        ..TaskAttempt::ended(TaskKind::Reduce, 0, 0, start)
    });
    context.end_phase();
    Ok(TeravalidateReport {
        rows: validation.rows,
        checksum: validation.checksum,
        errors: validation.faults,
        read_bytes: total,
        direct,
    })
}

/// The length of a file of rows in bytes.
fn row_file_len(path: &Path) -> Result<u64> {
    let len = std::fs::metadata(path).map_err(Error::io(path, "open"))?.len();
    if len % ROW as u64 != 0 {
        return Err(Error::Input {
            subject: path.display().to_string(),
            what: format!(
                "{len} bytes are not a multiple of {ROW}; the file is truncated or not from TeraSort"
            ),
            hint: "write the file again, or give only files of rows".to_owned(),
        });
    }
    Ok(len)
}

/// Opens a file and checks that its length is still `len`.
fn open_unchanged(path: &Path, len: u64) -> Result<InputFile> {
    let file = InputFile::open(path)?;
    if file.len() != len {
        return Err(Error::Input {
            subject: path.display().to_string(),
            what: format!("changed from {len} to {} bytes while it was validated", file.len()),
            hint: "do not change the files while a run reads them".to_owned(),
        });
    }
    Ok(file)
}

/// Divides files of these lengths into equal pieces of at most about `length` bytes that start at
/// offsets for direct I/O.
fn pieces(lengths: &[u64], length: u64) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for (file, len) in lengths.iter().enumerate() {
        let count = len.div_ceil(length.max(1)).max(1);
        let step = len.div_ceil(count).next_multiple_of(STRIDE as u64);
        let mut start = 0;
        while start < *len {
            let end = (start + step).min(*len);
            pieces.push(Piece { file, bytes: start..end });
            start = end;
        }
    }
    pieces
}

/// Checks a piece's rows: one half of the memory is read into while the other is checked.
fn check_piece(
    file: &InputFile,
    bytes: Range<u64>,
    halves: [&mut [u8]; 2],
    stop: &StopSignal,
    context: &Context,
) -> Result<RowCheck> {
    std::thread::scope(|scope| {
        let (read, empty) = sync_channel::<&mut [u8]>(2);
        let (check, full) = sync_channel::<(&mut [u8], usize)>(2);
        for half in halves {
            read.send(half).expect("the receiver exists");
        }
        let reader = scope.spawn(move || {
            let mut offset = bytes.start;
            while offset < bytes.end {
                // The channels close early only if the check has failed.
                let Ok(block) = empty.recv() else { break };
                let length = (bytes.end - offset).min(block.len() as u64) as usize;
                file.read_at(&mut block[..length.next_multiple_of(ALIGN)], offset)?;
                offset += length as u64;
                if check.send((block, length)).is_err() {
                    break;
                }
            }
            Ok(())
        });
        let mut row_check = RowCheck::default();
        for (block, length) in full {
            stop.check()?;
            row_check.add(&block[..length]);
            context.advance(length as u64);
            // The reader does not need the last block again.
            let _ = read.send(block);
        }
        reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        Ok(row_check)
    })
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// Writes the report and waits until it is on disk; after a failure it is removed.
fn write_report(path: &Path, text: &str) -> Result<()> {
    let mut file = File::create_new(path).map_err(Error::io(path, "create"))?;
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    if written.is_err() {
        // The error of the write is more useful than one of the removal.
        let _ = std::fs::remove_file(path);
    }
    written.map_err(Error::io(path, "write"))?;
    path.parent().map_or(Ok(()), sync_dir)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_every_file_once_and_start_at_whole_strides() {
        let stride = STRIDE as u64;
        let lengths = [0, 100, stride, 3 * stride + 700, 2 * stride];
        for length in [0, 1, stride, 2 * stride - 1, 100 * stride] {
            let pieces = pieces(&lengths, length);
            for (file, len) in lengths.iter().enumerate() {
                let mut next = 0;
                for piece in pieces.iter().filter(|piece| piece.file == file) {
                    assert_eq!((piece.bytes.start, piece.bytes.start % stride), (next, 0));
                    assert!(piece.bytes.end > next);
                    next = piece.bytes.end;
                }
                assert_eq!(next, *len);
            }
        }
    }

    #[test]
    fn a_changed_file_is_named() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), [0; 300]).unwrap();
        assert_eq!(open_unchanged(file.path(), 300).unwrap().len(), 300);
        match open_unchanged(file.path(), 200) {
            Err(Error::Input { subject, .. }) => assert_eq!(subject, file.path().display().to_string()),
            _ => panic!("a change from 200 to 300 bytes was not detected"),
        }
    }
}
