//! The memory pool, used by one operation at a time.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::{PyMemoryError, PyRuntimeError};
use pyo3::prelude::*;

/// Memory allocated and touched once.
#[pyclass(frozen, module = "howdah._native")]
pub struct Pool {
    home: Arc<Home>,
    size_bytes: usize,
}

/// Contains the memory while no operation uses it.
type Home = Mutex<Option<howdah_sort::Pool>>;

#[pymethods]
impl Pool {
    #[new]
    fn new(py: Python<'_>, size_bytes: usize, threads: usize) -> PyResult<Self> {
        // More does not fit into any address space, and rounding up would overflow.
        if size_bytes > isize::MAX as usize / 2 {
            return Err(out_of_memory(size_bytes));
        }
        if size_bytes == 0 {
            return Err(crate::errors::InputError::new_err((
                "memory",
                "0 bytes are too few",
                "give at least 2 MiB",
            )));
        }
        let pool = py
            .detach(|| howdah_sort::Pool::new(size_bytes, threads))
            .map_err(|_| out_of_memory(size_bytes))?;
        Ok(Self { size_bytes: pool.len(), home: Arc::new(Mutex::new(Some(pool))) })
    }

    /// The pool's size in bytes, rounded up to whole huge pages.
    #[getter]
    fn size_bytes(&self) -> usize {
        self.size_bytes
    }
}

fn out_of_memory(size_bytes: usize) -> PyErr {
    PyMemoryError::new_err(format!("cannot allocate a pool of {size_bytes} bytes"))
}

impl Pool {
    /// Takes the memory until the loan is dropped; fails if another operation uses it.
    pub fn lend(&self) -> PyResult<Loan> {
        let memory = self.home.lock().unwrap_or_else(PoisonError::into_inner).take();
        match memory {
            Some(memory) => Ok(Loan { memory: Some(memory), home: Arc::clone(&self.home) }),
            None => Err(PyRuntimeError::new_err(
                "the pool is in use by another operation; wait for it to end or create another pool",
            )),
        }
    }
}

/// A pool's memory on loan; it is returned when the loan is dropped, even by a panic.
pub struct Loan {
    memory: Option<howdah_sort::Pool>,
    home: Arc<Home>,
}

impl Deref for Loan {
    type Target = howdah_sort::Pool;

    fn deref(&self) -> &Self::Target {
        self.memory.as_ref().expect("a loan has its memory until it is dropped")
    }
}

impl DerefMut for Loan {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.memory.as_mut().expect("a loan has its memory until it is dropped")
    }
}

impl Drop for Loan {
    fn drop(&mut self) {
        *self.home.lock().unwrap_or_else(PoisonError::into_inner) = self.memory.take();
    }
}
