//! How YARN's capacity scheduler gives containers to nodes, at heartbeats and between them.

use crate::cluster::{hosts, run, scenario};
use serde_json::{Value, json};

const WORKERS: usize = 8;
const ROWS: u64 = 80_000_000;

/// Eight workers with room for twelve containers each, and a file of TeraGen's for each of so many maps.
fn containers(maps: u32, workloads: &[Value]) -> Value {
    let generate = json!({"kind": "teragen", "rows": ROWS, "maps": maps});
    let all = [&[generate], workloads].concat();
    let mut scenario = scenario(json!([hosts(WORKERS as u32, 1, 12)]), all.into());
    scenario["scheduling"] = json!({"kind": "containers", "slowstart": 1.0, "heartbeat_s": 1.0, "locality_delay_s": 1.0,
            "off_switch_per_beat": 1});
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

/// Seconds from the start of the first map of a job that writes alone to that of the last.
fn starts_took_s(scenario: &Value) -> f64 {
    let starts = run(scenario).tasks.start_ns;
    let (first, last) = (starts.iter().min(), starts.iter().max());
    (last.expect("tasks ran") - first.expect("tasks ran")) as f64 * 1e-9
}

/// A job with as many maps as there is room for.
fn full() -> Value {
    containers(8 * 12, &[])
}

#[test]
fn a_worker_fills_the_sooner_the_more_it_is_given_at_a_heartbeat() {
    let (mut four, mut all) = (full(), full());
    four["scheduling"]["off_switch_per_beat"] = json!(4);
    all["scheduling"]["off_switch_per_beat"] = Value::Null;
    let (one_s, four_s, all_s) = (starts_took_s(&full()), starts_took_s(&four), starts_took_s(&all));
    assert!((11.0..12.5).contains(&one_s), "{one_s}");
    assert!((2.0..3.5).contains(&four_s), "{four_s}");
    assert!(all_s < 1.5, "{all_s}");
}

#[test]
fn a_limit_on_all_containers_holds_for_those_near_their_data_too() {
    let mut limited = full();
    limited["scheduling"]["off_switch_per_beat"] = Value::Null;
    limited["scheduling"]["containers_per_beat"] = json!(1);
    assert!(starts_took_s(&limited) > 11.0);
    let sort = json!({"kind": "terasort", "rows": ROWS, "reduces": 1, "replication": 3});
    let mut few = containers(8, &[sort]);
    few["scheduling"]["containers_per_beat"] = json!(1);
    let counts = tasks(&few, 1, 0);
    assert!(counts.iter().max() < Some(&12), "{counts:?}");
}

#[test]
fn rounds_of_the_scheduler_fill_workers_at_once_and_spread_what_is_less() {
    let asynchronous = |maps: u32| {
        let mut scenario = containers(maps, &[]);
        scenario["scheduling"]["round_s"] = json!(0.005);
        scenario
    };
    assert_eq!(tasks(&asynchronous(8), 0, 0), [1; WORKERS]);
    assert_eq!(tasks(&asynchronous(24), 0, 0), [3; WORKERS]);
    // The scheduler takes 5 ms for each of them, whatever the rounds are.
    let all_s = starts_took_s(&asynchronous(8 * 12));
    assert!(all_s < 0.6, "{all_s}");
    let mut reduces = asynchronous(8);
    reduces["workloads"]
        .as_array_mut()
        .expect("a list")
        .push(json!({"kind": "terasort", "rows": ROWS, "reduces": 16, "replication": 3}));
    assert_eq!(tasks(&reduces, 1, 1), [2; WORKERS]);
}

#[test]
fn a_limit_of_none_at_all_is_refused() {
    let mut none = full();
    none["scheduling"]["off_switch_per_beat"] = json!(0);
    let error = howdah_sim::Scenario::from_json(&none.to_string()).expect_err("nothing could run");
    assert!(error.to_string().contains("scheduling.off_switch_per_beat"), "{error}");
}
