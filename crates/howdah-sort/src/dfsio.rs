//! TestDFSIO on ordinary files: one task a file, written or read from start to end.
//!
//! A file's time is taken as `org.apache.hadoop.fs.IOMapperBase` takes it: from the open stream to the
//! closed one, so creating and opening are outside. Unlike Hadoop's default, a written file is
//! on disk when its time ends.

use std::path::PathBuf;

use crate::context::Context;
use crate::error::Result;
use crate::pool::Pool;
use crate::sequential::{FilesReport, blocks, fill, read_files, write_files};

/// Writes files of `file_bytes` each, `slots` at once, with bytes that depend on `seed` and do not
/// compress. The files must not exist; after a failure none of them does.
pub fn dfsio_write(
    pool: &mut Pool,
    files: &[PathBuf],
    file_bytes: u64,
    slots: usize,
    seed: u64,
    context: &Context,
) -> Result<FilesReport> {
    let mut blocks = blocks(pool, slots)?;
    fill(&mut blocks, seed);
    write_files(blocks, files, file_bytes, "map", context)
}

/// Reads the files, `slots` at once.
pub fn dfsio_read(
    pool: &mut Pool,
    files: &[PathBuf],
    slots: usize,
    context: &Context,
) -> Result<FilesReport> {
    read_files(blocks(pool, slots)?, files, "map", context)
}
