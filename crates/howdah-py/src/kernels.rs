//! The kernels as functions that start an [`Operation`].

use pyo3::prelude::*;

use crate::operation::Operation;

#[pyfunction]
pub fn pi(maps: u32, samples: u64, slots: usize) -> PyResult<Operation> {
    Operation::start("howdah-pi", move |context| howdah_sort::pi(maps, samples, slots, context))
}
