//! The papers' file-system test: files written, then read, one after another by one thread.
//!
//! A file system fills a disk from its outer, faster zones inwards and spreads new files over its
//! allocation groups, so each file's own rate shows both. Times are taken as in [`crate::dfsio_write`].

use std::path::PathBuf;

use crate::context::Context;
use crate::error::Result;
use crate::pool::Pool;
use crate::sequential::{FilesReport, blocks, fill, read_files, write_files};

/// What the blocks are filled from; any constant does, as nothing depends on their content.
const SEED: u64 = 1;

/// Writes files of `file_bytes` each in the given order. The files must not exist; after a failure
/// none of them does.
pub fn storage_write(
    pool: &mut Pool,
    files: &[PathBuf],
    file_bytes: u64,
    context: &Context,
) -> Result<FilesReport> {
    let mut blocks = blocks(pool, 1)?;
    fill(&mut blocks, SEED);
    write_files(blocks, files, file_bytes, "write", context)
}

/// Reads the files in the given order.
pub fn storage_read(pool: &mut Pool, files: &[PathBuf], context: &Context) -> Result<FilesReport> {
    read_files(blocks(pool, 1)?, files, "read", context)
}
