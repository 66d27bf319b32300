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
    // Every worker holds about a third of all 32 blocks, so that the first to be heard take far more than their part.
    let sort = json!({"kind": "terasort", "rows": ROWS, "reduces": 1, "replication": 3});
    let counts = tasks(&containers(8, &[sort]), 1, 0);
    assert!(counts.iter().max() >= Some(&10), "{counts:?}");
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
    assert!(counts.iter().max() < Some(&10), "{counts:?}");
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
    // Twelve rounds of 5 ms, in which the scheduler takes a millisecond for each of 96 containers.
    let all_s = starts_took_s(&asynchronous(8 * 12));
    assert!((0.09..0.16).contains(&all_s), "{all_s}");
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

/// For each reduce of TeraSort, the share of the maps that had ended when it began, and whether others had not begun.
fn maps_at_reduces(reduces_first: f64) -> Vec<(f64, bool)> {
    let sort = json!({"kind": "terasort", "rows": ROWS, "reduces": 96, "replication": 3});
    let mut scenario = containers(8, &[sort]);
    scenario["hdfs"]["block_bytes"] = json!(8 << 20);
    scenario["scheduling"]["slowstart"] = json!(0.05);
    scenario["scheduling"]["off_switch_per_beat"] = Value::Null;
    scenario["parameters"] = json!({"reduces_first": reduces_first});
    let tasks = run(&scenario).tasks;
    let rows = |kind: u8| {
        let all = 0..tasks.kind.len();
        all.filter(|&row| (tasks.workload[row], tasks.kind[row]) == (1, kind)).collect::<Vec<usize>>()
    };
    let maps = rows(0);
    let at = |start: i64| {
        let ended = maps.iter().filter(|&&row| tasks.end_ns[row] <= start).count();
        (ended as f64 / maps.len() as f64, maps.iter().any(|&row| tasks.start_ns[row] > start))
    };
    rows(1).into_iter().map(|row| at(tasks.start_ns[row])).collect()
}

#[test]
fn reduces_get_their_part_of_the_pool_while_maps_wait() {
    let ended = |reduces_first: f64, limit: f64| {
        let reduces = maps_at_reduces(reduces_first).into_iter();
        reduces
            .filter(|&(ended, maps_wait)| maps_wait && ended < limit)
            .map(|(ended, _)| ended)
            .collect::<Vec<_>>()
    };
    // Until the last maps leave more of it, half of the pool of 96 containers.
    let (most, early) = (ended(1.0, 0.9), ended(1.0, 0.25));
    assert!((40..=48).contains(&most.len()), "{}", most.len());
    // Before, the share of maps that have ended.
    assert!((12..=24).contains(&early.len()), "{}", early.len());
    assert!(most.iter().all(|&ended| ended >= 0.05), "{most:?}");
    // Where maps go first, reduces begin when no map waits.
    let early = ended(0.0, 0.9).len();
    assert!(early < 12, "{early}");
}

#[test]
fn reduces_that_fill_every_worker_by_a_half_leave_the_last_map_room() {
    // Maps take a half of a worker and reduces a quarter: three on every worker would leave no map room.
    let sort = json!({"kind": "terasort", "rows": ROWS, "reduces": 32, "replication": 3});
    let mut scenario = containers(1, &[sort]);
    scenario["hosts"][0]["workers"][0]["map_slots"] = 2.into();
    scenario["hosts"][0]["workers"][0]["reduce_slots"] = 4.into();
    scenario["hdfs"]["block_bytes"] = json!(256 << 20);
    for slowstart in [0.0, 0.5, 0.97] {
        scenario["scheduling"]["slowstart"] = json!(slowstart);
        assert_eq!(tasks(&scenario, 1, 1).iter().sum::<usize>(), 32);
    }
}
