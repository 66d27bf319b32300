//! YARN's capacity scheduler: assignment of containers at heartbeats and between them.

use crate::cluster::{hosts, run, scenario};
use serde_json::{Value, json};

const WORKERS: usize = 8;
const ROWS: u64 = 80_000_000;

/// Eight workers with room for twelve containers each; TeraGen has `maps` maps.
fn containers(maps: u32, workloads: &[Value]) -> Value {
    let generate = json!({"kind": "teragen", "rows": ROWS, "maps": maps});
    let all = [&[generate], workloads].concat();
    let mut scenario = scenario(json!([hosts(WORKERS as u32, 1, 12)]), all.into());
    scenario["scheduling"] = json!({"kind": "containers", "slowstart": 1.0, "heartbeat_s": 1.0, "locality_delay_s": 1.0,
            "off_switch_per_beat": 1});
    scenario["record"] = json!({"tasks": true});
    scenario
}

/// The number of a workload's tasks of one kind by worker.
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
fn tasks_without_locality_are_assigned_one_a_heartbeat_and_so_are_spread() {
    assert_eq!(tasks(&containers(8, &[]), 0, 0), [1; WORKERS]);
    assert_eq!(tasks(&containers(24, &[]), 0, 0), [3; WORKERS]);
}

#[test]
fn reduces_are_spread_too() {
    let sort = json!({"kind": "terasort", "rows": ROWS, "reduces": 16, "replication": 3});
    assert_eq!(tasks(&containers(8, &[sort]), 1, 1), [2; WORKERS]);
}

#[test]
fn a_worker_gets_all_its_local_tasks_at_once() {
    // Every worker has replicas of about a third of all 32 blocks, so the first heartbeats take more than their share.
    let sort = json!({"kind": "terasort", "rows": ROWS, "reduces": 1, "replication": 3});
    let counts = tasks(&containers(8, &[sort]), 1, 0);
    assert!(counts.iter().max() >= Some(&10), "{counts:?}");
}

/// Seconds from the first to the last start of a task, for a job that only writes.
fn starts_took_s(scenario: &Value) -> f64 {
    let starts = run(scenario).tasks.start_ns;
    let (first, last) = (starts.iter().min(), starts.iter().max());
    (last.expect("tasks ran") - first.expect("tasks ran")) as f64 * 1e-9
}

/// A job with as many maps as fit.
fn full() -> Value {
    containers(8 * 12, &[])
}

#[test]
fn a_worker_fills_faster_with_more_containers_a_heartbeat() {
    let (mut four, mut all) = (full(), full());
    four["scheduling"]["off_switch_per_beat"] = json!(4);
    all["scheduling"]["off_switch_per_beat"] = Value::Null;
    let (one_s, four_s, all_s) = (starts_took_s(&full()), starts_took_s(&four), starts_took_s(&all));
    assert!((11.0..12.5).contains(&one_s), "{one_s}");
    assert!((2.0..3.5).contains(&four_s), "{four_s}");
    assert!(all_s < 1.5, "{all_s}");
}

#[test]
fn a_limit_on_all_containers_applies_to_local_tasks_too() {
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
fn rounds_of_the_scheduler_fill_workers_at_once_and_spread_smaller_jobs() {
    let asynchronous = |maps: u32| {
        let mut scenario = containers(maps, &[]);
        scenario["scheduling"]["round_s"] = json!(0.005);
        scenario
    };
    assert_eq!(tasks(&asynchronous(8), 0, 0), [1; WORKERS]);
    // Three rounds give nine, nine and six tasks: in each, the first worker comes twice.
    let counts = tasks(&asynchronous(24), 0, 0);
    assert!(counts.iter().all(|count| (2..=6).contains(count)), "{counts:?}");
    // Twelve rounds of 5 ms, in which the scheduler takes a millisecond for each of 96 containers.
    let all_s = starts_took_s(&asynchronous(8 * 12));
    assert!((0.09..0.16).contains(&all_s), "{all_s}");
    let mut reduces = asynchronous(8);
    reduces["workloads"]
        .as_array_mut()
        .expect("a list")
        .push(json!({"kind": "terasort", "rows": ROWS, "reduces": 16, "replication": 3}));
    let counts = tasks(&reduces, 1, 1);
    assert!(counts.iter().all(|count| (1..=4).contains(count)), "{counts:?}");
}

/// YARN's scheduler visits its first node again at the end of a round. Of 26 times that four tasks started together on two
/// hosts of a lab, three were on one of them 12 times.
#[test]
fn two_workers_get_four_tasks_three_to_one_in_half_of_all_jobs() {
    let uneven = (0..200).filter(|&seed| {
        let mut scenario = containers(4, &[]);
        scenario["hosts"] = json!([hosts(2, 1, 12)]);
        scenario["workloads"][0]["replication"] = json!(2);
        scenario["scheduling"]["round_s"] = json!(0.005);
        scenario["seed"] = json!(seed);
        let first = run(&scenario).tasks.worker.iter().filter(|&&worker| worker == 0).count();
        assert!((1..=3).contains(&first), "{first}");
        first != 2
    });
    assert!((80..=120).contains(&uneven.count()));
}

#[test]
fn a_limit_of_zero_is_refused() {
    let mut none = full();
    none["scheduling"]["off_switch_per_beat"] = json!(0);
    let error = howdah_sim::Scenario::from_json(&none.to_string()).expect_err("nothing could run");
    assert!(error.to_string().contains("scheduling.off_switch_per_beat"), "{error}");
}

/// For each reduce of TeraSort, the share of maps that had ended when it began, and whether other maps had not begun.
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
fn reduces_get_their_share_of_the_pool_while_maps_wait() {
    let ended = |reduces_first: f64, limit: f64| {
        let reduces = maps_at_reduces(reduces_first).into_iter();
        reduces
            .filter(|&(ended, maps_wait)| maps_wait && ended < limit)
            .map(|(ended, _)| ended)
            .collect::<Vec<_>>()
    };
    // Half of the pool of 96 containers, until the last maps leave more.
    let (most, early) = (ended(1.0, 0.9), ended(1.0, 0.25));
    assert!((40..=48).contains(&most.len()), "{}", most.len());
    // Before that, the share of ended maps.
    assert!((12..=24).contains(&early.len()), "{}", early.len());
    assert!(most.iter().all(|&ended| ended >= 0.05), "{most:?}");
    // If maps are served first, reduces begin when no map waits.
    let early = ended(0.0, 0.9).len();
    assert!(early < 12, "{early}");
}

#[test]
fn reduces_leave_room_for_the_last_map() {
    // A map takes half of a worker and a reduce a quarter: three on every worker would leave no room for a map.
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
