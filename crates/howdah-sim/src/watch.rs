//! Progress of a simulation, and its cancellation.

/// Receives the progress of a simulation and may cancel it.
pub trait Watch {
    /// Whether the simulation should stop.
    fn cancelled(&self) -> bool;

    /// Announces the bytes that all workloads together read and write.
    fn expect(&self, bytes: u64);

    /// Announces a workload.
    fn begin(&self, workload: &'static str);

    /// Reports bytes that were read or written since the last call.
    fn advance(&self, bytes: u64);
}

/// Ignores progress and never cancels.
pub struct Unwatched;

impl Watch for Unwatched {
    fn cancelled(&self) -> bool {
        false
    }

    fn expect(&self, _bytes: u64) {}

    fn begin(&self, _workload: &'static str) {}

    fn advance(&self, _bytes: u64) {}
}
