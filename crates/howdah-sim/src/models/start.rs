//! The start of a task: a new JVM, or one that has run a task of the job before; then the task's setup.
//!
//! Every task reads its split and its configuration, allocates its sort buffer, creates its directories, and commits. A new
//! JVM loads and compiles classes before that. Both are CPU and waiting, and part of the task's first stream.

use crate::parameters::Parameters;
use crate::scenario::Scheduling;

/// The cost of a task before its first byte.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Start {
    /// Seconds of waiting.
    pub(crate) seconds: f64,
    /// Reference core-seconds.
    pub(crate) cpu_s: f64,
}

/// The start of a task; `used_before`: in a slot that has run a task of the same job.
pub(crate) fn start(scheduling: &Scheduling, used_before: bool, parameters: &Parameters) -> Start {
    if scheduling.jvm_reuse && used_before {
        Start { seconds: parameters.task_reuse_s, cpu_s: parameters.task_cpu_s }
    } else {
        Start { seconds: parameters.task_start_s, cpu_s: parameters.task_start_cpu_s + parameters.task_cpu_s }
    }
}
