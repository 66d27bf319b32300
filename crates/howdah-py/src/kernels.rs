//! The kernels as functions that start an [`Operation`].

use std::path::PathBuf;

use howdah_sort::{Codec, Error, Expected, TerasortSpec};
use pyo3::prelude::*;

use crate::operation::Operation;
use crate::pool::Pool;

#[pyfunction]
pub fn dfsio_write(
    pool: &Pool,
    files: Vec<PathBuf>,
    file_bytes: u64,
    slots: usize,
    seed: u64,
) -> PyResult<Operation> {
    let mut pool = pool.lend()?;
    Operation::start("howdah-dfsio", move |context| {
        howdah_sort::dfsio_write(&mut pool, &files, file_bytes, slots, seed, context)
    })
}

#[pyfunction]
pub fn dfsio_read(pool: &Pool, files: Vec<PathBuf>, slots: usize) -> PyResult<Operation> {
    let mut pool = pool.lend()?;
    Operation::start("howdah-dfsio", move |context| {
        howdah_sort::dfsio_read(&mut pool, &files, slots, context)
    })
}

#[pyfunction]
pub fn pi(maps: u32, samples: u64, slots: usize) -> PyResult<Operation> {
    Operation::start("howdah-pi", move |context| howdah_sort::pi(maps, samples, slots, context))
}

#[pyfunction]
pub fn storage_write(pool: &Pool, files: Vec<PathBuf>, file_bytes: u64) -> PyResult<Operation> {
    let mut pool = pool.lend()?;
    Operation::start("howdah-storage", move |context| {
        howdah_sort::storage_write(&mut pool, &files, file_bytes, context)
    })
}

#[pyfunction]
pub fn storage_read(pool: &Pool, files: Vec<PathBuf>) -> PyResult<Operation> {
    let mut pool = pool.lend()?;
    Operation::start("howdah-storage", move |context| howdah_sort::storage_read(&mut pool, &files, context))
}

#[pyfunction]
pub fn raw_limit(
    pool: &Pool,
    scratch_files: Vec<PathBuf>,
    bytes_per_file: u64,
    depth: usize,
) -> PyResult<Operation> {
    let mut pool = pool.lend()?;
    Operation::start("howdah-limit", move |context| {
        howdah_sort::raw_limit(&mut pool, &scratch_files, bytes_per_file, depth, context)
    })
}

/// Not an [`Operation`]: it takes less than a second or two.
#[pyfunction]
pub fn memory_copy_bytes_per_s(py: Python<'_>, pool: &Pool, threads: usize) -> PyResult<f64> {
    let mut pool = pool.lend()?;
    Ok(py.detach(|| howdah_sort::memory_copy_bytes_per_s(&mut pool, threads)))
}

#[pyfunction]
pub fn teragen(pool: &Pool, files: Vec<PathBuf>, rows: u64, slots: usize) -> PyResult<Operation> {
    let mut pool = pool.lend()?;
    Operation::start("howdah-teragen", move |context| {
        howdah_sort::teragen(&mut pool, &files, rows, slots, context)
    })
}

#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "Python names the arguments where it calls")]
pub fn terasort(
    pool: &Pool,
    inputs: Vec<PathBuf>,
    outputs: Vec<PathBuf>,
    spill_dirs: Vec<PathBuf>,
    maps: u32,
    map_slots: usize,
    reduce_slots: usize,
    codec: String,
) -> PyResult<Operation> {
    let mut pool = pool.lend()?;
    Operation::start("howdah-terasort", move |context| {
        let codec = Codec::parse(&codec)?;
        let spec = TerasortSpec { inputs, outputs, spill_dirs, maps, map_slots, reduce_slots, codec };
        howdah_sort::terasort(&mut pool, &spec, context)
    })
}

#[pyfunction]
pub fn terasort_needs(rows: u64, reduces: usize, slots: usize) -> (u64, u64) {
    howdah_sort::terasort_needs(rows, reduces, slots)
}

#[pyfunction]
pub fn teravalidate(
    pool: &Pool,
    inputs: Vec<PathBuf>,
    output: PathBuf,
    slots: usize,
    expected: Option<(u64, String)>,
) -> PyResult<Operation> {
    let mut pool = pool.lend()?;
    Operation::start("howdah-teravalidate", move |context| {
        let expected = expected.map(|(rows, checksum)| recorded(rows, &checksum)).transpose()?;
        howdah_sort::teravalidate(&mut pool, &inputs, &output, slots, expected, context)
    })
}

fn recorded(rows: u64, checksum: &str) -> howdah_sort::Result<Expected> {
    let checksum = u128::from_str_radix(checksum, 16).map_err(|_| Error::Input {
        subject: "checksum".to_owned(),
        what: format!("{checksum:?} is not a number of at most 32 hexadecimal digits"),
        hint: "give the checksum that teragen returned".to_owned(),
    })?;
    Ok((rows, checksum))
}
