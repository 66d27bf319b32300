//! What is asked for, and how often.

use crate::random::Random;

/// One kind of operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Reads all fields of one record.
    Read,
    /// Writes one field of a record, or all of them.
    Update,
    /// Adds a record.
    Insert,
    /// Reads records in the order of their names, from one that is there.
    Scan,
    /// Reads a record, then updates it.
    ReadModifyWrite,
}

/// All of them, in YCSB's order.
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

    /// What its times are called that begin where it should have begun.
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

/// Shares of all operations, in the order of [`OPERATIONS`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mix {
    /// The share that ends with each operation.
    until: [f64; OPERATIONS.len()],
}

impl Mix {
    /// A mix with these weights, of which one at least is above zero; only their proportions count.
    pub fn new(weights: [f64; OPERATIONS.len()]) -> Self {
        let whole: f64 = weights.iter().sum();
        let mut until = weights;
        let mut so_far = 0.0;
        for share in &mut until {
            so_far += *share / whole;
            *share = so_far;
        }
        Self { until }
    }

    /// Inserts alone: a load.
    pub fn inserts() -> Self {
        Self::new([0.0, 0.0, 1.0, 0.0, 0.0])
    }

    /// How much of the mix is of one kind.
    pub fn share(&self, operation: Operation) -> f64 {
        let place = operation as usize;
        self.until[place] - if place > 0 { self.until[place - 1] } else { 0.0 }
    }

    /// What to do next.
    pub fn next(&self, random: &mut Random) -> Operation {
        let share = random.share();
        let last = || OPERATIONS.into_iter().rev().find(|&operation| self.share(operation) > 0.0);
        let found = OPERATIONS.into_iter().find(|&operation| share < self.until[operation as usize]);
        // Rounding may leave the last share just below one.
        found.or_else(last).unwrap_or(Operation::Read)
    }
}
