//! The quick simulation: a few hosts with their share of the work, each representing others like it.
//!
//! Its result is close to the full simulation's if all hosts are identical and there are many tasks. Otherwise it is
//! refused with a reason, and the full simulation runs.

use crate::outcome::Summary;
use crate::scenario::{HostGroup, Scenario, Workload};
use crate::twins::Twins;

/// Hosts to simulate at least.
const MIN_HOSTS: u32 = 8;

/// Hosts that one may represent: the more, the less accurate is the end of the last task.
const MAX_TWINS: u32 = 8;

/// Blocks that a task reads or writes at least. With fewer, all wait for the one unluckiest host or rack, and a few of
/// the hosts do not show how unlucky that is.
const MIN_BLOCKS: f64 = 50.0;

/// Share of the hosts that may have fewer workers than the others, because masters run there.
const MAX_MASTERS: f64 = 0.125;

/// Relative rounding error that a number of tasks may have, since tasks cannot be divided.
const ROUNDING: f64 = 0.005;

/// A scenario of a few hosts of another scenario, and what they represent.
#[derive(Debug)]
pub(crate) struct ReducedScenario {
    pub(crate) scenario: Scenario,
    pub(crate) twins: Twins,
}

impl ReducedScenario {
    /// Selects a few hosts of a scenario with the same work for each host, or returns why all must be simulated.
    pub(crate) fn new(scenario: &Scenario) -> Result<Self, &'static str> {
        let hosts: Vec<&HostGroup> =
            scenario.hosts.iter().flat_map(|group| (0..group.count).map(move |_| group)).collect();
        check(scenario, &hosts)?;
        let count = hosts.len() as u32;
        let wanted = MIN_HOSTS.max(count.div_ceil(MAX_TWINS));
        if count < 2 * wanted {
            return Err("the cluster has few hosts");
        }
        let common = *hosts.iter().max_by_key(|host| workers(host)).expect("a scenario has hosts");
        let kept = in_racks(&hosts, common, wanted);
        let all: u32 = hosts.iter().map(|host| workers(host)).sum();
        let scale = f64::from(all) / f64::from(workers(common) * kept.len() as u32);
        let twins = Twins {
            count: (f64::from(count) / kept.len() as f64).round() as u32,
            scale,
            capacity_factor: f64::from(workers(common) * count) / f64::from(all),
        };
        let workloads = scenario.workloads.iter().map(|workload| scaled_down(workload, scale));
        let workloads = workloads.collect::<Option<_>>().ok_or("there are few tasks")?;
        let scenario = Scenario { hosts: kept, workloads, ..scenario.clone() };
        Ok(Self { scenario, twins })
    }

    /// Multiplies the results of the few hosts to those of all; blocks by worker are left as they are.
    pub(crate) fn scale_up(&self, summary: &mut Summary) {
        let scale = self.twins.scale;
        let all = |count: u64| (count as f64 * scale).round() as u64;
        for workload in &mut summary.workloads {
            (workload.maps, workload.reduces) = (all(workload.maps), all(workload.reduces));
            workload.remote_read_bytes *= scale;
            workload.sharing_host = all(workload.sharing_host);
            workload.counters.update_all(all);
            workload.locality.update_all(all);
            for phase in &mut workload.phases {
                phase.disk_read_bytes *= scale;
                phase.disk_written_bytes *= scale;
                phase.received_bytes *= scale;
                phase.sent_bytes *= scale;
            }
        }
        summary.few_hosts = Some(self.scenario.hosts.len() as u32);
    }
}

/// Returns why hosts cannot represent one another.
fn check(scenario: &Scenario, hosts: &[&HostGroup]) -> Result<(), &'static str> {
    if scenario.record.tasks || scenario.record.sample_interval_s.is_some() {
        return Err("every task or host is recorded");
    }
    if scenario.hdfs.coding.is_some() {
        return Err("files are erasure-coded");
    }
    if scenario.parameters.host_spread > 0.0 {
        return Err("hosts differ in speed");
    }
    if !scenario.network.uplinks_bits_per_s.iter().all(Option::is_none) {
        return Err("racks share uplinks");
    }
    if hosts.iter().any(|host| !are_identical(host, hosts[0])) {
        return Err("hosts are not identical");
    }
    let max_workers = hosts.iter().map(|host| workers(host)).max();
    let with_fewer = hosts.iter().filter(|host| Some(workers(host)) < max_workers).count();
    if with_fewer as f64 > MAX_MASTERS * hosts.len() as f64 {
        return Err("hosts have different numbers of workers");
    }
    let slots: u32 =
        hosts.iter().flat_map(|host| &host.workers).map(|group| group.count * group.map_slots).sum();
    // TeraValidate has a map for each of TeraSort's files, or for each map slot if TeraSort does not run.
    let sorted = scenario.workloads.iter().find_map(|workload| match *workload {
        Workload::Terasort { reduces, .. } => Some(reduces),
        _ => None,
    });
    let block_bytes = scenario.hdfs.block_bytes as f64;
    let blocks = |rows: u64, tasks: u32| rows as f64 * 100.0 / block_bytes / f64::from(tasks);
    let enough = |workload: &Workload| match *workload {
        Workload::Teragen { rows, maps, .. } => blocks(rows, maps) >= MIN_BLOCKS,
        Workload::Terasort { rows, reduces, .. } => blocks(rows, reduces) >= MIN_BLOCKS,
        Workload::Teravalidate { rows } => blocks(rows, sorted.unwrap_or(slots)) >= MIN_BLOCKS,
        Workload::DfsioWrite { file_bytes, .. } | Workload::DfsioRead { file_bytes, .. } => {
            file_bytes as f64 / block_bytes >= MIN_BLOCKS
        }
        Workload::Pi { .. } => true,
    };
    if !scenario.workloads.iter().all(enough) {
        return Err("there is little data for each task");
    }
    Ok(())
}

/// Whether two hosts differ at most in their rack, and in the count of their one kind of workers.
fn are_identical(left: &HostGroup, right: &HostGroup) -> bool {
    let ([workers], [right_workers]) = (&left.workers[..], &right.workers[..]) else {
        return false;
    };
    let mut expected = left.clone();
    (expected.count, expected.rack) = (right.count, right.rack);
    expected.workers[0].count = right_workers.count;
    workers.count > 0 && expected == *right
}

fn workers(host: &HostGroup) -> u32 {
    host.workers.iter().map(|workers| workers.count).sum()
}

/// `count` hosts of one kind, in racks as large as before; in two racks at least if there are two.
fn in_racks(hosts: &[&HostGroup], kind: &HostGroup, count: u32) -> Vec<HostGroup> {
    let mut racks: Vec<u32> = hosts.iter().map(|host| host.rack).collect();
    racks.sort_unstable();
    racks.dedup();
    let share = f64::from(count) / hosts.len() as f64;
    let racks = (racks.len() as f64 * share).round().max(racks.len().min(2) as f64) as u32;
    (0..count).map(|host| HostGroup { count: 1, rack: host % racks, ..kind.clone() }).collect()
}

/// A workload that is `scale` times smaller; none if its tasks do not divide into nearly whole numbers.
fn scaled_down(workload: &Workload, scale: f64) -> Option<Workload> {
    let tasks = |count: u32| {
        let part = (f64::from(count) / scale).round();
        ((part * scale / f64::from(count) - 1.0).abs() <= ROUNDING).then_some(part as u32)
    };
    let less = |rows: u64| (rows as f64 / scale).round().max(1.0) as u64;
    Some(match *workload {
        Workload::Teragen { rows, maps, replication } => {
            Workload::Teragen { rows: less(rows), maps: tasks(maps)?, replication }
        }
        Workload::Terasort { rows, reduces, replication } => {
            Workload::Terasort { rows: less(rows), reduces: tasks(reduces)?, replication }
        }
        Workload::Teravalidate { rows } => Workload::Teravalidate { rows: less(rows) },
        Workload::DfsioWrite { files, file_bytes } => {
            Workload::DfsioWrite { files: tasks(files)?, file_bytes }
        }
        Workload::DfsioRead { files, file_bytes } => Workload::DfsioRead { files: tasks(files)?, file_bytes },
        Workload::Pi { maps, samples } => Workload::Pi { maps: tasks(maps)?, samples },
    })
}
