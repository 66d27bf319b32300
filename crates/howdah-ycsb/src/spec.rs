//! The parameters of a program.

use std::path::PathBuf;
use std::time::Duration;

use crate::distribution::Distribution;
use crate::ledger::Ledger;
use crate::mix::{Mix, Operation};
use crate::store::Durability;
use howdah_sort::{Error, Result};

/// A program: a load, or a mix on a loaded table.
#[derive(Clone, Debug)]
pub struct YcsbSpec {
    /// Directories over which records are spread by their keys; empty before a load.
    pub dirs: Vec<PathBuf>,
    /// Seed of the values in the table.
    pub table_seed: u64,
    /// Seed of the operations.
    pub seed: u64,
    /// Records in the table at the start.
    pub records: u64,
    /// The newest version in the table at the start.
    pub version: u32,
    /// Fields of a record.
    pub fields: usize,
    /// Bytes of a field.
    pub field_bytes: usize,
    /// Proportions of the operations.
    pub mix: Mix,
    /// Whether an update writes all fields.
    pub write_all_fields: bool,
    /// Distribution of the operations over records.
    pub distribution: Distribution,
    /// Records that a scan reads at most.
    pub max_scan_length: u64,
    /// Operations to measure.
    pub operations: u64,
    /// Concurrent operations.
    pub threads: usize,
    /// Operations a second; None for as many as possible.
    pub target: Option<u64>,
    /// Time before operations are measured.
    pub warm_up: Duration,
    /// Length of the intervals of the latency histograms.
    pub interval: Duration,
    /// What an acknowledged write has reached.
    pub durability: Durability,
    /// Size of the store's block cache, bytes.
    pub cache_bytes: u64,
}

impl YcsbSpec {
    /// Returns an error if the program cannot run.
    pub fn check(&self) -> Result<()> {
        let at_least_one = [
            ("fields", self.fields as u64),
            ("field bytes", self.field_bytes as u64),
            ("operations", self.operations),
            ("threads", self.threads as u64),
            ("target", self.target.unwrap_or(1)),
            ("interval", self.interval.as_nanos() as u64),
            ("directories", self.dirs.len() as u64),
            ("records a scan reads", self.max_scan_length),
        ];
        if let Some((name, _)) = at_least_one.iter().find(|(_, value)| *value == 0) {
            return Err(input_error(name, "is 0", "give at least 1"));
        }
        if self.records == 0 && self.mix.share(Operation::Insert) < 1.0 {
            return Err(input_error("records", "the table is empty", "load it first"));
        }
        if self.records.saturating_add(self.operations) > Ledger::MAX_RECORDS / 2 {
            return Err(input_error(
                "records",
                "too many for this engine",
                &format!("give at most {}, operations included", Ledger::MAX_RECORDS / 2),
            ));
        }
        Ok(())
    }
}

fn input_error(subject: &str, what: &str, hint: &str) -> Error {
    Error::Input { subject: subject.to_owned(), what: what.to_owned(), hint: hint.to_owned() }
}
