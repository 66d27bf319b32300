//! What a program is asked to do.

use std::path::PathBuf;
use std::time::Duration;

use crate::distribution::Distribution;
use crate::ledger::Ledger;
use crate::mix::{Mix, Operation};
use crate::store::Durability;
use howdah_sort::{Error, Result};

/// One program: a load, or a mix on the table of a load.
#[derive(Clone, Debug)]
pub struct YcsbSpec {
    /// Directories that records are spread over by their names; empty ones before a load.
    pub dirs: Vec<PathBuf>,
    /// What values are made from, of the table as a whole.
    pub table_seed: u64,
    /// What is asked for is drawn from this.
    pub seed: u64,
    /// Records that are there before.
    pub records: u64,
    /// The newest version of any of them.
    pub version: u32,
    /// Fields of a record.
    pub fields: usize,
    /// Bytes of a field.
    pub field_bytes: usize,
    /// What is asked for.
    pub mix: Mix,
    /// Whether an update writes all fields.
    pub whole: bool,
    /// Which records are asked for.
    pub distribution: Distribution,
    /// Records that a scan reads at most.
    pub scanned: u64,
    /// Operations that count.
    pub operations: u64,
    /// Operations at once.
    pub threads: usize,
    /// Operations a second; None for as many as are answered.
    pub target: Option<u64>,
    /// How long operations are not counted at first.
    pub warm_up: Duration,
    /// Over how long times are put together.
    pub interval: Duration,
    /// What a write has reached when it is acknowledged.
    pub durability: Durability,
    /// What the store keeps of its blocks in memory, bytes.
    pub cache_bytes: u64,
}

impl YcsbSpec {
    /// Fails for what cannot be done.
    pub fn check(&self) -> Result<()> {
        let least = [
            ("fields", self.fields as u64),
            ("field bytes", self.field_bytes as u64),
            ("operations", self.operations),
            ("threads", self.threads as u64),
            ("target", self.target.unwrap_or(1)),
            ("interval", self.interval.as_nanos() as u64),
            ("directories", self.dirs.len() as u64),
            ("records a scan reads", self.scanned),
        ];
        if let Some((name, _)) = least.iter().find(|(_, value)| *value == 0) {
            return Err(wrong(name, "is 0", "give at least 1"));
        }
        if self.records == 0 && self.mix.share(Operation::Insert) < 1.0 {
            return Err(wrong("records", "the table is empty", "load it first"));
        }
        if self.records.saturating_add(self.operations) > Ledger::MOST / 2 {
            return Err(wrong(
                "records",
                "too many for this engine",
                &format!("give at most {}, operations included", Ledger::MOST / 2),
            ));
        }
        Ok(())
    }
}

fn wrong(subject: &str, what: &str, hint: &str) -> Error {
    Error::Input { subject: subject.to_owned(), what: what.to_owned(), hint: hint.to_owned() }
}
