//! The local engine on one machine: its programs, thread by thread and buffer by buffer, on measured rates and costs.
//!
//! Nothing is fitted here. What the disks do, what rows cost the processors and how memory is shared out are known; how
//! long a run takes then follows from which thread waits for which buffer.

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
use threads::{Threads, Times};

/// What a simulated run gives.
#[derive(Clone, Debug, Serialize)]
struct LocalOutcome {
    workloads: Vec<Ran>,
    samples: Samples,
}

/// A workload that has run. Times are nanoseconds since the run's start.
#[derive(Clone, Debug, Serialize)]
struct Ran {
    start_ns: i64,
    end_ns: i64,
    phases: Vec<Phase>,
    tasks: Vec<Task>,
    /// Whether a sort needed no intermediate files; nothing for other programs.
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

/// Simulates what the JSON of a [`LocalScenario`] says, and returns its outcome as JSON.
///
/// # Errors
/// [`crate::Error::Input`] names the key at fault.
pub fn simulate_local(scenario: &str) -> Result<String> {
    let scenario = LocalScenario::from_json(scenario)?;
    let mut bench = Bench {
        scenario: &scenario,
        machine: Machine::new(&scenario),
        sampler: Sampler::new(scenario.sample_interval_s),
        now: Time::ZERO,
    };
    let workloads = scenario.workloads.iter().map(|workload| bench.run(workload)).collect();
    let samples = bench.sampler.finish(&mut bench.machine, bench.now);
    let outcome = LocalOutcome { workloads, samples };
    Ok(serde_json::to_string(&outcome).expect("an outcome has no keys but names"))
}

/// What programs run on.
struct Bench<'a> {
    scenario: &'a LocalScenario,
    machine: Machine,
    sampler: Sampler,
    now: Time,
}

impl Bench<'_> {
    fn run(&mut self, workload: &LocalWorkload) -> Ran {
        let start = self.now;
        let mut ran = match workload {
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
        (ran.start_ns, ran.end_ns) = (start.0, self.now.0);
        ran
    }

    /// Runs a phase's threads; when each of their steps began and ended.
    fn phase(&mut self, ran: &mut Ran, name: &'static str, threads: &Threads) -> Times {
        let start = self.now;
        let (times, end) = threads.run(&mut self.machine, &mut self.sampler, start);
        self.now = end;
        ran.phases.push(Phase { name, start_ns: start.0, end_ns: end.0 });
        times
    }
}

impl Ran {
    fn begun() -> Self {
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
