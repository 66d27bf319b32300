//! CPU costs of rows, as Python objects.

use pyo3::prelude::*;

use crate::errors::Failure;
use crate::pool::Pool;

/// The costs of a sort with windows of one length.
#[pyclass(frozen, get_all, module = "howdah._native")]
pub struct SortCost {
    windows: usize,
    window_rows: usize,
    sort_s_per_byte: f64,
    merge_s_per_byte: f64,
}

/// The costs of a codec.
#[pyclass(frozen, get_all, module = "howdah._native")]
pub struct CodecCost {
    name: &'static str,
    pack_s_per_byte: f64,
    unpack_s_per_byte: f64,
    ratio: f64,
}

/// CPU seconds for each byte of rows.
#[pyclass(frozen, get_all, module = "howdah._native")]
pub struct RowCosts {
    cpu_share: f64,
    generate_s_per_byte: f64,
    validate_s_per_byte: f64,
    sorts: Vec<Py<SortCost>>,
    codecs: Vec<Py<CodecCost>>,
}

/// Not an `Operation`: a pool of a gigabyte takes a second or two.
#[pyfunction]
pub fn row_costs(py: Python<'_>, pool: &Pool, size_bytes: usize, threads: usize) -> PyResult<RowCosts> {
    let mut pool = pool.lend()?;
    let costs = py
        .detach(|| howdah_sort::row_costs(&mut pool, size_bytes, threads))
        .map_err(|error| Failure::Kernel(error).to_py_err())?;
    let sort = |sort: &howdah_sort::SortCost| {
        let cost = SortCost {
            windows: sort.windows,
            window_rows: sort.window_rows,
            sort_s_per_byte: sort.sort,
            merge_s_per_byte: sort.merge,
        };
        Py::new(py, cost)
    };
    let codec = |codec: &howdah_sort::CodecCost| {
        let cost = CodecCost {
            name: codec.name,
            pack_s_per_byte: codec.pack,
            unpack_s_per_byte: codec.unpack,
            ratio: codec.ratio,
        };
        Py::new(py, cost)
    };
    Ok(RowCosts {
        cpu_share: costs.cpu_share,
        generate_s_per_byte: costs.generate,
        validate_s_per_byte: costs.validate,
        sorts: costs.sorts.iter().map(sort).collect::<PyResult<_>>()?,
        codecs: costs.codecs.iter().map(codec).collect::<PyResult<_>>()?,
    })
}
