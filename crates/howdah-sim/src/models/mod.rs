//! The models, one file for each mechanism, with its equation and its source.

pub(crate) mod cpu;
pub(crate) mod disk;
pub(crate) mod last_task;
pub(crate) mod masters;
pub(crate) mod memory;
pub(crate) mod merge;
pub(crate) mod network;
pub(crate) mod placement;
pub(crate) mod rampup;
pub(crate) mod sampling;
pub(crate) mod scheduling;
pub(crate) mod shuffle;
pub(crate) mod speculation;
pub(crate) mod start;
pub(crate) mod stragglers;
