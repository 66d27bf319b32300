//! What hosts and masters have done up to a moment.

use crate::time::Time;

/// What the cluster has done up to a moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Totals {
    pub(crate) time: Time,
    pub(crate) hosts: Vec<HostTotals>,
    pub(crate) namenode_s: f64,
    pub(crate) scheduler_s: f64,
}

/// What a host has done up to a moment.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HostTotals {
    pub(crate) read_bytes: f64,
    pub(crate) written_bytes: f64,
    pub(crate) sent_bytes: f64,
    pub(crate) received_bytes: f64,
    /// Thread-seconds in which its processors were busy.
    pub(crate) busy_s: f64,
}
