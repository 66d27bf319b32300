//! Kinds of operations and their proportions.

use crate::random::Random;

/// A kind of operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Reads all fields of a record.
    Read,
    /// Writes one field of a record, or all of them.
    Update,
    /// Adds a record.
    Insert,
    /// Reads consecutive records in the order of their keys, starting at an existing record.
    Scan,
    /// Reads a record, then updates it.
    ReadModifyWrite,
}

/// All operations, in YCSB's order.
pub const OPERATIONS: [Operation; 5] =
    [Operation::Read, Operation::Update, Operation::Insert, Operation::Scan, Operation::ReadModifyWrite];

impl Operation {
    /// The operation's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Update => "update",
            Self::Insert => "insert",
            Self::Scan => "scan",
            Self::ReadModifyWrite => "read-modify-write",
        }
    }

    /// The name of its intended times, which start when the operation should have begun.
    pub fn intended(self) -> &'static str {
        match self {
            Self::Read => "read, intended",
            Self::Update => "update, intended",
            Self::Insert => "insert, intended",
            Self::Scan => "scan, intended",
            Self::ReadModifyWrite => "read-modify-write, intended",
        }
    }
}

/// Proportions of operations, in the order of [`OPERATIONS`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mix {
    /// The cumulative share up to and including each operation.
    cumulative: [f64; OPERATIONS.len()],
}

impl Mix {
    /// A mix with these weights. At least one is above zero; only their ratios count.
    pub fn new(weights: [f64; OPERATIONS.len()]) -> Self {
        let total: f64 = weights.iter().sum();
        let mut cumulative = weights;
        let mut sum = 0.0;
        for share in &mut cumulative {
            sum += *share / total;
            *share = sum;
        }
        Self { cumulative }
    }

    /// Only inserts: a load.
    pub fn inserts() -> Self {
        Self::new([0.0, 0.0, 1.0, 0.0, 0.0])
    }

    /// The share of one kind of operation.
    pub fn share(&self, operation: Operation) -> f64 {
        let index = operation as usize;
        self.cumulative[index] - if index > 0 { self.cumulative[index - 1] } else { 0.0 }
    }

    /// Draws the next operation.
    pub fn next(&self, random: &mut Random) -> Operation {
        let uniform = random.uniform();
        let last = || OPERATIONS.into_iter().rev().find(|&operation| self.share(operation) > 0.0);
        let drawn = OPERATIONS.into_iter().find(|&operation| uniform < self.cumulative[operation as usize]);
        // Rounding may leave the last cumulative share just below 1.
        drawn.or_else(last).unwrap_or(Operation::Read)
    }
}
