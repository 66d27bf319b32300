//! The local engine's kernels: Hadoop's benchmark programs without Hadoop, on ordinary files.
//!
//! Every kernel takes a specification, a [`Pool`] of memory it stays within and a [`Context`] that
//! carries progress out and cancellation in, and returns a report. Nothing here knows Python.

mod context;
mod error;
mod file;
mod pi;
mod generate;
mod pool;
mod slots;
mod record;

pub use context::{Context, Phase, Progress, TaskAttempt, TaskKind, monotonic};
pub use error::{Error, Result};
pub use file::{ALIGN, InputFile, OutputFile, sync_dir};
pub use generate::fill_rows;
pub use pi::{PiReport, pi};
pub use pool::{Pool, Slab};
pub use record::{KEY, ROW, RowRandom, map_rows};
