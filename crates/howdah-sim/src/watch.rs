//! Progress out of a simulation, cancellation into it.

/// Whoever waits for a simulation.
pub trait Watch {
    /// Whether the simulation should stop.
    fn cancelled(&self) -> bool;

    /// All workloads together read and write so many bytes.
    fn expect(&self, bytes: u64);

    /// A workload begins.
    fn begin(&self, workload: &'static str);

    /// So many bytes more were read or written.
    fn advance(&self, bytes: u64);
}

/// Nobody waits.
pub struct Unwatched;

impl Watch for Unwatched {
    fn cancelled(&self) -> bool {
        false
    }

    fn expect(&self, _bytes: u64) {}

    fn begin(&self, _workload: &'static str) {}

    fn advance(&self, _bytes: u64) {}
}
