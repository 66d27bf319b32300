//! What finished kernels return, as Python objects.

use howdah_sort::PiReport;
use pyo3::prelude::*;

/// A kernel's report that can become a Python object.
pub trait Report: Send + 'static {
    /// Makes the object; it may be asked for more than once.
    fn to_python(&self, py: Python<'_>) -> PyResult<Py<PyAny>>;
}

/// How many of pi's points lie inside the circle.
#[pyclass(frozen, get_all, module = "howdah._native")]
pub struct Pi {
    inside: u64,
    total: u64,
}

impl Report for PiReport {
    fn to_python(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(Py::new(py, Pi { inside: self.inside, total: self.total })?.into_any())
    }
}
