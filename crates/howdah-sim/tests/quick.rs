//! The quick simulation compared with the full one, and refused scenarios.

use crate::cluster::{elapsed_s, hosts, run, scenario, terasuite};
use howdah_sim::Outcome;
use serde_json::{Value, json};

const BLOCK: u64 = 64 << 20;

/// Identical hosts in racks of four, with `blocks` blocks for each map slot.
fn identical_hosts(count: u32, blocks: u64) -> Value {
    let racks: Vec<Value> = (0..count / 4)
        .map(|rack| {
            let mut group = hosts(4, 4, 6);
            group["rack"] = rack.into();
            group
        })
        .collect();
    let slots = count * 4 * 6;
    let rows = u64::from(slots) * blocks * BLOCK / 100;
    let mut scenario = scenario(racks.into(), terasuite(rows, slots, slots));
    scenario["hdfs"]["block_bytes"] = BLOCK.into();
    scenario
}

fn quick(mut scenario: Value) -> Outcome {
    scenario["quick"] = true.into();
    run(&scenario)
}

/// The medians over seeds of the durations of every workload and every phase.
fn medians_s(scenario: &Value, seeds: u64, is_quick: bool) -> Vec<f64> {
    let runs: Vec<Vec<f64>> = (0..seeds)
        .map(|seed| {
            let mut scenario = scenario.clone();
            (scenario["seed"], scenario["quick"]) = (seed.into(), is_quick.into());
            let outcome = run(&scenario);
            assert_eq!(outcome.summary.few_hosts.is_some(), is_quick);
            let phases = outcome.summary.workloads.iter().flat_map(|workload| &workload.phases);
            let phases_s = phases.map(|phase| (phase.end_ns - phase.start_ns) as f64 / 1e9);
            elapsed_s(&outcome).into_iter().chain(phases_s).collect()
        })
        .collect();
    (0..runs[0].len())
        .map(|figure| {
            let mut times_s: Vec<f64> = runs.iter().map(|run| run[figure]).collect();
            times_s.sort_by(f64::total_cmp);
            times_s[times_s.len() / 2]
        })
        .collect()
}

#[test]
fn few_hosts_give_the_medians_of_all() {
    // With these few seeds the error of a median is about 2 %; the exam of many clusters uses more.
    let scenario = identical_hosts(32, 52);
    let (full, few) = (medians_s(&scenario, 3, false), medians_s(&scenario, 9, true));
    for (number, (full_s, few_s)) in full.iter().zip(&few).enumerate() {
        assert!((few_s / full_s - 1.0).abs() < 0.04, "figure {number}: {few_s} s instead of {full_s} s");
    }
}

#[test]
fn few_hosts_do_the_work_of_all() {
    let scenario = identical_hosts(16, 52);
    let (full, few) = (run(&scenario).summary, quick(scenario).summary);
    assert_eq!((full.few_hosts, few.few_hosts), (None, Some(8)));
    for (all, part) in full.workloads.iter().zip(&few.workloads) {
        assert_eq!((all.maps, all.reduces.max(2)), (part.maps, part.reduces.max(2)), "{}", all.kind);
        let within = |share: f64, left: f64, right: f64| (left - right).abs() <= share * left.max(right);
        let near = |left: f64, right: f64| within(0.03, left, right);
        assert!(near(all.counters.spilled_bytes as f64, part.counters.spilled_bytes as f64));
        let off_bytes = (all.remote_read_bytes - part.remote_read_bytes).abs();
        assert!(off_bytes <= 0.06 * all.counters.read_bytes as f64, "{}: {off_bytes}", all.kind);
        for (all, part) in all.phases.iter().zip(&part.phases) {
            assert!(near(all.disk_written_bytes, part.disk_written_bytes), "{all:?} {part:?}");
            // The replica of its first block next to which a map of TeraValidate runs is random, with 192 maps here.
            assert!(within(0.12, all.received_bytes, part.received_bytes), "{all:?} {part:?}");
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_quick_result() {
    let scenario = identical_hosts(16, 52);
    assert_eq!(quick(scenario.clone()).summary.to_json(), quick(scenario).summary.to_json());
}

#[test]
fn an_unsuitable_scenario_is_simulated_in_full_with_a_reason() {
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut scenario = identical_hosts(16, 52);
        change(&mut scenario);
        quick(scenario).summary.full_because
    };
    assert_eq!(changed(&|_| ()), None);
    for (reason, change) in [
        (
            "hosts are not identical",
            &(|scenario: &mut Value| scenario["hosts"][1]["nics"][0]["bits_per_s"] = json!(1e9))
                as &dyn Fn(&mut Value),
        ),
        ("hosts have different numbers of workers", &|scenario| {
            scenario["hosts"][1]["workers"][0]["count"] = json!(3)
        }),
        ("hosts differ in speed", &|scenario| scenario["parameters"] = json!({"host_spread": 0.05})),
        ("racks share uplinks", &|scenario| {
            scenario["network"] = json!({"uplinks_bits_per_s": [40e9, null, null, null]})
        }),
        ("every task or host is recorded", &|scenario| scenario["record"] = json!({"tasks": true})),
        ("the cluster has few hosts", &|scenario| {
            scenario["hosts"].as_array_mut().unwrap().pop();
        }),
        ("there is little data for each task", &|scenario| {
            scenario["workloads"][2]["rows"] = json!(1_000_000)
        }),
        ("there are few tasks", &|scenario| {
            scenario["workloads"] = json!([{"kind": "pi", "maps": 11, "samples": 1000}])
        }),
    ] {
        assert_eq!(changed(change), Some(reason));
    }
}
