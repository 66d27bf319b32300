//! `howdah._native`: the Rust kernels as Python sees them.

use pyo3::prelude::*;

#[pymodule]
mod _native {}
