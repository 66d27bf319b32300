//! What can go wrong in a kernel.

use std::io;
use std::path::{Path, PathBuf};

/// The result of every fallible kernel function.
pub type Result<T> = std::result::Result<T, Error>;

/// A kernel's failure. `Input` and `Memory` are the user's to mend; the others are the machine's.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An input file or parameter is not what it has to be.
    #[error("{subject}: {what}")]
    Input {
        /// The file or parameter at fault.
        subject: String,
        /// What is wrong with it.
        what: String,
        /// What would be right.
        hint: String,
    },
    /// The memory budget is too small for the work.
    #[error("memory: {given} bytes are too few for this work; it needs at least {needed}")]
    Memory {
        /// The budget given, bytes.
        given: u64,
        /// The smallest budget that would do, bytes.
        needed: u64,
    },
    /// The operating system refused an operation on a file.
    #[error("{path}: cannot {action}: {source}")]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What was tried: "read", "write", "create" …
        action: &'static str,
        /// The operating system's answer.
        source: io::Error,
    },
    /// The caller cancelled the work.
    #[error("cancelled")]
    Cancelled,
}

impl Error {
    /// Names the file and the action for an operating-system error.
    pub fn io(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, action, source }
    }
}
