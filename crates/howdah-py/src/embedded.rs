//! YCSB's core workload on the embedded store.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use howdah_sort::Error;
use howdah_ycsb::{Distribution, Durability, Mix, OPERATIONS, YcsbReport, YcsbSpec};
use pyo3::prelude::*;

use crate::operation::Operation;
use crate::reports::Report;

/// The result of a program.
#[pyclass(frozen, get_all, module = "howdah._native")]
pub struct Ycsb {
    operations: u64,
    elapsed_s: f64,
    returns: Vec<(&'static str, BTreeMap<&'static str, u64>)>,
    times: Vec<(&'static str, u64, Vec<u8>)>,
    records_read: u64,
    records_written: u64,
    records: u64,
    version: u32,
    faults: Vec<(&'static str, String)>,
}

impl Report for YcsbReport {
    fn to_python(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let ycsb = Ycsb {
            operations: self.operations,
            elapsed_s: self.elapsed.as_secs_f64(),
            returns: self.returns.iter().map(|kind| (kind.name, kind.returns.clone())).collect(),
            times: self.times.clone(),
            records_read: self.records_read,
            records_written: self.records_written,
            records: self.records,
            version: self.version,
            faults: self.faults.clone(),
        };
        Ok(Py::new(py, ycsb)?.into_any())
    }
}

#[pyfunction]
#[pyo3(signature = (
    dirs, *, table_seed, seed, records, version, fields, field_bytes, mix, whole, distribution, scanned,
    operations, threads, target, warm_up_s, interval_s, durability, cache_bytes
))]
#[expect(clippy::too_many_arguments, reason = "Python names the arguments where it calls")]
pub fn ycsb(
    dirs: Vec<PathBuf>,
    table_seed: u64,
    seed: u64,
    records: u64,
    version: u32,
    fields: usize,
    field_bytes: usize,
    mix: BTreeMap<String, f64>,
    whole: bool,
    distribution: String,
    scanned: u64,
    operations: u64,
    threads: usize,
    target: Option<u64>,
    warm_up_s: f64,
    interval_s: f64,
    durability: String,
    cache_bytes: u64,
) -> PyResult<Operation> {
    Operation::start("howdah-ycsb", move |context| {
        let spec = YcsbSpec {
            dirs,
            table_seed,
            seed,
            records,
            version,
            fields,
            field_bytes,
            mix: shares(&mix)?,
            write_all_fields: whole,
            distribution: named("distribution", &distribution, &DISTRIBUTIONS)?,
            max_scan_length: scanned,
            operations,
            threads,
            target,
            warm_up: seconds("warm_up_s", warm_up_s)?,
            interval: seconds("interval_s", interval_s)?,
            durability: named("durability", &durability, &DURABILITIES)?,
            cache_bytes,
        };
        howdah_ycsb::ycsb(&spec, context)
    })
}

const DISTRIBUTIONS: [(&str, Distribution); 3] = [
    ("zipfian", Distribution::Zipfian),
    ("uniform", Distribution::Uniform),
    ("latest", Distribution::Latest),
];

const DURABILITIES: [(&str, Durability); 3] = [
    ("async-wal", Durability::AsyncWal),
    ("sync-wal", Durability::SyncWal),
    ("fsync-wal", Durability::FsyncWal),
];

fn named<T: Copy>(subject: &str, word: &str, words: &[(&str, T)]) -> howdah_sort::Result<T> {
    let row = words.iter().find(|(name, _)| *name == word);
    row.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<&str> = words.iter().map(|(name, _)| *name).collect();
        input_error(subject, format!("unknown value {word:?}"), format!("give one of {}", names.join(", ")))
    })
}

fn shares(mix: &BTreeMap<String, f64>) -> howdah_sort::Result<Mix> {
    let mut weights = [0.0; OPERATIONS.len()];
    for (name, &share) in mix {
        let index = OPERATIONS.iter().position(|operation| operation.name() == name);
        let index = index.filter(|_| share >= 0.0 && share.is_finite()).ok_or_else(|| {
            input_error(
                "mix",
                format!("{name}={share} is not valid"),
                "give an operation (read, update, insert, ...) and a number of at least 0".to_owned(),
            )
        })?;
        weights[index] = share;
    }
    if weights.iter().sum::<f64>() > 0.0 {
        return Ok(Mix::new(weights));
    }
    Err(input_error("mix", "all shares are 0".to_owned(), "give at least one share above 0".to_owned()))
}

fn seconds(subject: &str, value: f64) -> howdah_sort::Result<Duration> {
    Duration::try_from_secs_f64(value).map_err(|_| {
        input_error(subject, format!("{value} is not a duration"), "give seconds, 0 or more".to_owned())
    })
}

fn input_error(subject: &str, what: String, hint: String) -> Error {
    Error::Input { subject: subject.to_owned(), what, hint }
}
