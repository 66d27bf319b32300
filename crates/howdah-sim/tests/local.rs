//! The simulated local engine: lower bounds, conservation of bytes, and invalid scenarios.

use howdah_sim::{Error, simulate_local};
use proptest::prelude::*;
use serde_json::{Value, json};

fn machine(workloads: Value) -> Value {
    json!({
        "cpus": 2.0,
        "directories": [{"read_bytes_per_s": 4e9, "write_bytes_per_s": 2e9, "mixed_share": 1.0}],
        "together": {"read_bytes_per_s": 4e9, "write_bytes_per_s": 2e9, "mixed_share": 1.0},
        "costs": {"generate_s": 6e-11, "validate_s": 1.2e-10, "read_s": 1e-11, "write_s": 1e-10},
        "operation_s": 0.002,
        "request_s": 1e-4,
        "pool_bytes": 4_000_000_000_u64,
        "map_slots": 4,
        "reduce_slots": 4,
        "sample_interval_s": 0.1,
        "workloads": workloads,
    })
}

fn suite(rows: u64, in_memory_bytes: u64) -> Value {
    json!([
        {"kind": "teragen", "rows": rows, "maps": 4},
        {
            "kind": "terasort", "rows": rows, "maps": 16, "reduces": 4, "in_memory_bytes": in_memory_bytes,
            "sort_s": {"at": 9000.0, "cost_s": 2e-10, "doubling_s": 1e-11},
            "merge_s": {"at": 16.0, "cost_s": 2.5e-10, "doubling_s": 5e-11},
            "codec": null
        },
        {"kind": "teravalidate", "rows": rows, "files": 4},
        {"kind": "dfsio-write", "files": 8, "file_bytes": 1 << 26},
        {"kind": "dfsio-read", "files": 8, "file_bytes": 1 << 26}
    ])
}

fn simulate(scenario: &Value) -> Value {
    serde_json::from_str(&simulate_local(&scenario.to_string()).unwrap()).unwrap()
}

fn elapsed_s(outcome: &Value) -> Vec<f64> {
    let workloads = outcome["workloads"].as_array().unwrap();
    let span =
        |workload: &Value| workload["end_ns"].as_i64().unwrap() - workload["start_ns"].as_i64().unwrap();
    workloads.iter().map(|workload| span(workload) as f64 / 1e9).collect()
}

fn sum(tasks: &Value, kind: &str, field: &str) -> u64 {
    let selected = tasks.as_array().unwrap().iter().filter(|task| task["kind"] == kind);
    selected.map(|task| task[field].as_u64().unwrap()).sum()
}

#[test]
fn a_run_limited_by_the_disk_takes_hardly_longer_than_the_disk() {
    let elapsed = elapsed_s(&simulate(&machine(suite(20_000_000, 1))));
    let bytes = 2e9;
    for (elapsed, least) in elapsed.iter().zip([bytes / 2e9, bytes / 4e9 + bytes / 2e9, bytes / 4e9]) {
        assert!((least..1.1 * least).contains(elapsed), "{elapsed} s instead of {least} s");
    }
}

#[test]
fn spilled_data_are_written_and_read_twice() {
    let mut scenario = machine(suite(40_000_000, u64::MAX));
    scenario["pool_bytes"] = json!(800_000_000_u64);
    let outcome = simulate(&scenario);
    let sort = &outcome["workloads"][1];
    assert_eq!(sort["in_memory"], json!(false));
    assert_eq!(sort["spilled_bytes"], json!(4_000_000_000_u64));
    let read = sort["spill_read_bytes"].as_f64().unwrap();
    assert!((4e9..4.8e9).contains(&read), "{read}");
    let least = 2.0 * (4e9 / 4e9 + 4e9 / 2e9);
    let elapsed = elapsed_s(&outcome)[1];
    assert!((least..1.15 * least).contains(&elapsed), "{elapsed} s instead of {least} s");
}

#[test]
fn processors_that_are_the_limit_are_always_busy() {
    let mut scenario = machine(suite(20_000_000, 1));
    for step in ["sort_s", "merge_s"] {
        scenario["workloads"][1][step] = json!({"at": 16.0, "cost_s": 4e-9, "doubling_s": 0.0});
    }
    let least = 2e9 * 8e-9 / 2.0;
    let elapsed = elapsed_s(&simulate(&scenario))[1];
    assert!((least..1.1 * least).contains(&elapsed), "{elapsed} s instead of {least} s");
}

#[test]
fn two_disks_halve_the_time_unless_they_share_a_path() {
    let one = machine(suite(20_000_000, 1));
    let mut two = one.clone();
    two["directories"] = json!([one["directories"][0], one["directories"][0]]);
    let one_s = elapsed_s(&simulate(&one))[0];
    // Together they are no faster than one of them.
    assert!((elapsed_s(&simulate(&two))[0] / one_s - 1.0).abs() < 0.05);
    two["together"] = json!({"read_bytes_per_s": 8e9, "write_bytes_per_s": 4e9, "mixed_share": 1.0});
    assert!((elapsed_s(&simulate(&two))[0] / one_s - 0.5).abs() < 0.05);
}

#[test]
fn compressing_trades_processors_for_disks() {
    let mut scenario = machine(suite(40_000_000, u64::MAX));
    scenario["pool_bytes"] = json!(800_000_000_u64);
    scenario["workloads"][1]["codec"] = json!({"pack_s": 1e-12, "unpack_s": 1e-12, "ratio": 0.25});
    let outcome = simulate(&scenario);
    assert_eq!(outcome["workloads"][1]["spilled_bytes"], json!(1_000_000_000_u64));
    let plain = 2.0 * (4e9 / 4e9 + 4e9 / 2e9);
    assert!(elapsed_s(&outcome)[1] < 0.7 * plain);
    scenario["workloads"][1]["codec"] = json!({"pack_s": 1e-8, "unpack_s": 1e-12, "ratio": 0.25});
    assert!(elapsed_s(&simulate(&scenario))[1] > 4e9 * 1e-8 / 2.0);
}

#[test]
fn a_copy_has_the_measured_efficiency_of_the_disk() {
    let mut scenario = machine(suite(40_000_000, u64::MAX));
    scenario["pool_bytes"] = json!(800_000_000_u64);
    let even = elapsed_s(&simulate(&scenario))[1];
    for disk in ["together", "directories"] {
        let rates = if disk == "together" { &mut scenario[disk] } else { &mut scenario[disk][0] };
        rates["mixed_share"] = json!(0.5);
    }
    let lossy = elapsed_s(&simulate(&scenario));
    assert!(lossy[1] > 1.5 * even, "{} s instead of {even} s", lossy[1]);
    // Writes only lose nothing.
    assert!(lossy[0] < 4e9 / 2e9 * 1.1);
}

#[test]
fn an_invalid_scenario_is_refused() {
    for (key, value) in [
        ("cpus", json!(0.0)),
        ("directories", json!([])),
        ("operation_s", json!(-1.0)),
        ("map_slots", json!(0)),
        ("map_slots", json!(4_000_000_000_u32)),
        ("workloads", json!([{"kind": "teragen", "rows": u64::MAX, "maps": 1}])),
        ("workloads", json!([{"kind": "teragen", "rows": 1, "maps": 1_000_000_000}])),
        ("surprise", json!(1)),
    ] {
        let mut scenario = machine(suite(1000, 1));
        scenario[key] = value;
        assert!(matches!(simulate_local(&scenario.to_string()), Err(Error::Input { .. })), "{key}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn bytes_are_conserved_and_limits_are_kept(
        rows in 0..30_000_000_u64,
        slots in 1..9_u32,
        maps in 1..40_u32,
        reduces in 1..20_u32,
        pool in 50_000_000..3_000_000_000_u64,
        cpus in 0.5..16.0,
        share in 0.3..1.5,
        compressed in any::<bool>(),
    ) {
        let mut scenario = machine(suite(rows, rows * 120));
        scenario["cpus"] = json!(cpus);
        scenario["pool_bytes"] = json!(pool);
        scenario["directories"][0]["mixed_share"] = json!(share);
        for field in ["map_slots", "reduce_slots"] {
            scenario[field] = json!(slots);
        }
        scenario["workloads"][1]["maps"] = json!(maps);
        scenario["workloads"][1]["reduces"] = json!(reduces);
        if compressed {
            scenario["workloads"][1]["codec"] = json!({"pack_s": 1e-9, "unpack_s": 3e-10, "ratio": 0.4});
        }
        let outcome = simulate(&scenario);
        prop_assert_eq!(&outcome, &simulate(&scenario));
        let bytes = rows * 100;
        let [teragen, terasort, teravalidate] = [0, 1, 2].map(|number| &outcome["workloads"][number]);
        prop_assert_eq!(sum(&teragen["tasks"], "map", "output_bytes"), bytes);
        prop_assert_eq!(sum(&terasort["tasks"], "map", "input_bytes"), bytes);
        prop_assert_eq!(sum(&terasort["tasks"], "reduce", "output_bytes"), bytes);
        let map_tasks = terasort["tasks"].as_array().unwrap().iter().filter(|task| task["kind"] == "map");
        prop_assert_eq!(map_tasks.count(), maps as usize);
        prop_assert_eq!(sum(&teravalidate["tasks"], "map", "input_bytes"), bytes);
        let spilled = terasort["spilled_bytes"].as_u64().unwrap();
        let read_back = terasort["spill_read_bytes"].as_u64().unwrap();
        let written: f64 = outcome["samples"]["written_bytes"].as_array().unwrap().last().unwrap()[0].as_f64().unwrap();
        let dfsio = 8.0 * f64::from(1 << 26);
        prop_assert!((written - (2 * bytes + spilled) as f64 - dfsio).abs() < 1e4 + written * 1e-6, "{written}");
        let read: f64 = outcome["samples"]["read_bytes"].as_array().unwrap().last().unwrap()[0].as_f64().unwrap();
        prop_assert!((read - (2 * bytes + read_back) as f64 - dfsio).abs() < 1e4 + read * 1e-6, "{read}");
        let cpu_s = outcome["samples"]["cpu_s"].as_array().unwrap().last().unwrap().as_f64().unwrap();
        let end_s = outcome["workloads"][4]["end_ns"].as_i64().unwrap() as f64 / 1e9;
        prop_assert!(cpu_s <= cpus * end_s * (1.0 + 1e-6));
        prop_assert!(elapsed_s(&outcome)[0] >= bytes as f64 / 2e9);
        for task in terasort["tasks"].as_array().unwrap() {
            prop_assert!(task["start_ns"].as_i64() <= task["end_ns"].as_i64());
        }
    }
}
