//! The quick simulation: a few hosts with their part of the work, each of which stands for others like it.
//!
//! What comes of it is close to what the full simulation gives while all hosts are alike and there are many tasks. Where
//! that is not so, it is refused with the reason, and the full simulation is there.

use crate::outcome::Summary;
use crate::scenario::{HostGroup, Scenario, Workload};
use crate::twins::Twins;

/// Hosts that are simulated at least, however few there are.
const FEWEST: u32 = 8;

/// The most hosts that one stands for: the more it is, the less is known of the last that ends.
const MOST_TWINS: u32 = 8;

/// Blocks that a task reads or writes at least. With fewer it is one unlucky host or rack that all
/// wait for, and a few of the hosts do not tell how unlucky the unluckiest of all is.
const LEAST_BLOCKS: f64 = 50.0;

/// Share of the hosts that may have less workers than the others, where masters are.
const MASTERS: f64 = 0.125;

/// What a number of tasks may be off, as a part of it, because there are no parts of tasks.
const ROUNDING: f64 = 0.005;

/// A scenario of a few of another's hosts, and what they stand for.
#[derive(Debug)]
pub(crate) struct Few {
    pub(crate) scenario: Scenario,
    pub(crate) twins: Twins,
}

impl Few {
    /// Takes a few of a scenario's hosts, and as much work for each as all have; or says why all must be simulated.
    pub(crate) fn of(scenario: &Scenario) -> Result<Self, &'static str> {
        let hosts: Vec<&HostGroup> =
            scenario.hosts.iter().flat_map(|group| (0..group.count).map(move |_| group)).collect();
        check(scenario, &hosts)?;
        let count = hosts.len() as u32;
        let wanted = FEWEST.max(count.div_ceil(MOST_TWINS));
        if count < 2 * wanted {
            return Err("the cluster has few hosts");
        }
        let common = *hosts.iter().max_by_key(|host| workers(host)).expect("a scenario has hosts");
        let kept = in_racks(&hosts, common, wanted);
        let all: u32 = hosts.iter().map(|host| workers(host)).sum();
        let times = f64::from(all) / f64::from(workers(common) * kept.len() as u32);
        let twins = Twins {
            count: (f64::from(count) / kept.len() as f64).round() as u32,
            times,
            room: f64::from(workers(common) * count) / f64::from(all),
        };
        let workloads = scenario.workloads.iter().map(|workload| part(workload, times));
        let workloads = workloads.collect::<Option<_>>().ok_or("there are few tasks")?;
        let scenario = Scenario { hosts: kept, workloads, ..scenario.clone() };
        Ok(Self { scenario, twins })
    }

    /// Counts for all what the few have done; blocks by worker stay those of the few.
    pub(crate) fn for_all(&self, summary: &mut Summary) {
        let times = self.twins.times;
        let all = |count: u64| (count as f64 * times).round() as u64;
        for workload in &mut summary.workloads {
            (workload.maps, workload.reduces) = (all(workload.maps), all(workload.reduces));
            workload.remote_read_bytes *= times;
            workload.sharing_host = all(workload.sharing_host);
            workload.counters.each(all);
            workload.locality.each(all);
            for phase in &mut workload.phases {
                phase.disk_read_bytes *= times;
                phase.disk_written_bytes *= times;
                phase.received_bytes *= times;
                phase.sent_bytes *= times;
            }
        }
        summary.few_hosts = Some(self.scenario.hosts.len() as u32);
    }
}

/// Says why hosts cannot stand for one another.
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
    if hosts.iter().any(|host| !are_alike(host, hosts[0])) {
        return Err("hosts are not identical");
    }
    let most = hosts.iter().map(|host| workers(host)).max();
    let less = hosts.iter().filter(|host| Some(workers(host)) < most).count();
    if less as f64 > MASTERS * hosts.len() as f64 {
        return Err("hosts have different numbers of workers");
    }
    let slots: u32 =
        hosts.iter().flat_map(|host| &host.workers).map(|each| each.count * each.map_slots).sum();
    // TeraValidate has a map for each file of TeraSort's, or of those that a place for maps each would have left.
    let sorted = scenario.workloads.iter().find_map(|workload| match *workload {
        Workload::Terasort { reduces, .. } => Some(reduces),
        _ => None,
    });
    let block_bytes = scenario.hdfs.block_bytes as f64;
    let blocks = |rows: u64, tasks: u32| rows as f64 * 100.0 / block_bytes / f64::from(tasks);
    let enough = |workload: &Workload| match *workload {
        Workload::Teragen { rows, maps, .. } => blocks(rows, maps) >= LEAST_BLOCKS,
        Workload::Terasort { rows, reduces, .. } => blocks(rows, reduces) >= LEAST_BLOCKS,
        Workload::Teravalidate { rows } => blocks(rows, sorted.unwrap_or(slots)) >= LEAST_BLOCKS,
        Workload::DfsioWrite { file_bytes, .. } | Workload::DfsioRead { file_bytes, .. } => {
            file_bytes as f64 / block_bytes >= LEAST_BLOCKS
        }
        Workload::Pi { .. } => true,
    };
    if !scenario.workloads.iter().all(enough) {
        return Err("there is little data for each task");
    }
    Ok(())
}

/// Whether two hosts differ at most in their rack, and in how many there are of their one kind of workers.
fn are_alike(one: &HostGroup, other: &HostGroup) -> bool {
    let ([workers], [others]) = (&one.workers[..], &other.workers[..]) else {
        return false;
    };
    let mut like = one.clone();
    (like.count, like.rack) = (other.count, other.rack);
    like.workers[0].count = others.count;
    workers.count > 0 && like == *other
}

fn workers(host: &HostGroup) -> u32 {
    host.workers.iter().map(|workers| workers.count).sum()
}

/// So many hosts of one kind in as many racks as leaves these as long as they are, in two at least if there are two.
fn in_racks(hosts: &[&HostGroup], kind: &HostGroup, count: u32) -> Vec<HostGroup> {
    let mut racks: Vec<u32> = hosts.iter().map(|host| host.rack).collect();
    racks.sort_unstable();
    racks.dedup();
    let share = f64::from(count) / hosts.len() as f64;
    let racks = (racks.len() as f64 * share).round().max(racks.len().min(2) as f64) as u32;
    (0..count).map(|host| HostGroup { count: 1, rack: host % racks, ..kind.clone() }).collect()
}

/// A workload of so many times less; none where that is not a whole number of tasks, or nearly.
fn part(workload: &Workload, times: f64) -> Option<Workload> {
    let tasks = |count: u32| {
        let part = (f64::from(count) / times).round();
        ((part * times / f64::from(count) - 1.0).abs() <= ROUNDING).then_some(part as u32)
    };
    let less = |rows: u64| (rows as f64 / times).round().max(1.0) as u64;
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
