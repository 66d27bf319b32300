//! The local engine's kernels: Hadoop's benchmark programs without Hadoop, on ordinary files.
//!
//! Every kernel takes a specification, a [`Pool`] of memory it stays within and a [`Context`] that
//! carries progress out and cancellation in, and returns a report. Nothing here knows Python.

mod context;
mod crc;
mod error;
mod file;
mod generate;
mod pi;
mod pool;
mod record;
mod slots;

pub use context::{Context, Phase, Progress, TaskAttempt, TaskKind, monotonic};
pub use crc::sum_of_crcs;
pub use error::{Error, Result};
pub use file::{ALIGN, InputFile, OutputFile, sync_dir};
pub use generate::{fill_rows, fill_rows_summed};
pub use pi::{PiReport, pi};
pub use pool::{Pool, Slab};
pub use record::{KEY, ROW, RowRandom, map_rows};
