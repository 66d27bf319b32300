//! The simulator for Python: a scenario in JSON, an outcome as JSON and columns.

use std::sync::Arc;

use howdah_sim::outcome::{Samples, Tasks};
use howdah_sim::{Outcome, Scenario, Watch};
use howdah_sort::{Context, Error};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::errors::to_py_err;
use crate::operation::Operation;
use crate::reports::Report;

/// Starts a simulation, if the scenario is valid.
#[pyfunction]
pub fn simulate(scenario_json: &str) -> PyResult<Operation> {
    let scenario = Scenario::from_json(scenario_json).map_err(|error| to_py_err(&kernel_error(error)))?;
    Operation::start("howdah-sim", move |context| {
        let outcome = howdah_sim::simulate(&scenario, &Watcher(context)).map_err(kernel_error)?;
        Ok(Finished(Arc::new(outcome)))
    })
}

/// Not an [`Operation`]: a run of one machine takes milliseconds.
#[pyfunction]
pub fn simulate_local(py: Python<'_>, scenario: &str) -> PyResult<String> {
    py.detach(|| howdah_sim::simulate_local(scenario)).map_err(|error| to_py_err(&kernel_error(error)))
}

/// All parameters of the simulator: (name, default without a calibration, smallest value, largest value, meaning).
#[pyfunction]
pub fn simulation_parameters() -> Vec<(&'static str, f64, f64, f64, &'static str)> {
    let parameters = howdah_sim::Parameters::ALL.iter();
    parameters
        .map(|parameter| (parameter.name, parameter.default, parameter.min, parameter.max, parameter.meaning))
        .collect()
}

fn kernel_error(error: howdah_sim::Error) -> Error {
    match error {
        howdah_sim::Error::Input { subject, what, hint } => Error::Input { subject, what, hint },
        howdah_sim::Error::Cancelled => Error::Cancelled,
    }
}

/// Forwards progress and cancellation.
struct Watcher<'a>(&'a Context);

impl Watch for Watcher<'_> {
    fn cancelled(&self) -> bool {
        self.0.check().is_err()
    }

    fn expect(&self, bytes: u64) {
        self.0.expect(bytes);
    }

    fn begin(&self, workload: &'static str) {
        self.0.begin_phase(workload);
    }

    fn advance(&self, bytes: u64) {
        self.0.advance(bytes);
    }
}

struct Finished(Arc<Outcome>);

impl Report for Finished {
    fn to_python(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(Py::new(py, Simulation(Arc::clone(&self.0)))?.into_any())
    }
}

/// The outcome of a simulation.
#[pyclass(frozen, module = "howdah._native")]
pub struct Simulation(Arc<Outcome>);

#[pymethods]
impl Simulation {
    fn summary(&self) -> String {
        self.0.summary.to_json()
    }

    fn tasks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let Tasks {
            workload,
            kind,
            task,
            attempt,
            host,
            worker,
            slot,
            start_ns,
            end_ns,
            io_ns,
            input_bytes,
            output_bytes,
            spilled_bytes,
            shuffled_bytes,
            locality,
            state,
            shuffle_end_ns,
            merge_end_ns,
            cpu_s,
        } = &self.0.tasks;
        let columns = PyDict::new(py);
        for (name, column) in [
            ("workload", workload),
            ("kind", kind),
            ("attempt", attempt),
            ("locality", locality),
            ("state", state),
        ] {
            columns.set_item(name, PyBytes::new(py, column))?;
        }
        for (name, column) in [("task", task), ("host", host), ("worker", worker), ("slot", slot)] {
            columns.set_item(name, little_endian(py, column, |value| value.to_le_bytes()))?;
        }
        for (name, column) in [
            ("start_ns", start_ns),
            ("end_ns", end_ns),
            ("io_ns", io_ns),
            ("shuffle_end_ns", shuffle_end_ns),
            ("merge_end_ns", merge_end_ns),
        ] {
            columns.set_item(name, little_endian(py, column, |value| value.to_le_bytes()))?;
        }
        for (name, column) in [
            ("input_bytes", input_bytes),
            ("output_bytes", output_bytes),
            ("spilled_bytes", spilled_bytes),
            ("shuffled_bytes", shuffled_bytes),
        ] {
            columns.set_item(name, little_endian(py, column, |value| value.to_le_bytes()))?;
        }
        columns.set_item("cpu_s", little_endian(py, cpu_s, |value| value.to_le_bytes()))?;
        Ok(columns)
    }

    fn samples<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let Samples { time_ns, host, metric, value } = &self.0.samples;
        let columns = PyDict::new(py);
        columns.set_item("time_ns", little_endian(py, time_ns, |value| value.to_le_bytes()))?;
        columns.set_item("host", little_endian(py, host, |value| value.to_le_bytes()))?;
        columns.set_item("metric", PyBytes::new(py, metric))?;
        columns.set_item("value", little_endian(py, value, |value| value.to_le_bytes()))?;
        Ok(columns)
    }

    #[staticmethod]
    fn sample_metrics() -> Vec<&'static str> {
        Samples::METRICS.to_vec()
    }
}

fn little_endian<'py, T: Copy, const N: usize>(
    py: Python<'py>,
    column: &[T],
    bytes: impl Fn(T) -> [u8; N],
) -> Bound<'py, PyBytes> {
    PyBytes::new(py, &column.iter().flat_map(|&value| bytes(value)).collect::<Vec<u8>>())
}
