//! The start of a task: a new JVM, or one that ran a task of the job before.

use crate::parameters::Parameters;
use crate::scenario::Scheduling;

/// What a task spends before its first byte.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Start {
    /// Seconds, at least.
    pub(crate) seconds: f64,
    /// CPU in them, core-seconds.
    pub(crate) cpu_s: f64,
}

/// The start of a task in a slot that ran a task of the same job before, or not.
pub(crate) fn start(scheduling: &Scheduling, used_before: bool, parameters: &Parameters) -> Start {
    if scheduling.jvm_reuse && used_before {
        Start { seconds: parameters.task_reuse_s, cpu_s: 0.0 }
    } else {
        Start { seconds: parameters.task_start_s, cpu_s: parameters.task_start_cpu_s }
    }
}
