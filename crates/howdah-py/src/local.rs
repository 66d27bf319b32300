//! The simulated local engine for Python.

use howdah_sim::Error;
use pyo3::prelude::*;

use crate::errors::{Cancelled, InputError};

/// Not an `Operation`: a run of one machine takes milliseconds.
#[pyfunction]
pub fn simulate_local(py: Python<'_>, scenario: &str) -> PyResult<String> {
    py.detach(|| howdah_sim::simulate_local(scenario)).map_err(|error| match error {
        Error::Input { subject, what, hint } => InputError::new_err((subject, what, hint)),
        Error::Cancelled => Cancelled::new_err("the simulation was cancelled"),
    })
}
