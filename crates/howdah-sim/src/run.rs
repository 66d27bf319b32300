//! Runs the workloads of a scenario one after another.

use crate::cluster::Sharing;
use crate::error::Result;
use crate::files::Files;
use crate::hbase;
use crate::outcome::Outcome;
use crate::quick::ReducedScenario;
use crate::scenario::{Scenario, Workload};
use crate::twins::Twins;
use crate::watch::Watch;
use crate::workloads::{dfsio, pi, teragen, terasort, teravalidate};
use crate::world::World;

/// Files of earlier workloads.
#[derive(Default)]
struct Stored {
    generated: Option<Files>,
    sorted: Option<Files>,
    plain: Option<Files>,
}

/// Simulates a scenario. The same scenario always has the same outcome.
pub fn simulate(scenario: &Scenario, watch: &dyn Watch) -> Result<Outcome> {
    simulate_with(scenario, Sharing::Quick, watch)
}

/// Simulates a scenario with one of the methods of sharing.
pub fn simulate_with(scenario: &Scenario, sharing: Sharing, watch: &dyn Watch) -> Result<Outcome> {
    if let Some(requests) = &scenario.hbase {
        return hbase::simulate(scenario, requests, watch);
    }
    if !scenario.quick {
        return simulate_hosts(scenario, Twins::NONE, sharing, watch);
    }
    match ReducedScenario::new(scenario) {
        Ok(reduced) => {
            let mut outcome = simulate_hosts(&reduced.scenario, reduced.twins, sharing, watch)?;
            reduced.scale_up(&mut outcome.summary);
            Ok(outcome)
        }
        Err(reason) => {
            let mut outcome = simulate_hosts(scenario, Twins::NONE, sharing, watch)?;
            outcome.summary.full_because = Some(reason);
            Ok(outcome)
        }
    }
}

/// Simulates every host of a scenario, including the twins that it represents.
fn simulate_hosts(scenario: &Scenario, twins: Twins, sharing: Sharing, watch: &dyn Watch) -> Result<Outcome> {
    let mut world = World::new(scenario, twins, sharing, watch);
    watch.expect(scenario.workloads.iter().map(|workload| scenario.moved_bytes(workload)).sum());
    let mut stored = Stored::default();
    for workload in &scenario.workloads {
        world.begin_workload(workload.kind());
        run(&mut world, workload, &mut stored)?;
        world.recorder.end_workload(world.now);
    }
    Ok(world.recorder.finish(world.activities))
}

fn run(world: &mut World<'_>, workload: &Workload, stored: &mut Stored) -> Result<()> {
    let default = world.scenario.hdfs.replication;
    match *workload {
        Workload::Teragen { rows, maps, replication } => {
            stored.generated = Some(teragen::run(world, rows, maps, replication.unwrap_or(default))?);
        }
        Workload::Terasort { rows, reduces, replication } => {
            let input = stored.generated.take().unwrap_or_else(|| teragen::existing(world, rows, default));
            stored.sorted = Some(terasort::run(world, rows, &input, reduces, replication.unwrap_or(1))?);
            stored.generated = Some(input);
        }
        Workload::Teravalidate { rows } => {
            let input = stored.sorted.take().unwrap_or_else(|| teragen::existing(world, rows, default));
            teravalidate::run(world, rows, &input)?;
            stored.sorted = Some(input);
        }
        Workload::DfsioWrite { files, file_bytes } => {
            stored.plain = Some(dfsio::write(world, files, file_bytes)?);
        }
        Workload::DfsioRead { files, file_bytes } => {
            let input = stored.plain.take().unwrap_or_else(|| dfsio::existing(world, files, file_bytes));
            dfsio::read(world, &input, file_bytes)?;
            stored.plain = Some(input);
        }
        Workload::Pi { maps, samples } => pi::run(world, maps, samples)?,
    }
    Ok(())
}
