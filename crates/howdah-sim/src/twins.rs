//! Hosts that stand for others like them.
//!
//! A host that is simulated stands for its *twins* as well, which do at any moment what it does, each with data of its
//! own. Twin 0 is the host itself. What one of them does to another twin of any host, such as writing a replica there, a
//! twin of that host does to it at the same time: so all that happens between hosts happens between simulated ones, and
//! only which twin is meant tells whether two things are on one host. Twins are counted from where one stands, so that a
//! block's replicas and its reader are told by how far apart they are.

/// A worker of a simulated host, or of one of its twins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Site {
    pub(crate) worker: u32,
    pub(crate) twin: u32,
}

/// A disk that holds a replica, of a simulated host or of one of its twins, as one number: a cluster has many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Replica(u32);

/// Bits of a disk's number; the limits of scenarios keep disks within them.
const DISK_BITS: u32 = 20;

impl Site {
    /// A worker that is simulated.
    pub(crate) fn itself(worker: u32) -> Self {
        Self { worker, twin: 0 }
    }
}

impl Replica {
    /// No replica yet.
    pub(crate) const NOWHERE: Self = Self(u32::MAX);

    pub(crate) fn new(disk: u32, twin: u32) -> Self {
        Self(twin << DISK_BITS | disk)
    }

    pub(crate) fn disk(self) -> u32 {
        self.0 & ((1 << DISK_BITS) - 1)
    }

    pub(crate) fn twin(self) -> u32 {
        self.0 >> DISK_BITS
    }
}

/// How much those that are simulated stand for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Twins {
    /// Twins of every host, itself among them, with racks of their own.
    pub(crate) count: u32,
    /// How many times as much there is of everything as is simulated; 1 where every host is.
    pub(crate) times: f64,
    /// What a simulated host has for its workers together, relative to one host: some of those that it stands for have
    /// less workers, and so more for each.
    pub(crate) room: f64,
}

impl Twins {
    /// Every host is simulated.
    pub(crate) const NONE: Self = Self { count: 1, times: 1.0, room: 1.0 };
}
