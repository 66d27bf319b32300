//! The steps of the programs' tasks.

pub(crate) mod dfsio;
pub(crate) mod input;
pub(crate) mod output;
pub(crate) mod pi;
pub(crate) mod reading;
pub(crate) mod summing;
pub(crate) mod teragen;
pub(crate) mod terasort;
pub(crate) mod teravalidate;
pub(crate) mod writing;
