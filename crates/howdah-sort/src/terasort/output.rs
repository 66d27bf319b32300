//! The output partitions, one file each: either all of them are written, or none remains.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::stream::{Target, Writer};
use super::task_reporter::{TaskCounters, TaskReporter};
use super::team::Team;
use crate::context::{Context, TaskKind};
use crate::error::{Error, Result};
use crate::file::OutputFile;
use crate::record::ROW;
use crate::scratch::Scratch;

/// A partition that a reduce slot writes.
pub struct Partition {
    /// Its number.
    pub number: usize,
    /// When the slot began to work on it.
    pub started: Duration,
}

/// The stream from a reduce slot to its writer; a partition ends with the intermediate bytes read back for it.
pub type PartitionWriter<'p> = Writer<'p, Partition, u64>;

/// The output files; they are removed unless all of them are finished.
pub struct Outputs<'a> {
    paths: &'a [PathBuf],
    files: Scratch,
    report: Mutex<OutputReport>,
}

/// The result of writing the outputs.
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
            // An early error, before any rows are read.
            if path.symlink_metadata().is_ok() {
                return Err(Error::io(path, "create")(std::io::ErrorKind::AlreadyExists.into()));
            }
        }
        let report = OutputReport { rows: vec![0; paths.len()], direct: true };
        Ok(Self { paths, files: Scratch::default(), report: Mutex::new(report) })
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
        let mut reporter = TaskReporter::new(context, TaskKind::Reduce, slot);
        let report = || self.report.lock().unwrap_or_else(PoisonError::into_inner);
        partitions.write(
            || team.check(),
            |partition| {
                let file = self.files.create(&self.paths[partition.number])?;
                report().direct &= file.is_direct();
                Ok(CountedFile { file, context })
            },
            |partition, spill_read_bytes, bytes| {
                let rows = bytes / ROW as u64;
                report().rows[partition.number] = rows;
                let counters = TaskCounters {
                    rows,
                    input_bytes: spill_read_bytes,
                    output_bytes: bytes,
                    spilled_bytes: spill_read_bytes,
                };
                reporter.finish(partition.number as u32, partition.started, counters);
            },
        )
    }

    /// Keeps the files once every partition has been written.
    pub fn keep(self) -> Result<OutputReport> {
        self.files.keep()?;
        Ok(self.report.into_inner().unwrap_or_else(PoisonError::into_inner))
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
