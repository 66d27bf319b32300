//! The local engine on one machine: its programs, thread by thread and buffer by buffer, with measured rates and costs.
//!
//! Nothing is fitted here. The rates of disks, the CPU costs of rows and the division of memory are known; the duration
//! of a run follows from which thread waits for which buffer.

mod dfsio;
mod machine;
mod samples;
mod scenario;
mod tasks;
mod teragen;
mod terasort;
mod teravalidate;
mod threads;

use serde::Serialize;

use crate::error::Result;
use crate::time::Time;
use machine::Machine;
use samples::{Sampler, Samples};
use scenario::{LocalScenario, LocalWorkload};
use tasks::Task;
use terasort::Sort;
use threads::{StepTimes, Threads};

/// The result of a simulated run.
#[derive(Clone, Debug, Serialize)]
struct LocalOutcome {
    workloads: Vec<WorkloadOutcome>,
    samples: Samples,
}

/// The result of a workload. Times are nanoseconds since the run's start.
#[derive(Clone, Debug, Serialize)]
struct WorkloadOutcome {
    start_ns: i64,
    end_ns: i64,
    phases: Vec<Phase>,
    tasks: Vec<Task>,
    /// Whether a sort needed no intermediate files; none for other programs.
    in_memory: Option<bool>,
    /// Intermediate bytes written.
    spilled_bytes: u64,
    /// Intermediate bytes read back.
    spill_read_bytes: u64,
}

#[derive(Clone, Debug, Serialize)]
struct Phase {
    name: &'static str,
    start_ns: i64,
    end_ns: i64,
}

/// Simulates a [`LocalScenario`] in JSON and returns its outcome as JSON.
///
/// # Errors
/// [`crate::Error::Input`] names the wrong key.
pub fn simulate_local(scenario: &str) -> Result<String> {
    let scenario = LocalScenario::from_json(scenario)?;
    let mut simulation = Simulation {
        scenario: &scenario,
        machine: Machine::new(&scenario),
        sampler: Sampler::new(scenario.sample_interval_s),
        now: Time::ZERO,
    };
    let workloads = scenario.workloads.iter().map(|workload| simulation.run(workload)).collect();
    let samples = simulation.sampler.finish(&mut simulation.machine, simulation.now);
    let outcome = LocalOutcome { workloads, samples };
    Ok(serde_json::to_string(&outcome).expect("an outcome has no keys but names"))
}

/// The state of a simulated run.
struct Simulation<'a> {
    scenario: &'a LocalScenario,
    machine: Machine,
    sampler: Sampler,
    now: Time,
}

impl Simulation<'_> {
    fn run(&mut self, workload: &LocalWorkload) -> WorkloadOutcome {
        let start = self.now;
        let mut outcome = match workload {
            LocalWorkload::Teragen { rows, maps } => self.teragen(*rows, *maps),
            LocalWorkload::Terasort { rows, maps, reduces, in_memory_bytes, sort_s, merge_s, codec } => {
                let (rows, maps, reduces) = (*rows, *maps, *reduces);
                let sort = Sort { rows, maps, reduces, sort_s: *sort_s, merge_s: *merge_s, codec: *codec };
                self.terasort(&sort, *in_memory_bytes)
            }
            LocalWorkload::Teravalidate { rows, files } => self.teravalidate(*rows, *files),
            LocalWorkload::DfsioWrite { files, file_bytes } => self.dfsio(*files, *file_bytes, false),
            LocalWorkload::DfsioRead { files, file_bytes } => self.dfsio(*files, *file_bytes, true),
        };
        (outcome.start_ns, outcome.end_ns) = (start.0, self.now.0);
        outcome
    }

    /// Runs the threads of a phase. Returns the start and end of each of their steps.
    fn phase(&mut self, outcome: &mut WorkloadOutcome, name: &'static str, threads: &Threads) -> StepTimes {
        let start = self.now;
        let (times, end) = threads.run(&mut self.machine, &mut self.sampler, start);
        self.now = end;
        outcome.phases.push(Phase { name, start_ns: start.0, end_ns: end.0 });
        times
    }
}

impl WorkloadOutcome {
    fn new() -> Self {
        Self {
            start_ns: 0,
            end_ns: 0,
            phases: Vec::new(),
            tasks: Vec::new(),
            in_memory: None,
            spilled_bytes: 0,
            spill_read_bytes: 0,
        }
    }
}
