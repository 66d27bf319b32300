//! Simulated hosts that represent others like them.
//!
//! A simulated host represents its *twins* as well. They do the same at the same time, with different data. Twin 0 is
//! the host itself. What a twin does to a twin of another host, such as writing a replica there, a twin of that host
//! does to it at the same time. So all communication between hosts takes place between simulated ones, and only the
//! number of the twin tells whether two things are on the same host. Twins are counted from the host in question, so
//! a block's replicas and its reader are identified by their distance.

/// A worker of a simulated host or of one of its twins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Site {
    pub(crate) worker: u32,
    pub(crate) twin: u32,
}

/// The disk of a replica, on a simulated host or one of its twins, packed into one number because there are many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Replica(u32);

/// Bits of a disk's number; the limits of scenarios keep disks below.
const DISK_BITS: u32 = 20;

impl Site {
    /// A simulated worker.
    pub(crate) fn itself(worker: u32) -> Self {
        Self { worker, twin: 0 }
    }
}

impl Replica {
    /// No replica yet.
    pub(crate) const UNPLACED: Self = Self(u32::MAX);

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

/// How much the simulated hosts represent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Twins {
    /// Twins of every host, including itself. Every twin is in a different rack.
    pub(crate) count: u32,
    /// Work of the cluster relative to the simulated work; 1 if every host is simulated.
    pub(crate) scale: f64,
    /// Capacities of a simulated host relative to a real one: some of the hosts that it represents have fewer workers,
    /// and so more capacity for each.
    pub(crate) capacity_factor: f64,
}

impl Twins {
    /// Every host is simulated.
    pub(crate) const NONE: Self = Self { count: 1, scale: 1.0, capacity_factor: 1.0 };
}
