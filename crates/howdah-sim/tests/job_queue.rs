//! Hadoop 1's default scheduler, which limits what a worker gets at a heartbeat.

use crate::cluster::{hosts, run, scenario};
use serde_json::{Value, json};

const WORKERS: u32 = 8;
const SLOTS: u32 = 12;
const HEARTBEAT_S: f64 = 3.0;
const ROWS: u64 = 80_000_000;

/// TeraGen with a map for each slot, and TeraSort with blocks of 64 MiB and twelve reduces a worker.
fn scenario_of(job_queue: bool) -> Value {
    let slots = WORKERS * SLOTS;
    let workloads = json!([
        {"kind": "teragen", "rows": ROWS, "maps": slots},
        {"kind": "terasort", "rows": ROWS, "reduces": slots, "replication": 1}
    ]);
    let mut scenario = scenario(json!([hosts(WORKERS, 1, SLOTS)]), workloads);
    scenario["hdfs"]["placement"] = "default".into();
    scenario["hdfs"]["block_bytes"] = (64 << 20).into();
    scenario["scheduling"] =
        json!({"kind": "slots", "slowstart": 0.0, "heartbeat_s": HEARTBEAT_S, "job_queue": job_queue});
    scenario["record"] = json!({"tasks": true});
    scenario
}

/// The most tasks of one kind of a workload that one worker started at the same time.
fn started_together(scenario: &Value, workload: u8, kind: u8) -> usize {
    let tasks = run(scenario).tasks;
    let mine = (0..tasks.worker.len())
        .filter(|&number| (tasks.workload[number], tasks.kind[number]) == (workload, kind));
    // The scheduler takes some milliseconds for each task.
    let mut starts: Vec<_> =
        mine.map(|number| (tasks.worker[number], tasks.start_ns[number] / 500_000_000)).collect();
    starts.sort_unstable();
    starts.chunk_by(|left, right| left == right).map(<[_]>::len).max().unwrap()
}

#[test]
fn a_worker_gets_one_map_without_data_at_a_heartbeat() {
    assert_eq!(started_together(&scenario_of(true), 0, 0), 1);
    assert!(started_together(&scenario_of(false), 0, 0) > 6);
}

#[test]
fn a_worker_gets_one_reduce_at_a_heartbeat() {
    assert_eq!(started_together(&scenario_of(true), 1, 1), 1);
    assert!(started_together(&scenario_of(false), 1, 1) > 6);
}

#[test]
fn a_worker_gets_all_maps_with_a_block_in_its_rack_at_once() {
    assert!(started_together(&scenario_of(true), 1, 0) > 6);
}

#[test]
fn its_limits_can_be_switched_off() {
    let mut off = scenario_of(true);
    off["parameters"] = json!({"queue_limits": 0.0});
    assert_eq!(run(&off).summary, run(&scenario_of(false)).summary);
}
