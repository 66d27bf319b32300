//! The output partitions, one file each: all of them on disk, or none.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::lane::{Lane, Work};
use super::stream::{Target, Writer};
use super::team::Team;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::file::{OutputFile, sync_dir};
use crate::record::ROW;

/// A partition that a reduce slot begins to write.
pub struct Partition {
    /// Its number.
    pub number: u32,
    /// When the slot began to work for it.
    pub started: Duration,
}

/// The stream from a reduce slot to its writer; a partition ends with the intermediate bytes read back for it.
pub type PartitionWriter<'p> = Writer<'p, Partition, u64>;

/// The output files; those created are removed unless all of them are finished.
pub struct Outputs<'a> {
    paths: &'a [PathBuf],
    written: Mutex<Written<'a>>,
    kept: bool,
}

#[derive(Default)]
struct Written<'a> {
    created: Vec<&'a Path>,
    rows: Vec<u64>,
    buffered: bool,
}

/// What was written.
pub struct OutputReport {
    /// Rows in each partition.
    pub rows: Vec<u64>,
    /// Whether all writes bypassed the page cache.
    pub direct: bool,
}

impl<'a> Outputs<'a> {
    /// Outputs to be created at `paths`, none of which may exist.
    pub fn new(paths: &'a [PathBuf]) -> Result<Self> {
        for path in paths {
            // Found out now rather than when the first rows are about to be written.
            if path.symlink_metadata().is_ok() {
                return Err(Error::io(path, "create")(std::io::ErrorKind::AlreadyExists.into()));
            }
        }
        let written = Written { rows: vec![0; paths.len()], ..Written::default() };
        Ok(Self { paths, written: Mutex::new(written), kept: false })
    }

    /// The number of partitions.
    pub fn len(&self) -> usize {
        self.paths.len()
    }

    /// Writes the partitions that a reduce slot sends, and reports its tasks.
    pub fn write(
        &self,
        partitions: PartitionWriter,
        slot: usize,
        team: &Team,
        context: &Context,
    ) -> Result<()> {
        let mut lane = Lane::new(context, crate::TaskKind::Reduce, slot);
        partitions.write(
            || team.check(),
            |partition| {
                let path = &self.paths[partition.number as usize];
                let file = OutputFile::create(path)?;
                let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
                written.created.push(path);
                written.buffered |= !file.is_direct();
                Ok(CountedFile { file, context })
            },
            |partition, spill_read_bytes, bytes| {
                let rows = bytes / ROW as u64;
                let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
                written.rows[partition.number as usize] = rows;
                let work = Work {
                    rows,
                    input_bytes: spill_read_bytes,
                    output_bytes: bytes,
                    spilled_bytes: spill_read_bytes,
                };
                lane.finish(partition.number, partition.started, work);
            },
        )
    }

    /// Makes the files' names last, after every partition was written.
    pub fn keep(mut self) -> Result<OutputReport> {
        let parents: BTreeSet<&Path> = self.paths.iter().filter_map(|path| path.parent()).collect();
        for parent in parents {
            sync_dir(parent)?;
        }
        self.kept = true;
        let written = std::mem::take(&mut *self.written.lock().unwrap_or_else(PoisonError::into_inner));
        Ok(OutputReport { rows: written.rows, direct: !written.buffered })
    }
}

impl Drop for Outputs<'_> {
    fn drop(&mut self) {
        if !self.kept {
            for path in &self.written.lock().unwrap_or_else(PoisonError::into_inner).created {
                // The failure that led here is the one to report.
                let _ = std::fs::remove_file(path);
            }
        }
    }
}

/// An output file whose bytes count as progress.
struct CountedFile<'a> {
    file: OutputFile,
    context: &'a Context,
}

impl Target for CountedFile<'_> {
    type Done = u64;

    fn append(&mut self, block: &[u8]) -> Result<()> {
        self.file.append(block)?;
        self.context.advance(block.len() as u64);
        Ok(())
    }

    fn finish(self, padded: &[u8], len: usize) -> Result<u64> {
        self.context.advance(len as u64);
        self.file.finish(padded, len)
    }
}
