//! Totals of hosts and masters at some time.

use crate::time::Time;

/// The totals of the cluster since the start of the run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Totals {
    pub(crate) time: Time,
    pub(crate) hosts: Vec<HostTotals>,
    pub(crate) namenode_s: f64,
    pub(crate) scheduler_s: f64,
}

/// The totals of a host since the start of the run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HostTotals {
    pub(crate) read_bytes: f64,
    pub(crate) written_bytes: f64,
    pub(crate) sent_bytes: f64,
    pub(crate) received_bytes: f64,
    /// Busy thread-seconds of its processors.
    pub(crate) busy_s: f64,
}
