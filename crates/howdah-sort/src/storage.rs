//! The papers' file-system test: one thread writes files one after another, then reads them.
//!
//! A file system fills a disk from its outer, faster zones inwards and spreads new files over its
//! allocation groups; the rates of the files show both. Times are measured as in [`crate::dfsio_write`].

use std::path::PathBuf;

use crate::context::Context;
use crate::error::Result;
use crate::pool::Pool;
use crate::sequential::{FilesReport, blocks, fill, read_files, write_files};

/// Seed of the blocks' contents; any constant will do.
const SEED: u64 = 1;

/// Writes files of `file_bytes` each in the order of `files`. They must not exist; after a failure
/// all of them are removed.
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

/// Reads the files in the order of `files`.
pub fn storage_read(pool: &mut Pool, files: &[PathBuf], context: &Context) -> Result<FilesReport> {
    read_files(blocks(pool, 1)?, files, "read", context)
}
