//! `howdah._native`: the Rust kernels as a Python module.
//!
//! Every kernel runs on a separate thread without Python, so the interpreter continues meanwhile.
//! `_native.pyi` documents the module; a test compares the two.

mod allocator;
mod costs;
mod embedded;
mod errors;
mod kernels;
mod operation;
mod pool;
mod reports;
mod simulation;

use pyo3::prelude::*;

#[global_allocator]
static ALLOCATOR: allocator::Allocator = allocator::Allocator;

#[pymodule]
mod _native {
    use super::*;

    #[pymodule_export]
    use costs::{CodecCost, RowCosts, SortCost, row_costs};
    #[pymodule_export]
    use embedded::{Ycsb, ycsb};
    #[pymodule_export]
    use errors::{Cancelled, InputError};
    #[pymodule_export]
    use kernels::{
        dfsio_read, dfsio_write, memory_copy_bytes_per_s, pi, raw_limit, storage_read, storage_write,
        teragen, terasort, terasort_needs, teravalidate,
    };
    #[pymodule_export]
    use operation::{Operation, Progress, Task, Timed};
    #[pymodule_export]
    use pool::Pool;
    #[pymodule_export]
    use reports::{FileIo, Files, Intermediate, Pi, Raw, Teragen, Terasort, Teravalidate};
    #[pymodule_export]
    use simulation::{Simulation, simulate, simulate_local, simulation_parameters};

    #[pymodule_export]
    const ALIGN: usize = howdah_sort::ALIGN;
}
