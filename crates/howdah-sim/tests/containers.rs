//! How YARN's capacity scheduler gives containers to nodes, by its defaults.

#[path = "support/cluster.rs"]
mod cluster;

use cluster::{hosts, run, scenario};
use serde_json::{Value, json};

const WORKERS: usize = 8;
const ROWS: u64 = 80_000_000;

/// Eight workers with room for twelve containers each, and a file of TeraGen's for each of so many maps.
fn containers(maps: u32, workloads: &[Value]) -> Value {
    let generate = json!({"kind": "teragen", "rows": ROWS, "maps": maps});
    let all = [&[generate], workloads].concat();
    let mut scenario = scenario(json!([hosts(WORKERS as u32, 1, 12)]), all.into());
    scenario["scheduling"] =
        json!({"kind": "containers", "slowstart": 1.0, "heartbeat_s": 1.0, "locality_delay_s": 1.0});
    scenario["record"] = json!({"tasks": true});
    scenario
}

/// Tasks of a workload's kind of task by worker.
fn tasks(scenario: &Value, workload: u8, kind: u8) -> Vec<usize> {
    let tasks = run(scenario).tasks;
    let mut counts = vec![0; WORKERS];
    for (number, &worker) in tasks.worker.iter().enumerate() {
        if (tasks.workload[number], tasks.kind[number]) == (workload, kind) {
            counts[worker as usize] += 1;
        }
    }
    counts
}

#[test]
fn tasks_that_are_near_nothing_come_one_a_heartbeat_and_so_are_spread() {
    assert_eq!(tasks(&containers(8, &[]), 0, 0), [1; WORKERS]);
    assert_eq!(tasks(&containers(24, &[]), 0, 0), [3; WORKERS]);
}

#[test]
fn reduces_are_spread_too() {
    let sort = json!({"kind": "terasort", "rows": ROWS, "reduces": 16, "replication": 3});
    assert_eq!(tasks(&containers(8, &[sort]), 1, 1), [2; WORKERS]);
}

#[test]
fn a_worker_takes_all_at_once_that_it_has_the_data_of() {
    // Every worker holds a third of all blocks and more, so that the first to be heard fill up.
    let sort = json!({"kind": "terasort", "rows": ROWS, "reduces": 1, "replication": 3});
    let counts = tasks(&containers(8, &[sort]), 1, 0);
    assert_eq!(counts.iter().max(), Some(&12), "{counts:?}");
}
