//! Reports of finished kernels, as Python objects.

use std::ffi::OsString;

use howdah_sort::{FilesReport, PiReport, RawReport, TeragenReport, TerasortReport, TeravalidateReport};
use pyo3::prelude::*;

/// A kernel's report that can become a Python object.
pub trait Report: Send + 'static {
    /// Creates the object; it may be called more than once.
    fn to_python(&self, py: Python<'_>) -> PyResult<Py<PyAny>>;
}

/// The points of pi inside the circle.
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

/// A file that was written or read.
#[pyclass(frozen, get_all, module = "howdah._native")]
pub struct FileIo {
    path: OsString,
    bytes: u64,
    io_s: f64,
}

/// Files that were written or read.
#[pyclass(frozen, get_all, module = "howdah._native")]
pub struct Files {
    files: Vec<Py<FileIo>>,
    direct: bool,
}

impl Report for FilesReport {
    fn to_python(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let file = |file: &howdah_sort::FileIo| {
            let path = file.path.clone().into_os_string();
            Py::new(py, FileIo { path, bytes: file.bytes, io_s: file.io.as_secs_f64() })
        };
        let files = self.files.iter().map(file).collect::<PyResult<_>>()?;
        Ok(Py::new(py, Files { files, direct: self.direct })?.into_any())
    }
}

/// The raw rates of the disks.
#[pyclass(frozen, get_all, module = "howdah._native")]
pub struct Raw {
    write_s: f64,
    read_s: f64,
    copy_s: f64,
    write_cpu_s: f64,
    read_cpu_s: f64,
    bytes: u64,
    direct: bool,
}

impl Report for RawReport {
    fn to_python(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let raw = Raw {
            write_s: self.write.as_secs_f64(),
            read_s: self.read.as_secs_f64(),
            copy_s: self.copy.as_secs_f64(),
            write_cpu_s: self.write_cpu.as_secs_f64(),
            read_cpu_s: self.read_cpu.as_secs_f64(),
            bytes: self.bytes,
            direct: self.direct,
        };
        Ok(Py::new(py, raw)?.into_any())
    }
}

/// The result of TeraGen.
#[pyclass(frozen, get_all, module = "howdah._native")]
pub struct Teragen {
    rows: u64,
    checksum: String,
    written_bytes: u64,
    direct: bool,
}

impl Report for TeragenReport {
    fn to_python(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let teragen = Teragen {
            rows: self.rows,
            checksum: format!("{:x}", self.checksum),
            written_bytes: self.written_bytes,
            direct: self.direct,
        };
        Ok(Py::new(py, teragen)?.into_any())
    }
}

/// The result of TeraSort.
#[pyclass(frozen, get_all, module = "howdah._native")]
pub struct Terasort {
    rows: u64,
    in_memory: bool,
    read_bytes: u64,
    written_bytes: u64,
    spilled_rows: u64,
    spilled_raw_bytes: u64,
    spilled_bytes: u64,
    spill_read_bytes: u64,
    partition_rows: Vec<u64>,
    direct: bool,
    intermediate: Option<Py<Intermediate>>,
}

/// Intermediate files of a finished sort; their space is freed when this is deleted.
#[pyclass(frozen, module = "howdah._native")]
pub struct Intermediate {
    _files: howdah_sort::Intermediate,
}

impl Report for TerasortReport {
    fn to_python(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let terasort = Terasort {
            rows: self.rows,
            in_memory: self.in_memory,
            read_bytes: self.read_bytes,
            written_bytes: self.written_bytes,
            spilled_rows: self.spilled_rows,
            spilled_raw_bytes: self.spilled_raw_bytes,
            spilled_bytes: self.spilled_bytes,
            spill_read_bytes: self.spill_read_bytes,
            partition_rows: self.partition_rows.clone(),
            direct: self.direct,
            intermediate: self
                .intermediate
                .clone()
                .map(|files| Py::new(py, Intermediate { _files: files }))
                .transpose()?,
        };
        Ok(Py::new(py, terasort)?.into_any())
    }
}

/// The result of TeraValidate.
#[pyclass(frozen, get_all, module = "howdah._native")]
pub struct Teravalidate {
    rows: u64,
    checksum: String,
    errors: Vec<(String, String)>,
    read_bytes: u64,
    direct: bool,
}

impl Report for TeravalidateReport {
    fn to_python(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let teravalidate = Teravalidate {
            rows: self.rows,
            checksum: format!("{:x}", self.checksum),
            errors: self.errors.clone(),
            read_bytes: self.read_bytes,
            direct: self.direct,
        };
        Ok(Py::new(py, teravalidate)?.into_any())
    }
}
