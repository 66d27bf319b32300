//! The workloads of a scenario, one after another.

use crate::error::{Error, Result};
use crate::files::Files;
use crate::outcome::Outcome;
use crate::scenario::{Placement, Scenario, Workload};
use crate::workloads::{teragen, terasort, teravalidate};
use crate::world::{Watch, World};

/// What earlier workloads left.
#[derive(Default)]
struct Left {
    generated: Option<Files>,
    sorted: Option<Files>,
}

/// Simulates a scenario. The same scenario gives the same outcome.
pub fn simulate(scenario: &Scenario, watch: &dyn Watch) -> Result<Outcome> {
    let mut world = World::new(scenario, watch);
    check_room(&world)?;
    watch.expect(scenario.workloads.iter().map(|workload| moved(scenario, workload)).sum());
    let mut left = Left::default();
    for workload in &scenario.workloads {
        watch.begin(workload.kind());
        let begun = world.totals();
        world.ledger.begin_workload(workload.kind(), begun);
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
        Workload::DfsioWrite { .. } | Workload::DfsioRead { .. } | Workload::Pi { .. } => todo!(),
    }
    Ok(())
}

/// Refuses replicas that have no place, and more data than the disks hold.
fn check_room(world: &World<'_>) -> Result<()> {
    let scenario = world.scenario;
    let disks = &world.cluster.disks;
    let free: f64 = disks.iter().map(|disk| world.network.capacities().disk(disk.resource).free()).sum();
    let apart = scenario.hdfs.placement != Placement::Default;
    let hosts = world.cluster.hosts.iter().filter(|host| !host.workers.is_empty()).count();
    let places = if apart { hosts } else { world.cluster.workers.len() };
    let mut kept = 0.0;
    for (number, workload) in scenario.workloads.iter().enumerate() {
        let path = format!("workloads[{number}]");
        let (replicas, bytes, passing) = written(scenario, workload);
        if replicas as usize > places {
            return Err(Error::input(
                path,
                format!("{replicas} replicas of a block have {places} places"),
                "give at least as many hosts with workers as replicas",
            ));
        }
        kept += bytes * f64::from(replicas);
        let needed = kept + passing;
        if needed > free {
            return Err(Error::input(
                path,
                format!("it needs {needed:.4e} bytes of disk with what is there before; {free:.4e} are free"),
                format!("give at most {:.3} of the data, fewer replicas or more disks", free / needed),
            ));
        }
    }
    Ok(())
}

/// Replicas, bytes of one replica that stay, and bytes that pass.
fn written(scenario: &Scenario, workload: &Workload) -> (u32, f64, f64) {
    let default = scenario.hdfs.replication;
    match *workload {
        Workload::Teragen { rows, replication, .. } => {
            (replication.unwrap_or(default), rows as f64 * 100.0, 0.0)
        }
        Workload::Terasort { rows, replication, .. } => {
            let bytes = rows as f64 * 100.0;
            // Spilled by maps, and again by reduces.
            (replication.unwrap_or(1), bytes, 2.0 * bytes / scenario.job.compression_ratio)
        }
        Workload::DfsioWrite { files, file_bytes } => (default, f64::from(files) * file_bytes as f64, 0.0),
        Workload::Teravalidate { .. } | Workload::DfsioRead { .. } | Workload::Pi { .. } => (1, 0.0, 0.0),
    }
}

/// Bytes of files that a workload reads and writes, replicas included: what progress is counted in.
fn moved(scenario: &Scenario, workload: &Workload) -> u64 {
    let (replicas, bytes, _) = written(scenario, workload);
    let read = match *workload {
        Workload::Terasort { rows, .. } | Workload::Teravalidate { rows } => rows as f64 * 100.0,
        Workload::DfsioRead { files, file_bytes } => f64::from(files) * file_bytes as f64,
        _ => 0.0,
    };
    (read + bytes * f64::from(replicas)) as u64
}
