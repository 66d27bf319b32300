//! Errors of a simulation.

/// The result of every fallible function of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a simulation has no result. `Input` is a mistake of the user.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The scenario cannot be simulated.
    #[error("{subject}: {what}")]
    Input {
        /// The wrong field of the scenario, as a path: `hosts[2].disks[0].size_bytes`.
        subject: String,
        /// What is wrong with it.
        what: String,
        /// How to correct it.
        hint: String,
    },
    /// The caller cancelled the simulation.
    #[error("cancelled")]
    Cancelled,
}

impl Error {
    /// A user's mistake: where, what is wrong, how to correct it.
    pub fn input(subject: impl Into<String>, what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Input { subject: subject.into(), what: what.into(), hint: hint.into() }
    }
}
