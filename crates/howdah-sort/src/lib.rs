//! The local engine's kernels: Hadoop's benchmark programs without Hadoop, on ordinary files.
//!
//! Every kernel takes a specification, a [`Pool`] of memory as its limit, and a [`Context`] for
//! progress and cancellation, and returns a report. This crate does not depend on Python.

mod blocks;
mod clock;
mod context;
mod costs;
mod crc;
mod dfsio;
mod error;
mod file;
mod generate;
mod limit;
mod order;
mod panic;
mod pi;
mod pool;
mod record;
mod scratch;
mod sequential;
mod slots;
mod storage;
mod teragen;
mod terasort;
mod teravalidate;
mod validation;

pub use clock::monotonic;
pub use context::{Context, Phase, Progress, TaskAttempt, TaskKind, TimedInterval};
pub use costs::{CodecCost, RowCosts, SortCost, row_costs};
pub use crc::sum_of_crcs;
pub use dfsio::{dfsio_read, dfsio_write};
pub use error::{Error, Result};
pub use file::{ALIGN, InputFile, OutputFile, sync_dir};
pub use generate::{fill_rows, fill_rows_summed};
pub use limit::{RawReport, memory_copy_bytes_per_s, raw_limit};
pub use panic::catch_panic;
pub use pi::{PiReport, pi};
pub use pool::{Pool, Slab};
pub use record::{KEY, ROW, RowRandom, map_rows};
pub use sequential::{FileIo, FilesReport};
pub use storage::{storage_read, storage_write};
pub use teragen::{TeragenReport, teragen};
pub use terasort::{Codec, Intermediate, TerasortReport, TerasortSpec, terasort, terasort_needs};
pub use teravalidate::{TeravalidateReport, teravalidate};
pub use validation::{Expected, Fault};
