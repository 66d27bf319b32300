//! Python exceptions for the errors of kernels.

use howdah_sort::Error;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyOSError, PyRuntimeError};
use pyo3::prelude::*;

create_exception!(howdah._native, InputError, PyException, "The input is at fault: (subject, what, hint).");
create_exception!(howdah._native, Cancelled, PyException, "The operation was cancelled before its end.");

/// Why an operation has no result.
pub enum Failure {
    /// The kernel returned an error.
    Kernel(Error),
    /// The kernel has a defect; the text is its panic message.
    Panic(String),
}

impl Failure {
    /// The exception to raise.
    pub fn to_py_err(&self) -> PyErr {
        match self {
            Self::Kernel(error) => to_py_err(error),
            Self::Panic(message) => PyRuntimeError::new_err(format!("a kernel panicked: {message}")),
        }
    }
}

/// The exception for a kernel's error.
pub fn to_py_err(error: &Error) -> PyErr {
    match error {
        Error::Input { subject, what, hint } => {
            InputError::new_err((subject.clone(), what.clone(), hint.clone()))
        }
        Error::Memory { budget, needed } => InputError::new_err((
            "memory",
            format!("{budget} bytes are too few for this work"),
            format!("give at least {needed} bytes"),
        )),
        Error::Io { path, action, source } => {
            // Only an operating-system error carries a number; a write that made no progress does not.
            let number = source.raw_os_error().unwrap_or(libc::EIO);
            let text = source.to_string();
            let reason = text.split(" (os error").next().unwrap_or(&text);
            PyOSError::new_err((number, format!("cannot {action}: {reason}"), path.clone().into_os_string()))
        }
        Error::Cancelled => Cancelled::new_err("the operation was cancelled"),
    }
}
