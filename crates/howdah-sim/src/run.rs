//! The workloads of a scenario, one after another.

use crate::cluster::Sharing;
use crate::error::Result;
use crate::files::Files;
use crate::hbase;
use crate::outcome::Outcome;
use crate::quick::Few;
use crate::scenario::{Scenario, Workload};
use crate::twins::Twins;
use crate::watch::Watch;
use crate::workloads::{dfsio, pi, teragen, terasort, teravalidate};
use crate::world::World;

/// What earlier workloads left.
#[derive(Default)]
struct Left {
    generated: Option<Files>,
    sorted: Option<Files>,
    plain: Option<Files>,
}

/// Simulates a scenario. The same scenario gives the same outcome.
pub fn simulate(scenario: &Scenario, watch: &dyn Watch) -> Result<Outcome> {
    simulate_with(scenario, Sharing::Quick, watch)
}

/// Simulates a scenario with the sharing that is asked for.
pub fn simulate_with(scenario: &Scenario, sharing: Sharing, watch: &dyn Watch) -> Result<Outcome> {
    if let Some(asked) = &scenario.hbase {
        return hbase::simulate(scenario, asked, watch);
    }
    if !scenario.quick {
        return simulate_hosts(scenario, Twins::NONE, sharing, watch);
    }
    match Few::of(scenario) {
        Ok(few) => {
            let mut outcome = simulate_hosts(&few.scenario, few.twins, sharing, watch)?;
            few.for_all(&mut outcome.summary);
            Ok(outcome)
        }
        Err(because) => {
            let mut outcome = simulate_hosts(scenario, Twins::NONE, sharing, watch)?;
            outcome.summary.full_because = Some(because);
            Ok(outcome)
        }
    }
}

/// Simulates every host of a scenario, each of which stands for its twins.
fn simulate_hosts(scenario: &Scenario, twins: Twins, sharing: Sharing, watch: &dyn Watch) -> Result<Outcome> {
    let mut world = World::new(scenario, twins, sharing, watch);
    watch.expect(scenario.workloads.iter().map(|workload| scenario.moved(workload)).sum());
    let mut left = Left::default();
    for workload in &scenario.workloads {
        world.begin_workload(workload.kind());
        run(&mut world, workload, &mut left)?;
        world.ledger.end_workload(world.now);
    }
    Ok(world.ledger.finish(world.activities))
}

fn run(world: &mut World<'_>, workload: &Workload, left: &mut Left) -> Result<()> {
    let default = world.scenario.hdfs.replication;
    match *workload {
        Workload::Teragen { rows, maps, replication } => {
            left.generated = Some(teragen::run(world, rows, maps, replication.unwrap_or(default))?);
        }
        Workload::Terasort { rows, reduces, replication } => {
            let input = left.generated.take().unwrap_or_else(|| teragen::there(world, rows, default));
            left.sorted = Some(terasort::run(world, rows, &input, reduces, replication.unwrap_or(1))?);
            left.generated = Some(input);
        }
        Workload::Teravalidate { rows } => {
            let input = left.sorted.take().unwrap_or_else(|| teragen::there(world, rows, default));
            teravalidate::run(world, rows, &input)?;
            left.sorted = Some(input);
        }
        Workload::DfsioWrite { files, file_bytes } => {
            left.plain = Some(dfsio::write(world, files, file_bytes)?);
        }
        Workload::DfsioRead { files, file_bytes } => {
            let input = left.plain.take().unwrap_or_else(|| dfsio::there(world, files, file_bytes));
            dfsio::read(world, &input, file_bytes)?;
            left.plain = Some(input);
        }
        Workload::Pi { maps, samples } => pi::run(world, maps, samples)?,
    }
    Ok(())
}
