//! Kinds of operations, and the state of one in flight.

use crate::random::Random;
use crate::time::Time;

use super::scenario::Shares;

/// A kind of operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Read,
    Update,
    Insert,
    Scan,
    ReadModifyWrite,
}

impl Operation {
    /// All kinds, in the order of [`Shares::all`].
    pub(crate) const ALL: [Self; 5] =
        [Self::Read, Self::Update, Self::Insert, Self::Scan, Self::ReadModifyWrite];

    /// YCSB's name of it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Update => "update",
            Self::Insert => "insert",
            Self::Scan => "scan",
            Self::ReadModifyWrite => "read-modify-write",
        }
    }

    /// A random kind by the shares.
    pub(crate) fn draw(shares: &Shares, random: &mut Random) -> Self {
        let mut rest = random.unit() * shares.all().iter().sum::<f64>();
        for (kind, share) in Self::ALL.into_iter().zip(shares.all()) {
            if rest < share {
                return kind;
            }
            rest -= share;
        }
        Self::Read
    }

    pub(crate) fn writes(self) -> bool {
        matches!(self, Self::Update | Self::Insert)
    }
}

/// A thread of a client, and its operation in flight.
#[derive(Clone, Debug)]
pub(crate) struct Thread {
    pub(crate) operation: Operation,
    /// The request in flight: the read or the update of a read-modify-write, otherwise the operation.
    pub(crate) request: Operation,
    /// The server of the request.
    pub(crate) server: usize,
    /// When the operation began.
    pub(crate) start: Time,
    /// When the request began.
    pub(crate) request_start: Time,
    /// When the operation should have begun, if there is a target rate.
    pub(crate) intended_start: Time,
    /// Records that a scan reads.
    pub(crate) rows: f64,
    /// Blocks of the request that are read from disks.
    pub(crate) misses: u32,
    /// A separate stream for each thread, so additional operations of one thread do not change the others.
    pub(crate) random: Random,
}

impl Thread {
    pub(crate) fn new(seed: u64, number: usize) -> Self {
        Self {
            operation: Operation::Read,
            request: Operation::Read,
            server: 0,
            start: Time::ZERO,
            request_start: Time::ZERO,
            intended_start: Time::ZERO,
            rows: 1.0,
            misses: 0,
            random: Random::new(seed, "hbase-thread", number as u64),
        }
    }
}
