//! The kinds of operations, and where one is on its way.

use crate::random::Random;
use crate::time::Time;

use super::scenario::Shares;

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Read,
    Update,
    Insert,
    Scan,
    ReadModifyWrite,
}

impl Operation {
    /// All of them, in the order of [`Shares::all`].
    pub(crate) const ALL: [Self; 5] =
        [Self::Read, Self::Update, Self::Insert, Self::Scan, Self::ReadModifyWrite];

    /// YCSB's word for it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Update => "update",
            Self::Insert => "insert",
            Self::Scan => "scan",
            Self::ReadModifyWrite => "read-modify-write",
        }
    }

    /// One by its share.
    pub(crate) fn draw(shares: &Shares, random: &mut Random) -> Self {
        let mut left = random.unit() * shares.all().iter().sum::<f64>();
        for (kind, share) in Self::ALL.into_iter().zip(shares.all()) {
            if left < share {
                return kind;
            }
            left -= share;
        }
        Self::Read
    }

    pub(crate) fn writes(self) -> bool {
        matches!(self, Self::Update | Self::Insert)
    }
}

/// A thread of a client, and the operation that it waits for.
#[derive(Clone, Debug)]
pub(crate) struct Thread {
    /// What was asked for.
    pub(crate) whole: Operation,
    /// The request that is under way: of one that reads and writes the one or the other.
    pub(crate) request: Operation,
    /// The server that is asked.
    pub(crate) server: usize,
    /// When the operation began.
    pub(crate) began: Time,
    /// When its request that is under way began.
    pub(crate) sent: Time,
    /// When it should have begun, where a rate is asked for.
    pub(crate) intended: Time,
    /// Records that a scan reads.
    pub(crate) rows: f64,
    /// Blocks of the request that are read from disks.
    pub(crate) misses: u32,
    /// Random numbers of its own, so that one operation more of another thread shifts none here.
    pub(crate) random: Random,
}

impl Thread {
    pub(crate) fn new(seed: u64, number: usize) -> Self {
        Self {
            whole: Operation::Read,
            request: Operation::Read,
            server: 0,
            began: Time::ZERO,
            sent: Time::ZERO,
            intended: Time::ZERO,
            rows: 1.0,
            misses: 0,
            random: Random::new(seed, "hbase-thread", number as u64),
        }
    }
}
