//! Errors of a kernel.

use std::io;
use std::path::{Path, PathBuf};

/// The result of every fallible kernel function.
pub type Result<T> = std::result::Result<T, Error>;

/// A kernel's failure. `Input` and `Memory` are mistakes of the user; the others are failures of the machine.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An input file or parameter is invalid.
    #[error("{subject}: {what}")]
    Input {
        /// The wrong file or parameter.
        subject: String,
        /// What is wrong with it.
        what: String,
        /// How to correct it.
        hint: String,
    },
    /// The memory budget is too small for the work.
    #[error("memory: {budget} bytes are too few for this work; it needs at least {needed}")]
    Memory {
        /// The memory budget, bytes.
        budget: u64,
        /// The smallest sufficient budget, bytes.
        needed: u64,
    },
    /// The operating system refused an operation on a file.
    #[error("{path}: cannot {action}: {source}")]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// The operation: "read", "write", "create" …
        action: &'static str,
        /// The operating system's error.
        source: io::Error,
    },
    /// The caller cancelled the work.
    #[error("cancelled")]
    Cancelled,
}

impl Error {
    /// Adds the file and the action to an operating-system error.
    pub fn io(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, action, source }
    }
}
